"""The configuration of Neo4j: ports, memory and `neo4j.conf`."""

import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import rmtree

import psutil

from graphrag_neo4j.embedded.home import Home
from graphrag_neo4j.files import make_private_folder, write_private

__all__ = [
    "HEAP",
    "LOOPBACK",
    "choose_ports",
    "heap_size",
    "java_memory",
    "listens",
    "write_config",
]

MEGABYTE = 1024**2
LOOPBACK = "127.0.0.1"
HEAP = "server.memory.heap.max_size"
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def choose_ports(*wanted: Sequence[int]) -> list[int]:
    """For each list, its first port that is free on loopback, or any free port."""
    with ExitStack() as held:
        sockets = [held.enter_context(_bind(ports)) for ports in wanted]
        return [one.getsockname()[1] for one in sockets]


def listens(port: int) -> bool:
    """Whether a process accepts connections on this port of loopback."""
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex((LOOPBACK, port)) == 0


def java_memory(memory: int | None = None) -> tuple[int, int]:
    """Heap and page cache in MB for a machine with `memory` bytes (default: this machine)."""
    megabytes = (memory or _machine_memory()) // MEGABYTE
    return _clamp(megabytes // 4, 512), _clamp(megabytes // 8, 256)


def heap_size(home: Home) -> str:
    """The largest heap, as Java reads it: that of the user's `own.conf`, else that of the machine.

    Java does not read `neo4j.conf`, so this is for its command line.
    """
    heap, _ = java_memory()
    return _own_settings(home.own_config_path).get(HEAP, f"{heap}m").lower().removesuffix("ib")


def write_config(
    home: Home, plugins: Path, bolt_port: int, http_port: int, browse_port: int
) -> None:
    """Makes the folder `conf` anew with `neo4j.conf`: loopback only, memory for this machine, GDS.

    Neo4j Browser requests a guide and a style from `browse_port` when it has connected. The
    settings in the user's `own.conf` are added, and come before those of this function.
    """
    browse = f"http://localhost:{browse_port}"  # the only host that Browser allows by default
    _, page_cache = java_memory()
    settings = {
        "server.default_listen_address": LOOPBACK,
        "server.bolt.listen_address": f":{bolt_port}",
        "server.bolt.advertised_address": f"{LOOPBACK}:{bolt_port}",
        "server.http.listen_address": f":{http_port}",
        "server.http.advertised_address": f"{LOOPBACK}:{http_port}",
        "server.directories.plugins": plugins.as_posix(),
        "server.memory.heap.initial_size": "512m",
        HEAP: heap_size(home),
        "server.memory.pagecache.size": f"{page_cache}m",
        # Without these three an empty home takes 550 MB on disk; with them 2 MB.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.size": "16m",
        "db.tx_log.rotation.retention_policy": "false",
        # A full disk cuts off the last transaction in the log, before it was confirmed. With
        # Neo4j's default the database would then never start again; with this setting it
        # starts without that transaction.
        "internal.dbms.tx_log.fail_on_corrupted_log_files": "false",
        "db.logs.query.enabled": "OFF",
        "browser.post_connect_cmd": f"style {browse}/style.grass; guide {browse}/guide.html",
        "dbms.security.procedures.unrestricted": "gds.*",
        # By default Neo4j plans a statement anew for each order of magnitude of the sizes of its
        # lists and texts, so small changes wait for plans again and again.
        "internal.cypher.use_parameter_size": "false",
        # Neither Neo4j nor Neo4j Browser sends reports to anybody.
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        # Databases are closed before Bolt; without these two, a stop then waits 10 s for idle
        # threads.
        "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
        "internal.server.bolt.connection_shutdown_wait_time": "0s",
        "server.config.strict_validation.enabled": "true",
    }
    path = home.path / "conf" / "neo4j.conf"
    _remove(path.parent)  # what else lies there could make Neo4j write files anywhere
    make_private_folder(path.parent)
    settings |= _own_settings(home.own_config_path)
    lines = [f"{name}={value}\n" for name, value in settings.items()]
    write_private(path, "".join(lines))


def _remove(folder: Path) -> None:
    """Removes a folder with all that it holds; of a symbolic link, only the link."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        rmtree(folder)


def _own_settings(path: Path) -> dict[str, str]:
    """The lines `name=value` of a file, if there is one. Neo4j itself refuses names it lacks."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    pairs = (line.partition("=") for line in lines if not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


def _bind(wanted: Sequence[int]) -> socket.socket:
    for port in wanted:
        # Some systems let us bind a port that another server holds on all addresses.
        if port and not listens(port):
            with suppress(OSError):
                return socket.create_server((LOOPBACK, port))
    return socket.create_server((LOOPBACK, 0))


def _machine_memory() -> int:
    """The memory of this machine, or of the container that we run in, in bytes."""
    total = int(psutil.virtual_memory().total)
    limit = CGROUP_LIMIT.read_text(encoding="ascii").strip() if CGROUP_LIMIT.is_file() else "max"
    return total if limit == "max" else min(total, int(limit))


def _clamp(megabytes: int, least: int) -> int:
    return min(max(megabytes, least), 4096)
