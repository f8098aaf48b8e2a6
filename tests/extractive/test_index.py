"""The shipped sample as an extractive index in a real Neo4j: no model, no key, no network.

What it quotes stands in its chunk. With KG_TEST_PODCAST it is not the sample but all transcripts of
the folder that this variable names.
"""

import csv
import os
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.extractive.static_vectors import vectors_of
from graphrag_neo4j.graph import Graph, PlainRow, dump, vector_search
from graphrag_neo4j.model.citations import rewrite
from graphrag_neo4j.query.answer import Method
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import find_quote
from graphrag_neo4j.text.files import data
from tests.support.quotations import Checked, check_answer, check_map, check_reports, folded
from tests.support.twenty_questions import QUESTIONS as TWENTY
from tests.support.twenty_questions import UNANSWERABLE, check_questions
from tests.support.wiping import wipe

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

QUESTIONS = (
    "What recurring topics do the guests talk about?",
    "What does Kevin Scott say about his childhood?",
    "How did Fei-Fei Li come to computer vision?",
    "What did Bill Gates do at Microsoft?",
    "What is said about education and neural networks?",
)
METHODS: tuple[Method, ...] = ("local", "global", "basic")
KINDS = {"theme", "person", "fact", "opinion", "advice", "comparison", "count", "list", "trap"}


def transcripts() -> list[Document]:
    """The sample; with KG_TEST_PODCAST all transcripts of the folder that it names."""
    folder = os.environ.get("KG_TEST_PODCAST")
    files = sorted(Path(folder).rglob("*.txt")) if folder else list(data("sample").iterdir())
    texts = [(file.name, file.read_text("utf-8")) for file in files if file.name.endswith(".txt")]
    return [Document(text.removeprefix("\ufeff"), name) for name, text in texts]


def questions() -> list[str]:
    """Ours; with KG_TEST_PODCAST a third of those of the corpus, if they stand beside it."""
    folder = Path(os.environ.get("KG_TEST_PODCAST") or "nowhere")
    for file in (folder / "questions.csv", folder.parent / "questions.csv"):
        if file.is_file():
            with file.open(encoding="utf-8-sig", newline="") as rows:
                return [row["question_text"] for row in csv.DictReader(rows)][::3]
    return list(QUESTIONS)


@pytest.fixture(scope="module")
async def rag(alone: Settings, connected: Graph) -> AsyncIterator[AsyncGraphRAG]:
    """A client of the graph in which the transcripts are indexed without a model."""
    assert not alone.has_model
    await wipe(connected)
    async with AsyncGraphRAG(alone) as client:
        assert (await client.index(transcripts())).complete
        yield client
    await wipe(connected)


def test_the_questions_are_of_all_kinds_and_their_passages_stand_in_the_transcripts() -> None:
    assert len(TWENTY) == len({asked["question"] for asked in TWENTY}) == 20
    assert {asked["kind"] for asked in TWENTY} == KINDS
    whole = " ".join(folded(document.text) for document in transcripts())
    for asked in TWENTY:
        nothing = not asked["accept"] and not asked["facts"]
        assert (asked["kind"] in UNANSWERABLE) == nothing
        if asked["sample"] and asked["accept"]:
            assert any(folded(text) in whole for text in asked["accept"]), asked["question"]


async def test_the_sample_becomes_a_whole_index_of_quotations(rag: AsyncGraphRAG) -> None:
    status = await rag.status()
    assert not any(status.pending.values())
    assert status.failures == []
    assert status.counts["communities"] > 50
    await _check_reports(await _reports(rag.graph))
    await _check_titles(rag.graph)
    await _check_descriptions(rag.graph)
    found = await vector_search(
        rag.graph, "chunk", vectors_of(["neural networks and deep learning"])[0], 3
    )
    assert len(found) == 3


async def test_indexed_again_the_sample_gives_the_same_graph(rag: AsyncGraphRAG) -> None:
    before = await dump(rag.graph)
    assert (await rag.index(transcripts())).complete
    assert await dump(rag.graph) == before


async def test_every_quotation_stands_in_its_chunk(rag: AsyncGraphRAG) -> None:
    texts = {document.source: document.text for document in transcripts()}
    asked = [(question, method) for question in questions() for method in METHODS]
    asked += [(questions()[0], "drift"), (questions()[0], "text")]
    checked = Checked()
    await check_reports(rag.graph, checked)
    await check_map(rag.graph, texts, checked)
    for question, method in asked:
        await check_answer(rag, await rag.query(question, method=method), texts, checked)
    for answer in await check_questions(rag, everything="KG_TEST_PODCAST" in os.environ):
        await check_answer(rag, answer, texts, checked)
    assert checked.wrong == []
    least = {"report (extractive)": 500, "report (elements)": 100, "answer": 50, "source": 80}
    least |= {"map (entity)": 500, "map (relationship)": 500, "place of Sources that says it": 50}
    few = {kind: checked.counts[kind] for kind, n in least.items() if checked.counts[kind] < n}
    assert few == {}


async def _reports(graph: Graph) -> list[PlainRow]:
    return await graph.run_plain(
        "MATCH (c:Community {origin: 'extractive'})-[:HAS_FINDING]->(f:Finding) "
        "RETURN c.id AS community, c.summary AS summary, f.explanation AS text, "
        "[(f)-[:CITES]->(x:Chunk) | x.text] AS chunks"
    )


async def _check_reports(findings: list[PlainRow]) -> None:
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
