"""Weights of relationships by normalised pointwise mutual information (NPMI), for a free index."""

import math
from typing import TypedDict

import numpy as np

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.hierarchy import Edges, id_ranges

LEAST = 0.05  # the smallest NPMI in a weight: for pairs that meet no more often than by chance
FEW = 2  # chunks that name a thing of one place: where chunks overlap, two have the same sentence


class NamedByRow(TypedDict):
    """An entity, the ids of the chunks that name it, and the number of documents that do."""

    id: str
    chunks: list[str]
    documents: int


class TotalsRow(TypedDict):
    """The number of chunks that name an entity (`n`), and of all documents."""

    n: int
    documents: int


async def by_npmi(graph: Graph, stated: Edges) -> Edges:
    """The edges with weights by NPMI, which fall with the share of documents that name an end.

    What nearly all documents name, such as the host of a series, joins hardly anything. An entity
    of one place also has a light edge to what its chunk is about: the entity there that most chunks
    name. Else what few sentences say would be hundreds of communities of two or three.
    """
    [total] = await graph.read("communities/chunks", TotalsRow)
    counts: dict[str, int] = {}
    rare: dict[str, float] = {}
    topics: dict[str, tuple[float, str]] = {}  # of each chunk
    places: list[tuple[str, str]] = []
    for after, last in id_ranges(stated.names):
        for row in await graph.read_bulk("communities/counts", NamedByRow, after=after, last=last):
            entity, chunks = row["id"], row["chunks"]
            counts[entity] = len(chunks)
            rare[entity] = 1 - (row["documents"] - 1) / total["documents"]
            known = (len(chunks) * rare[entity], entity)
            topics |= {chunk: max(known, topics.get(chunk, known)) for chunk in chunks}
            places += [(entity, chunk) for chunk in chunks if len(chunks) <= FEW]
    n = [counts[name] for name in stated.names]
    share = np.array([rare[name] for name in stated.names], np.float64)
    weights = (weight_of(round(w), n[a], n[b], total["n"]) for a, b, w in stated.rows())
    npmis = np.fromiter(weights, np.float64, len(stated))
    weighed = stated.weighing(npmis * share[stated.starts] * share[stated.ends])
    ties = ((entity, topics[chunk][1], LEAST) for entity, chunk in places)
    return Edges.of([*weighed.named(), *(tie for tie in ties if tie[0] != tie[1])], stated.names)


def npmi(together: int, one: int, other: int, total: int) -> float:
    """The normalised pointwise mutual information (NPMI) of two entities, from -1 to 1.

    Bouma, Normalized (Pointwise) Mutual Information in Collocation Extraction (2009).

    It is -1 if they are never together, 0 if they are together as often as by chance, and 1 if
    they are always together. `together` is the number of chunks that mention both; `one` and
    `other` are the numbers of chunks that mention each; `total` is the number of all chunks.

    >>> npmi(2, 2, 2, 100)
    1.0
    """
    if together <= 0 or total <= 0:
        return -1.0
    if together >= total:
        return 1.0
    chance = together * total / (max(one, together) * max(other, together))
    return round(math.log(chance) / -math.log(together / total), 9)


def weight_of(together: int, one: int, other: int, total: int) -> float:
    """The weight of a pair: the number of chunks that mention both, times their NPMI.

    The arguments are those of `npmi`. An NPMI below LEAST counts as LEAST.

    >>> weight_of(4, 4, 4, 100), weight_of(4, 40, 40, 100)
    (4.0, 0.2)
    """
    return round(together * max(LEAST, npmi(together, one, other, total)), 9)
