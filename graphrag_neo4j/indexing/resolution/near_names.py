"""Finds pairs of names that share no word, and about which the documents say much the same.

marked spellings ──▶ a vector of name and descriptions ──▶ nearest vectors ──▶ likely pairs

The vectors are the static ones, which cost no call and are the same on every machine, whatever
model the vectors of the graph come from. So one threshold holds for all graphs. Whether two names
are near depends on these two alone, so the order in which documents come makes no difference. Only
where a name is near to more than MOST_NEAR others, none of its pairs is likely.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_neo4j.extractive.static_vectors import DIMENSIONS, static_embedder
from graphrag_neo4j.graph import Graph, Row, Transaction, ensure_name_indexes, nearest_names
from graphrag_neo4j.graph.rows import NearNameRow
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.resolution.rules import Spelling
from graphrag_neo4j.indexing.resolution.spellings import descriptions_of, read_spellings, stored
from graphrag_neo4j.nlp.likely_names import may_mean_the_same

__all__ = ["NEAR", "NearNames", "find_near_names", "prepare_near_names"]

NEAR: Final = "near"
"""The block of the decisions about near names."""
LEAST_COSINE: Final = 0.8  # measured: see docs/choices.md
MOST_NEAR: Final = 5  # names that are near to one; more of them say too little about each
FOUND: Final = 12  # the nearest vectors that are looked at, the name's own among them
ROUNDING: Final = 0.01  # of a score that an index gives; the cosine is counted again here
MOST_SAID: Final = 3  # descriptions of a name that its vector is made from


@dataclass(frozen=True, slots=True)
class NearNames:
    """Likely pairs of spellings, and the ids of spellings that are near to too many others."""

    pairs: Sequence[tuple[Spelling, Spelling]]
    crowded: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A spelling with its vector."""

    spelling: Spelling
    vector: Sequence[float]


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
            ends = sorted((seeds[id_].spelling, others[other].spelling), key=lambda one: one.id)
            pairs[ends[0].id, ends[1].id] = (ends[0], ends[1])
    return NearNames([pairs[ends] for ends in sorted(pairs)], crowded)


async def _place(tx: Transaction, ids: Sequence[str]) -> dict[str, _Placed]:
    """Saves the vectors of the spellings of these entities, and returns them."""
    known = {id_: one for id_, one in (await read_spellings(tx, ids)).items() if one.n}
    said = await descriptions_of(tx, known.values(), MOST_SAID)
    texts = {id_: " ".join([f"{one.name}:", *said[id_]]) for id_, one in sorted(known.items())}
    vectors = await static_embedder().embed([*texts.values()])
    placed = {
        id_: _Placed(known[id_], array("f", vector).tolist())  # as Neo4j stores it
        for id_, vector in zip(texts, vectors, strict=True)
        if any(vector)  # Neo4j does not index zeros
    }
    rows: list[Row] = [
        {"id": id_, "of": identify("name vector", texts[id_]), "vector": one.vector}
        for id_, one in placed.items()
    ]
    await tx.run("resolve/save_name_vectors", rows=rows)
    return placed


async def _neighbours(
    graph: Graph, spellings: Mapping[str, _Placed]
) -> dict[str, dict[str, _Placed]]:
    """By spelling, the others whose vectors are near."""
    vectors = {id_: one.vector for id_, one in spellings.items()}
    found = _by_key(await nearest_names(graph, vectors, FOUND, (1 + LEAST_COSINE) / 2 - ROUNDING))
    return {id_: _near(one, found[id_]) for id_, one in spellings.items()}


def _by_key(rows: Iterable[NearNameRow]) -> defaultdict[str, list[NearNameRow]]:
    found: defaultdict[str, list[NearNameRow]] = defaultdict(list)
    for row in rows:
        found[row["key"]].append(row)
    return found


def _near(one: _Placed, rows: Iterable[NearNameRow]) -> dict[str, _Placed]:
    others = {row["id"]: _Placed(stored(row), row["vector"]) for row in rows}
    return {
        id_: other
        for id_, other in others.items()
        if id_ != one.spelling.id
        and _cosine(one.vector, other.vector) >= LEAST_COSINE
        and may_mean_the_same(one.spelling.named, other.spelling.named)
    }


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    import numpy as np  # noqa: PLC0415 - it takes a moment

    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))
