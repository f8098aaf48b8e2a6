"""Reads the entities and the weighted edges that communities are made of."""

from array import array
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.clustering.edges import Edges, Numbers
from graphrag_neo4j.indexing.rows import EdgesOfRow, MemberRow

__all__ = ["entity_ids", "entity_pages", "id_ranges", "read_edges"]

PAGE = 50_000  # entities; all of a corpus of some hundred documents are one page
PAGE_WITH_EDGES = 10_000  # entities
Columns = tuple[Numbers, Numbers, NDArray[np.float64]]


async def entity_pages(graph: Graph, size: int = PAGE) -> AsyncIterator[list[MemberRow]]:
    """All entities in pages, so that not all rows are in memory at the same time."""
    after = ""
    while rows := await graph.read_bulk("communities/entities", MemberRow, after=after, size=size):
        yield rows
        after = max(row["id"] for row in rows)


async def entity_ids(graph: Graph) -> list[str]:
    """The ids of all entities in their order."""
    return sorted([row["id"] async for page in entity_pages(graph) for row in page])


async def read_edges(graph: Graph, names: Sequence[str], size: int = PAGE_WITH_EDGES) -> Edges:
    """All relationships as arrays, in the order of the ids of their ends.

    `names` are the ids of all entities in their order. The weight is the number of statements.
    """
    known = np.array(names, np.bytes_)  # a dict of a million names takes 70 MB more
    starts, ends, weights = array("i"), array("i"), array("d")  # they grow in place
    for after, last in id_ranges(names, size):
        rows = await graph.read_bulk("communities/edges_of", EdgesOfRow, after=after, last=last)
        page = _arrays(rows, known)
        starts.frombytes(page[0].tobytes())
        ends.frombytes(page[1].tobytes())
        weights.frombytes(page[2].tobytes())
    return Edges(
        names,
        np.frombuffer(starts, np.int32),
        np.frombuffer(ends, np.int32),
        np.frombuffer(weights, np.float64),
    )


def id_ranges(names: Sequence[str], size: int = PAGE) -> Iterator[tuple[str, str]]:
    """Ranges that hold at most `size` of the sorted ids each: the id before it, and its last id."""
    after = ""
    for first in range(0, len(names), size):
        last = names[min(first + size, len(names)) - 1]
        yield after, last
        after = last


def _arrays(rows: Sequence[EdgesOfRow], known: NDArray[np.bytes_]) -> Columns:
    """The starts, ends and weights of the edges in `rows`, in their order.

    Starts and ends are places in the sorted `known`.
    """

    def places(names: Iterable[str]) -> Numbers:
        return np.searchsorted(known, np.array([*names], known.dtype)).astype(np.int32)

    repeats = [len(row["targets"]) for row in rows]
    starts = np.repeat(places(row["source"] for row in rows), repeats)
    ends = places(target for row in rows for target in row["targets"])
    weights = np.array([weight for row in rows for weight in row["weights"]], np.float64)
    order = np.lexsort((ends, starts))
    return starts[order], ends[order], weights[order]
