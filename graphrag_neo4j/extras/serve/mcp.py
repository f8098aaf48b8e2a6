"""A server of the Model Context Protocol with six tools, which read a graph and never write.

The SDK makes JSON schemas from the classes of the results. They have no slots, because it would
take a slot for the default of its field.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from inspect import getdoc
from itertools import count
from typing import Annotated, Any, Final, TypeVar

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import METHOD_NOT_FOUND, CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic_core import to_json
from starlette.applications import Starlette

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import GraphRAGError, InputError, NotFoundError, ReplyError
from graphrag_neo4j.extras.serve.logs import CURRENT, LOGGER, with_request
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.lookup import FoundEntity
from graphrag_neo4j.settings import plain_problem
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text.strings import flat, shortened

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
QUOTED_TO_TOOLS = 300  # characters of a quote
MEMBERS = 50  # entities of a community that a report names
LENGTH: Final = 20_000  # characters of a result, unless an assistant asks for more
CHARACTERS: Final = 5  # of a context for each of its tokens, at most, in most languages
TELL: Final = 2.0  # seconds between two notices of progress: some clients wait only 5 for a sign
ABSENT: Final = ("prompts", "resources")  # what MCPServer offers, even if there is none

Asking = Callable[[str, str], AbstractAsyncContextManager[None]]
Question = Annotated[str, Field(min_length=1, description="A question in plain words.")]
Level = Annotated[
    int | None, Field(ge=0, le=100, description="Level of communities; 0 is the coarsest.")
]
Where = Annotated[
    list[str] | None,
    Field(
        description="Conditions on the metadata of documents, such as author=Ada or "
        "date>=2024-01-01. Only documents that meet all of them are read."
    ),
]
ToolRef = Annotated[int, Field(ge=0, le=2**53, description="The number in the citation.")]
Limit = Annotated[int, Field(ge=1, le=100, description="The largest number of entities.")]
Few = Annotated[int, Field(ge=1, le=20, description="The largest number of questions.")]
# The smallest context that can be set has 500 tokens, so 2,500 characters.
Length = Annotated[
    int, Field(ge=2_500, description="Characters of the result at most; a longer one is cut.")
]


@dataclass(frozen=True)
class ToolSource:
    """A passage: the characters [start, end) of a document, which lie in a chunk.

    `place` says where a person finds it, such as "report.pdf, page 3". `quote` is the beginning of
    the passage. It is empty if no sentence of the chunk supports the statement.
    """

    place: str
    document: str
    title: str
    chunk: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class ToolCitation:
    """The meaning of a citation such as `Entities (5)`, with the places that support it.

    `supported` says whether the cited element was in the context of the answer. `misquoted` holds
    the quotations beside it that no record cited there has word for word.
    """

    citation: str
    title: str | None
    supported: bool
    places: list[ToolSource]
    misquoted: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ToolAnswer:
    """An answer with its sources. With `context_only` the text is a context for an answer."""

    text: str
    context_only: bool
    note: str
    sources: list[ToolCitation]


@dataclass(frozen=True)
class Entities:
    """Entities that a name matches, the best match first. `note` says if some are left out."""

    entities: list[FoundEntity]
    note: str = ""


@dataclass(frozen=True)
class SuggestedQuestion:
    """A question, and the name of the tool that suits it."""

    tool: str
    question: str


@dataclass(frozen=True)
class SuggestedQuestions:
    """Suggested questions, those on the whole first."""

    questions: list[SuggestedQuestion]


@dataclass(frozen=True)
class ReportText:
    """The report on a community in Markdown.

    `size` is the number of entities in the community. `entities` names those with the most
    relationships. `note` says if something is left out.
    """

    ref: int
    level: int
    title: str | None
    rating: float | None
    text: str
    size: int
    entities: list[str]
    note: str = ""


@dataclass(frozen=True)
class ToolPassage:
    """The whole text of a chunk, which is the characters [start, end) of a document.

    `place` says where a person finds it. `note` says if the end of the text is left out.
    """

    place: str
    chunk: int
    document: str
    title: str
    start: int
    end: int
    text: str
    note: str = ""


R = TypeVar("R", bound=ToolAnswer | Entities | ReportText | ToolPassage)


class Tools:
    """The tools for an open graph. The assistant reads their docstrings and field descriptions."""

    def __init__(self, rag: AsyncGraphRAG, asking: Asking) -> None:
        self._rag, self._asking = rag, asking

    async def global_search(
        self,
        question: Question,
        level: Level = None,
        where: Where = None,
        max_length: Length = LENGTH,
    ) -> ToolAnswer:
        """Answers a question about the documents as a whole: themes, trends, comparisons.

        The answer is made from the reports of one level of communities. A fine level shows more
        detail; a coarse level is cheaper. Returns the answer with its sources, each with document,
        characters and quote.
        """
        how: QueryOptions = {"method": "global", "level": level, "where": where or ()}
        return await self._search(question, how, max_length)

    async def local_search(
        self, question: Question, where: Where = None, max_length: Length = LENGTH
    ) -> ToolAnswer:
        """Answers a question about particular people, places, things or events.

        The answer is made from the entities in the question and the graph around them. Returns
        the answer with its sources, each with document, characters and quote.
        """
        how: QueryOptions = {"method": "local", "where": where or ()}
        return await self._search(question, how, max_length)

    async def find_entities(
        self,
        name: Annotated[str, Field(description="A name, or words of a name.")],
        limit: Limit = 10,
        max_length: Length = LENGTH,
    ) -> Entities:
        """Finds entities by name. Returns type, description and number of relationships."""
        return fitted(Entities(await self._rag.find_entities(name, limit)), max_length)

    async def suggest_questions(self, limit: Few = 6) -> SuggestedQuestions:
        """Suggests questions that the documents can answer, on the whole and on particular things.

        Returns each question with the tool that suits it. Use this where the user does not know
        what to ask.
        """
        async with self._asking("suggest", ""):
            found = await self._rag.suggest(limit)
        return SuggestedQuestions(
            [SuggestedQuestion(f"{one.method}_search", one.question) for one in found]
        )

    async def read_report(self, ref: ToolRef, max_length: Length = LENGTH) -> ReportText:
        """Reads the whole report on a community, which is cited as `Reports (ref)`."""
        one = await self._rag.report(ref)
        size, names = len(one.entities), list(one.entities[:MEMBERS])
        report = ReportText(one.ref, one.level, one.title, one.rating, one.text, size, names)
        return fitted(report, max_length)

    async def read_source(self, ref: ToolRef, max_length: Length = LENGTH) -> ToolPassage:
        """Reads the whole text of a chunk, which is cited as `Sources (ref)`, and its place."""
        if not (found := await self._rag.sources(ref)):
            raise NotFoundError(f"Source {ref} is no longer in the graph, or it never was.")
        chunk, title, text = found[0], neutralised(found[0].title), neutralised(found[0].text)
        place, source = chunk.place, chunk.document
        passage = ToolPassage(place, chunk.chunk, source, title, chunk.start, chunk.end, text)
        return fitted(passage, max_length)

    async def _search(self, question: str, how: QueryOptions, most: int) -> ToolAnswer:
        """Answers a question, or returns the context for an answer if no model is set.

        A context is made to fit into `most` characters, since its end has the passages.
        """
        how["context_only"] = alone = not self._rag.settings.has_model
        if alone:
            settings, tokens = self._rag.settings, most // CHARACTERS
            how["max_context_tokens"] = min(tokens, settings.max_context_tokens)
            how["map_context_tokens"] = min(tokens, settings.map_context_tokens)
        async with self._asking(how["method"], question):
            answer = await self._rag.query(question, **how)
        return fitted(tool_context(answer, most) if alone else tool_answer(answer), most)


def fitted(found: R, most: int) -> R:
    """Returns a result of at most `most` characters of JSON, with a note if it was cut.

    It loses the last entries of its list, then the end of its text.
    """
    if (whole := _length(found)) <= most:
        return found
    cut = f"This result is cut: max_length={whole} gives all of it."
    found = replace(found, note=f"{found.note} {cut}".strip())
    listed = "sources" if isinstance(found, ToolAnswer) else "entities"
    while getattr(found, listed, None) and _length(found) > most:
        found = replace(found, **{listed: getattr(found, listed)[:-1]})
    if _length(found) > most and not isinstance(found, Entities):
        room = most - _length(replace(found, text="…"))
        found = replace(found, text=f"{shortened(found.text, room, _length)}…")
    return found


def _length(found: object) -> int:
    """The number of characters of a result, as the SDK writes it."""
    return len(to_json(found, indent=2).decode())


def tool_answer(answer: Answer) -> ToolAnswer:
    """Returns an answer with its sources. The note says what was left out or is missing."""
    sources = []
    for citation in answer.citations:
        places = []
        for one in citation.sources:
            quote = shortened(flat(one.quoted), QUOTED_TO_TOOLS, len) if one.quote else ""
            places.append(
                ToolSource(one.place, one.document, one.title, one.chunk, *one.span, quote)
            )
        name = f"{citation.kind} ({citation.ref})"
        wrong = list(citation.misquoted)
        sources.append(ToolCitation(name, citation.title, citation.supported, places, wrong))
    missing = [answer.incomplete] if answer.incomplete else []
    return ToolAnswer(answer.text, False, " ".join([*answer.notices, *missing]), sources)


def tool_context(answer: Answer, most: int) -> ToolAnswer:
    """Returns the context for an answer, which was to fit into `most` characters.

    If there are several context tables, it is the first.
    """
    note = "No model is set, so this is a context: answer from it, and cite its ids."
    note += f" It has at most {most} characters; a larger max_length allows more."
    if len(answer.context) > 1:
        note += f" It is the first of {len(answer.context)} parts; a coarser level has fewer."
    note = " ".join([note, *answer.notices])
    return ToolAnswer("".join(table.text for table in answer.context[:1]), True, note, [])


def mcp_app(rag: AsyncGraphRAG, asking: Asking) -> Starlette:
    """The application that serves an open graph over streamable HTTP, at `/mcp`.

    `asking` is entered for each question, with its method and its text. Whoever mounts the
    application checks who may ask.
    """
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return _server(rag, asking).streamable_http_app(transport_security=checked)


async def serve_stdio(rag: AsyncGraphRAG) -> None:
    """Serves an open graph over standard input and output until the input ends.

    Raises InputError if one of the two can't be used, as where the assistant has gone.
    """
    try:
        await _server(rag, lambda *_: nullcontext()).run_stdio_async()
    except ExceptionGroup as failed:
        if not isinstance(first := failed.exceptions[0], OSError):
            raise
        raise InputError(f"The assistant can't be reached: {first.strerror}.") from None


class _Server(MCPServer[Any]):
    """A server whose errors are the sentences of this package, or say which argument is wrong."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        request = context.request_context.request if context else None
        if exchange := request and request.scope.get("exchange"):
            CURRENT.set(exchange)  # the task of a session began with an earlier request
        for tool in await self.list_tools():
            known = tool.input_schema["properties"]
            if tool.name == name and (unknown := arguments.keys() - known.keys()):
                raise ToolError(
                    f"{name} has no argument {', '.join(sorted(unknown))}: it takes "
                    f"{', '.join(known) or 'none'}."
                )
        try:
            with first_error():
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_tell_progress, name, context)
                    result = await super().call_tool(name, arguments, context)
                    tasks.cancel_scope.cancel()
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as cause:
                    problems = cause.errors(include_input=False, include_url=False)
                    wrong = "; ".join(f"{one['loc'][0]} {plain_problem(one)}" for one in problems)
                    raise ToolError(f"{name} can't use its arguments: {wrong}.") from cause
                case ReplyError() as cause:
                    reason = str(cause).rstrip(".")
                    told = with_request(f"There is no answer, since {reason}.")
                    raise ToolError(told) from cause
                case GraphRAGError() as cause:
                    told = str(cause)
                    told = told if isinstance(cause, InputError) else with_request(told)
                    raise ToolError(told) from cause
                case Exception() as cause:
                    told = with_request(f"This is an error of {name}, whose log has more.")
                    LOGGER.error("%s", told, exc_info=cause)
                    raise ToolError(told) from cause
            raise
        return result


