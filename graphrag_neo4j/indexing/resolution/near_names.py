"""Finds pairs of names that share no word, and about which the documents say much the same.

marked spellings ──▶ a vector of name and descriptions ──▶ nearest vectors ──▶ likely pairs

The vectors are the static ones, which cost no call and are the same on every machine, whatever
model the vectors of the graph come from. So one threshold holds for all graphs. Whether two names
are near depends on these two alone, so the order in which documents come makes no difference. Only
where a name is near to more than MOST_NEAR others, none of its pairs is likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_neo4j.extractive.static_vectors import DIMENSIONS, static_embedder
from graphrag_neo4j.graph import Graph, Row, Transaction, ensure_name_indexes, nearest_names
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.resolution.rules import Spelling
from graphrag_neo4j.indexing.resolution.spellings import (
    Known,
    descriptions_of,
    read_spellings,
    stored,
)
from graphrag_neo4j.nlp.likely_names import may_mean_the_same

__all__ = ["NEAR", "NearNames", "find_near_names", "prepare_near_names"]

NEAR: Final = "near"
"""The block of the decisions about near names."""
LEAST_COSINE: Final = 0.8  # measured: see docs/choices.md
MOST_NEAR: Final = 5  # names that are near to one; more of them say too little about each
FOUND: Final = 12  # the nearest vectors that are looked at, the name's own among them
MOST_SAID: Final = 3  # descriptions of a name that its vector is made from


@dataclass(frozen=True, slots=True)
class NearNames:
    """Likely pairs of spellings, and the ids of spellings that are near to too many others."""

    pairs: Sequence[tuple[Spelling, Spelling]]
    crowded: frozenset[str]


async def prepare_near_names(graph: Graph) -> None:
    """Makes the vector indexes that `find_near_names` uses, if they are missing."""
    await ensure_name_indexes(graph, DIMENSIONS)


async def find_near_names(graph: Graph, ids: Sequence[str]) -> NearNames:
    """The likely pairs of the spellings of these entities with any others, by their vectors."""
    seeds = await graph.transact(lambda tx: _place(tx, ids))
    around = await _neighbours(graph, seeds)
    others = {id_: one for near in around.values() for id_, one in near.items()}
    around |= await _neighbours(graph, {id_: others[id_] for id_ in others.keys() - seeds.keys()})
    crowded = frozenset(id_ for id_, near in around.items() if len(near) > MOST_NEAR)
    pairs = {}
    for id_ in sorted(seeds.keys() - crowded):
        for other in sorted(around[id_].keys() - crowded):
            ends = sorted((seeds[id_], others[other]), key=lambda one: one.id)
            pairs[ends[0].id, ends[1].id] = (ends[0], ends[1])
    return NearNames([pairs[ends] for ends in sorted(pairs)], crowded)


async def _place(tx: Transaction, ids: Sequence[str]) -> Known:
    """Saves the vectors of the spellings of these entities; returns the spellings with a vector."""
    known = {id_: one for id_, one in (await read_spellings(tx, ids)).items() if one.n}
    said = await descriptions_of(tx, known.values(), MOST_SAID)
    texts = {id_: " ".join([f"{one.name}:", *said[id_]]) for id_, one in sorted(known.items())}
    vectors = await static_embedder().embed([*texts.values()])
    rows: list[Row] = [
        {"id": id_, "of": identify("name vector", text), "vector": vector}
        for (id_, text), vector in zip(texts.items(), vectors, strict=True)
        if any(vector)  # Neo4j does not index zeros
    ]
    await tx.run("resolve/save_name_vectors", rows=rows)
    return {id_: known[id_] for row in rows for id_ in [str(row["id"])]}


async def _neighbours(graph: Graph, spellings: Known) -> dict[str, Known]:
    """By spelling, the others whose vectors are near."""
    around: dict[str, Known] = {id_: {} for id_ in spellings}
    for row in await nearest_names(graph, [*spellings], FOUND, LEAST_COSINE):
        one, other = spellings[row["key"]], stored(row)
        if may_mean_the_same(one.named, other.named):
            around[one.id][other.id] = other
    return around
