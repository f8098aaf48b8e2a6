"""A server of the Model Context Protocol over a graph: five tools that read and never write."""

import functools
import socket
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Annotated, Any, Final, ParamSpec, TypeVar

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphRAGError, InputError, ReplyError
from graphrag_neo4j.integrations.tool_results import (
    Entities,
    ReportText,
    ToolAnswer,
    ToolPassage,
    passage,
    report_text,
    told,
    told_context,
)

__all__ = ["listen", "serve_http", "serve_stdio"]

INSTRUCTIONS: Final = (
    "A knowledge graph of documents: entities, relationships, claims, communities of entities and "
    "reports on these, each tied to the passages that say so. Ask global_search about the whole, "
    "local_search about particular things. Answers cite [Data: Entities (5); Reports (2)]; "
    "read_report takes the number of a report, read_source that of a source or of a place's chunk."
)
READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
GOODBYE_SECONDS = 3  # for what is being answered when the server is ended

P = ParamSpec("P")
T = TypeVar("T")
Question = Annotated[str, Field(min_length=1, description="A question in plain words.")]
Level = Annotated[
    int | None, Field(ge=0, le=100, description="Level of communities; 0 is the coarsest.")
]
Ref = Annotated[int, Field(ge=0, le=2**53, description="The number that it is cited by.")]
Limit = Annotated[int, Field(ge=1, le=100, description="So many at most.")]


class Tools:
    """What an assistant can ask of an open graph; docstrings and fields are what it is told."""

    def __init__(self, rag: AsyncGraphRAG) -> None:
        self._rag = rag

    async def global_search(self, question: Question, level: Level = None) -> ToolAnswer:
        """Answers a question about the documents as a whole: themes, trends, comparisons.

        From the reports on one level of communities: a fine level sees more detail, a coarse one
        is cheaper. Gives the answer with its sources: document, characters, quote.
        """
        if self._rag.settings.has_model:
            return told(await self._rag.global_search(question, level=level))
        # The finest level whose reports fit one context, unless a level was named.
        found = self._rag.global_search(question, level=level, context_only=True, map_calls=1)
        return told_context(await found)

    async def local_search(self, question: Question) -> ToolAnswer:
        """Answers a question about particular people, places, things or events.

        From the entities that the question is about and what is known around them. Gives the
        answer with its sources: document, characters, quote.
        """
        if self._rag.settings.has_model:
            return told(await self._rag.local_search(question))
        return told_context(await self._rag.local_search(question, context_only=True))

    async def find_entities(
        self,
        text: Annotated[str, Field(description="A name, or words of one.")],
        limit: Limit = 10,
    ) -> Entities:
        """Finds entities by name, with type, description and number of relationships."""
        return Entities(await self._rag.find_entities(text, limit))

    async def read_report(self, ref: Ref) -> ReportText:
        """Reads the whole report on a community, cited as `Reports (ref)`."""
        return report_text(await self._rag.report(ref))

    async def read_source(self, ref: Ref) -> ToolPassage:
        """Reads the whole text of a chunk, cited as `Sources (ref)`, with its place."""
        if found := await self._rag.sources(ref):
            return passage(found[0])
        raise InputError(f"Source {ref} is no longer in the graph, or never was.")


async def serve_stdio(rag: AsyncGraphRAG) -> None:
    """Serves an open graph over standard input and output until the input ends."""
    await _server(rag).run_stdio_async()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises InputError where it can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or "no such address").partition(" (")[0]
        raise InputError(
            f"{host}, port {port} can't be served ({reason}): give another --host or --port."
        ) from error


async def serve_http(rag: AsyncGraphRAG, listening: socket.socket) -> None:
    """Serves an open graph over streamable HTTP, at `/mcp`, until SIGINT or SIGTERM.

    On loopback, requests that a browser was tricked into (by their Host or Origin) are refused.
    """
    host = listening.getsockname()[0]
    config = uvicorn.Config(
        _server(rag).streamable_http_app(host=host),
        log_config=None,  # its own would print to standard output
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    await uvicorn.Server(config).serve(sockets=[listening])


def _server(rag: AsyncGraphRAG) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        "graphrag-neo4j",
        instructions=INSTRUCTIONS,
        version=version("graphrag-neo4j"),
        log_level="WARNING",
    )
    tools = Tools(rag)
    for tool in (
        tools.global_search,
        tools.local_search,
        tools.find_entities,
        tools.read_report,
        tools.read_source,
    ):
        server.add_tool(_in_a_sentence(tool), annotations=READ_ONLY)
    return server


def _in_a_sentence(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """A tool whose errors, where they are ours, reach the assistant as they are worded."""

    @functools.wraps(tool)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except ReplyError as error:
            raise ToolError(f"No answer came: {str(error).rstrip('.')}.") from error
        except GraphRAGError as error:
            raise ToolError(str(error)) from error

    return run
