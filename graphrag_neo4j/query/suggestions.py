"""Suggests questions that the graph can answer: on the whole corpus, or after an answer.

    reports, entities ──▶ a model, or rules ──▶ draft questions ──▶ checks against the graph

A model is asked once. The checks ask none: a question is left out if it names something that the
graph does not hold, or if local search finds nothing for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Final, Literal, TypedDict

import anyio.to_thread

from graphrag_neo4j.backends import Backends, QuerySetup
from graphrag_neo4j.errors import EmptyGraphError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CountRow, ScoredRow
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.events import Listener, Started, silent
from graphrag_neo4j.model.material import DraftQuestion, ReportTopic, SuggestionMaterial, Topic
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.engine import answer_question, read_state
from graphrag_neo4j.query.graph_expansion import NamedRow, named_in, names
from graphrag_neo4j.query.local import local_context
from graphrag_neo4j.query.lookup import WordRow
from graphrag_neo4j.query.query_context import QueryContext, lucene_query
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.rules.ranking import content_words, names_in
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import name_key, searched_words


class MembersRow(TypedDict):
    """The ids of the foremost members of a community."""

    members: list[str]


class PairRow(TypedDict):
    """The names of two related entities, and the number of statements on both."""

    source: str
    target: str
    weight: float


class YearRow(TypedDict):
    """A year, and the number of documents with a date in it."""

    year: str
    n: int


REPORTS: Final = 12  # reports of the coarsest level
MEMBERS: Final = 6  # entities of each of them
TOPICS: Final = 24  # entities that questions on the corpus may be about
NEAR: Final = 12  # entities that questions after an answer may be about
PASSAGES_SHOWN: Final = 20  # chunks of each entity, for a backend that quotes
PAIRS: Final = 40
SPARE: Final = 2  # drafts that may fail the checks
CANDIDATE_ENTITIES: Final = 50  # entities whose name shares a word with a question
CONTEXT: Final = 2000  # tokens of the local context of a check


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question that the graph can answer, and the method that suits it."""

    question: str
    method: Literal["global", "local"]

    def __str__(self) -> str:
        return self.question


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Suggested questions: those on the whole first, then those on particular things.

    `left_out` holds questions that were made, but that the graph can't answer. `usage` holds the
    calls, tokens and US dollars by step; it is empty where no model was asked.
    """

    questions: Sequence[Suggestion]
    left_out: Sequence[str] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict, repr=False)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)


async def suggest(
    graph: Graph,
    backends: Backends,
    n: int,
    listen: Listener,
    *,
    after: Answer | None = None,
    history: Sequence[str] = (),
) -> Suggestions:
    """Returns at most `n` questions. With `after`, they follow on this answer.

    `history` holds the questions before that of the answer, which are not suggested again. Raises
    EmptyGraphError if the graph holds no entities, and ReplyError if a model gives no usable reply.
    """
    settings = backends.settings.changed(max_context_tokens=CONTEXT)
    state = await read_state(graph)
    if not state["entities"]:
        raise EmptyGraphError("The graph has no entities yet. Run `kg-build index PATHS` first.")
    setup = backends.for_question(settings, context_only=False, vectors_by=None)
    listen(Started("suggestions"))
    await anyio.to_thread.run_sync(tokens.encoding)
    asked = [*history, after.question] if after else []
    material = await _material(graph, setup, after, asked)
    drafts = await setup.run(
        setup.backend.questions(material, n if after else (n + 1) // 2 + SPARE)
    )
    # Of the searches that check a question: they need no vectors, and nobody reads their notices.
    query = QueryContext(
        graph,
        settings,
        setup.backend,
        setup.run,
        None,
        tokens.count,
        "",
        context_only=True,
    )
    chosen, left_out = await _checked(query, backends, drafts, n, {name_key(one) for one in asked})
    questions = []
    for draft in chosen:
        whole = draft.whole
        if setup.backend.quotes:  # without a model, the words of the question decide
            whole = await setup.run(setup.backend.chooses_global(draft.text))
        questions.append(Suggestion(draft.text, "global" if whole else "local"))
    return Suggestions(questions, left_out, setup.usage)


async def _material(
    graph: Graph, setup: QuerySetup, after: Answer | None, asked: Sequence[str]
) -> SuggestionMaterial:
    reports = await graph.read("suggest/reports", ReportTopic, most=REPORTS, members=MEMBERS)
    if after is None:
        ids = _in_turn([one.members for one in reports])[:TOPICS]
    else:
        ids = await _near(graph, after)
    most = PASSAGES_SHOWN if setup.backend.quotes else 0
    topics = await graph.read("suggest/topics", Topic, ids=ids, passages=most)
    new = [row for row in topics if not any(named_in(text, row.name) for text in asked)]
    pairs = await graph.read("suggest/pairs", PairRow, ids=[row.id for row in new], most=PAIRS)
    return SuggestionMaterial(
        reports=reports,
        topics=[
            replace(row, name=neutralised(row.name), description=neutralised(row.description))
            for row in new[: NEAR if after else TOPICS]
        ],
        pairs=[(row["source"], row["target"]) for row in pairs],
        documents=(await graph.read("search/number_of_documents", CountRow))[0]["n"],
        asked=asked,
        answer=after.text if after else "",
        years={row["year"]: row["n"] for row in await graph.read("suggest/years", YearRow)},
    )


async def _near(graph: Graph, after: Answer) -> list[str]:
    """Returns the ids of entities near to an answer.

    They are those of its context and those in the reports there; those that it names come first.
    """
    records = [record for table in after.context for record in table.records.values()]
    entities = {one.id: one.text.partition(" | ")[0] for one in records if one.kind == "Entities"}
    named = names(after.text, [{"id": id_, "name": name} for id_, name in entities.items()])
    reports = [record.id for record in records if record.kind == "Reports"][:MEMBERS]
    rows = await graph.read("suggest/members", MembersRow, ids=reports, members=MEMBERS)
    members = _in_turn([row["members"] for row in rows])
    near = _in_turn([list(entities), members])
    return sorted(near, key=lambda id_: id_ not in named)[: 2 * NEAR]


def _in_turn(lists: Sequence[Sequence[str]]) -> list[str]:
    """Returns the first items of all lists, then the second ones, and so on, each item once."""
    rows = zip_longest(*lists)
    return list(dict.fromkeys(one for one in chain.from_iterable(rows) if one is not None))


async def _checked(
    query: QueryContext,
    backends: Backends,
    drafts: Sequence[DraftQuestion],
    n: int,
    asked: set[str],
) -> tuple[list[DraftQuestion], list[str]]:
    """Returns at most `n` answerable questions, half of them on the whole, and those left out."""
    kinds: dict[bool, list[DraftQuestion]] = {True: [], False: []}
    wanted = {True: n - n // 2, False: n // 2}
    left_out: list[str] = []
    spare: list[DraftQuestion] = []

    async def check(draft: DraftQuestion) -> None:
        if await _is_answerable(query, backends, draft):
            kinds[draft.whole].append(draft)
        else:
            left_out.append(draft.text)

    for draft in drafts:
        key = name_key(draft.text)
        if key in asked:
            continue
        asked = {*asked, key}
        if len(kinds[draft.whole]) == wanted[draft.whole]:
            spare.append(draft)
        else:
            await check(draft)
    for draft in spare:  # where there are too few of the other kind
        if len(kinds[True]) + len(kinds[False]) == n:
            break
        await check(draft)
    return kinds[True] + kinds[False], left_out


async def _is_answerable(query: QueryContext, backends: Backends, draft: DraftQuestion) -> bool:
    """Returns whether the graph holds what a question names, and material for its answer.

    A question on a particular thing must have the full name of an entity, and its local context
    must hold this entity. A question on the whole must share words with the reports. Without a
    model, a question for the themes of all reports, or on a year, is answered as a check.
    """
    words = searched_words(" ".join(names_in(draft.text)))
    nowhere = await query.graph.read("search/words_nowhere", WordRow, words=words)
    if nowhere:
        return False
    entities = set(draft.about)
    if not entities:
        called = lucene_query(draft.text, "name")
        rows = await query.by_words("search/named", NamedRow, called, CANDIDATE_ENTITIES)
        entities = set(names(draft.text, rows))
    if entities:
        table = await local_context(query, draft.text)
        return any(record.id in entities for record in table.records.values())
    if query.backend.quotes:
        asked = Question(draft.text, method="global" if draft.whole else "local")
        answer = answer_question(query.graph, backends, backends.settings, asked, silent)
        return any([piece.found async for piece in answer if isinstance(piece, Answer)])
    content = lucene_query(" ".join(sorted(content_words(draft.text))))
    found = await query.by_words("search/fulltext_communities", ScoredRow, content, 1)
    return draft.whole and bool(found)
