"""Measures the speed and the modularity of the community tree, and of other ways to use GDS Leiden.

    python scripts/bench/communities.py --home HOME     on a graph that `kg-build index` has made
    python scripts/bench/communities.py                 on a generated graph (10,000 nodes)
    python scripts/bench/communities.py --nodes 1000000 --edges 4000000

The last one measures something else: how long the stage `communities` takes for a graph of this
size, from reading it to saving a tree, then after a small change, and the memory of Python and of
Neo4j meanwhile. With --home the graph stays there, and the next run measures with the same graph.
The other two measure the tree alone.

The generated graph has 20,000 edges. The modularity is that of a split inside its own community,
and the mean over all communities that are split. Three ways are compared: one scaled run for each
level (as this project does), a separate run for each community, and one run without scaling. The
last number counts the communities of `includeIntermediateCommunities` that lie in several
communities of the next level.
"""

import argparse
import os
import random
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread

import anyio
import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, embedded
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.index.communities.gds_client import Gds, detector
from graphrag_neo4j.index.communities.hierarchy import (
    Detect,
    Edges,
    all_entity_ids,
    community_tree,
    read_edges,
)
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import HierarchyLimits, Leiden, TreeCommunity
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.model.types import WeightedEdge
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text.strings import identify

NODES, EDGES, CLUSTERS = 10_000, 20_000, 400
Split = Mapping[str, int]
PAGE = 20_000  # rows that a statement writes
PROJECT = """
UNWIND $rows AS row
RETURN gds.graph.project(
  $name, row[0], row[1], {relationshipProperties: {weight: row[2]}},
  {undirectedRelationshipTypes: ['*']}
)
"""
PATHS = """
CALL gds.leiden.stream($name, {
  relationshipWeightProperty: 'weight', randomSeed: 42, concurrency: 1,
  includeIntermediateCommunities: true
}) YIELD intermediateCommunityIds AS path RETURN path
"""
NODES_TO_WRITE = "UNWIND $ids AS id CREATE (:Entity:KgBuild {id: id, name: id})"
EDGES_TO_WRITE = """
UNWIND $rows AS row
MATCH (a:Entity {id: row[0]}) MATCH (b:Entity {id: row[1]})
CREATE (a)-[:RELATED {weight: row[2]}]->(b)
"""

ENTITY_TO_ADD = """
MATCH (other:Entity) WITH other LIMIT 3 WITH collect(other) AS others
CREATE (new:Entity:KgBuild {id: $id, name: $id, unplaced: true})
WITH new, others UNWIND others AS other CREATE (other)-[:RELATED {weight: 2.0}]->(new)
SET other.unplaced = true // as the stage merge marks what it saves
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--edges", type=int)
    given = parser.parse_args()
    if given.home and given.nodes:
        _measure_stage(given.home, given.nodes, given.edges or 4 * given.nodes)
        return
    if given.home:
        anyio.run(_measure, given.home, None)
        return
    with tempfile.TemporaryDirectory() as folder:
        made_up = Path(folder) / "home"
        try:
            if given.nodes:
                _measure_stage(made_up, given.nodes, given.edges or 4 * given.nodes)
            else:
                anyio.run(_measure, made_up, _made_up())
        finally:
            embedded.stop(load_settings(home=made_up))


def _measure_stage(home: Path, nodes: int, edges: int) -> None:
    """Writes the graph, finds its communities, and brings them up to date after a small change.

    Each is a process of its own, since Python gives little memory back.
    """
    for step in (_write_graph, _find_first, _follow_change):
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:
            apart.submit(anyio.run, step, home, nodes, edges).result()


async def _write_graph(home: Path, nodes: int, edges: int) -> None:
    """Writes the graph, if the database holds none yet."""
    began = time.perf_counter()
    async with AsyncGraphRAG(load_settings(home=home)) as rag:
        rows = await rag.graph.run_plain("MATCH (e:Entity) RETURN count(e) AS n")
        if not rows[0]["n"]:
            await _write_large(rag.graph, nodes, edges)
    seconds = time.perf_counter() - began
    print(f"{nodes:,} nodes, {edges:,} edges written in {seconds:.0f} s", flush=True)


async def _find_first(home: Path, *_: int) -> None:
    settings = load_settings(home=home)
    async with AsyncGraphRAG(settings) as rag:
        await _stage("communities found and saved", settings, rag.graph, anew=True)
        found = await rag.graph.run_plain(
            "MATCH (c:Community) RETURN c.level AS level, count(*) AS n, max(c.size) AS most "
            "ORDER BY level"
        )
    for row in found:
        print(f"level {row['level']}: {row['n']:,} communities of at most {row['most']:,}")


async def _follow_change(home: Path, *_: int) -> None:
    """A new entity with three relationships."""
    settings = load_settings(home=home)
    async with AsyncGraphRAG(settings) as rag:
        await rag.graph.run_plain(ENTITY_TO_ADD, id=uuid.uuid4().hex)
        await _stage("a small change followed", settings, rag.graph, anew=False)


async def _stage(what: str, settings: Settings, graph: Graph, *, anew: bool) -> None:
    await graph.write("graph/changed")
    server = embedded.start(settings)
    began = time.perf_counter()
    with _peaks({"Python": os.getpid(), "Neo4j": server.pid}) as peaks:
        await find_communities(graph, Leiden(), silent, anew=anew)
    memory = ", ".join(f"{name} {most / 1e6:.0f} MB" for name, most in peaks.items())
    print(f"{what} in {time.perf_counter() - began:.0f} s; at most: {memory}", flush=True)


@contextmanager
def _peaks(processes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The most memory (bytes) that each process has while the block runs."""
    most = dict.fromkeys(processes, 0)
    ended = Event()

    def watch() -> None:
        while not ended.wait(0.05):
            for name, pid in processes.items():
                most[name] = max(most[name], psutil.Process(pid).memory_info().rss)

    thread = Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


