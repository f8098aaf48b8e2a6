"""A real Neo4j that lacks Graph Data Science: the embedded one's jars without its plugins."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphrag_neo4j.embedded.home import LOOPBACK, choose_ports
from graphrag_neo4j.embedded.jars import jars_folder
from graphrag_neo4j.embedded.releases import RELEASES, find_java
from graphrag_neo4j.settings import Neo4jRelease

# The last two let it end at once, as the embedded one does.
SETTINGS = """server.http.enabled=false
server.memory.pagecache.size=64m
db.tx_log.preallocate=false
dbms.security.auth_enabled=false
dbms.usage_report.enabled=false
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
"""


@contextmanager
def server_without_gds(release: Neo4jRelease, home: Path) -> Iterator[str]:
    """Its address, while it runs and lets anyone in; the release's jars must be at hand."""
    port, server = _started(release, home)
    with server:
        try:
            yield f"bolt://{LOOPBACK}:{port}"
        finally:
            server.terminate()


def _started(release: Neo4jRelease, home: Path) -> "tuple[int, subprocess.Popen[str]]":
    """Starts it at a free port, and at another one if a program takes that meanwhile."""
    port, _ = choose_ports([], [])
    wanted, java, conf = RELEASES[release], find_java(), home / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    address = f"server.bolt.listen_address={LOOPBACK}:{port}\n"
    (conf / "neo4j.conf").write_text(address + SETTINGS, "utf-8")
    class_path = os.pathsep.join([str(conf), str(jars_folder(wanted) / "lib" / "*")])
    command = [java.path, "-Xmx512m", *java.flags(), "-cp", class_path, wanted.main_class]
    command += [f"--home-dir={home}", f"--config-dir={conf}", "--console-mode"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own paths
    assert server.stdout is not None
    said = ""
    for line in server.stdout:
        said += line
        if "Started." in line:
            return port, server
    with server:
        assert "already in use" in said, said
    return _started(release, home)
