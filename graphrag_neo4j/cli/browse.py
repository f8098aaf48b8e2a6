"""`kg-build browse`, `map`, `export` and `mcp`: the graph in Neo4j Browser, as a page, as files for
other programs, and for an assistant.
"""

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import click

from graphrag_neo4j import embedded
from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras import explore
from graphrag_neo4j.files import data
from graphrag_neo4j.model.events import Started
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.web.collection import read_collection_name

LOOPBACK = ("127.0.0.1", "localhost")


@click.command()
@options.page_option("map.html", "The file to write.")
@options.value(
    "--title",
    "TEXT",
    "The title of the page. The default is the folder or file that all documents come from, or "
    "how many they are, and below it stands the name of the graph.",
)
def map_command(output: Path, title: str | None) -> None:
    """Write a web page that shows the communities, their reports and the reports' sources.

    The page is one file that works without a network. It contains the texts of the documents, so
    give it only to people who are allowed to read them.
    """

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> bytes:
        listen(Started("map of communities"))
        found = await explore.read_map(rag.graph)
        if title:
            return found.page(title).encode()
        name = await read_collection_name(rag.graph, settings)
        return found.page(name, settings.graph_name).encode()

    settings = options.settings_of()
    content = options.ask_client(settings, work, fleeting=True)
    options.write_output(output, content)
    size = f"{len(content) / 1e6:,.1f} MB"
    terminal.line(f"The map is in {output} ({size}). Open this file in a web browser.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path), callback=options.refuse_unwritable)
@options.flag("--yes", "Replace FILE if it exists.")
def export_command(file: Path, yes: bool) -> None:
    """Write the graph to FILE for other programs.

    If the name ends in .graphml, FILE holds the entities, their relationships and the titles of
    their communities, for Gephi and others. If the name ends in .zip or has no ending, FILE is an
    archive or a new folder of CSV files for `neo4j-admin database import`: all nodes and
    relationships, without vectors.
    """

    explore.check_name(file)
    options.refuse_existing(file, yes=yes)

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> None:
        listen(Started("export"))
        await explore.export(rag.graph, file)

    options.ask_client(options.settings_of(), work, fleeting=True)
    terminal.line(f"The graph is in {file}.", error=not (file.is_file() or file.is_dir()))


@click.command()
@options.flag("--list", "list_", "Print the queries of the guide and exit.")
@options.value(
    "--save",
    "FILE",
    "Write the queries of the guide to FILE and exit. If the name ends in .zip, FILE is an "
    "archive with one file for each query.",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=options.refuse_unwritable,
)
@options.flag(
    "--schema",
    "Print the labels, types and properties of a graph, for a model that writes Cypher, and exit.",
)
@options.flag("--show-password", "Also print the password. This needs a terminal.")
@options.value(
    "--browser",
    "ADDRESS",
    "The address of Neo4j Browser, if it is not at the server's default port.",
)
@options.value(
    "--open/--no-open open_",
    None,
    "Whether to open Neo4j Browser in your web browser.",
    default=True,
)
def browse_command(
    *,
    list_: bool,
    save: Path | None,
    schema: bool,
    show_password: bool,
    browser: str | None,
    open_: bool,
) -> None:
    """Explore the graph in Neo4j Browser, with a guide of queries.

    The command serves the guide on this machine until you press Ctrl-C.
    """
    if show_password and not terminal.is_shown():
        raise InputError(
            "--show-password prints the password only to a terminal. Leave this option out."
        )
    if schema:
        terminal.block(data("browser/schema.txt").read_text("utf-8"))
        return
    settings = options.settings_of()

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> list[explore.Section]:
        listen(Started("guide"))
        return explore.sections(await explore.example_values(rag.graph))

    found = options.ask_client(settings, work, fleeting=True)
    for section in found if list_ else ():
        terminal.line(section.title, style="bold")
        for query in section.queries:
            terminal.line()
            terminal.block(query.text)
        terminal.line()
    if save:
        options.write_output(save, explore.saved(found, archive=save.suffix == ".zip"))
        terminal.line(
            f"Written to {save}. In Neo4j Browser or Query, open Saved Cypher and choose Import."
        )
    if not (list_ or save):
        _serve(settings, found, browser, show_password=show_password, open_=open_)


def _serve(
    settings: Settings,
    found: list[explore.Section],
    browser: str | None,
    *,
    show_password: bool,
    open_: bool,
) -> None:
    server = None if settings.neo4j_uri else embedded.running(settings)
    style = data("browser/style.grass").read_text("utf-8")
    pages = {"/guide.html": explore.guide(found, settings.graph_name), "/style.grass": style}
    origins = _origins(settings, server, browser)
    with explore.served(pages, origins, server.browse_port if server else 0) as port:
        _show_access(settings, server, show_password=show_password)
        terminal.line("Once connected, Browser opens the guide. If not, paste these lines into it:")
        terminal.line(f"  :guide http://localhost:{port}/guide.html")
        terminal.line(f"  :style http://localhost:{port}/style.grass")
        if server and open_ and has_screen():
            webbrowser.open(server.browser_url)
        terminal.line("Press Ctrl-C to stop.")
        with suppress(KeyboardInterrupt):
            Event().wait()


def _origins(settings: Settings, server: embedded.Server | None, browser: str | None) -> set[str]:
    """Returns the origins that Neo4j Browser may have, in the form that web browsers send.

    They are that of the address `browser`, or those of the server, under all names of the host.
    """
    if browser:
        parts = urlsplit(browser)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InputError(
                f"--browser {browser} is not an address. Give one like http://localhost:7474."
            )
        return {f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"}
    ports, host = {("http", "7474"), ("https", "7473")}, urlsplit(settings.neo4j_uri or "").hostname
    if server:
        ports = {("http", server.http_url.rpartition(":")[2])}
    hosts = LOOPBACK if server or host is None or host in LOOPBACK else (host,)
    return {f"{scheme}://{name}:{port}" for scheme, port in ports for name in hosts}


def _show_access(
    settings: Settings, server: embedded.Server | None, *, show_password: bool
) -> None:
    """Prints where Neo4j Browser is, and what it asks for."""
    secret = settings.neo4j_password
    password = secret.get_secret_value() if secret else ""
    browser = "is part of your server, often at its address with port 7474"
    uri, user, place = settings.neo4j_uri, settings.neo4j_username, "NEO4J_PASSWORD"
    if server:
        browser, password = server.browser_url, server.password
        uri, user = server.uri, server.username
        place = f"{embedded.status(settings).password_path}"
    terminal.line(f"Neo4j Browser  {browser}")
    terminal.line(f"  Connect to   {uri}")
    terminal.line(f"  User         {user}")
    shown = password if show_password and password else f"in {place}"
    terminal.line(f"  Password     {shown}")
    if server is None:
        terminal.line(
            "The Query tool of Neo4j Aura can't show the guide. Run `kg-build browse --save FILE` "
            "and import FILE there."
        )


def has_screen() -> bool:
    """Returns whether a graphical web browser can be opened. Text browsers do not count."""
    if not terminal.is_shown():
        return False
    always = sys.platform in {"darwin", "win32"}
    return always or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


@click.command()
def mcp_command() -> None:
    """Serve the graph to an AI assistant over the Model Context Protocol. Access is read-only.

    The assistant starts this command and talks to it over standard input and output. `kg-build
    serve` serves the same over HTTP.
    """
    with needing("mcp", "The MCP server needs"):
        from graphrag_neo4j.extras.serve import mcp as server  # noqa: PLC0415 - an extra
    settings = options.settings_of()
    check_answering(settings)

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> None:
        listen.hush()
        await server.serve_stdio(rag)

    with suppress(KeyboardInterrupt):  # the way to end it
        options.ask_client(settings, work, fleeting=True)
