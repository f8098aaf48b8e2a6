"""Measures the speed and the modularity of the community tree, and of other ways to use GDS Leiden.

    python scripts/bench/communities.py --home HOME     on a graph that `kg-build index` has made
    python scripts/bench/communities.py                 on a generated graph (10,000 nodes)

The generated graph has 20,000 edges. The modularity is that of a split inside its own community,
and the mean over all communities that are split. Three ways are compared: one scaled run for each
level (as this project does), a separate run for each community, and one run without scaling. The
last number counts the communities of `includeIntermediateCommunities` that lie in several
communities of the next level.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
from graphdatascience import GraphDataScience

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, embedded
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.indexing.clustering.graph_reader import read_edges
from graphrag_neo4j.indexing.clustering.hierarchy import (
    HierarchyLimits,
    TreeCommunity,
    community_tree,
)
from graphrag_neo4j.indexing.clustering.leiden import PROJECT, Leiden, detector
from graphrag_neo4j.model import WeightedEdge
from graphrag_neo4j.settings import load_settings

NODES, EDGES, CLUSTERS = 10_000, 20_000, 400
Split = Mapping[str, int]
Detect = Callable[[Sequence[WeightedEdge], float], Split]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path)
    home = parser.parse_args().home
    if home:
        anyio.run(_measure, home, None)
        return
    with tempfile.TemporaryDirectory() as folder:
        made_up = Path(folder) / "home"
        try:
            anyio.run(_measure, made_up, _made_up())
        finally:
            embedded.stop(load_settings(home=made_up))


async def _measure(home: Path, edges: list[WeightedEdge] | None) -> None:
    async with AsyncGraphRAG(load_settings(home=home)) as rag:
        found = edges or await _edges(rag.graph)
        await anyio.to_thread.run_sync(_compare, rag.graph, found)


async def _edges(graph: Graph) -> list[WeightedEdge]:
    return await read_edges(graph)


def _made_up() -> list[WeightedEdge]:
    """Generates clusters of different sizes. One edge in ten leads to another cluster."""
    chance = random.Random(1)  # noqa: S311 - repeatable
    home = [min(int(chance.paretovariate(0.7)), CLUSTERS) for _ in range(NODES)]
    members: defaultdict[int, list[int]] = defaultdict(list)
    for node, cluster in enumerate(home):
        members[cluster].append(node)
    weights: dict[tuple[str, str], float] = {}
    while len(weights) < EDGES:
        a = chance.randrange(NODES)
        near = chance.random() < 0.9
        b = chance.choice(members[home[a]]) if near else chance.randrange(NODES)
        if a != b:
            weights[f"{min(a, b):05d}", f"{max(a, b):05d}"] = float(chance.randint(1, 5))
    return [(a, b, weight) for (a, b), weight in sorted(weights.items())]


def _compare(graph: Graph, edges: Sequence[WeightedEdge]) -> None:
    nodes = sorted({end for a, b, _ in edges for end in (a, b)})
    print(f"{len(nodes):,} nodes with edges, {len(edges):,} edges")
    with graph.lend_driver() as driver:
        gds = GraphDataScience(driver, database=graph.database, arrow=False, show_progress=False)
        detect = detector(gds, Leiden())
        for run in ("cold", "warm"):
            began = time.perf_counter()
            tree = community_tree(nodes, edges, detect, HierarchyLimits())
            seconds = time.perf_counter() - began
            levels = 1 + max(c.level for c in tree)
            print(f"tree, {run}: {len(tree):,} communities, {levels} levels in {seconds:.1f} s")
        _compare_splits(tree, edges, detect)
        _straddling(gds, edges)


def _compare_splits(
    tree: Sequence[TreeCommunity], edges: Sequence[WeightedEdge], detect: Detect
) -> None:
    large = [c for c in tree if c.level == 0 and len(c.members) > HierarchyLimits().max_size]
    parts: defaultdict[str | None, list[TreeCommunity]] = defaultdict(list)
    for community in tree:
        parts[community.parent].append(community)
    scaled, alone, unscaled = [], [], []
    home = {member: c.id for c in large for member in c.members}
    inside: defaultdict[str, list[WeightedEdge]] = defaultdict(list)
    for edge in edges:
        if home.get(edge[0], "") == home.get(edge[1]):
            inside[home[edge[0]]].append(edge)
    whole = detect([edge for one in inside.values() for edge in one], 1.0)
    for community in large:
        ours = {m: n for n, part in enumerate(parts[community.id]) for m in part.members}
        own = inside[community.id]
        scaled.append(_modularity(ours or dict.fromkeys(community.members, 0), own))
        alone.append(_modularity(detect(own, 1.0), own))
        unscaled.append(_modularity(whole, own))
    for how, found in (("one scaled run", scaled), ("runs of their own", alone)):
        print(f"{how}: mean modularity {sum(found) / len(found):.4f} of {len(found)} splits")
    print(f"one run without scaling: {sum(unscaled) / len(unscaled):.4f}")


def _modularity(split: Split, edges: Sequence[WeightedEdge]) -> float:
    total = sum(weight for _, _, weight in edges)
    within: defaultdict[int, float] = defaultdict(float)
    ends: defaultdict[int, float] = defaultdict(float)
    for a, b, weight in edges:
        ends[split[a]] += weight
        ends[split[b]] += weight
        within[split[a]] += weight if split[a] == split[b] else 0.0
    return sum(within[c] / total - (ends[c] / (2 * total)) ** 2 for c in ends)


def _straddling(gds: GraphDataScience, edges: Sequence[WeightedEdge]) -> None:
    number = {node: i for i, node in enumerate(sorted({e for a, b, _ in edges for e in (a, b)}))}
    rows = [(number[a], number[b], weight) for a, b, weight in edges]
    with gds.graph.project.cypher(PROJECT, name="kg_bench", rows=rows).graph as projected:
        found: Any = gds.leiden.stream(
            projected,
            relationship_weight_property="weight",
            random_seed=42,
            concurrency=1,
            include_intermediate_communities=True,
        )
    above: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for path in found["intermediateCommunityIds"]:
        for level, (finer, coarser) in enumerate(pairwise(path)):
            above[level, finer].add(coarser)
    torn = sum(1 for coarser in above.values() if len(coarser) > 1)
    print(f"includeIntermediateCommunities: {torn} of {len(above)} communities lie in several")


if __name__ == "__main__":
    main()
