"""A home: the folder of one embedded server, with its data, password, record, lock and settings."""

import json
import random
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree

import psutil
from platformdirs import user_data_path

from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import PRIVATE_FILE, is_temporary, make_private_folder, write_private
from graphrag_neo4j.model.events import Listener, Notice, Waiting

RECORD, OWN_CONFIG = "graphrag-neo4j.json", "own.conf"
LOCK, IN_USE, TOOL = "lock", "in-use", "tool"
LOADING, LOADED, BEFORE_UPGRADE = "loading", "data.loaded", "before-upgrade.dump"
CONTENTS = ("conf", "data", LOADED, BEFORE_UPGRADE, "logs", "run", "password")
LOOPBACK = "127.0.0.1"
HEAP = "server.memory.heap.max_size"
DATABASE = "initial.dbms.default_database"
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
SECONDS_BETWEEN = 1.0  # two reports of a wait
# Below the ports that systems give to whoever asks for any port: what is free now is still free
# when Neo4j has started, and later, when Neo4j Browser requests the guide.
PORTS = range(20_000, 30_000)


def default_home() -> Path:
    """The default home, in the user's data folder."""
    return user_data_path("graphrag-neo4j", appauthor=False) / "neo4j"


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """The record of a home's server; fields are empty or 0 before the first start.

    `release` and `version` are those of the Neo4j that the data belongs to, from its first start.
    `browse_port` is the port where Neo4j Browser looks for our guide. `pid` is the process of the
    last server, and `ready` is True if it has answered.
    """

    release: str = ""
    version: str = ""
    bolt_port: int = 0
    http_port: int = 0
    browse_port: int = 0
    pid: int = 0
    ready: bool = False


class Home:
    """A home: the paths in it, and reading and writing its files.

    A folder with the file `record_path` is a home. Neo4j's log is at `log_path`, and the output of
    the last server, errors at its start included, at `console_path`. The user's own settings for
    Neo4j are at `own_config_path`, which this program only reads. The data from before the last
    upgrade is at `before_upgrade_path`. Neo4j's own tool locks `tool_path` while it runs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record_path = path / RECORD
        self.password_path = path / "password"
        self.tool_path = path / TOOL
        self.own_config_path = path / OWN_CONFIG
        self.data_path = path / "data"
        self.before_upgrade_path = path / BEFORE_UPGRADE
        self.log_path = path / "logs" / "neo4j.log"
        self.console_path = path / "logs" / "console.log"

    def make_folder(self) -> None:
        """Makes the folder if it is missing. Raises EmbeddedError if it holds other files."""
        make_private_folder(self.path)
        # In this order: another process that makes this home writes the record first.
        others = {path.name for path in self.path.iterdir() if not is_temporary(path)}
        if others - {RECORD, LOCK, IN_USE, TOOL, OWN_CONFIG} and not self.record_path.exists():
            raise EmbeddedError(
                f"{self.path} holds other files: name an empty folder or a new one"
                " in --home or KG_HOME."
            )
        self.path.chmod(0o700)

    def read(self) -> ServerRecord | None:
        """Reads the record; None if there is no home. Raises EmbeddedError if it is damaged."""
        try:
            return ServerRecord(**json.loads(self.record_path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise EmbeddedError(
                f"{self.record_path} can't be read ({error}): restore it, or name another folder"
                " in --home or KG_HOME."
            ) from error

    def write(self, record: ServerRecord) -> None:
        """Replaces the record as a whole or not at all."""
        write_private(self.record_path, json.dumps(asdict(record), indent=2) + "\n")

    def password(self) -> str:
        """The server's password. The first call makes it."""
        if not self.password_path.exists():
            # Hexadecimal, so that no program can read it as an option.
            write_private(self.password_path, secrets.token_hex(16))
        return self.password_path.read_text(encoding="utf-8")

    def clear(self) -> None:
        """Removes all but the user's settings and the record, which then has only the ports."""
        for name in CONTENTS:
            path = self.path / name
            if path.is_dir():
                rmtree(path)
            else:
                path.unlink(missing_ok=True)
        old = self.read() or ServerRecord()
        self.write(ServerRecord("", "", old.bolt_port, old.http_port, old.browse_port))

    def default_database(self) -> str:
        """The name of the database in new data, which the user's `own.conf` may set."""
        return _own_settings(self.own_config_path).get(DATABASE, "neo4j").lower()

    def replace_data(self, folder: Path | None = None) -> None:
        """Puts a folder in the place of the data. The first rename decides.

        Without a folder, it ends what a process has begun that was killed after this rename.
        """
        loaded = self.path / LOADED
        if folder:
            self.replace_data()
            folder.rename(loaded)
        if loaded.exists():
            if self.data_path.exists():
                rmtree(self.data_path)
            loaded.rename(self.data_path)

    @contextmanager
    def locked(self, listen: Listener) -> Iterator[None]:
        """Holds the lock of this home against other processes, with a notice if it has to wait.

        It also waits for a tool whose own process was killed, and removes what a load has left.
        """
        why = f"Waiting for another process in {self.path}"
        with locked(self.path / LOCK, listen, why):
            with locked(self.tool_path, listen, why):
                for folder in self.path.glob(f"{LOADING}*"):
                    rmtree(folder, ignore_errors=True)
            yield

    def in_use(self, listen: Listener) -> AbstractContextManager[None]:
        """Keeps the server for this process alone, from before its start."""
        return locked(self.path / IN_USE, listen, f"Waiting for another process in {self.path}")


