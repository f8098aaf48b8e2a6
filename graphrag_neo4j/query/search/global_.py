"""Global search: the reports of one level, which together cover every entity once."""

import random
from collections.abc import Sequence

from graphrag_neo4j.context.context_table import ContextRecord, measure
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Advanced, Notice, Started
from graphrag_neo4j.query.map_reduce import answer_from, pack
from graphrag_neo4j.query.query_context import QueryContext, SearchResult, report_record
from graphrag_neo4j.query.rows import CoveredRow, CoverRow, LevelRow, PartRow

__all__ = ["search_global"]

BUNDLE_TOKENS = 1000
RATED_AT_ONCE = 20


async def search_global(
    query: QueryContext,
    *,
    level: int | None = None,
    dynamic: bool = False,
    prefilter: int | None = None,
) -> SearchResult:
    """Maps the cover of a level, 0 being the coarsest.

    `level`: by default the finest whose map calls stay under the setting `map_calls`. `dynamic`:
    from level 0 down only what is rated relevant is opened. `prefilter`: only so many reports of
    the cover, those nearest to the question. Raises InputError for a level that is not there.
    """
    if dynamic and not query.context_only:
        reports = await _opened(query)
    else:
        reports = await _cover(query, level, prefilter)
    units = _units(query, reports)
    random.Random(query.settings.seed).shuffle(units)  # noqa: S311 - so that no part comes first
    return await answer_from(query, pack(query, units))


async def _cover(
    query: QueryContext, level: int | None, prefilter: int | None
) -> Sequence[CoveredRow]:
    levels = await query.graph.read("search/levels", LevelRow)
    chosen = _default_level(query, levels) if level is None else _existing(level, levels)
    vector = await query.vector() if prefilter else None
    rows = await query.graph.read("search/cover", CoverRow, level=chosen, vector=vector)
    if vector is not None and prefilter is not None:
        rows = sorted(rows, key=lambda row: (-(row["nearness"] or 0), row["id"]))[:prefilter]
    reports = "report" if len(rows) == 1 else "reports"
    query.listen(Notice(f"Answering from level {chosen}: {len(rows):,} {reports}."))
    return rows


def _existing(level: int, levels: Sequence[LevelRow]) -> int:
    """The level itself; raises InputError where the graph has no such level."""
    deepest = max((row["level"] for row in levels), default=0)
    if level > deepest:
        there = f"the levels are 0 (the coarsest) to {deepest}" if deepest else "there is only 0"
        raise InputError(f"There is no level {level}: {there}.")
    return level


def _default_level(query: QueryContext, levels: Sequence[LevelRow]) -> int:
    """The finest level whose cover fits the map calls; the coarsest where none does."""
    settings = query.settings
    room = settings.map_calls * settings.map_context_tokens
    return max((row["level"] for row in levels if row["tokens"] <= room), default=0)


def _units(query: QueryContext, reports: Sequence[CoveredRow]) -> list[list[ContextRecord]]:
    """Each report that a model made; those made without one in bundles, the best connected first,
    as far as their share goes."""
    units = [[report_record(row)] for row in reports if not row["plain"]]
    large = sum(measure(unit[0], query.count) for unit in units)
    plain = [row for row in reports if row["plain"]]
    plain.sort(key=lambda row: (-(row.get("connected") or 0), row["id"]))
    share = query.settings.small_share
    room = large * share / (1 - share) if units and share < 1 else float("inf")
    bundle: list[ContextRecord] = []
    size = 0
    for record in map(report_record, plain):
        tokens = measure(record, query.count)
        room -= tokens
        if room < 0:
            break
        if bundle and size + tokens > BUNDLE_TOKENS:
            units.append(bundle)
            bundle, size = [], 0
        bundle.append(record)
        size += tokens
    return [*units, bundle] if bundle else units


async def _opened(query: QueryContext) -> Sequence[CoveredRow]:
    """From level 0 down the reports that are rated relevant; a part replaces its parent."""
    rows: Sequence[CoveredRow]
    rows = await query.graph.read("search/cover", CoverRow, level=0, vector=None)
    kept: list[CoveredRow] = []
    while rows:
        relevant = await _relevant(query, rows)
        below = await query.graph.read("search/parts", PartRow, ids=[row["id"] for row in relevant])
        opened = {row["parent"] for row in below}
        kept += [row for row in relevant if row["id"] not in opened]
        rows = below
    return kept


async def _relevant(query: QueryContext, rows: Sequence[CoveredRow]) -> list[CoveredRow]:
    found: set[int] = set()
    query.listen(Started("rating", len(rows)))
    for start in range(0, len(rows), RATED_AT_ONCE):
        table = query.table(float("inf"))
        table.add(report_record(row, short=True) for row in rows[start : start + RATED_AT_ONCE])
        found |= set(await query.run(query.backend.rate(query.question, table)))
        query.listen(Advanced(len(table.records)))
    return [row for row in rows if row["ref"] in found]
