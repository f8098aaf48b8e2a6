"""Global search: map-reduce over the community reports of one level, or over all chunks.

The reports of a level together cover every entity once. The map step turns contexts of limited
size, several at the same time, into points with a helpfulness from 0 to 100. The reduce step makes
the answer from the most helpful points in one last call. See arXiv 2404.16130, section 3.1.6.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, TypedDict, TypeVar

from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.graph.rows import ScoredRow, pages
from graphrag_neo4j.model.context import ContextRecord, ContextTable
from graphrag_neo4j.model.contracts import RunTask
from graphrag_neo4j.model.events import Advanced, Notice, Started
from graphrag_neo4j.model.types import FinalTask, LLMTask, Point, T
from graphrag_neo4j.query.graph_expansion import fused
from graphrag_neo4j.query.query_context import (
    ChunkRow,
    QueryContext,
    ReportRow,
    SearchResult,
    report_record,
    side_by_side,
    source_record,
)
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import Settings

SEED: Final = 42  # of the order of the contexts
RATED_AT_ONCE = 20  # reports in one call
ONLY_LEVEL = "The only level is 0."
GROUPS = ("group of reports", "groups of reports")
PAGE = 1000  # chunks that one read returns, and reports that a full-text search finds
AMONG: Final = 3  # times the reports that are read: those of the default level, at most


class CoveredRow(ReportRow):
    """A community that a global question is answered from.

    `plain`: its report was made of its elements, without a model.
    """

    plain: bool


class PartRow(CoveredRow):
    """A part of the community `parent`."""

    parent: str


class LevelRow(TypedDict):
    """A level with the tokens of the reports of its cover."""

    level: int
    tokens: int


Rated = TypeVar("Rated", bound=CoveredRow)


class SkippedCalls:
    """Runs the tasks of one step of a search, and skips those whose reply can't be used.

    `what` names what a call reads, in the singular and the plural, and `outcome` says what becomes
    of it if the call is skipped. Errors that concern all calls,
    such as a refused key or the cost limit, are raised.
    """

    def __init__(self, run: RunTask, what: tuple[str, str], outcome: str = "left out") -> None:
        self._run, self._what, self._outcome = run, what, outcome
        self._calls = 0
        self._reasons: list[str] = []

    async def result(self, task: LLMTask[T]) -> T | None:
        """Returns the result of a task, or None if its reply can't be used."""
        self._calls += 1
        try:
            return await self._run(task)
        except ReplyError as error:
            self._reasons.append(str(error))
            return None

    def notices(self) -> list[str]:
        """Returns a sentence about the skipped calls, if there are any.

        Raises ReplyError if every call was skipped, because then there is nothing to go on with.
        """
        skipped = len(self._reasons)
        if not skipped:
            return []
        # The most frequent reason: the first one would depend on the order of the replies.
        counted = Counter(self._reasons)
        reason = min(counted, key=lambda one: (-counted[one], one)).rstrip(".")
        if skipped == self._calls:
            raise ReplyError(f"none of the model's replies can be used: {reason}")
        one, many = self._what
        which = f"{one} was" if skipped == 1 else f"{many} were"
        happened = f"{skipped:,} of {self._calls:,} {which} {self._outcome}"
        return [f"{happened}, because the model's reply can't be used: {reason}."]


async def search_global(query: QueryContext, question: Question) -> SearchResult:
    """Runs map-reduce over the reports of a level. Level 0 is the coarsest.

    A level that the question names is read as a whole. Otherwise the reports nearest to the
    question are read if all of them need more calls than `max_calls`; without a model, that is
    limited only where the question says so. Of a selection of documents, the reports on these
    alone are read, or if these say too little, the chunks. Raises InputError if the graph has no
    such level.
    """
    rating = SkippedCalls(query.run, GROUPS, "counted as relevant")
    by_default = query.settings.max_calls if query.settings.has_model else None
    most = question.max_calls or by_default
    if question.dynamic and not query.context_only:
        contexts = await _selected_dynamically(query, rating)
        read = sum(len(table.records) for table in contexts)
        query.listen(Notice(f"Answering from {_counted(read)}."))
    elif (of := query.selection) and 2 * (covered := await of.covered()) < of.chunks:
        return await _search_selected_text(query, of.chunks, covered, most)
    else:
        reports, told = await reports_to_read(query, question.level, most)
        query.listen(Notice(f"Answering from {told}."))
        whole = question.level is not None
        contexts = await _within_budget(query, reports, None if whole else most)
    found = await _answer_from(query, contexts)
    return replace(found, notices=[*rating.notices(), *found.notices])


