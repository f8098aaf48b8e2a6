"""`kg-build browse`: the graph in Neo4j Browser, with a guide and a style."""

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Event

import click

from graphrag_neo4j import embedded
from graphrag_neo4j.browsing import Section, chosen, guide, saved, sections, served, style
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import home_option, run
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Started
from graphrag_neo4j.settings import Settings, load_settings

__all__ = ["browse"]

ARCHIVE = ".zip"


@click.command()
@click.option("--list", "list_", is_flag=True, help="Print the queries of the guide and end.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the queries of the guide into FILE and end; a .zip holds a file for each query.",
)
@click.option("--show-password", is_flag=True, help="Print the password, too; on a terminal only.")
@click.option(
    "--open/--no-open",
    "open_",
    default=True,
    help="Whether to open Neo4j Browser in your web browser.",
)
@home_option
def browse(
    list_: bool, save: Path | None, show_password: bool, open_: bool, home: Path | None
) -> None:
    """Explore the graph in Neo4j Browser, with a guide of queries.

    The guide is served on this machine until you press Ctrl-C.
    """
    if show_password and not terminal.is_shown():
        raise InputError("--show-password shows the password on a terminal only: leave it out.")
    settings = load_settings(home=home)
    found = run(lambda: _queries(settings))
    if list_:
        _print(found)
    if save:
        _save(found, save)
    if not (list_ or save):
        _serve(settings, found, show_password=show_password, open_=open_)


async def _queries(settings: Settings) -> list[Section]:
    with listening(quiet=False, fleeting=True) as listen:
        async with AsyncGraphRAG(settings, listen) as rag:
            listen(Started("guide"))
            return sections(await chosen(rag.graph))


def _print(found: list[Section]) -> None:
    for section in found:
        terminal.line(section.title, style="bold")
        for query in section.queries:
            terminal.line()
            terminal.block(query.text)
        terminal.line()


def _save(found: list[Section], path: Path) -> None:
    try:
        path.write_bytes(saved(found, archive=path.suffix == ARCHIVE))
    except OSError as error:
        raise InputError(f"{path} can't be written ({error}): name another file.") from error
    terminal.line(
        f"Written to {path}. In Neo4j Browser or Query, open Saved Cypher and choose Import."
    )


def _serve(settings: Settings, found: list[Section], *, show_password: bool, open_: bool) -> None:
    server = None if settings.neo4j_uri else embedded.running(settings)
    pages = {"/guide.html": guide(found), "/style.grass": style()}
    with served(pages, server.browse_port if server else 0) as port:
        if server is None:
            _show_other(settings, show_password=show_password)
        else:
            _show_embedded(settings, server, show_password=show_password)
        if server is None or server.browse_port == 0:
            terminal.line(
                "When it has connected, paste these two lines into it, one after the other:"
            )
            terminal.line(f"  :style http://localhost:{port}/style.grass")
            terminal.line(f"  :guide http://localhost:{port}/guide.html")
        if server and open_ and _has_screen():
            webbrowser.open(f"{server.http_url}/browser/")
        terminal.line("Press Ctrl-C to end.")
        with suppress(KeyboardInterrupt):
            _wait()


def _show_embedded(settings: Settings, server: embedded.Server, *, show_password: bool) -> None:
    terminal.line(f"Neo4j Browser  {server.http_url}/browser/")
    terminal.line(f"  Connect to   {server.uri}")
    terminal.line(f"  User         {server.username}")
    terminal.line(f"  Password     in {embedded.status(settings).password_path}")
    if show_password:
        terminal.line(f"               {server.password}")
    if server.browse_port:
        terminal.line("It opens the guide and the style when it has connected.")


def _show_other(settings: Settings, *, show_password: bool) -> None:
    terminal.line("Neo4j Browser  is part of your server, often at its address with port 7474")
    terminal.line(f"  Connect to   {settings.neo4j_uri}")
    terminal.line(f"  User         {settings.neo4j_username}")
    terminal.line("  Password     in NEO4J_PASSWORD")
    if show_password and settings.neo4j_password:
        terminal.line(f"               {settings.neo4j_password.get_secret_value()}")
    terminal.line(
        "Aura's Query shows no guide; import the file that `kg-build browse --save FILE` writes."
    )


def _has_screen() -> bool:
    """Whether a web browser would have a window; one that draws on the terminal is not meant."""
    if not terminal.is_shown():
        return False
    windows = sys.platform in {"darwin", "win32"}
    return windows or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _wait() -> None:
    Event().wait()
