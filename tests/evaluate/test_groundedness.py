"""Groundedness: quotations are grounded, moved citations are not; nothing is judged twice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.evaluate.folder import AnswerRecord, CitedSource, EvaluationFolder
from graphrag_neo4j.evaluate.groundedness import (
    Groundedness,
    cited_sentences,
    groundedness_of,
    judge_of,
    judge_support,
    read_findings,
    signatures_of,
)
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text.sentences import read_passage
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import ROOT

SAMPLE = ROOT / "graphrag_neo4j" / "data" / "sample"
CHUNK = 2_000  # characters
SOURCE = "[Data: Sources (1)]"
STORY = """\
Ada Lovelace met Charles Babbage in June 1833. Charles Babbage had built an engine of brass.
Ada Lovelace translated an article by Luigi Menabrea about the Analytical Engine.

Luigi Menabrea had heard Charles Babbage in Turin. The Analytical Engine was never built in London.
Ada Lovelace wrote notes on the Analytical Engine, which were printed in 1843.
"""


def answer(text: str, *sources: tuple[str, str], dead: Sequence[str] = ()) -> AnswerRecord:
    cited = [CitedSource(citation, "a.txt", passage) for citation, passage in sources]
    return AnswerRecord(text, "question", "local", text, sources=cited, dead=dead)


async def grounded(
    path: Path, texts: Sequence[AnswerRecord], settings: Settings | None = None
) -> Groundedness:
    """The groundedness by the model of the settings, or by words."""
    own = settings or load_settings()
    folder, judge = EvaluationFolder(path), judge_of(own, words=settings is None)
    await judge_support(texts, folder, own, judge)
    signature = signatures_of([judge], own)[judge]
    [found] = groundedness_of(texts, folder.supports, judge, signature)
    return found


def quotations() -> Iterator[tuple[str, str]]:
    """Yields quotations of some sentences from the sample transcripts, each with its chunk."""
    for path in sorted(SAMPLE.glob("*p*.txt")):
        text = path.read_text("utf-8")
        for start in range(2 * CHUNK, 20 * CHUNK, 3 * CHUNK):
            chunk = text[start : start + CHUNK]
            whole = [one.text for one in read_passage(chunk).sentences[1:-1]]
            long = [one for one in whole if len(one.split()) > 7 and one.endswith(".")]
            yield from ((one, chunk) for one in long[:4])


async def test_quotations_are_grounded_and_moved_citations_are_not(tmp_path: Path) -> None:
    quoted = list(quotations())
    assert len(quoted) >= 40
    lines = [f"- {text} [Data: Sources ({n})]" for n, (text, _) in enumerate(quoted)]
    sources = [(f"[Data: Sources ({n})]", chunk) for n, (_, chunk) in enumerate(quoted)]
    half = len(quoted) // 2
    moved = [(name, sources[(n + half) % len(sources)][1]) for n, (name, _) in enumerate(sources)]
    right = await grounded(tmp_path / "right", [answer("\n".join(lines), *sources)])
    wrong = await grounded(tmp_path / "wrong", [answer("\n".join(lines), *moved)])
    assert right.cited_share == right.placed_share == wrong.cited_share == 1
    assert right.supported_share == 1
    assert wrong.supported_share is not None
    assert wrong.supported_share <= 0.05


async def test_each_share_counts_what_it_says(tmp_path: Path) -> None:
    text = (
        "Ada met Charles [Data: Sources (1)]. They wrote letters. It rained on that day "
        "[Data: Entities (5)]. The wheels were of gold [Data: Sources (2, 3)].\n\nIs that so?"
    )
    one = answer(
        text,
        (SOURCE, "Ada met Charles."),
        ("[Data: Sources (2)]", "Nothing of it."),
        dead=["[Data: Sources (3)]"],
    )
    no_statement, failed = answer("Who knows?"), replace(one, key="x", failure="no reply")
    found = await grounded(tmp_path, [one, no_statement, failed])
    assert found == Groundedness(
        "local", "words", texts=1, statements=4, cited=4, supported=1, unsupported=3,
        citations=4, placed=2,
    )  # fmt: skip
    uncited = await grounded(tmp_path, [answer("Ada met Charles. It rained.")])
    assert (uncited.cited_share, uncited.supported_share, uncited.placed_share) == (0, None, None)


async def test_a_model_judges_each_sentence_once_and_a_malformed_verdict_is_missing(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    settings = load_settings(openai_base_url=endpoint.url, openai_api_key="sk-for-tests-only")
    passage = (SOURCE, "In June Ada met Charles.")
    one = answer(f"Ada met Charles {SOURCE}. The mill stood still {SOURCE}.", passage)
    endpoint.change(misjudged=("prose", "empty"))
    missing = await grounded(tmp_path, [one], settings)
    assert (missing.missing, missing.supported_share) == (2, None)
    endpoint.change(misjudged=())
    endpoint.reset()
    made = await grounded(tmp_path, [one], settings)
    assert (made.supported, made.unsupported, made.missing) == (1, 1, 0)
    assert len(endpoint.log) == 2
    same_again = answer(f"So it was: Ada knew him. The mill stood still {SOURCE}.", passage)
    await grounded(tmp_path, [one, same_again], settings)
    assert len(endpoint.log) == 3
    await grounded(tmp_path, [answer(one.text, (SOURCE, "Ada met him again."))], settings)
    assert len(endpoint.log) == 5
    await grounded(tmp_path, [one], settings.changed(judge_model="another"))
    assert len(endpoint.log) == 7


def test_of_many_passages_the_nearest_are_shown_and_the_others_are_counted() -> None:
    far = [(SOURCE, f"Nothing of it. {n} {'x ' * 5_000}") for n in range(4)]
    near = (SOURCE, f"Ada met Charles. {'y ' * 5_000}")
    [one] = cited_sentences([answer(f"Ada met Charles {SOURCE}.", *far, near)])
    assert one.passages[0] == near[1]
    assert (len(one.passages), one.left_out) == (2, 3)


@pytest.mark.slow  # it indexes
async def test_the_answers_and_reports_of_an_extractive_graph_are_grounded(
    tmp_path: Path, alone: Settings, graph: Graph
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document(STORY, "story.txt")])
        found = await rag.query("What did Ada Lovelace write?", method="local")
        reports = await read_findings(graph)
    assert reports
    told = [
        (f"[Data: {one.kind} ({one.ref})]", source.text)
        for one in found.citations
        for source in one.sources
    ]
    answers = await grounded(tmp_path, [answer(found.text, *told)])
    assert answers.supported_share == answers.placed_share == 1
    assert answers.cited == answers.statements > 0
    level = await grounded(tmp_path, [replace(one, condition="reports") for one in reports])
    assert level.supported_share == level.placed_share == 1
    assert any(one.text for finding in reports for one in finding.sources)