async def reports_to_read(
    query: QueryContext, level: int | None, most: int | None
) -> tuple[Sequence[CoveredRow], str]:
    """Returns the reports of a level, or those on the selected documents alone, and which they are.

    `level` and `most` are those of `_level`.
    """
    if query.selection:
        ids = await query.selection.largest()
        reports = await query.graph.read("selection/reports", CoveredRow, ids=ids)
        return reports, f"{_counted(len(reports))} on these documents alone"
    level = await _level(query, level, most)
    reports = await query.graph.read("search/cover", CoveredRow, level=level)
    return reports, f"level {level}: {_counted(len(reports))}"


async def _level(query: QueryContext, level: int | None, most: int | None) -> int:
    """Returns the level to read: the given one, after a check, or the default.

    The default is the coarsest without a model, because its communities are themes. With a model it
    is the finest whose reports need at most AMONG times the calls `most`, so that there is
    something to choose from.
    """
    levels = await query.graph.read("search/levels", LevelRow)
    deepest = max((row["level"] for row in levels), default=0)
    if level is not None and level > deepest:
        known = f"The levels are 0 (the coarsest) to {deepest}." if deepest else ONLY_LEVEL
        raise InputError(f"There is no level {level}. {known}")
    if level is not None or not query.settings.has_model:
        return level or 0
    return default_level({row["level"]: row["tokens"] for row in levels}, most, query.settings)


def default_level(tokens: Mapping[int, int], most: int | None, settings: Settings) -> int:
    """Returns the level that a model reads by default. `tokens`: of the reports, by level."""
    room = AMONG * (most or settings.max_calls) * settings.map_context_tokens
    return max((level for level, n in tokens.items() if n <= room), default=0)


async def _within_budget(
    query: QueryContext, reports: Sequence[CoveredRow], most: int | None
) -> list[ContextTable]:
    """Returns contexts of all reports, or if they are more than `most`, of the nearest reports."""
    contexts = _shuffled(query, reports)
    if most is None or len(contexts) <= most:
        return contexts
    contexts = _pack(query, map(report_record, await nearest_first(query, reports)))[:most]
    calls = "1 call" if len(contexts) == 1 else f"{len(contexts):,} calls"
    read = sum(len(table.records) for table in contexts)
    query.listen(
        Notice(
            f"Reading the {read:,} of {_counted(len(reports))} that are nearest to the question, "
            f"in {calls}. Set --max-calls for more or fewer."
        )
    )
    return contexts


def _shuffled(query: QueryContext, reports: Iterable[CoveredRow]) -> list[ContextTable]:
    """Returns contexts of reports in random order: no part is preferred (section 3.1.6).

    The same reports make the same contexts for every question, so an endpoint can cache them.
    """
    records = [report_record(row) for row in sorted(reports, key=lambda row: row["id"])]
    random.Random(SEED).shuffle(records)  # noqa: S311 - not for cryptography
    return _pack(query, records)


async def nearness(
    query: QueryContext, k: int, ids: Sequence[str] | None = None
) -> dict[str, float]:
    """Returns how near reports are to the question, by vectors and by words, fused.

    The scores are by the ids of their communities: of `ids`, or of the `k` nearest of all.
    """
    near: Sequence[ScoredRow] = []
    vector = await query.vector(kind="community")
    if ids is None:
        near = await query.nearest("community", vector, k)
    elif vector is not None:
        given = {"ids": ids, "vector": vector, "k": len(ids)}
        near = await query.graph.read("selection/nearest_communities", ScoredRow, **given)
    words = await query.by_words("search/fulltext_communities", ScoredRow, query.content_words, k)
    own = None if ids is None else set(ids)
    return fused([near, [row for row in words if own is None or row["id"] in own]])


async def nearest_first(query: QueryContext, reports: Sequence[CoveredRow]) -> list[CoveredRow]:
    """Returns reports by their nearness to the question."""
    score = await nearness(query, PAGE, [row["id"] for row in reports])
    return sorted(reports, key=lambda row: (-score.get(row["id"], 0.0), row["id"]))


def _counted(reports: int) -> str:
    return f"{reports:,} report" if reports == 1 else f"{reports:,} reports"


async def _selected_dynamically(query: QueryContext, rating: SkippedCalls) -> list[ContextTable]:
    """Returns contexts of the relevant reports, which are selected from level 0 on.

    The relevant parts of a community replace it. A relevant community stays if none of its parts
    is relevant. Reports that were made without a model are not rated. Those beside the relevant
    reports of their level that are nearest to the question fill one more context.
    """
    cover = await query.graph.read("search/cover", CoveredRow, level=0)
    plain: list[CoveredRow] = [row for row in cover if row["plain"]]
    kept: list[CoveredRow] = []
    relevant: Sequence[CoveredRow]
    relevant = await _relevant(query, [row for row in cover if not row["plain"]], rating)
    rating.notices()  # raises if nothing can be rated: all reports of all levels would be relevant
    while relevant:
        parts = await query.graph.read("search/parts", PartRow, ids=[row["id"] for row in relevant])
        below = await _relevant(query, [row for row in parts if not row["plain"]], rating)
        replaced = {row["parent"] for row in below}
        kept += [row for row in relevant if row["id"] not in replaced]
        plain += [row for row in parts if row["plain"] and row["parent"] in replaced]
        relevant = below
    if not kept and len(plain) < len(cover):
        return []
    small = map(report_record, await nearest_first(query, plain))
    return [*_shuffled(query, kept), *_pack(query, small)[:1]]


