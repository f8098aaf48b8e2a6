"""Tells at which step a search lost a passage that should have been found.

    read ──▶ selection ──▶ entities, vector, words ──▶ walk ──▶ order ──▶ context ──▶ answer
                           where a walk may begin

The search itself takes these steps; here they are only looked at. Local search has all of them.
Basic search has no walk, and global search has reports instead. No model is asked, except for the
vector of the question.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import InputError, NotFoundError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.query import engine, global_, graph_expansion, local
from graphrag_neo4j.query.answer import Method
from graphrag_neo4j.query.query_context import NEAREST, QueryContext, lucene_query
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import counted, legible, name_key

FAR: Final = 1_000  # hits of an index among which a passage is looked for
LISTED: Final = 8  # entities that are listed
INDEX_AGAIN: Final = "Run `kg-build index PATHS`, which does what is due for the passage."
ITS_WORDS: Final = "Ask with words of the sentence, or name what it mentions."


@dataclass(frozen=True, slots=True)
class WhyStep:
    """A step of a search, and in the sentence `said` what became of a passage there.

    `passed` tells whether the step has the passage. One of the steps "entities", "vector" and
    "words" is enough for a walk to reach it. `advice` is a sentence on what would bring the passage
    in; only the step that lost it has one, all others have None.
    """

    step: str
    passed: bool
    said: str
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """The steps of a search by `method`, and which of them lost a passage.

    `lost` is the name of that step. It is None if the passage is in the answer, or in what the
    model that writes the answer reads.
    """

    question: str
    method: Method
    lost: str | None
    steps: Sequence[WhyStep]


class HoldingRow(TypedDict):
    """A chunk, its text together with what the next one adds (`onward`), and what leads to it.

    `document` is the id of its document, and `name` what people call that. `due` are the stages
    that have not done the chunk. It mentions `entities`; `reports` are the ids of communities whose
    report is on one of these, or cites the chunk.
    """

    id: str
    ref: int
    text: str
    document: str
    name: str
    onward: str
    due: list[str]
    entities: list[str]
    reports: list[str]


Search = tuple[Graph, Backends, Settings, Question, Listener]
Rows = list[HoldingRow]
Found = tuple[HoldingRow, list[WhyStep]]


async def trace_passage(search: Search, sources: Sequence[str], sentence: str) -> Why:
    """Follows the passage of some documents (sources) that has a sentence through a `search`.

    The search has the arguments of `answer_question`. With the method "auto", the words of the
    question choose; where a model would choose, it is local search. Raises NotFoundError if no
    passage has the sentence, InputError for a question of a conversation, and the errors of
    `answer_question`.
    """
    graph, *_, question, _listen = search
    if question.history or question.context_only:
        raise InputError("Leave out history and context_only: one whole question is explained.")
    query, _, state = await engine.query_of(*search)
    quotes, wanted = query.backend.quotes, _plain(sentence)
    if question.method == "auto" and not quotes:
        question = replace(question, method="local")
    method = await engine.chosen_method(query, question, state)
    question = replace(question, method=method)
    query, told = await engine.of_period(query, question) if quotes else (query, [])
    rows, own = await _holding(graph, sources, wanted), query.documents
    chunk, steps = rows[0], list[WhyStep]()
    if inside := [row for row in rows if own is None or row["document"] in own]:
        follow = _by_reports if method == "global" else _by_passages
        chunk, steps = await follow(query, question, inside, wanted)
        steps += await _quoted(search, question, chunk["id"], wanted) if quotes else []
    told = [*told, f"Documents searched: {'all' if own is None else f'{len(own):,}'}."]
    said = " ".join(told + ["What follows are the steps of local search."] * (method == "drift"))
    advice = "Leave out --where, --as-of and the time that the question states, or choose others."
    steps = [_read(chunk, wanted), WhyStep("selection", bool(inside), said, advice), *steps]
    passed = max((n for n, one in enumerate(steps, 1) if one.passed), default=0)
    lost = next((one for one in steps[passed:] if one.advice), None)
    kept = [one if one is lost else replace(one, advice=None) for one in steps]
    return Why(query.question, method, lost.step if lost else None, kept)


async def _holding(graph: Graph, sources: Sequence[str], wanted: str) -> Rows:
    """Returns the chunks that hold a text, or else the first in which it begins."""
    rows = await graph.read("search/passages_of", HoldingRow, sources=sources)
    held = [row for row in rows if wanted in _plain(row["text"])]
    if not (held := held or [row for row in rows if wanted in _plain(row["onward"])][:1]):
        raise NotFoundError(f"No passage of {', '.join(sources)} has this sentence.")
    return held


def _plain(text: str) -> str:
    """Returns a text in which white space, case and kinds of quotation marks make no difference."""
    return name_key(legible(neutralised(text)))


def _read(chunk: HoldingRow, wanted: str) -> WhyStep:
    has = "has" if wanted in _plain(chunk["text"]) else "and the next one together have"
    due = f" It is due for {' and '.join(chunk['due'])}." if chunk["due"] else ""
    said = f"Passage {chunk['ref']} of {chunk['name']} {has} the sentence.{due}"
    return WhyStep("read", not due, said)


async def _by_passages(query: QueryContext, question: Question, rows: Rows, wanted: str) -> Found:
    """Returns the passage that ranks highest, and its steps through a search of passages."""
    if question.method == "text":
        return rows[0], [WhyStep("context", True, "All passages are read.")]
    ranked, most = None, local.NEAR_CHUNKS
    if question.method == "basic":
        order = await query.near_chunks(most)
    else:
        ranked = await graph_expansion.ranked_graph(query, None, local.MOST)
        order, most = ranked.chunks, local.MOST["chunks"]
    chunk = next((row for id_ in order for row in rows if row["id"] == id_), rows[0])
    id_, advice = chunk["id"], INDEX_AGAIN if chunk["due"] else ITS_WORDS
    near = await query.nearest("chunk", await query.vector(), FAR)
    steps = [_ranked("vector", [row["id"] for row in near], id_, NEAREST if ranked else most)]
    if ranked:
        words = lucene_query(query.question)
        found = await query.by_words("search/fulltext_chunks", ScoredRow, words, FAR)
        taken = graph_expansion.MOST_PASSAGES
        steps = [_named(chunk, query.question), *steps]
        steps.append(_ranked("words", [row["id"] for row in found], id_, taken))
        steps.append(_ranked("walk", ranked.reached, id_, len(ranked.reached), advice))
    steps.append(_ranked("order", order, id_, most, advice))

    async def holds(tokens: int) -> bool:
        settings = query.settings.changed(max_context_tokens=tokens)
        changed = replace(query, settings=settings, listen=silent)
        if ranked:
            table = await local.local_context(changed, ranked=ranked)
        else:
            [table] = (await local.search_basic(changed)).contexts
        record = table.records.get(("Sources", id_))
        shown = "".join(record.pieces) if record else ""  # of a long one the beginning
        return wanted in _plain(shown) or len(shown) == len(chunk["text"])

    if steps[-1].passed:
        limit = query.settings.max_context_tokens
        steps.append(await _in_context(holds, "KG_MAX_CONTEXT_TOKENS", limit))
    return chunk, steps


def _named(chunk: HoldingRow, question: str) -> WhyStep:
    names = chunk["entities"]
    named = [name for name in names if graph_expansion.named_in(question, name)]
    listed = ", ".join(names[:LISTED]) + " …" * (len(names) > LISTED)
    held = f"It mentions {counted(len(names), 'entity', 'entities')}: {listed or 'none'}."
    said = f"{held} The question names {', '.join(named) or 'none of them'}."
    return WhyStep("entities", bool(named), said)


async def _by_reports(query: QueryContext, question: Question, rows: Rows, _: str) -> Found:
    """Returns the steps of global search; a dynamic one, which asks a model, is not followed."""
    chunk, asked = rows[0], replace(question, dynamic=False)
    quiet = replace(query, context_only=True, listen=silent)
    calls = asked.max_calls or query.settings.max_calls
    reports, which = await global_.reports_to_read(query, asked.level, calls)
    order = [row["id"] for row in await global_.nearest_first(query, reports)]
    best = next((id_ for id_ in order if id_ in chunk["reports"]), "")
    wanted = {("Reports", best), ("Sources", chunk["id"])}  # passages where reports say too little

    async def holds(most: int) -> bool:
        again = replace(asked, max_calls=most) if most > calls else asked
        found = (await global_.search_global(quiet, again)).contexts
        return any(wanted & table.records.keys() for table in found)

    advice = INDEX_AGAIN if chunk["due"] else "Use the method local, basic or text."
    near = _ranked("reports", order, best, len(order), advice)
    told = f"Reports that cite it or are on what it mentions: {len(chunk['reports']):,}."
    steps = [replace(near, said=f"{told} The nearest of them ({which}): {near.said}")]
    if best or await holds(calls):
        steps.append(await _in_context(holds, "--max-calls", calls))
    return chunk, steps


def _ranked(step: str, ids: Sequence[str], id_: str, taken: int, advice: str = "") -> WhyStep:
    """Returns a step that ranks chunks or reports, and takes the first of them."""
    rank = ids.index(id_) + 1 if id_ in ids else None
    said = f"{f'Rank {rank:,}' if rank else 'Not'} among {len(ids):,}"
    limit = f"; the first {taken:,} are taken" if taken < len(ids) else ""
    return WhyStep(step, rank is not None and rank <= taken, f"{said}{limit}.", advice)


async def _in_context(holds: Callable[[int], Awaitable[bool]], name: str, limit: int) -> WhyStep:
    """Returns whether the context `holds` the passage with a limit, or else which one would do."""
    if await holds(limit):
        return WhyStep("context", True, "The context has it.")
    enough = limit
    while not await holds(enough := enough + max(enough // 20, 1)):
        if enough > FAR * limit:
            return WhyStep("context", False, "The context has no room for it.", ITS_WORDS)
    said = f"The context has no room for it, as {name} is {limit:,}."
    advice = f"Set {name} to {enough:,}, which is {enough - limit:,} more."
    return WhyStep("context", False, said, advice)


async def _quoted(search: Search, asked: Question, id_: str, wanted: str) -> list[WhyStep]:
    """Returns whether an answer of quotations is made from a chunk, and has the sentence."""
    both = (asked, replace(asked, all_passages=True))
    made = [engine.AsyncStream(engine.answer_question(*search[:3], one, silent)) for one in both]
    best, every = [wanted in _plain("".join([text async for text in one])) for one in made]
    read = any(("Sources", id_) in table.records for table in made[0].answer.context)
    said = f"Quoted: {'yes' if best else 'no'}; with --all: {'yes' if every else 'no'}."
    steps = [WhyStep("passages", True, "It is one of those that are quoted from.")] if read else []
    return [*steps, WhyStep("answer", best, said, "Add --all." if every else ITS_WORDS)]
