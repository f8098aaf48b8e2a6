"""Global search: map-reduce over the community reports of one level, or over all chunks.

The reports of a level together cover every entity once. The map step turns contexts of limited
size, several at the same time, into points with a helpfulness from 0 to 100. The reduce step makes
the answer from the most helpful points in one last call. See arXiv 2404.16130, section 3.1.6.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Final, NotRequired, TypedDict, TypeVar

from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.graph.rows import pages
from graphrag_neo4j.model.context import ContextRecord, ContextTable, measure
from graphrag_neo4j.model.contracts import RunTask
from graphrag_neo4j.model.events import Advanced, Notice, Started
from graphrag_neo4j.model.types import FinalTask, LLMTask, Point, T
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
from graphrag_neo4j.query.selection import Selection
from graphrag_neo4j.text.strings import flat, shortened

SEED: Final = 42  # of the order of the contexts
BUNDLE_TOKENS = 1000
RATED_AT_ONCE = 20  # reports in one call
ONLY_LEVEL = "The only level is 0."
GROUPS = ("group of reports", "groups of reports")
PAGE = 1000  # chunks that one read returns, and reports that a full-text search finds
CALLS_FOR_QUOTATIONS: Final = 12  # map calls about reports that were made without a model


class CoveredRow(ReportRow):
    """A community that a global question is answered from.

    `plain`: its report was made of its elements, without a model. `connected`: the sum of its
    members' degrees, for a plain one where this was asked for.
    """

    plain: bool
    level: int
    connected: NotRequired[int | None]


class CoverRow(CoveredRow):
    """A community of the cover of a level.

    `nearness`: to the vector that was given, 0 to 1; None without one.
    """

    nearness: float | None


class PartRow(CoveredRow):
    """A part of the community `parent`."""

    parent: str


class OwnReportRow(CoveredRow):
    """A community of a selection alone. `quoted`: its report consists of quotations."""

    quoted: bool


class LevelRow(TypedDict):
    """A level with the tokens of the reports of its cover.

    `plain` counts the reports that were made of elements, and `tokens` the others. `quoted`:
    some of these are quotations, made without a model.
    """

    level: int
    tokens: int
    plain: int
    quoted: bool


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

    The level of the question is by default the finest one that needs no more map calls than the
    setting `map_calls`. Where the calls are limited, the reports nearest to the question are read.
    Of a selection of documents, the reports on these alone are read, or if these say too little,
    the chunks. Raises InputError if the graph has no such level.
    """
    rating = SkippedCalls(query.run, GROUPS, "counted as relevant")
    calls: int | None = None
    if question.dynamic and not query.context_only:
        reports = await _selected_dynamically(query, rating)
        query.listen(Notice(f"Answering from {_counted(len(reports))}."))
    elif query.selection:
        largest, covered = await query.selection.largest()
        if 2 * covered < query.selection.chunks:
            return await _search_selected_text(query, query.selection.chunks, covered)
        reports, calls = await _own_reports(query, query.selection, largest)
    else:
        reports, calls = await _cover(query, question)
    if calls:  # the nearest come first, and small reports keep to their share
        room = _room_for_plain(query, sum(r["n_tokens"] or 0 for r in reports if not r["plain"]))
        sizes = accumulate((r["n_tokens"] or 0) * r["plain"] for r in reports)
        near = [r for r, n in zip(reports, sizes, strict=True) if not r["plain"] or n <= room]
        contexts = _pack(query, [[report_record(row)] for row in near])[:calls]
        read = sum(len(table.records) for table in contexts)
        if read < len(reports):
            more = "" if query.selection else " Set --max-calls for more or fewer."
            query.listen(
                Notice(
                    f"Reading the {read:,} of {_counted(len(reports))} that are nearest to the "
                    f"question, in {len(contexts):,} calls.{more}"
                )
            )
        return await _answer_from(query, contexts)
    # The same reports make the same contexts for every question: an endpoint can cache them.
    units, left_out = _units(query, sorted(reports, key=lambda row: row["id"]))
    notices = [*rating.notices(), *left_out]
    # The order is random, so that no part of the corpus is preferred (section 3.1.6).
    random.Random(SEED).shuffle(units)  # noqa: S311 - not for cryptography
    found = await _answer_from(query, _pack(query, units))
    return replace(found, notices=[*notices, *found.notices])


async def _cover(
    query: QueryContext, question: Question
) -> tuple[Sequence[CoveredRow], int | None]:
    """Returns the reports of the level, and how many map calls may read them (None: all needed).

    Where reports are chosen by the question, the nearest come first.
    """
    level, calls = question.level, question.max_calls
    levels = await query.graph.read("search/levels", LevelRow)
    deepest = max((row["level"] for row in levels), default=0)
    if level is not None and level > deepest:
        known = f"The levels are 0 (the coarsest) to {deepest}." if deepest else ONLY_LEVEL
        raise InputError(f"There is no level {level}. {known}")
    # By default the finest level whose reports fit into `map_calls` calls; without a model the
    # coarsest, whose communities are themes. Of the reports that were made without a model only
    # those count that `_units` takes.
    room = query.settings.map_calls * query.settings.map_context_tokens
    tokens = {
        row["level"]: row["tokens"] + min(row["plain"], _room_for_plain(query, row["tokens"]))
        for row in levels
    }
    finest = max((one for one, n in tokens.items() if n <= room), default=0)
    chosen = level if level is not None else finest if query.settings.has_model else 0
    by_default = level is None and question.prefilter is None and query.settings.has_model
    if calls is None and by_default and any(row["quoted"] for row in levels):
        calls = CALLS_FOR_QUOTATIONS
    chooses = calls is not None or question.prefilter is not None
    vector = await query.vector(kind="community") if chooses else None
    rows = await query.graph.read("search/cover", CoverRow, level=chosen, vector=vector)
    if chooses:
        by_words = await query.near("community", PAGE) if vector is None else []
        place = {id_: n for n, id_ in enumerate(by_words)}
        rows.sort(key=lambda r: (-(r["nearness"] or 0), place.get(r["id"], PAGE), r["id"]))
        rows = rows[: question.prefilter]
    query.listen(Notice(f"Answering from level {chosen}: {_counted(len(rows))}."))
    return rows, calls


