"""The embedded Neo4j: Community Edition with GDS, run from jars, on loopback only.

A home is the folder of one server: its data, password, ports and logs. `start` returns the running
server of a home; where needed, it downloads and starts the server first.

In reading order: this module, home, releases, jars, process, archive.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from graphrag_neo4j.embedded import process
from graphrag_neo4j.embedded.home import (
    HEAP,
    LOOPBACK,
    Home,
    ServerRecord,
    choose_ports,
    default_home,
    write_config,
)
from graphrag_neo4j.embedded.releases import RELEASES, Java, Release, find_java, read_lock
from graphrag_neo4j.errors import EmbeddedError, GraphStoppedError
from graphrag_neo4j.files import remove_unfinished
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.settings import Settings

MEGABYTE = 1_000_000
LAST_BYTES = 10_000  # bytes of what Java has printed
ROOM = 50 * MEGABYTE  # free bytes of the disk; with less, Neo4j may stop at any write


@dataclass(frozen=True, slots=True)
class Server:
    """An embedded server that runs and has answered.

    `browse_port` is the port where its Neo4j Browser looks for a guide, 0 if there is none.
    """

    uri: str
    http_url: str
    browse_port: int
    username: str
    password: str = field(repr=False)
    home: Path
    release: str
    version: str
    pid: int

    @property
    def browser_url(self) -> str:
        """The address of its Neo4j Browser, with the server and the user name filled in."""
        scheme, _, place = self.uri.partition("://")
        return f"{self.http_url}/browser/?dbms={scheme}://{self.username}@{place}"

    def address(self) -> tuple[str, int]:
        """The host and port of this home's server, which another command may have restarted.

        Raises EmbeddedError if it has ended, with the likely reason.
        """
        home = Home(self.home)
        record = home.read() or ServerRecord()
        if process.find_server(home, record.pid):
            return LOOPBACK, record.bolt_port
        last_words = home.console_path.read_bytes() if home.console_path.exists() else b""
        if b"java.lang.OutOfMemoryError" in last_words[-LAST_BYTES:]:
            raise EmbeddedError(
                f"The Neo4j in {self.home} has run out of memory and has ended: give it more by a"
                f" line such as {HEAP}=8g in {home.own_config_path}, and run the same command"
                " again; the saved data is not lost."
            )
        raise EmbeddedError(
            f"The Neo4j in {self.home} has ended: run the same command again, which starts Neo4j"
            " again, or `kg-build neo4j start` for a server that still runs; the saved data is not"
            f" lost. Its log is {home.log_path}."
        )

    def stopped(self) -> str:
        """A sentence that says why the database may have stopped, and what to do."""
        return _full_disk(self.home) or (
            f"Neo4j has stopped the database in {self.home} after an error: run the same command"
            " again, which starts Neo4j again; the saved data is not lost. Its log is"
            f" {Home(self.home).log_path}."
        )


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of a home.

    `server` is None unless it runs and has answered. `version` is that of the Neo4j that the data
    belongs to, empty if there is no data yet.
    """

    home: Path
    version: str
    server: Server | None
    password_path: Path


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raises EmbeddedError with a sentence for a full disk or a missing permission."""
    try:
        yield
    except OSError as error:
        raise EmbeddedError(
            f"The embedded Neo4j can't use a file or a program here ({error}): make room or give"
            " access, or name another folder in --home or KG_HOME."
        ) from error


@plain_errors()
def start(settings: Settings, listen: Listener = silent, *, upgrade: bool = False) -> Server:
    """Returns the running server of the settings' home; downloads and starts it where needed.

    With `upgrade` True, data of an older release becomes data of this one, after a dump of it to a
    file. Raises EmbeddedError where the server can't be downloaded or started.
    """
    home, release = home_of(settings), RELEASES[settings.neo4j_release]
    home.make_folder()
    with home.locked(listen):
        record = read_record(home, release, upgrade=upgrade)
        if record.release not in {"", release.name}:
            end_home(home, listen)
            old = settings.model_copy(update={"neo4j_release": record.release})
            process.dump_home(home, *programs(old, listen), home.before_upgrade_path, listen)
            kept = f"The data of Neo4j {record.version} is kept in {home.before_upgrade_path}."
            listen(Notice(kept))
        if (found := process.find_server(home, record.pid)) is None:
            record = _launch(home, record, settings, listen)
        elif not record.ready:
            record = replace(record, pid=found.pid)
            listen(Notice(f"Waiting for Neo4j {record.version} in {home.path} to answer."))
        if not record.ready:
            process.wait_until_ready(home, record.pid, record.bolt_port, listen)
            record = replace(record, ready=True)
            home.write(record)
        return _server(home, record)


def read_record(home: Home, release: Release, *, upgrade: bool = False) -> ServerRecord:
    """Reads the record of a home, and makes it where it is missing.

    Raises EmbeddedError if the home holds data of another release, unless `upgrade` allows it.
    """
    if (record := home.read()) is None:
        record = ServerRecord()
        home.write(record)  # first of all, because it makes the folder a home
    older = bool(record.release) and _age(record.release) < _age(release.name)
    if record.release not in {"", release.name} and not (older and upgrade):
        way = "`kg-build neo4j start --upgrade` dumps it to a file and upgrades it, or "
        raise EmbeddedError(
            f"{home.path} holds data of Neo4j {record.version}, which {release.name} can't"
            f" read: {way if older else ''}set KG_NEO4J_RELEASE={record.release},"
            " or name another folder in --home or KG_HOME."
        )
    return record


def _age(release: str) -> list[int]:
    """What sorts releases, the oldest first.

    >>> _age("5.26") < _age("2026.01") < _age("2026.09")
    True
    """
    return [int(part) for part in release.split(".")]


@plain_errors()
def restart(settings: Settings, stopped: Server, listen: Listener = silent) -> Server:
    """Starts the settings' server again after the database of `stopped` has stopped.

    Raises GraphStoppedError where the disk is still full, and EmbeddedError as `start` does.
    """
    home = home_of(settings)
    if full := _full_disk(home.path):
        raise GraphStoppedError(full)
    with home.locked(listen):
        # Another command may have restarted it meanwhile.
        if (home.read() or ServerRecord()).pid == stopped.pid:
            text = (
                f"Neo4j had stopped the database in {home.path} after an error, as it does when its"
                " disk is full; Neo4j is started again, and nothing that was saved is lost."
            )
            listen(Notice(text))
            end_home(home, listen)
    return start(settings, listen)


def running(settings: Settings) -> Server | None:
    """The server of the settings' home, if it runs and has answered."""
    home = home_of(settings)
    record = home.read()
    if record is None or not record.ready or process.find_server(home, record.pid) is None:
        return None
    return _server(home, record)


