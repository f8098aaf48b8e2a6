"""From a question to an answer: chooses the search, streams the text, resolves the citations."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Final, Literal, Self, TypedDict

import anyio.to_thread

from graphrag_neo4j.backends import Backends, QuerySetup
from graphrag_neo4j.errors import EmptyGraphError, InputError, ReplyError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import IndexedKind
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.graph.schema import refuse_newer_version
from graphrag_neo4j.model.citations import rewrite
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.events import Listener, Notice, Started
from graphrag_neo4j.model.passage import called
from graphrag_neo4j.model.types import Message, StreamedTask
from graphrag_neo4j.query.answer import Answer, Citation, Method, own_titles, resolve_citations
from graphrag_neo4j.query.answer_text import TRY_GLOBAL, TRY_LOCAL, AnswerText
from graphrag_neo4j.query.drift import search_drift
from graphrag_neo4j.query.facts import search_computed, search_facts
from graphrag_neo4j.query.global_ import search_global, search_text
from graphrag_neo4j.query.local import search_basic, search_local
from graphrag_neo4j.query.lookup import said_of_unknown
from graphrag_neo4j.query.query_context import QueryContext, SearchResult, gather, known_refs
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.query.quotations import cited_texts
from graphrag_neo4j.query.selection import number_of_documents, select, select_as_of, select_dated
from graphrag_neo4j.rules.asking import not_done, period_in
from graphrag_neo4j.rules.ranking import is_global
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import fold, shortened
from graphrag_neo4j.text.tokens import CountTokens

TURNS, HISTORY = 5, 3_000  # the latest turns of a conversation that count, and their tokens


class StateRow(TypedDict):
    """What an answer can be made from."""

    chunks: int
    entities: int
    communities: int
    reports: bool
    embedding_model: str | None
    dimensions: int | None
    schema_version: int | None


# What each method needs in the graph: the column of the graph's state, and its name.
NEEDS: Final[Mapping[Method, tuple[Literal["chunks", "reports"], str]]] = {
    "global": ("reports", "reports of communities"),
    "drift": ("reports", "reports of communities"),
    "local": ("chunks", "chunks"),  # a table may have no names
    "basic": ("chunks", "chunks"),
    "text": ("chunks", "chunks"),
}


def check_answering(settings: Settings, question: Question | None = None) -> None:
    """Checks, before Neo4j is started, that questions can be answered with these settings.

    Raises InputError if they can't.
    """
    context_only = question is not None and question.context_only
    Backends(settings).for_question(settings, context_only=context_only, vectors_by=None)


async def answer_question(
    graph: Graph, backends: Backends, settings: Settings, question: Question, listen: Listener
) -> AsyncGenerator[str | Answer, None]:
    """Yields the text of the answer piece by piece, and at last the whole `Answer`.

    Closing this generator ends the call whose reply is still coming. `settings` are those of the
    client or of this question. Raises InputError if the graph lacks what the method needs, or if
    no document meets the conditions of the question.
    """
    began = time.perf_counter()
    query, setup, state = await query_of(graph, backends, settings, question, listen)
    query = await made_self_contained(query)
    method = await chosen_method(query, question, state)
    asked = query.question
    query, facts, said = await _said_first(query, question, method)
    query.warn(*said)
    by_vectors = method in {"local", "drift", "basic"}
    if by_vectors and setup.endpoint:  # its errors end the question before the graph is read
        await query.vector()
    n = (await graph.read("embed/count", CountRow))[0]["n"] if by_vectors else 0
    lacking = (
        f"{n:,} entities, passages or reports have no vector yet, so vector search does not find "
        "them: run `kg-build index PATHS` again."
    )
    pending = [lacking] if n else []
    query.warn(*pending)
    _warn_of_options(query, question, method)
    found = facts or await _search(query, question, method)
    query.warn(*found.notices)
    answer = AnswerText(query, found.answer, setup.endpoint, not question.context_only)
    listen(Started("answer", 0 if question.context_only else None))
    async with aclosing(answer.pieces()) as pieces:
        async for piece in pieces:
            yield piece
    answer.read_citations(found.contexts)
    found_any = question.context_only or answer.found
    citations = await _citations(query, answer, found.contexts)
    advice = [
        *answer.notices,
        *setup.remarks,
        *([] if found_any else _other_method(asked, method)),
    ]
    query.warn(*advice)
    yield Answer(
        text=answer.text,
        method=method,
        citations=citations,
        context=found.contexts,
        usage=setup.usage,
        elapsed=time.perf_counter() - began,
        question=asked,
        origin=backends.origin,
        found=found_any,
        notices=(
            *said,
            *pending,
            *found.notices,
            *advice,
            *([] if facts or answer.more else await _on_one_document(query, citations)),
        ),
        more=answer.more,
        incomplete=answer.incomplete,
    )


async def query_of(
    graph: Graph, backends: Backends, settings: Settings, question: Question, listen: Listener
) -> tuple[QueryContext, QuerySetup, StateRow]:
    """Returns what a search begins with. Raises InputError as `answer_question` does."""
    state = await read_state(graph)
    _need(state["chunks"] or state["reports"], "documents")
    setup = await _setup(backends, settings, question, state["embedding_model"], listen)
    if question.history:  # the tokenizer takes a moment to load
        await anyio.to_thread.run_sync(tokens.encoding)
    selection = await select(graph, question.where)
    if question.as_of:
        selection = await select_as_of(graph, question.as_of, selection)
    query = QueryContext(
        graph,
        settings,
        setup.backend,
        setup.run,
        setup.embedder,
        tokens.count,
        question.text,
        messages_of(question.history, tokens.count),
        context_only=question.context_only,
        selection=selection,
        all_passages=question.all_passages,
        dimensions=state["dimensions"],
        listen=listen,
    )
    return query, setup, state


async def vector_of(
    graph: Graph, backends: Backends, text: str, kind: IndexedKind, listen: Listener
) -> list[float]:
    """Returns the vector of a question to search nodes of a kind. Raises InputError without one."""
    model = (await read_state(graph))["embedding_model"]
    asked = Question(text, context_only=True)
    setup = await _setup(backends, backends.settings, asked, model, listen)
    if setup.embedder is None:
        raise InputError(
            f"The graph's vectors come from {model}, which is not set here."
            if model
            else "The graph has no vectors yet. Run `kg-build index PATHS` first."
        )
    return await setup.embedder.of(kind).embed_question(text)


async def _citations(
    query: QueryContext, answer: AnswerText, contexts: Sequence[ContextTable]
) -> list[Citation]:
    """Returns the citations of an answer. Of a selection, names are those that contexts give.

    Quotations of a model are checked; without one, they were copied from their places.
    """
    if not answer.text:
        return []
    titles = own_titles(contexts) if query.selection else {}
    known = known_refs(contexts)
    return await resolve_citations(
        query.graph,
        answer.text,
        known,
        documents=query.documents,
        titles=titles,
        read=cited_texts(contexts) if isinstance(answer.task, StreamedTask) else None,
        question=query.question,
    )


async def _on_one_document(query: QueryContext, citations: Sequence[Citation]) -> list[str]:
    """Returns a sentence if an answer rests on one document, and more than one is read.

    What one document says, however new it is, need not be true (arXiv 2603.11501).
    """
    sources = {one.document: one for cited in citations for one in cited.sources}
    if len(sources) != 1 or await number_of_documents(query.graph, query.selection) == 1:
        return []
    [one] = sources.values()
    name, date = one.name or one.document, str(one.metadata.get("date", ""))[:10]
    told = called(name, one.title, "" if date in name + one.title else date)
    return [f"The answer rests on one document: {told}."]


async def _setup(
    backends: Backends,
    settings: Settings,
    question: Question,
    vectors_by: str | None,
    listen: Listener,
) -> QuerySetup:
    """Returns the backends for a question, and says if the graph's embeddings can't be used."""
    only = question.context_only
    setup = backends.for_question(
        settings, context_only=only, vectors_by=vectors_by, today=question.today
    )
    if setup.embedder or not vectors_by:
        return setup
    lacks = f"The graph's embeddings were made with {vectors_by}, which is not set."
    load = partial(backends.embedder_of_vectors, vectors_by, listen)
    try:
        if embedder := await anyio.to_thread.run_sync(load):
            return replace(setup, embedder=embedder)
    except InputError as error:
        lacks = str(error)
    told = f"{lacks} The search uses full-text search instead of vector search."
    listen(Notice(told, warning=True))
    return setup


async def chosen_method(query: QueryContext, question: Question, state: StateRow) -> Method:
    """Returns the method of the question. For "auto" it chooses one, and says which.

    Raises EmptyGraphError if the graph lacks what the method needs.
    """
    method = question.method
    if method == "auto":
        query.listen(Started("method"))
        whole = await query.run(query.backend.chooses_global(query.question))
        method = "global" if whole else "local"
        query.listen(Notice(f"Answering by {method} search."))
    column, needed = NEEDS[method]
    _need(state[column], needed)
    return method


async def _said_first(
    query: QueryContext, question: Question, method: Method
) -> tuple[QueryContext, SearchResult | None, list[str]]:
    """Returns the query of the time that it states, and the answer that the graph itself holds.

    Last comes what a reader must know before the answer: what isn't done, and what is nowhere.
    """
    asked, quotes = query.question, query.backend.quotes
    by_graph = method == "local" and not question.context_only
    facts, undone = await search_computed(query) if by_graph else (None, [])
    if facts:
        return query, facts, []
    # The names are those of all documents.
    said = [query.selection.said] if query.selection and query.selection.said else []
    said += await said_of_unknown(query.graph, asked, similar=not query.selection)
    if quotes:
        query, read = await of_period(query, question)
        said += read
        if by_graph:
            facts, told = await search_facts(query)
            said += told
    if facts or question.context_only:
        return query, facts, said
    return query, None, [*(undone or not_done(asked, with_model=not quotes)), *said]


async def of_period(query: QueryContext, question: Question) -> tuple[QueryContext, list[str]]:
    """Returns the query with the documents of the time that it states, and what is said of it."""
    found = period_in(query.question, question.today)
    if not found or question.level is not None or question.dynamic:
        return query, []
    rest, period = found
    selection, said = await select_dated(query.graph, period, query.selection)
    if selection is not query.selection:
        query = replace(query, question=rest, selection=selection, period=period)
    return query, [said]


def _other_method(question: str, method: Method) -> list[str]:
    """Returns the advice to use the method that suits a question, if it isn't the one that failed.

    It costs no call: the words of the question decide, also where a model is set.
    """
    suits, advice = ("global", TRY_GLOBAL) if is_global(question) else ("local", TRY_LOCAL)
    return [] if method == suits else [advice]


def _warn_of_options(query: QueryContext, question: Question, method: Method) -> None:
    """Warns of options that have no effect with the method that was chosen for the user."""
    for name in question.without_use(method):
        query.warn(
            f"The option {name} has no effect here. It is for global search, and {method} search "
            "was chosen. Use the method global for it."
        )
    if question.dynamic and question.context_only and method == "global":
        query.warn(
            "The option dynamic has no effect here, because a model rates the reports only "
            "for an answer. These are the reports that are read without it."
        )


async def read_state(graph: Graph) -> StateRow:
    """What an answer can be made from.

    Raises EmptyGraphError where the database holds no graph, GraphError for a later schema version.
    """
    rows = await graph.read("search/state", StateRow)
    _need(rows, "documents")
    refuse_newer_version(rows[0]["schema_version"])
    return rows[0]


def _need(has: object, what: str) -> None:
    """Raises EmptyGraphError if the graph lacks the data that a search needs."""
    if not has:
        raise EmptyGraphError(f"The graph has no {what} yet. Run `kg-build index PATHS` first.")


async def _search(query: QueryContext, question: Question, method: Method) -> SearchResult:
    """Runs the search. At the same time the tokenizer is loaded, which takes a moment."""
    searches: Mapping[Method, Callable[[], Awaitable[SearchResult]]] = {
        "global": partial(search_global, query, question),
        "local": partial(search_local, query),
        "drift": partial(search_drift, query),
        "basic": partial(search_basic, query),
        "text": partial(search_text, query),
    }

    query.listen(Started("search"))
    load = partial(anyio.to_thread.run_sync, tokens.encoding)
    found = await gather(tokenizer=load, found=searches[method])
    result: SearchResult = found["found"]
    return result


def messages_of(history: Sequence[tuple[str, str]], count: CountTokens) -> list[Message]:
    """Returns the latest turns as messages: at most TURNS of them, with at most HISTORY tokens.

    A turn is a (question, answer) pair. The oldest answer that counts is shortened if it does not
    fit. Citations are left out, because their records are not in the context of the new question.
    """
    messages: list[Message] = []
    room = HISTORY
    for question, answer in reversed(history[-TURNS:]):
        asked = shortened(question, room, count)
        room -= count(asked)
        said = shortened(rewrite(answer, lambda *_: None), room, count)
        room -= count(said)
        if not asked.strip() or not said.strip():
            break
        messages = [Message("user", asked), Message("assistant", said), *messages]
    return messages


async def made_self_contained(query: QueryContext) -> QueryContext:
    """Returns the query with a question that can be understood without the conversation.

    A model rewrites the question, and the listener is told how. If there is no conversation, no
    model, or no usable reply, the question stays as it is.
    """
    if not query.history:
        return query
    query.listen(Started("question"))
    try:
        asked = await query.run(query.backend.self_contained(query.question, query.history))
    except ReplyError as error:
        query.warn(
            f"The question is asked as it stands, without what was said before, since {error}."
        )
        return query
    if asked is None:
        return query
    if asked != fold(query.question):
        query.listen(Notice(f"The question is understood as: {asked}"))
    return replace(query, question=asked, stands_alone=True)


class AsyncStream:
    """The text of an answer, piece by piece; when all have come, `.answer` is the answer.

    The call to the model and its connection end when the loop is left early, at the end of `async
    with`, and with `aclose`. After that the rest of the text can't be read.
    """

    def __init__(self, pieces: AsyncGenerator[str | Answer, None]) -> None:
        self._pieces = pieces
        self._answer: Answer | None = None
        self._closed = False

    async def aclose(self) -> None:
        """Ends the call to the model if it still runs. A second call does nothing."""
        self._closed = True
        await self._pieces.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        """Yields the pieces. Leaving the loop drops this generator, which closes the stream."""
        try:
            while (piece := await anext(self, None)) is not None:
                yield piece
        finally:
            await self.aclose()

    async def __anext__(self) -> str:
        if self._closed and self._answer is None:
            raise InputError("This stream is closed, and its answer is not whole: ask again.")
        piece = await anext(self._pieces)
        if isinstance(piece, str):
            return piece
        self._answer = piece
        return await anext(self)

    @property
    def answer(self) -> Answer:
        """The answer. Raises InputError while its text is still coming."""
        if self._answer is None:
            raise InputError("The answer is not whole yet: read the stream to its end.")
        return self._answer
