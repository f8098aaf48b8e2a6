"""Local search within a selection of documents: the graph as the chunks of these documents tell it.

PageRank ranks the graph around the seeds of the question, of which only the chunks of the selection
are read. The details come from these chunks as well: the names, the types and the descriptions that
they give, not those that were merged from all documents. Reports are those of communities of which
no other document says anything.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain, islice
from typing import Final, Generic, TypedDict, TypeVar

from graphrag_neo4j.graph.schema import import_signature
from graphrag_neo4j.query.graph_expansion import (
    ClaimRow,
    LocalRow,
    RankedGraph,
    RelationshipRow,
    ShownEntityRow,
    in_order,
)
from graphrag_neo4j.query.query_context import ChunkRow, QueryContext, ReportRow, gather

DESCRIPTIONS: Final = 10  # descriptions of an entity or a relationship, at most
T = TypeVar("T")
IMPORTED: Final = import_signature("extraction")


class DatedRow(TypedDict):
    """What a chunk says; `date` is that of its document, "" for none."""

    date: str
    descriptions: list[str]


class MentionRow(DatedRow):
    """What a chunk says of an entity."""

    names: list[str]
    types: list[str]


class StatedRow(DatedRow):
    """What a chunk says of two entities: `n` statements from `source` to `target` (ids).

    `predicates` are those of the statements, "" for none, or None if none has one.
    """

    source: str
    target: str
    n: int
    predicates: list[str] | None


class SaidByChunksRow(TypedDict, Generic[T]):
    """An entity or a relationship, and what each chunk says of it."""

    id: str
    ref: int
    said: list[T]


class EvidenceRow(TypedDict):
    """What chunks say of entities and relationships, and the reports above these entities."""

    entities: list[SaidByChunksRow[MentionRow]]
    relationships: list[SaidByChunksRow[StatedRow]]
    claims: list[ClaimRow]
    communities: list[ReportRow]


async def expand_selection(
    query: QueryContext, best: RankedGraph, most: Mapping[str, int]
) -> LocalRow:
    """Returns what `expand_graph` returns, from chunks of the selected documents alone."""
    own = await query.selection.communities_above(best.entities) if query.selection else ()
    read = query.graph.read
    given: dict[str, object] = {
        **most,
        "chunks": best.chunks,
        "entities": best.entities,
        "pairs": [*best.inner, *best.outward],
        "inside": [row["id"] for row in own],
        "imported": IMPORTED,
    }
    found = await gather(
        said=partial(read, "selection/evidence", EvidenceRow, **given),
        chunks=partial(read, "search/chunks", ChunkRow, ids=best.chunks[: most["chunks"]]),
    )
    said: EvidenceRow = found["said"][0]
    dated = not query.backend.quotes  # a quotation stands in its document as it is
    entities = [_entity(row, dated=dated) for row in said["entities"]]
    names = {row["id"]: row["name"] for row in entities}
    related = [_relationship(row, names, dated=dated) for row in said["relationships"]]
    return {
        "entities": entities,
        "claims": said["claims"],
        "communities": said["communities"],
        "inner": in_order(related, best.inner),
        "outward": in_order(related, best.outward),
        "chunks": in_order(found["chunks"], best.chunks),
    }


def _entity(row: SaidByChunksRow[MentionRow], *, dated: bool) -> ShownEntityRow:
    """Returns an entity by its most frequent name and type, with its descriptions."""
    said = row["said"]
    return {
        "id": row["id"],
        "ref": row["ref"],
        "name": _most_frequent(one["names"] for one in said),
        "type": _most_frequent(one["types"] for one in said),
        "description": described(said, dated=dated),
    }


def _relationship(
    row: SaidByChunksRow[StatedRow], names: Mapping[str, str], *, dated: bool
) -> RelationshipRow:
    """Returns a relationship in the direction of most of its statements."""
    weights: Counter[tuple[str, str]] = Counter()
    for one in row["said"]:
        weights[one["source"], one["target"]] += one["n"]
    source, target = min(weights, key=lambda ends: (-weights[ends], ends))
    weight = weights.total()
    ahead = (one for one in row["said"] if (one["source"], one["target"]) == (source, target))
    return {
        "id": row["id"],
        "ref": row["ref"],
        "source": names.get(source, ""),
        "target": names.get(target, ""),
        "predicate": _most_frequent(filter(None, one["predicates"] or ()) for one in ahead) or None,
        "description": described(row["said"], dated=dated),
        "weight": weight,
        "opposite": weight - weights[source, target],
    }


def _most_frequent(lists: Iterable[Iterable[str]]) -> str:
    counted = Counter(chain.from_iterable(lists))
    return min(counted, key=lambda one: (-counted[one], one), default="")


def described(said: Iterable[DatedRow], *, dated: bool) -> str:
    """Returns the first different descriptions, one on each line, the oldest first.

    If `dated`, the date stands before the first of several with one date.
    """
    first: dict[str, str] = {}
    for one in said:
        for text in filter(None, one["descriptions"]):
            first.setdefault(text, one["date"])
    chosen = sorted(islice(first.items(), DESCRIPTIONS), key=lambda one: one[1])
    shown = dated and len({date for _, date in chosen}) > 1
    dates = ["", *(date for _, date in chosen)]
    return "\n".join(
        f"({date}) {text}" if shown and date and date != before else text
        for (text, date), before in zip(chosen, dates, strict=False)
    )
