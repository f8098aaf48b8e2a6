"""From a question to an answer: chooses the search, streams its text, resolves what it cites."""

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Final

import anyio.to_thread

from graphrag_neo4j import tokens
from graphrag_neo4j.backends import Backends, QuerySetup
from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, Notice, Started
from graphrag_neo4j.graph import Graph, refuse_newer
from graphrag_neo4j.model import ComposedTask, Message, StreamedTask
from graphrag_neo4j.query.answer import Answer, Method
from graphrag_neo4j.query.citation_resolver import resolve_citations
from graphrag_neo4j.query.misspelt import names_meant
from graphrag_neo4j.query.query_context import QueryContext, SearchResult, known_refs
from graphrag_neo4j.query.question import ONLY, Question
from graphrag_neo4j.query.rows import StateRow
from graphrag_neo4j.query.search.basic import search_basic
from graphrag_neo4j.query.search.drift import search_drift
from graphrag_neo4j.query.search.global_ import search_global
from graphrag_neo4j.query.search.local import search_local
from graphrag_neo4j.query.search.text import search_text
from graphrag_neo4j.settings import Settings

# A model's client, and what answers without a model, are imported where they are used: each takes
# a moment, and a context alone may need neither.

__all__ = ["answer_question", "check_answering"]

NOTHING: Final = "The data holds no answer to this question."
LONGEST_QUESTION: Final = 20_000  # characters: some ten pages
NEEDS: Final[Mapping[Method, Callable[[StateRow], tuple[object, str]]]] = {
    "global": lambda state: (state["reports"], "reports of communities"),
    "drift": lambda state: (state["reports"], "reports of communities"),
    "local": lambda state: (state["entities"], "entities"),
    "basic": lambda state: (state["chunks"], "chunks"),
    "text": lambda state: (state["chunks"], "chunks"),
}


def check_answering(settings: Settings, question: Question | None = None) -> None:
    """Raises InputError for settings that no question can be answered with, before Neo4j starts."""
    tokens.check(settings.encoding)
    context_only = question is not None and question.context_only
    Backends(settings).for_question(settings, context_only=context_only, vectors_by=None)


async def answer_question(
    graph: Graph,
    backends: Backends,
    settings: Settings,
    question: Question,
    listen: Listener,
) -> AsyncGenerator[str | Answer, None]:
    """Gives the text of the answer piece by piece, and then the answer.

    Closing this generator ends the call whose reply is still coming.

    `settings` are the client's, or some that were changed for this question. Raises InputError
    where the graph lacks what the method needs, or where the question has more than
    LONGEST_QUESTION characters.
    """
    _refuse_long(question.text)
    began = time.perf_counter()
    state = (await graph.read("search/state", StateRow))[0]
    refuse_newer(state["schema_version"])
    _need(state["chunks"] or state["reports"], "documents")
    setup = _setup(backends, settings, question, state["embedding_model"], listen)
    query = _query_context(graph, setup, settings, question, listen)
    method = await _method(query, question, listen)
    _need(*NEEDS[method](state))
    _tell_without_use(query, question, method, listen)
    listen(Started("search"))
    found = await _found(query, question, method, listen)
    listen(Started("answer", 0 if question.context_only else None))
    text = ""
    async with aclosing(_written(found, setup, question)) as pieces:
        async for piece in pieces:
            text += piece
            yield piece
    answered = bool(text)
    if not (answered or question.context_only):
        text = NOTHING
        yield text
    yield Answer(
        text=text,
        method=method,
        citations=await resolve_citations(graph, text, known_refs(found.contexts)),
        context=found.contexts,
        usage=setup.usage,
        elapsed=time.perf_counter() - began,
        origin=backends.origin,
        found=question.context_only or answered,
    )


def _refuse_long(question: str) -> None:
    if len(question) > LONGEST_QUESTION:
        raise InputError(
            f"The question has {len(question):,} characters, and {LONGEST_QUESTION:,} are the "
            "most: ask it in fewer words, and index a long text as a document."
        )


def _setup(
    backends: Backends,
    settings: Settings,
    question: Question,
    vectors_by: str | None,
    listen: Listener,
) -> QuerySetup:
    """What the question is answered with; says where the vectors of the graph can't be used."""
    setup = backends.for_question(
        settings, context_only=question.context_only, vectors_by=vectors_by
    )
    if vectors_by and not setup.embedder:
        listen(
            Notice(f"The graph's vectors are of {vectors_by}, which is not set: going by words.")
        )
    return setup