async def _own_reports(
    query: QueryContext, selection: Selection, ids: Sequence[str]
) -> tuple[Sequence[CoveredRow], int | None]:
    """Returns reports on the selected documents alone, as `_cover` returns those of a level."""
    rows = await query.graph.read("selection/reports", OwnReportRow, ids=ids)
    query.listen(Notice(f"Answering from {_counted(len(rows))} on these documents alone."))
    if not (query.settings.has_model and any(row["quoted"] for row in rows)):
        return rows, None
    near = await query.near("community", len(await selection.communities()))
    place = {id_: n for n, id_ in enumerate(near)}
    return sorted(rows, key=lambda r: place.get(r["id"], len(place))), CALLS_FOR_QUOTATIONS


def _counted(reports: int) -> str:
    return f"{reports:,} report" if reports == 1 else f"{reports:,} reports"


def _room_for_plain(query: QueryContext, large: int) -> float:
    """Returns the largest number of tokens of the reports that were made without a model.

    `large` is the number of tokens of the other reports.
    """
    share = query.settings.small_share
    return large * share / (1 - share) if large and share < 1 else float("inf")


def _units(
    query: QueryContext, reports: Sequence[CoveredRow]
) -> tuple[list[list[ContextRecord]], list[str]]:
    """Returns the units of records that a context must not divide, and what is left out.

    Each report that a model wrote is one unit. Small reports, which are made without a model, are
    joined into bundles. Those with the most connections come first, and they get at most the share
    `small_share` of all tokens.
    """
    units = [[report_record(row)] for row in reports if not row["plain"]]
    large = sum(measure(unit[0], query.count) for unit in units)
    plain = [row for row in reports if row["plain"]]
    plain.sort(key=lambda row: (-(row.get("connected") or 0), row["id"]))
    room = _room_for_plain(query, large)
    bundle: list[ContextRecord] = []
    size, notices = 0, list[str]()
    for place, record in enumerate(map(report_record, plain)):
        tokens = measure(record, query.count)
        room -= tokens
        if room < 0:
            notices.append(
                f"Skipped {len(plain) - place:,} of {_counted(len(reports))}: small communities "
                f"get at most {query.settings.small_share:.0%} of the tokens. KG_SMALL_SHARE=1 "
                "reads all."
            )
            break
        if bundle and size + tokens > BUNDLE_TOKENS:
            units.append(bundle)
            bundle, size = [], 0
        bundle.append(record)
        size += tokens
    return [*units, *([bundle] if bundle else [])], notices


async def _selected_dynamically(query: QueryContext, rating: SkippedCalls) -> Sequence[CoveredRow]:
    """Selects relevant reports from level 0 on.

    The relevant parts of a community replace it. A relevant community stays if none of its parts
    is relevant. Reports that were made without a model are not rated. They stay beside the relevant
    reports of their level, within the limits of `_units`.
    """
    cover = await query.graph.read("search/cover", CoverRow, level=0, vector=None)
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
    if kept or len(plain) == len(cover):
        return [*kept, *plain]
    return []


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


async def _search_selected_text(query: QueryContext, chunks: int, covered: int) -> SearchResult:
    """Runs map-reduce over the selected chunks, of which reports on them alone cover too few.

    With a model, as many are read as `map_calls` contexts hold.
    """
    contexts = await _packed_chunks(query)
    kept = contexts[: query.settings.map_calls] if query.settings.has_model else contexts
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
    units = [[source_record(row)] for row in chunks]
    random.Random(SEED).shuffle(units)  # noqa: S311 - not for cryptography
    return _pack(query, units)


def _pack(query: QueryContext, units: Iterable[Sequence[ContextRecord]]) -> list[ContextTable]:
    """Packs units of records, in their order, into contexts of at most `map_context_tokens`.

    A unit is not divided. Of a unit that is larger than a context, each record is shortened to at
    most half of a context, and only the part that fits is kept.
    """
    contexts: list[ContextTable] = []
    for unit in units:
        if not (contexts and contexts[-1].add(unit)):
            contexts.append(query.table(query.settings.map_context_tokens))
            if not contexts[-1].add(unit):
                room = query.settings.map_context_tokens // 2
                for one in unit:
                    text = shortened(one.text, room, query.count)
                    # The pieces that are still complete or, if none is, the beginning of the first.
                    kept = tuple(piece for piece in one.pieces if flat(piece) in text)
                    first = tuple(shortened(piece, room, query.count) for piece in one.pieces[:1])
                    short = ContextRecord(one.kind, one.ref, one.id, text, pieces=kept or first)
                    contexts[-1].add_each([short])
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
    points = await side_by_side(one, contexts, query.settings.concurrency)
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
