"""The shipped sample as an extractive index in a real Neo4j: no model, no key, no network."""

from collections import defaultdict

import pytest

from graphrag_neo4j.context.citations import rewrite
from graphrag_neo4j.extractive.static_vectors import vectors_of
from graphrag_neo4j.graph import Graph, Row, dump, vector_search
from graphrag_neo4j.indexing.status import read_status
from graphrag_neo4j.model import Document
from graphrag_neo4j.resources import data
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text import find_quote
from tests.support.extractive_index import index_extractively

pytestmark = pytest.mark.one_release

SAMPLE = [
    Document(file.read_text("utf-8"), file.name)
    for file in data("sample").iterdir()
    if file.name.endswith(".txt")
]


async def test_the_sample_becomes_a_whole_index_of_quotations(graph: Graph) -> None:
    assert not load_settings().has_model
    await index_extractively(graph, SAMPLE)
    status = await read_status(graph)
    assert not any(status.pending.values())
    assert status.failures == []
    assert status.counts["communities"] > 50
    await _check_reports(await _reports(graph))
    await _check_titles(graph)
    await _check_descriptions(graph)
    found = await vector_search(
        graph, "chunk", vectors_of(["neural networks and deep learning"])[0], 3
    )
    assert len(found) == 3
    before = await dump(graph)
    await index_extractively(graph, SAMPLE)
    assert await dump(graph) == before


async def _reports(graph: Graph) -> list[Row]:
    return await graph.run_plain(
        "MATCH (c:Community {origin: 'extractive'})-[:HAS_FINDING]->(f:Finding) "
        "RETURN c.id AS community, c.summary AS summary, f.explanation AS text, "
        "[(f)-[:CITES]->(x:Chunk) | x.text] AS chunks"
    )


async def _check_reports(findings: list[Row]) -> None:
    """Each sentence stands in a chunk that its finding cites, and once in its report."""
    assert len(findings) > 100
    said: defaultdict[str, list[str]] = defaultdict(list)
    for row in findings:
        lines = [rewrite(line, lambda *_: None).strip() for line in row["text"].splitlines()]
        assert all(any(find_quote(line, chunk) for chunk in row["chunks"]) for line in lines)
        said[row["community"]] += lines
    for row in {row["community"]: row for row in findings}.values():
        summary = rewrite(row["summary"], lambda *_: None).splitlines()
        said[row["community"]] += [line.strip() for line in summary]
    assert all(len(set(lines)) == len(lines) for lines in said.values())


async def _check_titles(graph: Graph) -> None:
    rows = await graph.run_plain(
        "MATCH (c:Community) OPTIONAL MATCH (c)-[:PARENT]->(p) "
        "WITH p.id AS parent, c.level AS level, collect(c.title) AS titles "
        "RETURN level, titles"
    )
    assert all(len(set(row["titles"])) == len(row["titles"]) for row in rows)


async def _check_descriptions(graph: Graph) -> None:
    """Each line of an entity's description stands in a chunk that mentions it."""
    rows = await graph.run_plain(
        "MATCH (e:Entity) RETURN e.description AS text, "
        "[(e)<-[:MENTIONS]-(chunk) | chunk.text] AS chunks ORDER BY e.degree DESC LIMIT 100"
    )
    for row in rows:
        lines = row["text"].splitlines()
        assert lines
        assert all(any(find_quote(line, chunk) for chunk in row["chunks"]) for line in lines)