def _query_context(
    graph: Graph,
    setup: QuerySetup,
    settings: Settings,
    question: Question,
    listen: Listener,
) -> QueryContext:
    if question.expand:
        settings = settings.changed(expand=question.expand)
    return QueryContext(
        graph=graph,
        settings=settings,
        backend=setup.backend,
        run=setup.run,
        embedder=setup.embedder,
        count=partial(tokens.count, encoding_name=settings.encoding),
        question=question.text,
        history=_messages(question.history, settings.conversation_history_max_turns),
        context_only=question.context_only,
        listen=listen,
    )


def _messages(history: Sequence[tuple[str, str]], turns: int) -> list[Message]:
    return [
        message
        for asked, answered in history[len(history) - min(turns, len(history)) :]
        for message in (Message("user", asked), Message("assistant", answered))
    ]


async def _method(query: QueryContext, question: Question, listen: Listener) -> Method:
    """The method that was asked for, else the one that suits the question; says which."""
    if question.method != "auto":
        return question.method
    listen(Started("method"))
    whole = await query.run(query.backend.chooses_global(question.text))
    method: Method = "global" if whole else "local"
    listen(Notice(f"Answering by {method} search."))
    return method


def _tell_without_use(
    query: QueryContext, question: Question, method: Method, listen: Listener
) -> None:
    """Says which options do nothing where the method was not chosen by who asks."""
    for name in question.without_use(method):
        methods = ONLY[name]
        listen(
            Notice(
                f"The option {name} does nothing here: it is for {' and '.join(methods)} search, "
                f"and {method} search was chosen. Ask for {methods[0]} search to use it.",
                warning=True,
            )
        )
    if question.dynamic and question.context_only and method == "global":
        listen(
            Notice(
                "The option dynamic does nothing here: which reports are relevant is rated for an "
                "answer only. These are the reports of a whole level.",
                warning=True,
            )
        )
    if question.prefilter and query.embedder is None and method == "global":
        listen(
            Notice(
                "The option prefilter does nothing here: without vectors, which reports are near "
                "is not known.",
                warning=True,
            )
        )


def _need(has: object, what: str) -> None:
    """Raises InputError where a search has nothing to search in."""
    if not has:
        raise InputError(f"The graph has no {what} yet: `kg-build index PATHS` makes them.")


async def _found(
    query: QueryContext, question: Question, method: Method, listen: Listener
) -> SearchResult:
    """What the search finds; meanwhile the ranks load that tokens are counted by."""
    with first_error():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, tokens.encoding, query.settings.encoding)
            if method == "local":
                tasks.start_soon(_ask_back, query, listen)
            found = await _search(query, question, method)
    return found


async def _ask_back(query: QueryContext, listen: Listener) -> None:
    """Names that a question may have meant where it names something that is nowhere."""
    for word, name in (await names_meant(query.graph, query.question)).items():
        listen(
            Notice(f"The word {word} is nowhere in the data. Did you mean {name}?", warning=True)
        )


async def _search(query: QueryContext, question: Question, method: Method) -> SearchResult:
    match method:
        case "global":
            return await search_global(
                query,
                level=question.level,
                dynamic=question.dynamic,
                prefilter=question.prefilter,
            )
        case "local":
            return await search_local(query)
        case "drift":
            return await search_drift(query)
        case "basic":
            return await search_basic(query)
        case "text":
            return await search_text(query)


async def _written(
    found: SearchResult, setup: QuerySetup, question: Question
) -> AsyncGenerator[str, None]:
    """The answer's text: from a model as it comes, without one as a whole; or nothing."""
    if question.context_only:
        return
    match found.answer:
        case None:
            return
        case ComposedTask(compose):
            if text := await anyio.to_thread.run_sync(compose):
                yield text
        case StreamedTask() as task:
            async with aclosing(_streamed(task, setup)) as pieces:
                async for piece in pieces:
                    yield piece


async def _streamed(task: StreamedTask, setup: QuerySetup) -> AsyncGenerator[str, None]:
    if setup.endpoint is None:
        raise AssertionError("A backend without a model has given a request.")
    said = []
    async with aclosing(setup.endpoint.stream(task.request)) as pieces:
        async for piece in pieces:
            said.append(piece)
            yield piece
    task.check("".join(said))
