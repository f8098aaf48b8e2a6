"""A server of the Model Context Protocol with six tools, which read a graph and never write."""

import functools
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Annotated, Any, Final, ParamSpec, TypeVar

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import Field, ValidationError

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphRAGError, InputError, ReplyError
from graphrag_neo4j.integrations.tool_results import (
    Entities,
    Questions,
    ReportText,
    SuggestedQuestion,
    ToolAnswer,
    ToolPassage,
    passage,
    report_text,
    tool_answer,
    tool_context,
)
from graphrag_neo4j.settings import plain_problem

__all__ = ["listen", "serve_http", "serve_stdio"]

INSTRUCTIONS: Final = (
    "A knowledge graph of documents. It holds entities, relationships, claims, communities of "
    "entities, and reports on the communities, all linked to the passages that support them. "
    "Use global_search for questions about the whole, and local_search for questions about "
    "particular things. suggest_questions gives questions that the documents can answer. "
    "Answers hold citations such as [Data: Entities (5); Reports (2)]. read_report takes the "
    "number of a report; read_source takes the number of a source or of a place's chunk."
)
READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
SHUTDOWN_SECONDS = 3  # time for running requests when the server is stopped

P = ParamSpec("P")
T = TypeVar("T")
Question = Annotated[str, Field(min_length=1, description="A question in plain words.")]
Level = Annotated[
    int | None, Field(ge=0, le=100, description="Level of communities; 0 is the coarsest.")
]
Ref = Annotated[int, Field(ge=0, le=2**53, description="The number in the citation.")]
Limit = Annotated[int, Field(ge=1, le=100, description="The largest number of entities.")]
Few = Annotated[int, Field(ge=1, le=20, description="The largest number of questions.")]


class Tools:
    """The tools for an open graph. The assistant reads their docstrings and field descriptions."""

    def __init__(self, rag: AsyncGraphRAG) -> None:
        self._rag = rag

    async def global_search(self, question: Question, level: Level = None) -> ToolAnswer:
        """Answers a question about the documents as a whole: themes, trends, comparisons.

        The answer is made from the reports of one level of communities. A fine level shows more
        detail; a coarse level is cheaper. Returns the answer with its sources, each with document,
        characters and quote.
        """
        if self._rag.settings.has_model:
            return tool_answer(await self._rag.global_search(question, level=level))
        # Without a level, map_calls=1 selects the finest level whose reports fit into one context.
        found = self._rag.global_search(question, level=level, context_only=True, map_calls=1)
        return tool_context(await found)

    async def local_search(self, question: Question) -> ToolAnswer:
        """Answers a question about particular people, places, things or events.

        The answer is made from the entities in the question and the graph around them. Returns
        the answer with its sources, each with document, characters and quote.
        """
        if self._rag.settings.has_model:
            return tool_answer(await self._rag.local_search(question))
        return tool_context(await self._rag.local_search(question, context_only=True))

    async def find_entities(
        self,
        text: Annotated[str, Field(description="A name, or words of a name.")],
        limit: Limit = 10,
    ) -> Entities:
        """Finds entities by name. Returns type, description and number of relationships."""
        return Entities(await self._rag.find_entities(text, limit))

    async def suggest_questions(self, limit: Few = 6) -> Questions:
        """Suggests questions that the documents can answer, on the whole and on particular things.

        Returns each question with the tool that suits it. Use this where the user does not know
        what to ask.
        """
        found = await self._rag.suggest(limit)
        return Questions([SuggestedQuestion(f"{one.method}_search", one.question) for one in found])

    async def read_report(self, ref: Ref) -> ReportText:
        """Reads the whole report on a community, which is cited as `Reports (ref)`."""
        return report_text(await self._rag.report(ref))

    async def read_source(self, ref: Ref) -> ToolPassage:
        """Reads the whole text of a chunk, which is cited as `Sources (ref)`, and its place."""
        if found := await self._rag.sources(ref):
            return passage(found[0])
        raise InputError(f"Source {ref} is no longer in the graph, or it never was.")


async def serve_stdio(rag: AsyncGraphRAG) -> None:
    """Serves an open graph over standard input and output until the input ends."""
    await _server(rag).run_stdio_async()


def listen(host: str, port: int) -> socket.socket:
    """Opens a listening socket. Port 0 chooses a free port.

    Raises InputError if the address or the port can't be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or "no such address").partition(" (")[0]
        raise InputError(
            f"The server can't listen on {host}, port {port} ({reason}). Give another --host or "
            "--port."
        ) from error


async def serve_http(rag: AsyncGraphRAG, listening: socket.socket) -> None:
    """Serves an open graph over streamable HTTP, at `/mcp`, until SIGINT or SIGTERM.

    On a loopback address, requests of foreign web pages are refused by their Host or Origin.
    """
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        _server(rag).streamable_http_app(host=host, transport_security=_security(host, port)),
        log_config=None,  # the default configuration would print to standard output
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    await uvicorn.Server(config).serve(sockets=[listening])


def _security(host: str, port: int) -> TransportSecuritySettings | None:
    """The hosts and origins of a server on a loopback address, None for any other address.

    They are whole: by default the package allows `localhost:*`, which it compares by its beginning.
    """
    if not ipaddress.ip_address(host).is_loopback:
        return None
    names = {"localhost", "127.0.0.1", "[::1]", f"[{host}]" if ":" in host else host}
    places = [f"{name}:{port}" for name in names]
    return TransportSecuritySettings(
        allowed_hosts=places, allowed_origins=[f"http://{place}" for place in places]
    )


class _Server(MCPServer[Any]):
    """A server that says in a sentence which argument of a tool is wrong."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        for tool in await self.list_tools():
            known = tool.input_schema["properties"]
            if tool.name == name and (unknown := arguments.keys() - known.keys()):
                raise ToolError(
                    f"{name} has no argument {', '.join(sorted(unknown))}: it takes "
                    f"{', '.join(known) or 'none'}."
                )
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                problems = error.__cause__.errors(include_input=False, include_url=False)
                wrong = (f"{one['loc'][0]} {plain_problem(one)}" for one in problems)
                raise ToolError(f"{name} can't use its arguments: {'; '.join(wrong)}.") from error
            raise


def _server(rag: AsyncGraphRAG) -> MCPServer[Any]:
    server = _Server(
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
        tools.suggest_questions,
        tools.read_report,
        tools.read_source,
    ):
        server.add_tool(_with_tool_errors(tool), annotations=READ_ONLY)
    return server


def _with_tool_errors(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Wraps a tool, so that the assistant sees the messages of this package's errors."""

    @functools.wraps(tool)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except ReplyError as error:
            raise ToolError(f"There is no answer, since {str(error).rstrip('.')}.") from error
        except GraphRAGError as error:
            raise ToolError(str(error)) from error

    return run