def status(settings: Settings) -> ServerStatus:
    """The status of the settings' home."""
    home = home_of(settings)
    version = (home.read() or ServerRecord()).version
    return ServerStatus(home.path, version, running(settings), home.password_path)


@plain_errors()
def stop(settings: Settings, listen: Listener = silent) -> bool:
    """Stops the home's server; returns whether it ran. Raises EmbeddedError if it goes on."""
    home = home_of(settings)
    if process.find_server(home, (home.read() or ServerRecord()).pid) is None:
        return False
    with home.locked(listen):
        return end_home(home, listen)


@plain_errors()
def wipe(settings: Settings, listen: Listener = silent) -> None:
    """Stops the home's server and deletes its data, logs and password.

    Raises EmbeddedError and deletes nothing where the folder is not a home.
    """
    home = home_of(settings)
    if home.read() is None:
        raise EmbeddedError(
            f"{home.path} is not a home of an embedded Neo4j: nothing was deleted; name the right"
            " folder in --home or KG_HOME."
        )
    with home.locked(listen):
        end_home(home, listen)
        home.clear()
        remove_unfinished(home.path)


def log_path(settings: Settings) -> Path:
    """The path of Neo4j's log. Raises EmbeddedError if no server was started in this home."""
    home = home_of(settings)
    if not home.log_path.exists():
        raise EmbeddedError(f"No Neo4j was started in {home.path} yet: `kg-build neo4j start`.")
    return home.log_path


