"""Personalised PageRank: where a walk is that starts at seeds and keeps coming back to them.

At each step it goes back to a seed with the probability `again`, else along an edge, by its weight.
Without numpy: a few thousand edges take about ten milliseconds, importing it a hundred.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.model import WeightedEdge

__all__ = ["pagerank"]

Shares = Sequence[Sequence[tuple[int, float]]]
AGAIN: Final = 0.3  # between 0.15 and 0.5 the first passages are much the same
CLOSE: Final = 1e-7  # of the whole mass, that a step still moves


def pagerank(
    edges: Iterable[WeightedEdge], seeds: Mapping[str, float], again: float = AGAIN
) -> dict[str, float]:
    """The mass of each node, in sum 1; a seed has `again` times its share of the seeds at least.

    Does not depend on the order of edges and seeds. Without a seed of a weight above 0: nothing.
    """
    weights = _weights(edges)
    nodes = sorted({*weights, *seeds})
    wanted = [max(seeds.get(node, 0.0), 0.0) for node in nodes]
    total = sum(wanted)
    if not total:
        return {}
    number = {node: n for n, node in enumerate(nodes)}
    shares = [_shares(weights.get(node, {}), number) for node in nodes]
    mass = _settled([weight / total for weight in wanted], shares, again)
    return dict(zip(nodes, mass, strict=True))


def _weights(edges: Iterable[WeightedEdge]) -> Mapping[str, Mapping[str, float]]:
    """The weight between each node and each of its neighbours."""
    found: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    # In one order, so that sums are the same.
    for one, other, weight in sorted((min(a, b), max(a, b), weight) for a, b, weight in edges):
        if weight > 0:
            found[one][other] += weight
            found[other][one] += weight
    return found


def _shares(near: Mapping[str, float], number: Mapping[str, int]) -> Sequence[tuple[int, float]]:
    """What part of a node's mass goes to each neighbour."""
    total = sum(near.values())
    return [(number[node], weight / total) for node, weight in near.items()]


def _settled(restart: Sequence[float], shares: Shares, again: float) -> Sequence[float]:
    """Steps until nothing moves; what stands where no edge leads on goes back to the seeds."""
    mass, moved = restart, 1.0
    while moved > CLOSE:
        walked = [0.0] * len(mass)
        for here, near in zip(mass, shares, strict=True):
            onward = (1 - again) * here
            for node, share in near if onward else ():
                walked[node] += onward * share
        back = 1 - sum(walked)
        after = [there + back * seed for there, seed in zip(walked, restart, strict=True)]
        moved = sum(abs(a - b) for a, b in zip(after, mass, strict=True))
        mass = after
    return mass
