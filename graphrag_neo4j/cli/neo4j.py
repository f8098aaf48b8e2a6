"""`kg-build neo4j` controls the embedded Neo4j."""

import time
from collections import deque
from pathlib import Path
from shlex import quote
from shutil import rmtree
from typing import Any, TypedDict, get_args

import anyio
import click
from anyio.from_thread import start_blocking_portal

from graphrag_neo4j import embedded
from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.embedded import archive
from graphrag_neo4j.errors import GraphBusyError, GraphError
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.settings import Neo4jRelease, Settings
from graphrag_neo4j.text.strings import counted

SECONDS_BETWEEN_READS = 0.5
SECONDS_TO_ANSWER = 10
MOST_LABELS = 10  # that are named of a database that was loaded


class LoadedRow(TypedDict):
    """The nodes of a database, those of the most frequent labels, and its relationships."""

    labels: list[tuple[str, int]]
    nodes: int
    relationships: int
    ours: bool


@click.group()
def neo4j_group() -> None:
    """Start, stop and inspect the embedded Neo4j. It is used when NEO4J_URI is not set.

    The first start downloads Neo4j Community and Graph Data Science (both GPL-3.0). The server is
    a separate process, which runs until you run `kg-build neo4j stop`.
    """


@neo4j_group.command()
@options.setting("--release neo4j_release", type=options.NearestChoice(get_args(Neo4jRelease)))
@options.flag("--upgrade", "Dump data of an older release to a file, and upgrade it.")
def start_command(*, upgrade: bool, **given: Any) -> None:  # noqa: ANN401 - settings
    """Start the server if it is not running. The first start downloads it."""
    settings = _settings(**given)
    server = embedded.running(settings)
    if upgrade and server and server.release != settings.neo4j_release:
        _refuse_busy(settings)
    with listening(quiet=False) as listen:
        embedded.start(settings, listen, upgrade=upgrade)
    _show(settings)


@neo4j_group.command()
def stop_command() -> None:
    """Stop the server. Its data is kept."""
    settings = _settings()
    _refuse_busy(settings)
    with listening(quiet=False) as listen:
        stopped = embedded.stop(settings, listen)
    none = f"No Neo4j is running in {embedded.status(settings).home}."
    terminal.line("Neo4j has stopped. Its data is kept." if stopped else none)


@neo4j_group.command("status")
def server_status_command() -> None:
    """Show whether the server is running, and its addresses."""
    _show(_settings())


@neo4j_group.command()
@options.flag("--yes", "Do not ask for confirmation.")
def wipe_command(yes: bool) -> None:
    """Stop the server and delete all its data, uploaded files included."""
    settings = _settings()
    folder, uploads = embedded.status(settings).home, _uploads(settings)
    also = f" and the files that were uploaded to it, in {uploads}" if uploads.exists() else ""
    if not (yes or terminal.confirmed(f"Delete all data of the Neo4j in {folder}{also}?")):
        terminal.line("Nothing was deleted.")
        return
    _refuse_busy(settings)
    with listening(quiet=False) as listen:
        embedded.wipe(settings, listen)
    if uploads.exists():
        rmtree(uploads)
    terminal.line(
        f"All data in {folder}{also} was deleted. The next start makes a new, empty database."
    )


@neo4j_group.command()
@click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), callback=options.refuse_unwritable
)
@options.flag("--yes", "Replace FILE if it exists.")
def dump_command(file: Path, yes: bool) -> None:
    """Write all data of the server to FILE, which `load` and neo4j-admin can read.

    A running server is stopped meanwhile. FILE holds the texts of the documents, but no password.
    """
    settings = _settings()
    options.refuse_existing(file, yes=yes)
    _name_other(settings)
    _refuse_busy(settings)
    with listening(quiet=False) as listen:
        archive.dump_data(settings, file, listen)
    size = f"{file.stat().st_size / 1e6:,.1f} MB"
    terminal.line(f"The data is in {file} ({size}).", error=not file.is_file())


