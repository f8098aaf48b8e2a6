"""The sample transcripts become a graph, reports and answers of quotations, without a model.

Everything that is quoted stands in a chunk that is cited for it. With KG_TEST_PODCAST it is not the
sample but all transcripts of the folder that this variable names.
"""

import csv
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.files import data
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.model.citations import CitationRef, cited, rewrite
from graphrag_neo4j.query.answer import Answer, Method, ResolvedRow
from graphrag_neo4j.settings import Settings
from tests.support.paths import DATA
from tests.support.wiping import wipe

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

PODCAST = os.environ.get("KG_TEST_PODCAST")
QUESTIONS = (
    "What recurring topics do the guests talk about?",
    "What does Kevin Scott say about his childhood?",
    "How did Fei-Fei Li come to computer vision?",
    "What did Bill Gates do at Microsoft?",
    "What is said about education and neural networks?",
)
METHODS: tuple[Method, ...] = ("local", "global", "basic")
TWENTY = [
    json.loads(line)
    for line in (DATA / "questions" / "twenty.jsonl").read_text("utf-8").splitlines()
]
"""Questions of a person, each with passages and facts that a reader would accept."""
OF_USE = 0.7  # share of the answerable ones whose answer a reader would accept
SCREEN = 40  # lines of 100 columns
UNANSWERABLE = {"trap", "count", "list"}  # by quotations


def transcripts() -> list[Document]:
    files = sorted(Path(PODCAST).rglob("*.txt")) if PODCAST else list(data("sample").iterdir())
    texts = [(file.name, file.read_text("utf-8")) for file in files if file.name.endswith(".txt")]
    return [Document(text.removeprefix("\ufeff"), name) for name, text in texts]


def questions() -> list[str]:
    """Ours; with KG_TEST_PODCAST a third of those of the corpus, if they stand beside it."""
    folder = Path(PODCAST or "nowhere")
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


async def test_the_sample_becomes_a_whole_index_and_indexed_again_the_same(
    rag: AsyncGraphRAG,
) -> None:
    status = await rag.status()
    assert not any(status.pending.values())
    assert status.failures == []
    assert status.counts["communities"] > 50
    levels = await rag.graph.run_plain(
        "MATCH (c:Community) RETURN c.level AS level, collect(c.title) AS titles"
    )
    assert all(len(set(row["titles"])) == len(row["titles"]) for row in levels)
    before = await dump(rag.graph)
    assert (await rag.index(transcripts())).complete
    assert await dump(rag.graph) == before


async def test_every_quotation_of_a_report_stands_in_its_chunk(rag: AsyncGraphRAG) -> None:
    rows = await rag.graph.run_plain(
        "MATCH (c:Community) WHERE c.report IS NOT NULL "
        "RETURN c.origin AS origin, c.title AS title, c.summary AS summary, "
        "COLLECT { MATCH (c)-[:HAS_FINDING]->(f) RETURN f.explanation ORDER BY f.index } AS said"
    )
    lines = [
        (row["origin"], row["title"], line)
        for row in rows
        for text in (row["summary"], *row["said"])
        for line in text.splitlines()
        if cited(line)  # a member without a description is named, not quoted
    ]
    chunks = await chunks_of(rag.graph, (line for _, _, line in lines))
    wrong = [line for _, title, line in lines if not stands(quoted(line, title), line, chunks)]
    assert wrong == []
    counts = Counter(origin for origin, _, _ in lines)
    assert counts["extractive"] >= 500
    assert counts["elements"] >= 100


