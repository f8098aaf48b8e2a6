"""`kg-build neo4j`: the embedded Neo4j."""

import time
from collections import deque
from pathlib import Path
from typing import get_args

import click

from graphrag_neo4j import embedded
from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import home_option
from graphrag_neo4j.cli.progress import listening
from graphrag_neo4j.settings import Neo4jRelease, Settings, load_settings

__all__ = ["neo4j"]

SECONDS_BETWEEN_LOOKS = 0.5


@click.group()
def neo4j() -> None:
    """Start, stop and look at the Neo4j that runs when NEO4J_URI is not set.

    Neo4j Community and Graph Data Science (both GPL-3.0) are downloaded on the first start,
    and run as a process of their own.
    """


@neo4j.command()
@home_option
@click.option("--release", type=click.Choice(get_args(Neo4jRelease)), help="KG_NEO4J_RELEASE.")
@click.option("--upgrade", is_flag=True, help="Turn a home of 5.26 into one of 2026.01, for good.")
def start(home: Path | None, release: Neo4jRelease | None, upgrade: bool) -> None:
    """Start the server, unless it runs; the first time it is downloaded."""
    from graphrag_neo4j.client import start_server  # noqa: PLC0415 - the driver comes with it

    settings = load_settings(home=home, neo4j_release=release)
    with listening(quiet=False) as listen:
        start_server(settings, listen, upgrade=upgrade)
    _show(embedded.status(settings))
    _warn_of_uri(settings)


@neo4j.command()
@home_option
def stop(home: Path | None) -> None:
    """Stop the server; its data stays."""
    settings = load_settings(home=home)
    if embedded.stop(settings, tell=_tell):
        terminal.line("Neo4j has stopped.")
    else:
        terminal.line(f"No Neo4j runs in {embedded.status(settings).home}.")


@neo4j.command()
@home_option
def status(home: Path | None) -> None:
    """Show whether the server runs, and where."""
    settings = load_settings(home=home)
    _show(embedded.status(settings))
    _warn_of_uri(settings)


@neo4j.command()
@home_option
@click.option("--yes", is_flag=True, help="Don't ask.")
def wipe(home: Path | None, yes: bool) -> None:
    """Stop the server and delete its data."""
    settings = load_settings(home=home)
    place = embedded.status(settings).home
    if not (yes or terminal.confirmed(f"Delete all data of the Neo4j in {place}?")):
        terminal.line("Nothing was deleted.")
        return
    embedded.wipe(settings, tell=_tell)
    terminal.line(f"{place} is empty; the next start makes a new database.")


@neo4j.command()
@home_option
@click.option("-n", "--lines", default=50, show_default=True, help="Lines to show.")
@click.option("-f", "--follow", is_flag=True, help="Go on with new lines until Ctrl-C.")
def logs(home: Path | None, lines: int, follow: bool) -> None:
    """Show the end of the server's log."""
    path = embedded.log_path(load_settings(home=home))
    with path.open(encoding="utf-8", errors="replace") as file:
        terminal.piece("".join(deque(file, maxlen=lines)))
        while follow:
            terminal.piece(file.read())
            time.sleep(SECONDS_BETWEEN_LOOKS)


def _show(found: embedded.Status) -> None:
    if found.server is None:
        version = f"; its data is of Neo4j {found.version}" if found.version else ""
        terminal.line(f"No Neo4j runs in {found.home}{version}.")
        return
    server = found.server
    terminal.line(f"Neo4j {server.version} runs (process {server.pid}).")
    terminal.line(f"  Address   {server.uri}")
    terminal.line(f"  Browser   {server.http_url}/browser/")
    terminal.line(f"  User      {server.username}")
    terminal.line(f"  Password  in {found.password_path}")
    terminal.line(f"  Home      {found.home}")


def _warn_of_uri(settings: Settings) -> None:
    if settings.neo4j_uri:
        terminal.line(
            f"NEO4J_URI is set: the other commands use {settings.neo4j_uri}, not this server.",
            error=True,
        )


def _tell(text: str) -> None:
    terminal.line(text, error=True)
