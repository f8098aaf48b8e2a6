"""`kg-build serve`: ask and explore in a browser, and from chat clients."""

import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.browse import has_screen
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay
from graphrag_neo4j.client.async_client import AsyncGraphRAG, metered_client
from graphrag_neo4j.index.watch import DayMeter
from graphrag_neo4j.query.engine import check_answering
from graphrag_neo4j.settings.installing import needing


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATHS]...")
@options.value("--host", "ADDRESS", "The address to listen on.", default="127.0.0.1")
@options.value(
    "--port",
    None,
    "The port to listen on. 0 chooses a free port.",
    type=click.IntRange(0, 65535),
    default=8321,
)
@options.value(
    "--allowed-host",
    "NAME",
    "Another name by which this machine may be asked, such as host.docker.internal. Repeat the "
    "option for several.",
    multiple=True,
)
@options.flag("--write", "Let people upload and delete documents, which the model then reads.")
@options.flag("--no-browser", "Do not open a web browser.")
@options.value(
    "--path-prefix",
    "PATH",
    "What a proxy puts before all paths, such as /kg. It may take it away or leave it.",
    default="",
)
@options.value(
    "--log",
    "FORM",
    "The form of the log of requests on standard error: text, json, or off.",
    type=options.NearestChoice(["text", "json", "off"]),
    default="text",
)
@options.flag("--log-questions", "Also log what people ask.")
@options.setting("--max-cost-a-day", "DOLLARS", type=click.FloatRange(min=0))
def serve_command(
    paths: tuple[Path, ...],
    host: str,
    port: int,
    allowed_host: tuple[str, ...],
    **more: Any,  # noqa: ANN401 - flags and a setting
) -> None:
    """Ask and explore in a browser, and from chat clients, until you press Ctrl-C.

    The server speaks the chat API of OpenAI at /v1, and MCP at /mcp if mcp is installed. It asks
    for a token, which is random, or that of KG_SERVE_TOKEN. With PATHS, it also keeps the graph up
    to date with these files, as `kg-build index --watch` does.
    """
    with needing("serve", "The server needs"):
        from graphrag_neo4j.extras.serve import server  # noqa: PLC0415 - an extra
    no_browser, write = more.pop("no_browser"), more.pop("write")
    log, log_questions = more.pop("log"), more.pop("log_questions")
    prefix = server.check_prefix(more.pop("path_prefix"))
    settings = options.settings_of(**more)
    check_answering(settings)
    token = server.check_token(settings.serve_token)
    terminal.log_as(server.log_format(log))
    listening = server.listen(host, port)
    own, number = listening.getsockname()[:2]
    address = f"http://[{own}]:{number}" if ":" in own else f"http://{own}:{number}"
    address += prefix
    page = f"{address}/#{urlencode({'token': token})}"

    async def work(_: AsyncGraphRAG, listen: EventDisplay) -> None:
        listen.hush()
        terminal.line(f"Ask at {page}")
        tools = f" MCP: {address}/mcp." if find_spec("mcp") else ""
        terminal.line(
            f"Chat clients: {address}/v1 (API of OpenAI; the token is the key).{tools} Press"
            " Ctrl-C to stop."
        )
        if not no_browser and has_screen():
            webbrowser.open(page)
        # A separate client that prints nothing: an answer carries its notices.
        day = DayMeter(lambda: settings.max_cost_a_day)
        async with metered_client(day, settings) as answering:
            await server.serve(
                answering,
                day,
                listening,
                token,
                allowed_host,
                write=write,
                paths=paths,
                prefix=prefix,
                log_questions=log_questions,
                listen=listen,
            )

    with suppress(KeyboardInterrupt):  # the way to end it
        options.ask_client(settings, work, fleeting=True)