async def test_every_quotation_of_an_answer_stands_in_its_chunk(rag: AsyncGraphRAG) -> None:
    texts = {document.source: document.text for document in transcripts()}
    asked = [(question, method) for question in questions() for method in METHODS]
    asked += [(questions()[0], "drift"), (questions()[0], "text")]
    answers = [await rag.query(question, method=method) for question, method in asked]
    answers += await twenty_answers(rag)
    quoting = [one.text for one in answers if not one.text.startswith("The documents name ")]
    lines = [line for text in quoting for line in text.splitlines() if line[:2] == "- "]
    chunks = await chunks_of(rag.graph, lines)
    assert [line for line in lines if not stands(quoted(line[2:]), line, chunks)] == []
    sources = [one for answer in answers for cite in answer.citations for one in cite.sources]
    for source in sources:
        start, end = source.span
        assert folded(source.quoted) in folded(texts[source.document][start:end])
    assert [line for answer in answers for line in misplaced(answer)] == []
    assert len(lines) >= 50
    assert len(sources) >= 80


async def twenty_answers(rag: AsyncGraphRAG) -> list[Answer]:
    """Accepted facts come, on one screen, and traps get no answer; gives the answers."""
    asked = [one for one in TWENTY if one["sample"] or PODCAST]
    answers = [await rag.query(one["question"]) for one in asked]
    missed, answerable = [], 0
    for one, answer in zip(asked, answers, strict=True):
        nothing = answer.text == "No answer to this question was found."
        assert nothing or one["kind"] != "trap", one["question"]
        assert sum(1 + max(0, len(line) - 1) // 100 for line in answer.text.splitlines()) <= SCREEN
        said = folded(answer.text)
        accepted = not one["accept"] or any(folded(text) in said for text in one["accept"])
        if one["kind"] not in UNANSWERABLE:
            answerable += 1
            if not (accepted and all(folded(fact) in said for fact in one["facts"])):
                missed.append(one["question"])
    assert len(missed) <= (1 - OF_USE) * answerable, missed
    return answers


def folded(text: str) -> str:
    """The text with single spaces, and the brackets of neutralised citation marks as they were."""
    return " ".join(text.translate(str.maketrans("⟦⟧", "[]")).split())


def quoted(line: str, title: str = "") -> str:
    """What a line quotes: without its citations, its place and the name that it begins with."""
    said = rewrite(re.sub(r"\] · .*", "]", line), lambda *_: None).strip()
    names = sorted(title.split(", "), key=len, reverse=True)
    return next((said.removeprefix(f"{n}: ") for n in names if said.startswith(f"{n}: ")), said)


def misplaced(answer: Answer) -> list[str]:
    """The lines of an answer that no place of a chunk that they cite holds."""
    places = {(one.kind, one.ref): [s.quoted for s in one.sources] for one in answer.citations}
    return [
        line
        for line in answer.text.splitlines()
        for one in (cited(line) if line.startswith("- ") else ())
        if one[0] == "Sources"
        and not any(folded(quoted(line[2:])) in folded(place) for place in places[one])
    ]


def stands(said: str, line: str, chunks: Mapping[CitationRef, Sequence[str]]) -> bool:
    """Whether a chunk that the line cites holds it; else one behind whatever it cites."""
    cites = cited(line)
    own = [one for one in cites if one[0] == "Sources"] or cites
    return any(folded(said) in folded(text) for one in own for text in chunks.get(one, ()))


async def chunks_of(graph: Graph, lines: Iterable[str]) -> Mapping[CitationRef, Sequence[str]]:
    """The texts of the chunks that each thing cited in these lines comes from."""
    wanted = sorted({one for line in lines for one in cited(line) if one[0] != "Reports"})
    found: defaultdict[CitationRef, list[str]] = defaultdict(list)
    for start in range(0, len(wanted), 500):
        page: list[dict[str, object]] = [
            {"kind": k, "ref": ref, "said": []} for k, ref in wanted[start : start + 500]
        ]
        given = {"citations": page, "places": 1_000_000, "documents": None}
        rows = await graph.read("search/resolve", ResolvedRow, **given)
        for row in rows:
            found[row["kind"], row["ref"]].append(row["passage"]["text"] if row["passage"] else "")
    return found
