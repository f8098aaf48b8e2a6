"""Groundedness: quotations are grounded, scrambled citations are not; nothing is judged twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.errors import BudgetSpentError
from graphrag_neo4j.evaluation.groundedness.findings import read_findings
from graphrag_neo4j.evaluation.groundedness.sentence_judges import (
    ModelJudge,
    SentenceJudge,
    WordJudge,
)
from graphrag_neo4j.evaluation.groundedness.sentence_support import (
    Groundedness,
    SupportRecord,
    cited_sentences,
    ground,
    groundedness_of,
)
from graphrag_neo4j.evaluation.model import AnswerRecord, CitedSource
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.llm.evaluation import SupportJudge, SupportVerdict
from graphrag_neo4j.nlp.sentences import read_passage
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import ROOT

SAMPLE = ROOT / "graphrag_neo4j" / "data" / "sample"
CHUNK = 2_000  # characters
STORY = """\
Ada Lovelace met Charles Babbage in June 1833. Charles Babbage had built an engine of brass.
Ada Lovelace translated an article by Luigi Menabrea about the Analytical Engine.

Luigi Menabrea had heard Charles Babbage in Turin. The Analytical Engine was never built in London.
Ada Lovelace wrote notes on the Analytical Engine, which were printed in 1843.
"""


@dataclass
class Always:
    """A judge that always says the same, counts its calls, and stops when its money is spent."""

    name: str = "words"
    signature: str = "always"
    most: int = 1_000
    calls: int = 0

    async def __call__(self, _sentence: str, _passages: Sequence[str], /) -> SupportVerdict:
        if self.calls == self.most:
            raise BudgetSpentError("The limit is reached.")
        self.calls += 1
        return SupportVerdict("partly", "It is always so.")


def answer(text: str, *sources: tuple[str, str], dead: Sequence[str] = ()) -> AnswerRecord:
    cited = [CitedSource(citation, "a.txt", passage) for citation, passage in sources]
    return AnswerRecord(text, "question", "local", text, sources=cited, dead=dead)


def records(folder: Path) -> RecordFile[SupportRecord]:
    return RecordFile(folder / "groundedness.jsonl", SupportRecord)


async def grounded(
    folder: Path, answers: Sequence[AnswerRecord], judge: SentenceJudge
) -> Groundedness:
    file = records(folder)
    await ground(answers, file, judge, workers=2)
    [found] = groundedness_of(answers, file, judge)
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


async def test_quotations_are_grounded_and_scrambled_citations_are_not(tmp_path: Path) -> None:
    quoted = list(quotations())
    assert len(quoted) >= 40
    lines = [f"- {text} [Data: Sources ({n})]" for n, (text, _) in enumerate(quoted)]
    sources = [(f"[Data: Sources ({n})]", chunk) for n, (_, chunk) in enumerate(quoted)]
    half = len(quoted) // 2
    moved = [(name, sources[(n + half) % len(sources)][1]) for n, (name, _) in enumerate(sources)]
    right = await grounded(tmp_path / "right", [answer("\n".join(lines), *sources)], WordJudge())
    wrong = await grounded(tmp_path / "wrong", [answer("\n".join(lines), *moved)], WordJudge())
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
        ("[Data: Sources (1)]", "Ada met Charles."),
        ("[Data: Sources (2)]", "Nothing of it."),
        dead=["[Data: Sources (3)]"],
    )
    no_statement, failed = answer("Who knows?"), replace(one, key="x", failure="no reply")
    found = await grounded(tmp_path, [one, no_statement, failed], WordJudge())
    assert found == Groundedness(
        "local", "words", texts=1, statements=4, cited=4, supported=1, unsupported=3,
        citations=4, placed=2,
    )  # fmt: skip
    uncited = await grounded(tmp_path, [answer("Ada met Charles. It rained.")], WordJudge())
    assert (uncited.cited_share, uncited.supported_share, uncited.placed_share) == (0, None, None)


async def test_nothing_is_judged_twice(tmp_path: Path) -> None:
    source = ("[Data: Sources (1)]", "Ada met Charles.")
    one = answer("Ada met Charles [Data: Sources (1)]. He was rich [Data: Sources (1)].", source)
    same_again = answer("So it was: Ada knew him. He was rich [Data: Sources (1)].", source)
    judge = Always()
    await ground([one, same_again], records(tmp_path), judge, workers=2)
    assert judge.calls == 3
    await ground([one, same_again], records(tmp_path), judge, workers=2)
    assert judge.calls == 3
    other_text = answer(one.text, ("[Data: Sources (1)]", "Ada met Charles again."))
    await ground([other_text], records(tmp_path), judge, workers=2)
    assert judge.calls == 5
    other_judge = Always(signature="another prompt")
    await ground([one], records(tmp_path), other_judge, workers=2)
    assert other_judge.calls == 2


async def test_at_the_cost_limit_the_verdicts_are_saved_and_the_next_run_goes_on(
    tmp_path: Path,
) -> None:
    lines = [f"Ada saw {n} wheels [Data: Sources (1)]." for n in range(9)]
    one = answer(" ".join(lines), ("[Data: Sources (1)]", "Ada saw wheels."))
    with pytest.raises(BudgetSpentError):
        await ground([one], records(tmp_path), Always(most=4), workers=1)
    rest = Always()
    found = await grounded(tmp_path, [one], rest)
    assert (rest.calls, found.partly, found.missing) == (5, 9, 0)


def test_of_many_passages_the_nearest_are_shown_and_the_others_are_counted() -> None:
    far = [("[Data: Sources (1)]", f"Nothing of it. {n} {'x ' * 5_000}") for n in range(4)]
    near = ("[Data: Sources (1)]", f"Ada met Charles. {'y ' * 5_000}")
    [one] = cited_sentences([answer("Ada met Charles [Data: Sources (1)].", *far, near)], "j")
    assert one.passages[0] == near[1]
    assert (len(one.passages), one.left_out) == (2, 3)


async def test_a_model_judges_and_a_malformed_verdict_is_missing(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    settings = load_settings(openai_base_url=endpoint.url, openai_api_key="sk-for-tests-only")
    text = "Ada met Charles [Data: Sources (1)]. The mill stood still [Data: Sources (1)]."
    one = answer(text, ("[Data: Sources (1)]", "In June Ada met Charles."))
    async with Endpoint(settings) as asked:
        judge = ModelJudge(SupportJudge.from_settings(settings), asked.run)
        endpoint.change(misjudged=("prose", "empty"))
        missing = await grounded(tmp_path, [one], judge)
        endpoint.change(misjudged=())
        made = await grounded(tmp_path, [one], judge)
        calls = len(endpoint.log)
        again = await grounded(tmp_path, [one], judge)
    assert (missing.missing, missing.supported_share) == (2, None)
    assert (made.supported, made.unsupported, made.missing) == (1, 1, 0)
    assert made == again
    # Twice a reply in prose, an empty one and the empty one once more; then a verdict.
    assert calls == len(endpoint.log) == 2 * 3 + 2


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
    answers = await grounded(tmp_path, [answer(found.text, *told)], WordJudge())
    assert answers.supported_share == answers.placed_share == 1
    assert answers.cited == answers.statements > 0
    file = records(tmp_path)
    await ground(reports, file, WordJudge(), workers=1)
    for level in groundedness_of(reports, file, WordJudge()):
        assert level.name.startswith("reports of level ")
        assert level.supported_share == level.placed_share == 1
    assert any(one.text for finding in reports for one in finding.sources)
