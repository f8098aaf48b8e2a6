"""Measures what a change of the documents costs, beside a full build of the same documents.

    python scripts/bench/change.py FOLDER            add one document, edit one, delete one
    python scripts/bench/change.py FOLDER --small N  N small changes, one after the other

FOLDER holds .txt files. Only the model is not real: it is an endpoint without latency in a separate
process. The embedded Neo4j runs in a new home folder. There is one gleaning (two calls for each
chunk) and no claims. Before each document is added it is deleted, and the graph is brought up to
date with `fresh`, so that nothing of the deletion is left to do.

The small changes add, edit and delete documents of one paragraph in a graph of 600 documents, which
are parts of the files in FOLDER. The modularity of each level is that of the partition of all
entities by this level, in the whole graph.
"""

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.gds import leiden_in_gds
from graphrag_neo4j.index.communities.hierarchy import (
    Edges,
    all_entity_ids,
    community_tree,
    read_edges,
)
from graphrag_neo4j.index.communities.tree import Leiden, TreeCommunity
from graphrag_neo4j.index.communities.update import modularity
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint

ADDED = 5  # documents that are deleted and added again, each by itself
PARTS = 600
LONG = 3.0  # seconds: small changes that take so long are counted
STEPS = ("extraction", "names", "summary", "report")
PARAGRAPH = (
    "{name} met {other} in {place}. {name} wrote a letter to {other} about the machine that "
    "{other} had built. In {place} they founded the company Number {n}."
)
NAMES = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Kevin Scott", "Reid Hoffman", "Sam Altman")
PLACES = ("London", "New York", "Seattle", "San Francisco", "Cambridge", "Zurich")


@dataclass(frozen=True, slots=True)
class Cost:
    """The calls of each step, tokens in and out, and seconds of a run."""

    calls: Mapping[str, int]
    tokens: int
    seconds: float

    @property
    def all_calls(self) -> int:
        return sum(self.calls.values())


