"""Global search: map-reduce over the community reports of one level.

The reports of a level together cover every entity once. See arXiv 2404.16130, section 3.1.6.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

from graphrag_neo4j.context.context_table import ContextRecord, measure
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Advanced, Notice, Started
from graphrag_neo4j.query.map_reduce import answer_from, pack
from graphrag_neo4j.query.query_context import QueryContext, SearchResult, report_record
from graphrag_neo4j.query.rows import CoveredRow, CoverRow, LevelRow, PartRow
from graphrag_neo4j.query.skipped_calls import SkippedCalls

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
    """Runs map-reduce over the reports of a level. Level 0 is the coarsest.

    `level` is by default the finest level that needs no more map calls than the setting
    `map_calls`. With `dynamic` the search starts at level 0 and opens only the communities whose
    reports a model rates as relevant. `prefilter` takes only this many reports of the level, those
    most similar to the question. Raises InputError if the graph has no such level.
    """
    rating = SkippedCalls(query.run, ("group of reports", "groups of reports"))
    if dynamic and not query.context_only:
        reports = await _selected_dynamically(query, rating)
    else:
        reports = await _cover(query, level, prefilter)
    notices = rating.notices()
    units = _units(query, reports)
    # The order is random, so that no part of the corpus is preferred (section 3.1.6).
    random.Random(query.settings.seed).shuffle(units)  # noqa: S311 - not for cryptography
    found = await answer_from(query, pack(query, units))
    return replace(found, notices=[*notices, *found.notices])


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
    """Returns the level itself. Raises InputError if the graph has no such level."""
    deepest = max((row["level"] for row in levels), default=0)
    if level > deepest:
        levels_are = f"The levels are 0 (the coarsest) to {deepest}."
        known = levels_are if deepest else "The only level is 0."
        raise InputError(f"There is no level {level}. {known}")
    return level


def _default_level(query: QueryContext, levels: Sequence[LevelRow]) -> int:
    """Returns the finest level whose reports fit into `map_calls` calls, or else level 0."""
    settings = query.settings
    room = settings.map_calls * settings.map_context_tokens
    return max((row["level"] for row in levels if row["tokens"] <= room), default=0)


def _units(query: QueryContext, reports: Sequence[CoveredRow]) -> list[list[ContextRecord]]:
    """Returns the units of records that a context must not divide.

    Each report that a model wrote is one unit. Small reports, which are made without a model, are
    joined into bundles. Those with the most connections come first, and they get at most the share
    `small_share` of all tokens.
    """
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


async def _selected_dynamically(query: QueryContext, rating: SkippedCalls) -> Sequence[CoveredRow]:
    """Selects relevant reports from level 0 on; the parts of a community replace the community."""
    rows: Sequence[CoveredRow]
    rows = await query.graph.read("search/cover", CoverRow, level=0, vector=None)
    kept: list[CoveredRow] = []
    while rows:
        relevant = await _relevant(query, rows, rating)
        below = await query.graph.read("search/parts", PartRow, ids=[row["id"] for row in relevant])
        opened = {row["parent"] for row in below}
        kept += [row for row in relevant if row["id"] not in opened]
        rows = below
    return kept


async def _relevant(
    query: QueryContext, rows: Sequence[CoveredRow], rating: SkippedCalls
) -> list[CoveredRow]:
    found: set[int] = set()
    query.listen(Started("rating", len(rows)))
    for start in range(0, len(rows), RATED_AT_ONCE):
        table = query.table(float("inf"))
        table.add(report_record(row, short=True) for row in rows[start : start + RATED_AT_ONCE])
        found |= set(await rating.result(query.backend.rate(query.question, table)) or ())
        query.listen(Advanced(len(table.records)))
    return [row for row in rows if row["ref"] in found]