def home_of(settings: Settings) -> Home:
    """The home that the settings name."""
    return Home((settings.home or default_home()).expanduser().resolve())


def _full_disk(folder: Path) -> str | None:
    """A sentence if the disk that holds a folder is full, or nearly so."""
    free = shutil.disk_usage(folder).free
    if free >= ROOM:
        return None
    return (
        f"The disk that holds {folder} is full ({free // MEGABYTE} MB are free): make room there,"
        f" at least {ROOM // MEGABYTE} MB, and run the same command again, which starts Neo4j again"
        " where that is needed; the saved data is not lost."
    )


def _launch(home: Home, record: ServerRecord, settings: Settings, listen: Listener) -> ServerRecord:
    """Starts the server, with its jars and its first password; returns its record."""
    release = RELEASES[settings.neo4j_release]
    java, jars = programs(settings, listen)
    listen(Notice(f"Starting Neo4j {release.version} in {home.path}."))
    if full := _full_disk(home.path):
        raise GraphStoppedError(full)
    usual_bolt, usual_http = (7687, 7474) if home.path == default_home().resolve() else (0, 0)
    bolt, http, browse = choose_ports(
        (record.bolt_port, usual_bolt), (record.http_port, usual_http), (record.browse_port,)
    )
    write_config(home, jars / "plugins", bolt, http, browse, senders=release.senders)
    home.replace_data()
    if not (home.data_path / "databases" / "system").exists():
        process.set_password(home, java, jars, listen)
    # Saved before the start, because the start may turn the data into data of this release.
    record = ServerRecord(release.name, release.version, bolt, http, browse)
    home.write(record)
    record = replace(record, pid=process.launch(home, java, jars, release.main_class))
    home.write(record)
    return record


def programs(settings: Settings, listen: Listener) -> tuple[Java, Path]:
    """The Java and the folder of the jars of the settings' release, which are downloaded first."""
    from graphrag_neo4j.embedded.jars import fetch_missing, jars_folder  # noqa: PLC0415 - HTTP

    release = RELEASES[settings.neo4j_release]
    java, jars = find_java(), jars_folder(release)
    fetch_missing(read_lock(release.lock()), jars, settings.maven_url, listen)
    return java, jars


def end_home(home: Home, listen: Listener) -> bool:
    """Ends the server of a home that is locked; returns whether it ran."""
    found = process.find_server(home, (home.read() or ServerRecord()).pid)
    if found is not None:
        process.end_server(home, found, listen)
    return found is not None


def _server(home: Home, record: ServerRecord) -> Server:
    return Server(
        uri=f"bolt://{LOOPBACK}:{record.bolt_port}",
        http_url=f"http://{LOOPBACK}:{record.http_port}",
        browse_port=record.browse_port,
        username="neo4j",
        password=home.password(),
        home=home.path,
        release=record.release,
        version=record.version,
        pid=record.pid,
    )


# A server that only computes


def calculator_home(settings: Settings) -> Path:
    """The folder of the server that only computes: `<home>-gds`, beside the home of the user."""
    home = home_of(settings).path
    return home.with_name(f"{home.name}-gds")


@contextmanager
def calculator(settings: Settings, listen: Listener = silent) -> Iterator[Server]:
    """Lends a server that only computes, and stops it after the block.

    Another process that wants it waits until then. A server that a killed process has left behind
    is used and stopped. Raises EmbeddedError where it can't be downloaded or started.
    """
    home = Home(calculator_home(settings))
    own = settings.model_copy(update={"home": home.path})
    with plain_errors():
        home.make_folder()
    with home.in_use(listen):
        record = home.read()
        if record and record.release not in {"", settings.neo4j_release}:
            wipe(own, listen)  # there is no data in it
        try:
            yield start(own, listen)
        finally:
            stop(own, listen)