async def _tell_progress(tool: str, context: Context[Any, Any] | None) -> None:
    """Tells a client that asks for it that a tool is still at work, until it is cancelled."""
    for n in count(1):
        await anyio.sleep(TELL)
        if context:
            await context.report_progress(n, message=f"{tool} runs for {n * TELL:.0f} seconds.")


async def _only_tools(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Refuses requests for what this server doesn't have, and doesn't offer it."""
    if ctx.method.partition("/")[0] in ABSENT:
        raise MCPError(METHOD_NOT_FOUND, f"This server has only tools, so no {ctx.method}.")
    result = await call_next(ctx)
    if isinstance(result, dict) and "capabilities" in result:
        for name in ABSENT:
            result["capabilities"].pop(name, None)
    return result


def _server(rag: AsyncGraphRAG, asking: Asking) -> MCPServer[Any]:
    server = _Server(
        "graphrag-neo4j",
        instructions=INSTRUCTIONS,
        version=version("graphrag-neo4j"),
        log_level="WARNING",
        middleware=[_only_tools],
    )
    tools = Tools(rag, asking)
    for name in [one for one in vars(Tools) if not one.startswith("_")]:
        tool = getattr(tools, name)
        server.add_tool(tool, description=getdoc(tool), annotations=READ_ONLY)
    return server