# Locks and waits


@contextmanager
def locked(path: Path, listen: Listener, why: str) -> Iterator[None]:
    """Holds the lock on a file. While another process has it, `why` is the reason of the wait."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - it takes a moment to load

    lock = FileLock(path, mode=PRIVATE_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        listen(Notice(f"{why}."))
        with waiting(listen, why) as tick:
            while not lock.is_locked:
                with suppress(Timeout):
                    lock.acquire(timeout=1)
                tick()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def waiting(listen: Listener, reason: str) -> Iterator[Callable[[], float]]:
    """Reports the reason of a wait at once, and its end.

    It lends a function that may be called often: it reports the seconds so far, at most once a
    second, and returns them.
    """
    began = time.monotonic()
    last = -SECONDS_BETWEEN

    def tick() -> float:
        nonlocal last
        seconds = time.monotonic() - began
        if seconds - last >= SECONDS_BETWEEN:
            last = seconds
            listen(Waiting(reason, seconds))
        return seconds

    tick()
    try:
        yield tick
    finally:
        listen(Waiting("", time.monotonic() - began))


# Ports, memory and `neo4j.conf`


def choose_ports(*wanted: Sequence[int]) -> list[int]:
    """For each list, its first port that is free on loopback, or another free port.

    The others differ from list to list, so that the port of one home's guide, which is not always
    in use, is not chosen as a port of another home's Neo4j.
    """
    with ExitStack() as held:
        sockets = [
            held.enter_context(_bind([*ports, *random.sample(PORTS[n :: len(wanted)], 99)]))
            for n, ports in enumerate(wanted)
        ]
        return [one.getsockname()[1] for one in sockets]


def _bind(wanted: Sequence[int]) -> socket.socket:
    for port in wanted:
        # Some systems let us bind a port that another server holds on all addresses.
        if port and not listens(port):
            with suppress(OSError):
                return socket.create_server((LOOPBACK, port))
    return socket.create_server((LOOPBACK, 0))


def listens(port: int) -> bool:
    """Whether a process accepts connections on this port of loopback."""
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex((LOOPBACK, port)) == 0


def java_memory(memory: int | None = None) -> tuple[int, int]:
    """Heap and page cache in MB for a machine with `memory` bytes (default: this machine)."""
    if memory is None:
        memory = int(psutil.virtual_memory().total)
        if CGROUP_LIMIT.is_file() and (limit := CGROUP_LIMIT.read_text("ascii").strip()) != "max":
            memory = min(memory, int(limit))  # of the container that we run in
    megabytes = memory // 1024**2
    return min(max(megabytes // 4, 512), 4096), min(max(megabytes // 8, 256), 4096)


def heap_size(home: Home) -> str:
    """The largest heap, as Java reads it: that of the user's `own.conf`, else that of the machine.

    Java does not read `neo4j.conf`, so this is for its command line.
    """
    heap, _ = java_memory()
    return _own_settings(home.own_config_path).get(HEAP, f"{heap}m").lower().removesuffix("ib")


def write_config(
    home: Home,
    plugins: Path,
    bolt_port: int,
    http_port: int,
    browse_port: int,
    *,
    senders: Sequence[str],
) -> None:
    """Makes the folder `conf` anew with `neo4j.conf`: loopback only, memory for this machine, GDS.

    Neo4j Browser requests a guide and a style from `browse_port` when it has connected. `senders`
    are switched off; the release must know them. The settings in the user's `own.conf` are added,
    and come before those of this function.
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
        # By default a transaction waits without end for one whose program is suspended.
        "db.lock.acquisition.timeout": "20s",
        "browser.post_connect_cmd": f"style {browse}/style.grass; guide {browse}/guide.html",
        "dbms.security.procedures.unrestricted": "gds.*",
        # By default Neo4j plans a statement anew for each order of magnitude of the sizes of its
        # lists and texts, so small changes wait for plans again and again.
        "internal.cypher.use_parameter_size": "false",
        # Neither Neo4j nor Neo4j Browser sends reports to anybody.
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        **dict.fromkeys(senders, "false"),
        # Databases are closed before Bolt; without these two, a stop then waits 10 s for idle
        # threads.
        "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
        "internal.server.bolt.connection_shutdown_wait_time": "0s",
        "server.config.strict_validation.enabled": "true",
    }
    path = home.path / "conf" / "neo4j.conf"
    # What else lies in the folder could make Neo4j write files anywhere.
    if path.parent.is_symlink():
        path.parent.unlink()
    elif path.parent.exists():
        rmtree(path.parent)
    make_private_folder(path.parent)
    settings |= _own_settings(home.own_config_path)
    write_private(path, "".join(f"{name}={value}\n" for name, value in settings.items()))


def _own_settings(path: Path) -> dict[str, str]:
    """The lines `name=value` of a file, if there is one. Neo4j itself refuses names it lacks."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    pairs = (line.partition("=") for line in lines if not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}
