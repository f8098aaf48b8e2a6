"""What Neo4j is told before it starts: ports, memory, `neo4j.conf`."""

import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from graphrag_neo4j.files import make_private_folder, write_private

__all__ = ["LOOPBACK", "choose_ports", "java_memory", "listens", "write_config"]

MEGABYTE = 1024**2
LOOPBACK = "127.0.0.1"
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def choose_ports(*wanted: Sequence[int]) -> list[int]:
    """For each list the first port in it that is free on loopback, else any free one."""
    with ExitStack() as held:
        sockets = [held.enter_context(_bind(ports)) for ports in wanted]
        return [one.getsockname()[1] for one in sockets]


def listens(port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex((LOOPBACK, port)) == 0


def java_memory(memory: int | None = None) -> tuple[int, int]:
    """Heap and page cache in MB for a machine of so many bytes (by default this one)."""
    megabytes = (memory or _machine_memory()) // MEGABYTE
    return _clamp(megabytes // 4, 512), _clamp(megabytes // 8, 256)


def write_config(
    home: Path, plugins: Path, bolt_port: int, http_port: int, browse_port: int
) -> None:
    """Write `conf/neo4j.conf`: loopback only, sized to the machine, GDS allowed.

    Neo4j Browser asks `browse_port` for a guide and a style as soon as it has connected.
    """
    browse = f"http://localhost:{browse_port}"  # the one host that Browser allows by default
    heap, page_cache = java_memory()
    settings = {
        "server.default_listen_address": LOOPBACK,
        "server.bolt.listen_address": f":{bolt_port}",
        "server.bolt.advertised_address": f"{LOOPBACK}:{bolt_port}",
        "server.http.listen_address": f":{http_port}",
        "server.http.advertised_address": f"{LOOPBACK}:{http_port}",
        "server.directories.plugins": plugins.as_posix(),
        "server.memory.heap.initial_size": "512m",
        "server.memory.heap.max_size": f"{heap}m",
        "server.memory.pagecache.size": f"{page_cache}m",
        # Without these three an empty home takes 550 MB on disk; with them 2 MB.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.size": "16m",
        "db.tx_log.rotation.retention_policy": "false",
        # A disk that fills up cuts off the last transaction in the log, which nobody was told is
        # saved. With Neo4j's default the database would then refuse ever to start again; so it
        # starts from all that stands before the cut.
        "internal.dbms.tx_log.fail_on_corrupted_log_files": "false",
        "db.logs.query.enabled": "OFF",
        "browser.post_connect_cmd": f"style {browse}/style.grass; guide {browse}/guide.html",
        "dbms.security.procedures.unrestricted": "gds.*",
        # Nothing is reported to anybody: not by Neo4j, and not by Neo4j Browser.
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        # Databases are closed before Bolt is; without these two a stop then waits 10 s for
        # threads that have nothing left to do.
        "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
        "internal.server.bolt.connection_shutdown_wait_time": "0s",
        "server.config.strict_validation.enabled": "true",
    }
    path = home / "conf" / "neo4j.conf"
    make_private_folder(path.parent)
    lines = [f"{name}={value}\n" for name, value in settings.items()]
    write_private(path, "".join(lines))


def _bind(wanted: Sequence[int]) -> socket.socket:
    for port in wanted:
        # Not every system refuses a port of ours that a server holds on all addresses.
        if port and not listens(port):
            with suppress(OSError):
                return socket.create_server((LOOPBACK, port))
    return socket.create_server((LOOPBACK, 0))


def _machine_memory() -> int:
    """Bytes of memory of this machine, or of the container that we run in."""
    total = int(psutil.virtual_memory().total)
    limit = CGROUP_LIMIT.read_text(encoding="ascii").strip() if CGROUP_LIMIT.is_file() else "max"
    return total if limit == "max" else min(total, int(limit))


def _clamp(megabytes: int, least: int) -> int:
    return min(max(megabytes, least), 4096)