async def _relevant(
    query: QueryContext, rows: Sequence[Rated], rating: SkippedCalls
) -> list[Rated]:
    """Returns the reports that a model rates as relevant. It rates several batches at once.

    If the rating of a batch fails, all its reports count as relevant.
    """
    if not rows:
        return []

    async def rated(batch: Sequence[Rated]) -> list[Rated]:
        table = query.table(float("inf"))
        table.add(report_record(row, short=True) for row in batch)
        found = await rating.result(query.backend.rate(query.question, table))
        query.listen(Advanced(len(batch)))
        return [row for row in batch if found is None or row["ref"] in found]

    query.listen(Started("rating", len(rows)))
    return list(chain.from_iterable(await side_by_side(rated, pages(rows, RATED_AT_ONCE))))


async def search_text(query: QueryContext) -> SearchResult:
    """Runs map-reduce over all chunks. Each chunk is mapped exactly once.

    The chunks are shuffled as the reports of global search are, so that each context is a sample
    of the whole corpus (section 3.1.6 of the paper).
    """
    return await _answer_from(query, await _packed_chunks(query))


async def _search_selected_text(
    query: QueryContext, chunks: int, covered: int, most: int | None
) -> SearchResult:
    """Runs map-reduce over the selected chunks, of which reports on them alone cover too few.

    As many are read as `most` contexts hold; None means all.
    """
    kept = (await _packed_chunks(query))[:most]
    read = sum(len(table.records) for table in kept)
    notice = (
        f"The answer is from {read:,} of {chunks:,} passages, and not from reports, because only "
        f"{covered:,} have entities of which these documents alone say something."
    )
    found = await _answer_from(query, kept)
    return replace(found, notices=[notice, *found.notices])


async def _packed_chunks(query: QueryContext) -> list[ContextTable]:
    """Returns contexts of all chunks, or of all selected ones, in random order."""
    chunks: list[ChunkRow] = []
    read, after = query.graph.read, -1  # an imported chunk may have ref 0
    if query.documents is None:
        while rows := await read("search/all_chunks", ChunkRow, after=after, limit=PAGE):
            chunks += rows
            after = rows[-1]["ref"]
    else:
        for page in pages(query.documents, PAGE):
            chunks += await read("selection/chunks", ChunkRow, documents=page)
        chunks.sort(key=lambda row: row["ref"])
    records = list(map(source_record, chunks))
    random.Random(SEED).shuffle(records)  # noqa: S311 - not for cryptography
    return _pack(query, records)


def _pack(query: QueryContext, records: Iterable[ContextRecord]) -> list[ContextTable]:
    """Packs records, in their order, into contexts of at most `map_context_tokens`.

    A record that is larger than a context is shortened to half of one.
    """
    contexts: list[ContextTable] = []
    for record in records:
        if not (contexts and contexts[-1].add([record])):
            contexts.append(query.table(query.settings.map_context_tokens))
            contexts[-1].add_or_shorten([record])
    return [table for table in contexts if table.records]


async def _answer_from(query: QueryContext, contexts: Sequence[ContextTable]) -> SearchResult:
    """Maps the contexts to points, and returns the task that reduces the points to an answer.

    A context whose reply can't be used is left out, and the result says so. Raises ReplyError if
    this is so for all of them.
    """
    if query.context_only:
        return SearchResult(contexts)
    calls = SkippedCalls(query.run, ("context", "contexts"))

    async def one(table: ContextTable) -> Sequence[Point]:
        found = await calls.result(query.backend.points(query.question, table))
        query.listen(Advanced(1) if found is not None else Advanced(failed=1))
        return found or ()

    query.listen(Started("map", len(contexts)))
    # The rules compute in Python: with two threads they take longer than one after the other.
    at_once = 1 if query.backend.quotes else query.settings.concurrency
    points = await side_by_side(one, contexts, at_once)
    return SearchResult(contexts, reduce(query, chain.from_iterable(points)), calls.notices())


def reduce(query: QueryContext, points: Iterable[Point]) -> FinalTask | None:
    """Returns the task that writes the answer from the most helpful points.

    The points together have at most `map_context_tokens` tokens. Returns None if no point helps.
    """
    ranked = sorted(
        (point for point in points if point.helpfulness > 0 and point.description),
        key=lambda point: -point.helpfulness,
    )
    kept, room = [], query.settings.map_context_tokens
    for point in ranked:
        room -= query.count(point.description) + 10  # its heading
        if room < 0:
            break
        kept.append(point)
    return query.backend.reduce(query.question, kept, query.history) if kept else None