async def _write_large(graph: Graph, nodes: int, edges: int) -> None:
    """Writes clusters of about 200 nodes. One edge in ten leads to another cluster."""
    await ensure_schema(graph)
    for first in range(0, nodes, PAGE):
        ids = [_id(i) for i in range(first, min(first + PAGE, nodes))]
        await graph.run_plain(NODES_TO_WRITE, ids=ids)
    for page in _large(nodes, edges):
        rows = [[*sorted((_id(a), _id(b))), w] for a, b, w in page]
        await graph.run_plain(EDGES_TO_WRITE, rows=rows)


def _large(nodes: int, edges: int) -> Iterator[list[tuple[int, int, int]]]:
    chance = np.random.default_rng(1)
    pairs = np.empty(0, np.int64)
    while len(pairs) < edges:
        a = chance.integers(0, nodes, edges // 2)
        near = (a // 200) * 200 + chance.integers(0, 200, len(a))
        b = np.where(chance.random(len(a)) < 0.9, near, chance.integers(0, nodes, len(a)))
        ok = (a != b) & (b < nodes)
        found = np.minimum(a, b)[ok] * nodes + np.maximum(a, b)[ok]
        pairs = np.unique(np.concatenate((pairs, found)))
    pairs = chance.permutation(pairs)[:edges]
    weights = chance.integers(1, 6, edges)
    for first in range(0, edges, PAGE):
        part = slice(first, first + PAGE)
        columns = (pairs[part] // nodes, pairs[part] % nodes, weights[part])
        yield list(zip(*(column.tolist() for column in columns), strict=True))


def _id(number: int) -> str:
    return identify("entity", number)


async def _measure(home: Path, edges: list[WeightedEdge] | None) -> None:
    async with AsyncGraphRAG(load_settings(home=home)) as rag:
        found = edges or await _edges(rag.graph)
        await anyio.to_thread.run_sync(_compare, rag.graph, found)


async def _edges(graph: Graph) -> list[WeightedEdge]:
    return (await read_edges(graph, await all_entity_ids(graph))).named()


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
        gds = Gds(driver, graph.database)
        detect = detector(gds, Leiden())
        for run in ("cold", "warm"):
            began = time.perf_counter()
            tree = community_tree(Edges.of(sorted(edges), nodes), detect, HierarchyLimits())
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
    whole = _detected([edge for one in inside.values() for edge in one], detect)
    for community in large:
        ours = {m: n for n, part in enumerate(parts[community.id]) for m in part.members}
        own = inside[community.id]
        scaled.append(_modularity(ours or dict.fromkeys(community.members, 0), own))
        alone.append(_modularity(_detected(own, detect), own))
        unscaled.append(_modularity(whole, own))
    for how, found in (("one scaled run", scaled), ("runs of their own", alone)):
        print(f"{how}: mean modularity {sum(found) / len(found):.4f} of {len(found)} splits")
    print(f"one run without scaling: {sum(unscaled) / len(unscaled):.4f}")


def _detected(edges: Sequence[WeightedEdge], detect: Detect) -> Split:
    numbered = Edges.of(edges, {end for a, b, _ in edges for end in (a, b)})
    return dict(zip(numbered.names, detect(numbered, 1.0).tolist(), strict=True))


def _modularity(split: Split, edges: Sequence[WeightedEdge]) -> float:
    total = sum(weight for _, _, weight in edges)
    within: defaultdict[int, float] = defaultdict(float)
    ends: defaultdict[int, float] = defaultdict(float)
    for a, b, weight in edges:
        ends[split[a]] += weight
        ends[split[b]] += weight
        within[split[a]] += weight if split[a] == split[b] else 0.0
    return sum(within[c] / total - (ends[c] / (2 * total)) ** 2 for c in ends)


def _straddling(gds: Gds, edges: Sequence[WeightedEdge]) -> None:
    number = {node: i for i, node in enumerate(sorted({e for a, b, _ in edges for e in (a, b)}))}
    rows = [(number[a], number[b], weight) for a, b, weight in edges]
    gds.run(PROJECT, name="kg_bench", rows=rows)
    try:
        found = gds.run(PATHS, name="kg_bench")
    finally:
        gds.drop("kg_bench")
    above: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for row in found:
        for level, (finer, coarser) in enumerate(pairwise(row["path"])):
            above[level, finer].add(coarser)
    torn = sum(1 for coarser in above.values() if len(coarser) > 1)
    print(f"includeIntermediateCommunities: {torn} of {len(above)} communities lie in several")


if __name__ == "__main__":
    main()
