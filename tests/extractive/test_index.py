"""The shipped sample as an extractive index in a real Neo4j: no model, no key, no network.

What it quotes stands in its chunk. With KG_TEST_PODCAST it is not the sample but all transcripts of
the folder that this variable names.
"""

import csv
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.extractive.static_vectors import vectors_of
from graphrag_neo4j.graph import Graph, dump, vector_search
from graphrag_neo4j.query.answer import Method
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.files import data
from tests.support.quotations import Checked, check_answer, check_map, check_reports
from tests.support.twenty_questions import check_questions
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


async def test_the_sample_becomes_a_whole_index_of_quotations(rag: AsyncGraphRAG) -> None:
    status = await rag.status()
    assert not any(status.pending.values())
    assert status.failures == []
    assert status.counts["communities"] > 50
    await _check_titles(rag.graph)
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


async def _check_titles(graph: Graph) -> None:
    rows = await graph.run_plain(
        "MATCH (c:Community) OPTIONAL MATCH (c)-[:PARENT]->(p) "
        "WITH p.id AS parent, c.level AS level, collect(c.title) AS titles "
        "RETURN level, titles"
    )
    assert all(len(set(row["titles"])) == len(row["titles"]) for row in rows)