@neo4j_group.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options.flag("--yes", "Do not ask for confirmation.")
def load_command(file: Path, yes: bool) -> None:
    """Replace all data of the server by that of FILE, which `dump` has written."""
    settings = _settings()
    _name_other(settings)
    found = embedded.status(settings)
    question = f"Replace all data of the Neo4j in {found.home}?"
    if found.version and not (yes or terminal.confirmed(question)):
        terminal.line("Nothing was loaded.")
        return
    _refuse_busy(settings)
    with listening(quiet=False) as listen:
        archive.load(settings, file, listen, lambda: _refuse_busy(settings))
        with start_blocking_portal() as portal:
            loaded = portal.call(_read_loaded, settings, listen)
    told = "`kg-build status` shows the graph."
    if not loaded["ours"]:
        labels = ", ".join(f"{label} {n:,}" for label, n in loaded["labels"])
        nodes = f"{counted(loaded['nodes'], 'node')}{f' ({labels})' if labels else ''}"
        told = (
            f"It has {nodes} and {counted(loaded['relationships'], 'relationship')}, and no graph "
            "of kg-build. To import it into one in another home: `kg-build --home OTHER import "
            f"neo4j --from {quote(str(found.home))} --suggest-mapping mapping.yaml`."
        )
    terminal.line(f"The data of {file} is in {found.home}. {told}")
    if (uploads := _uploads(settings)).exists():
        terminal.line(
            f"`kg-build serve --write` also reads the files that were uploaded: {uploads}."
        )


@neo4j_group.command()
@options.value(
    "-n --lines", None, "The number of lines to show.", default=50, type=click.IntRange(min=0)
)
@click.option("-f", "--follow", is_flag=True, help="Keep showing new lines until you press Ctrl-C.")
def logs_command(lines: int, follow: bool) -> None:
    """Show the last lines of the server's log."""
    path = embedded.log_path(_settings())
    with path.open(encoding="utf-8", errors="replace") as file:
        terminal.piece("".join(deque(file, maxlen=lines)))
        while follow:
            terminal.piece(file.read())
            time.sleep(SECONDS_BETWEEN_READS)


def _settings(**given: Any) -> Settings:  # noqa: ANN401 - checked by load_settings
    settings = options.settings_of(**given)
    if notice := settings.named_by_env_file():
        terminal.line(notice, error=True)
    return settings


def _uploads(settings: Settings) -> Path:
    """The folder of the files that were uploaded to the graph in the home."""
    from graphrag_neo4j.index.uploads import Uploads  # noqa: PLC0415 - the driver comes with it

    return Uploads(settings.model_copy(update={"neo4j_uri": None})).folder


async def _read_loaded(settings: Settings, listen: Listener) -> LoadedRow:
    """What the home holds. Its server is started for that if it does not run."""
    from graphrag_neo4j.extras.importing import OtherNeo4j  # noqa: PLC0415 - the driver comes with it

    home = str(embedded.status(settings).home)
    async with OtherNeo4j(home).opened(settings, listen) as graph:
        return (await graph.read("graph/loaded", LoadedRow, most=MOST_LABELS))[0]


def _refuse_busy(settings: Settings) -> None:
    """Raises GraphBusyError if the server runs and a run writes to its graph.

    A server that does not answer keeps nobody from ending it.
    """
    from graphrag_neo4j.graph.driver import connect  # noqa: PLC0415 - the driver comes with it
    from graphrag_neo4j.graph.lease import void_builds  # noqa: PLC0415 - the driver comes with it

    async def look(server: embedded.Server) -> None:
        login = (server.uri, server.username, server.password)
        with anyio.move_on_after(SECONDS_TO_ANSWER):
            async with connect(*login, own=server) as graph:
                await void_builds(graph)

    if server := embedded.running(settings):
        try:
            with start_blocking_portal() as portal:
                portal.call(look, server)
        except GraphError as error:
            if isinstance(error, GraphBusyError):
                raise


def _show(settings: Settings) -> None:
    found = embedded.status(settings)
    if found.server is None:
        version = f"; its data was written by Neo4j {found.version}" if found.version else ""
        terminal.line(f"No Neo4j is running in {found.home}{version}.")
    else:
        server = found.server
        terminal.line(f"Neo4j {server.version} is running (process {server.pid}).")
        terminal.line(f"  Address   {server.uri}")
        terminal.line(f"  Browser   {server.browser_url}")
        terminal.line(f"  User      {server.username}")
        terminal.line(f"  Password  in {found.password_path}")
        terminal.line(f"  Home      {found.home}")
    _name_other(settings)


def _name_other(settings: Settings) -> None:
    if settings.neo4j_uri:
        other = f"the other commands use {settings.neo4j_uri} instead of this server"
        terminal.line(f"NEO4J_URI is set, so {other}.", error=True)
