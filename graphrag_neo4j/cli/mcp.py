"""`kg-build mcp` serves the graph to an assistant as tools."""

import ipaddress
import socket
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import click

from graphrag_neo4j.cli.options import Number, home_option, run, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.installing import install_command
from graphrag_neo4j.query.engine import check_answering

__all__ = ["mcp"]


@click.command()
@click.option(
    "--http", is_flag=True, help="Serve over streamable HTTP instead of standard input and output."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="With --http: the address to listen on.",
)
@click.option(
    "--port",
    type=Number(least=0, most=65535),
    default=8000,
    show_default=True,
    help="With --http: the port to listen on. 0 chooses a free port.",
)
@home_option
def mcp(http: bool, host: str, port: int, home: Path | None) -> None:
    """Serve the graph to an AI assistant over the Model Context Protocol. Access is read-only.

    By default the assistant starts this command and talks to it over standard input and output.
    With --http the command listens on a network address until you press Ctrl-C.
    """
    try:
        from graphrag_neo4j.integrations import mcp as server  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        needed = f"The MCP server needs the package {error.name}: {install_command('mcp')}"
        raise InputError(needed) from error
    settings = settings_of(home=home)
    check_answering(settings)
    served = server.listen(host, port) if http else None

    async def work() -> None:
        async with AsyncExitStack() as stack:
            with listening(quiet=False, fleeting=True) as listen:
                rag = await stack.enter_async_context(AsyncGraphRAG(settings, listen))
                listen.hush()
            if served is None:
                await server.serve_stdio(rag)
            else:
                _print_address(served)
                await server.serve_http(rag, served)

    with suppress(KeyboardInterrupt):  # the way to end it
        run(work)


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
