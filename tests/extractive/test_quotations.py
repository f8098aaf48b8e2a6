"""What an extractive index quotes stands in its chunk: over the sample, or over all podcasts."""

import csv
import os
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.answer import Method
from graphrag_neo4j.resources import data
from graphrag_neo4j.settings import Settings
from tests.support.quotations import Checked, check_answer, check_map, check_reports, folded
from tests.support.twenty_questions import QUESTIONS as TWENTY
from tests.support.twenty_questions import check_questions

pytestmark = pytest.mark.one_release

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


def test_the_questions_are_of_all_kinds_and_their_passages_stand_in_the_transcripts() -> None:
    assert len(TWENTY) == len({asked["question"] for asked in TWENTY}) == 20
    assert {asked["kind"] for asked in TWENTY} == KINDS
    whole = " ".join(folded(document.text) for document in transcripts())
    for asked in TWENTY:
        assert (asked["kind"] == "trap") == (not asked["accept"] and not asked["facts"])
        if asked["sample"] and asked["accept"]:
            assert any(folded(text) in whole for text in asked["accept"]), asked["question"]


async def test_every_quotation_stands_in_its_chunk(graph: Graph, alone: Settings) -> None:
    documents = transcripts()
    texts = {document.source: document.text for document in documents}
    asked = [(question, method) for question in questions() for method in METHODS]
    asked += [(questions()[0], "drift"), (questions()[0], "text")]
    checked = Checked()
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(documents)).complete
        await check_reports(graph, checked)
        await check_map(graph, texts, checked)
        for question, method in asked:
            await check_answer(rag, await rag.query(question, method=method), texts, checked)
        for answer in await check_questions(rag, everything="KG_TEST_PODCAST" in os.environ):
            await check_answer(rag, answer, texts, checked)
    assert checked.wrong == []
    least = {"report (extractive)": 500, "report (elements)": 100, "answer": 50, "source": 100}
    least |= {"map (entity)": 500, "map (relationship)": 500, "place of Sources that says it": 50}
    assert {kind: n for kind, n in least.items() if checked.counts[kind] < n} == {}
