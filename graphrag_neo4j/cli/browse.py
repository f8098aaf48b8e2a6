"""`kg-build browse` shows the graph in Neo4j Browser, with a guide and a style sheet."""

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import click

from graphrag_neo4j import embedded
from graphrag_neo4j.cli.options import home_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.files import refuse_unwritable, write_output
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Started
from graphrag_neo4j.resources import data
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.visualization import (
    Section,
    example_values,
    guide,
    saved,
    sections,
    served,
)

__all__ = ["browse"]

ARCHIVE = ".zip"
LOOPBACK = ("127.0.0.1", "localhost")


@click.command()
@click.option("--list", "list_", is_flag=True, help="Print the queries of the guide and exit.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=refuse_unwritable,
    metavar="FILE",
    help=(
        "Write the queries of the guide to FILE and exit. If the name ends in .zip, FILE is an "
        "archive with one file for each query."
    ),
)
@click.option(
    "--show-password", is_flag=True, help="Also print the password. This needs a terminal."
)
@click.option(
    "--browser",
    metavar="ADDRESS",
    help="The address of Neo4j Browser, if it is not at the server's default port.",
)
@click.option(
    "--open/--no-open",
    "open_",
    default=True,
    help="Whether to open Neo4j Browser in your web browser.",
)
@home_option
def browse(
    *,
    list_: bool,
    save: Path | None,
    show_password: bool,
    browser: str | None,
    open_: bool,
    home: Path | None,
) -> None:
    """Explore the graph in Neo4j Browser, with a guide of queries.

    The command serves the guide on this machine until you press Ctrl-C.
    """
    if show_password and not terminal.is_shown():
        raise InputError(
            "--show-password prints the password only to a terminal. Leave this option out."
        )
    settings = settings_of(home=home)
    found = run(lambda: _queries(settings))
    if list_:
        _print(found)
    if save:
        _save(found, save)
    if not (list_ or save):
        _serve(settings, found, browser, show_password=show_password, open_=open_)


async def _queries(settings: Settings) -> list[Section]:
    with listening(quiet=False, fleeting=True) as listen:
        async with AsyncGraphRAG(settings, listen) as rag:
            listen(Started("guide"))
            return sections(await example_values(rag.graph))


def _print(found: list[Section]) -> None:
    for section in found:
        terminal.line(section.title, style="bold")
        for query in section.queries:
            terminal.line()
            terminal.block(query.text)
        terminal.line()


def _save(found: list[Section], path: Path) -> None:
    write_output(path, saved(found, archive=path.suffix == ARCHIVE))
    terminal.line(
        f"Written to {path}. In Neo4j Browser or Query, open Saved Cypher and choose Import."
    )


def _serve(
    settings: Settings,
    found: list[Section],
    browser: str | None,
    *,
    show_password: bool,
    open_: bool,
) -> None:
    server = None if settings.neo4j_uri else embedded.running(settings)
    pages = {
        "/guide.html": guide(found),
        "/style.grass": data("browser/style.grass").read_text("utf-8"),
    }
    origins = {_origin(browser)} if browser else _origins(settings, server)
    with served(pages, origins, server.browse_port if server else 0) as port:
        if server is None:
            _show_other(settings, show_password=show_password)
        else:
            _show_embedded(settings, server, show_password=show_password)
        if server is None or server.browse_port == 0:
            terminal.line(
                "When Neo4j Browser is connected, paste these two lines into it, one at a time:"
            )
            terminal.line(f"  :style http://localhost:{port}/style.grass")
            terminal.line(f"  :guide http://localhost:{port}/guide.html")
        if server and open_ and _has_screen():
            webbrowser.open(server.browser_url)
        terminal.line("Press Ctrl-C to stop.")
        with suppress(KeyboardInterrupt):
            _wait()


def _origins(settings: Settings, server: embedded.Server | None) -> set[str]:
    """Returns the web origins that Neo4j Browser may have, under all names of the host."""
    if server:
        ports = {("http", server.http_url.rpartition(":")[2])}
        host = LOOPBACK[0]
    else:
        ports = {("http", "7474"), ("https", "7473")}
        host = urlsplit(settings.neo4j_uri or "").hostname or LOOPBACK[0]
    hosts = LOOPBACK if host in LOOPBACK else (host,)
    return {f"{scheme}://{name}:{port}" for scheme, port in ports for name in hosts}


def _origin(address: str) -> str:
    """Returns the origin (scheme, host and port) of a page, in the form that browsers send."""
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError(
            f"--browser {address} is not an address. Give one like http://localhost:7474."
        )
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


def _show_embedded(settings: Settings, server: embedded.Server, *, show_password: bool) -> None:
    terminal.line(f"Neo4j Browser  {server.browser_url}")
    terminal.line(f"  Connect to   {server.uri}")
    terminal.line(f"  User         {server.username}")
    terminal.line(f"  Password     in {embedded.status(settings).password_path}")
    if show_password:
        terminal.line(f"               {server.password}")
    if server.browse_port:
        terminal.line("Neo4j Browser opens the guide and the style sheet when it is connected.")


def _show_other(settings: Settings, *, show_password: bool) -> None:
    terminal.line("Neo4j Browser  is part of your server, often at its address with port 7474")
    terminal.line(f"  Connect to   {settings.neo4j_uri}")
    terminal.line(f"  User         {settings.neo4j_username}")
    terminal.line("  Password     in NEO4J_PASSWORD")
    if show_password and settings.neo4j_password:
        terminal.line(f"               {settings.neo4j_password.get_secret_value()}")
    terminal.line(
        "The Query tool of Neo4j Aura can't show the guide. Run `kg-build browse --save FILE` and "
        "import FILE there."
    )


def _has_screen() -> bool:
    """Tells whether a graphical web browser can be opened. Text browsers do not count."""
    if not terminal.is_shown():
        return False
    always = sys.platform in {"darwin", "win32"}
    return always or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _wait() -> None:
    Event().wait()
