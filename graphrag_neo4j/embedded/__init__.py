"""The embedded Neo4j: Community Edition with GDS, run from jars, on loopback only.

A home is the folder of one server: its data, password, ports and logs. `start` returns
the running server of a home; where needed, it downloads and starts the server first.
"""

from graphrag_neo4j.embedded.home import default_home
from graphrag_neo4j.embedded.server import (
    Server,
    ServerStatus,
    calculator,
    calculator_home,
    log_path,
    restart,
    running,
    start,
    status,
    stop,
    wipe,
)

__all__ = [
    "Server",
    "ServerStatus",
    "calculator",
    "calculator_home",
    "default_home",
    "log_path",
    "restart",
    "running",
    "start",
    "status",
    "stop",
    "wipe",
]
