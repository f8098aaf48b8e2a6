"""`kg-build mcp` serves the graph to an assistant as tools."""

import ipaddress
import socket
from contextlib import suppress
from pathlib import Path

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.query.engine import check_answering


@click.command()
@options.flag("--http", "Serve over streamable HTTP instead of standard input and output.")
@options.value("--host", "ADDRESS", "With --http: the address to listen on.", default="127.0.0.1")
@options.value(
    "--port",
    None,
    "With --http: the port to listen on. 0 chooses a free port.",
    type=click.IntRange(0, 65535),
    default=8000,
)
@options.home_option
def mcp(http: bool, host: str, port: int, home: Path | None) -> None:
    """Serve the graph to an AI assistant over the Model Context Protocol. Access is read-only.

    By default the assistant starts this command and talks to it over standard input and output.
    With --http the command listens on a network address until you press Ctrl-C.
    """
    with options.extra_needed("mcp", "The MCP server needs"):
        from graphrag_neo4j.integrations import mcp as server  # noqa: PLC0415 - an extra
    settings = options.settings_of(home=home)
    check_answering(settings)
    served = server.listen(host, port) if http else None

    async def work(rag: AsyncGraphRAG, listen: EventDisplay) -> None:
        listen.hush()
        if served is None:
            await server.serve_stdio(rag)
        else:
            _print_address(served)
            await server.serve_http(rag, served)

    with suppress(KeyboardInterrupt):  # the way to end it
        options.ask(settings, work, fleeting=True)


def _print_address(served: socket.socket) -> None:
    host, port = served.getsockname()[:2]
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    terminal.line(f"MCP is served at http://{address}/mcp. Press Ctrl-C to stop.", error=True)
    if not ipaddress.ip_address(host).is_loopback:
        terminal.line(
            "There is no password. Everybody who can reach this address can read the graph and "
            "use your model, which may cost money.",
            error=True,
        )