@dataclass(frozen=True, slots=True)
class Tree:
    """The communities that have reports by a model, and the members of all, by id."""

    reported: frozenset[str]
    members: Mapping[str, frozenset[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--small", type=int, default=0)
    arguments = parser.parse_args()
    documents = [Document(p.read_text("utf-8"), p.name) for p in arguments.folder.glob("*.txt")]
    with FakeEndpoint(process=True) as endpoint, tempfile.TemporaryDirectory() as home:
        settings = load_settings(
            home=Path(home) / "home",
            openai_base_url=endpoint.url,
            openai_api_key="bench",
            concurrency=32,
            claims=False,
        )
        try:
            anyio.run(_run, settings, sorted(documents, key=_source), arguments.small)
        finally:
            embedded.stop(settings)


async def _run(settings: Settings, documents: Sequence[Document], small: int) -> None:
    async with AsyncGraphRAG(settings) as rag:
        if small:
            await _small_changes(rag, _parts(documents), small)
        else:
            await _changes(rag, documents)


async def _changes(rag: AsyncGraphRAG, documents: Sequence[Document]) -> None:
    print("| change | calls | of a build |", " + ".join(STEPS), "| tokens of a build | s |")
    full = await _index(rag, documents)
    _row("all documents", full, full)
    every = max(1, len(documents) // ADDED)
    for one in documents[every // 2 :: every][:ADDED]:
        rest = [document for document in documents if document is not one]
        before = await _tree(rag.graph)
        await rag.delete(one.source)
        _row(f"delete {one.source[:30]}", await _index(rag, rest), full)
        await _tell(rag.graph, before)
        await rag.index(rest, fresh=True)
        before = await _tree(rag.graph)
        _row(f"add {one.source[:30]}", await _index(rag, [one]), full)
        await _tell(rag.graph, before)
        await rag.index(rest, fresh=True)
    few, many = _edited(documents[0], sys.maxsize), _edited(documents[0], 3)
    for what, edited in (("a paragraph", few), ("every third paragraph", many)):
        before = await _tree(rag.graph)
        _row(f"edit {what}", await _index(rag, [edited]), full)
        await _tell(rag.graph, before)
    _row("nothing", await _index(rag, [many]), full)


def _edited(document: Document, every: int) -> Document:
    """The document with others in place of each `every`-th paragraph, the middle one included."""
    paragraphs = document.text.split("\n\n")
    middle = len(paragraphs) // 2
    for n in range(middle % every, len(paragraphs), every):
        paragraphs[n] = _paragraph(n, random.Random(n))  # noqa: S311
    return Document("\n\n".join(paragraphs), document.source)


def _paragraph(n: int, chance: random.Random) -> str:
    name, other = chance.sample(NAMES, 2)
    return PARAGRAPH.format(name=name, other=other, place=chance.choice(PLACES), n=n)


def _source(document: Document) -> str:
    return document.source


async def _index(rag: AsyncGraphRAG, documents: Sequence[Document]) -> Cost:
    began = time.perf_counter()
    return _cost(await rag.index(documents), time.perf_counter() - began)


def _cost(result: IndexResult, seconds: float) -> Cost:
    used = {step: usage for step, usage in result.usage.items() if step != "embedding"}
    tokens = sum(usage.input_tokens + usage.output_tokens for usage in used.values())
    return Cost({step: usage.calls for step, usage in used.items()}, tokens, seconds)


def _row(what: str, cost: Cost, full: Cost) -> None:
    steps = " + ".join(str(cost.calls.get(step, 0)) for step in STEPS)
    calls, tokens = cost.all_calls / full.all_calls, cost.tokens / full.tokens
    columns = (what, cost.all_calls, f"{calls:.1%}", steps, f"{tokens:.1%}", f"{cost.seconds:.1f}")
    print("|", " | ".join(map(str, columns)), "|", flush=True)


async def _tree(graph: Graph) -> Tree:
    rows = await graph.run_plain(
        "MATCH (c:Community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(e:Entity) "
        "RETURN c.id AS id, c.origin AS origin, collect(e.id) AS members"
    )
    reported = frozenset(row["id"] for row in rows if row["origin"] == "model")
    return Tree(reported, {row["id"]: frozenset(row["members"]) for row in rows})


async def _tell(graph: Graph, before: Tree) -> None:
    """Says what became of the communities, and how good the tree is beside a fresh one."""
    after = await _tree(graph)
    kept = before.members.keys() & after.members.keys()
    same = sum(before.members[id_] == after.members[id_] for id_ in kept)
    print(f"    of {len(before.members)} communities {len(kept)} keep their id, {same} all members")
    print(f"    {len(after.reported)} have a report by a model")
    await _tell_modularity(graph)


async def _tell_modularity(graph: Graph) -> None:
    now, fresh = await _modularities(graph)
    levels = ", ".join(f"{a:.4f} ({a / b - 1:+.2%})" for a, b in zip(now, fresh, strict=False))
    print(f"    modularity by level, and beside a fresh run: {levels}", flush=True)


async def _modularities(graph: Graph) -> tuple[list[float], list[float]]:
    edges = await read_edges(graph, await all_entity_ids(graph))
    members = await graph.run_plain(
        "MATCH (e:Entity)-[:IN_COMMUNITY]->(leaf)-[:PARENT*0..]->(c) "
        "RETURN e.id AS id, c.id AS community, c.level AS level ORDER BY level"
    )
    paths: dict[str, list[str]] = {}
    for row in members:
        paths.setdefault(row["id"], []).append(row["community"])

    def fresh_tree() -> list[TreeCommunity]:
        leiden = Leiden()
        with leiden_in_gds(graph, leiden) as detect:
            return community_tree(edges, detect, leiden.limits)

    fresh: dict[str, list[str]] = {}
    for community in await anyio.to_thread.run_sync(fresh_tree):
        for member in community.members:
            fresh.setdefault(member, []).append(community.id)
    return _by_level(paths, edges), _by_level(fresh, edges)


def _by_level(paths: Mapping[str, Sequence[str]], edges: Edges) -> list[float]:
    found = []
    for level in range(max(map(len, paths.values()))):
        at = [paths[entity][: level + 1][-1] for entity in edges.names]
        labels = np.unique(at, return_inverse=True)[1].astype(np.int32)
        found.append(modularity(labels, edges))
    return found


def _parts(documents: Sequence[Document]) -> list[Document]:
    """The texts in PARTS parts of equal length, each a document."""
    text = "\n\n".join(document.text for document in documents)
    size = -(-len(text) // PARTS)
    return [Document(text[n * size : (n + 1) * size], f"part {n:03}") for n in range(PARTS)]


async def _small_changes(rag: AsyncGraphRAG, parts: Sequence[Document], changes: int) -> None:
    cost = await _index(rag, parts)
    print(f"{len(parts)} documents: {cost.all_calls} calls, {cost.seconds:.0f} s", flush=True)
    chance = random.Random(7)  # noqa: S311 - repeatable
    there: list[str] = []
    seconds: list[float] = []
    calls: Counter[str] = Counter()
    for n in range(changes):
        began = time.perf_counter()
        kind = chance.choice(("add", "edit", "delete")) if len(there) > 1 else "add"
        if kind == "delete":
            await rag.delete(there.pop(chance.randrange(len(there))))
            result = await rag.index([])
        else:
            source = f"note {n}" if kind == "add" else chance.choice(there)
            there += [source] * (kind == "add")
            result = await rag.index([Document(_paragraph(n, chance), source)])
        seconds.append(time.perf_counter() - began)
        calls.update(_cost(result, 0).calls)
        if (n + 1) % max(1, changes // 10) == 0:
            _progress(n + 1, seconds, calls)
            seconds.clear()
            calls.clear()
    await _tell_modularity(rag.graph)


def _progress(n: int, seconds: Sequence[float], calls: Mapping[str, int]) -> None:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    ordered = sorted(seconds)
    median, longest = ordered[len(ordered) // 2], ordered[-1]
    slow = sum(one >= LONG for one in ordered)
    each = ", ".join(f"{step} {made / len(seconds):.1f}" for step, made in calls.items())
    times = f"median {median:.2f} s, longest {longest:.2f} s, {slow} of at least {LONG:.0f} s"
    print(f"{n}: {times}; calls {each}; peak {memory} MB")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
