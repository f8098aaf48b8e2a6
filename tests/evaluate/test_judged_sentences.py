"""Two judges of the same sentences: the share of equal verdicts, alpha, and where they differ."""

import csv
import io
from html import escape
from pathlib import Path

import pytest

from graphrag_neo4j.evaluate.folder import CitedSource, EvaluationFolder
from graphrag_neo4j.evaluate.groundedness import (
    compared_in,
)
from graphrag_neo4j.evaluate.report import read_report
from graphrag_neo4j.llm.evaluate.judges import Support
from graphrag_neo4j.settings import load_settings
from tests.conftest import Run
from tests.support.evaluations import REPORT, add_findings, add_support, evaluation

pytestmark = pytest.mark.one_release

SOURCE = CitedSource("[1]", "a.txt", "Ann sails to port.")
MODEL, OTHER, WORDS = "model large", "model small", "words"
SAID = {
    "Ann sails to port 0.": ("supported", "supported"),
    "Ann sails to port 1.": ("supported", "partly"),
    "Ann sails to port 2.": ("not", "supported"),
    "Ann sails to port 3.": ("not", "not"),
}
"""What the large model and the words say of each sentence."""


def judged(
    folder: EvaluationFolder, verdicts: dict[str, tuple[Support | None, Support | None]]
) -> None:
    """Adds the verdicts of the large model and of words; None stands for a failed verdict."""
    for sentence, given in verdicts.items():
        for name, support in zip((MODEL, WORDS), given, strict=True):
            add_support(folder, sentence, [SOURCE], name, support)


@pytest.fixture
def folder(tmp_path: Path) -> EvaluationFolder:
    """The same answers of two conditions: each sentence stands twice, and counts once."""
    texts = {"C0": "Ann sails to port {} [1].", "SS": "Ann sails to port {} [1]."}
    return evaluation(tmp_path / "e", texts, questions=4, sources=[SOURCE])


def test_sentences_with_two_verdicts_are_compared(folder: EvaluationFolder) -> None:
    judged(folder, SAID)  # type: ignore[arg-type] # they are verdicts
    [found] = compared_in(folder, load_settings())
    assert (found.texts, found.one, found.other) == ("answers", MODEL, WORDS)
    assert (found.agreement.items, found.agreement.share) == (4, 0.5)
    # Labels: supported 4, partly 1, not 3. Expected disagreement (4 + 12 + 3) * 2 / 7, observed 4.
    assert found.agreement.alpha == pytest.approx(1 - 4 / (2 * 19 / 7))
    assert [one.sentence for one in found.differing] == [
        "Ann sails to port 1.",
        "Ann sails to port 2.",
    ]


def test_a_missing_verdict_and_one_by_another_prompt_are_not_compared(
    folder: EvaluationFolder, tmp_path: Path
) -> None:
    judged(folder, SAID | {"Ann sails to port 0.": (None, "supported")})  # type: ignore[arg-type]
    [found] = compared_in(folder, load_settings())
    assert found.agreement.items == 3
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "eval_support.md").write_text("Is $sentence in $passages?")
    assert compared_in(folder, load_settings(prompts=prompts)) == []


def test_the_report_shows_answers_findings_and_where_the_judges_differ(
    folder: EvaluationFolder,
) -> None:
    judged(folder, SAID)  # type: ignore[arg-type] # they are verdicts
    add_findings(folder, [f"Ann sails to port {n} [1]." for n in (2, 3)], [SOURCE])
    report = read_report(folder.path, load_settings())
    tables = {one.name: one for one in report.tables}
    assert [row[:5] for row in tables[f"groundedness of answers {MODEL}"].rows] == [
        ["C0", 4, 4, 1.0, 0.5],
        ["SS", 4, 4, 1.0, 0.5],
    ]
    of_reports = tables[f"groundedness of reports {WORDS}"].rows
    assert of_reports == [["reports of level 0", 2, 2, 1.0, 0.5, 0.0, 0.5, 0, 2, 0.0]]
    agreement = [row[:5] for row in tables["agreement"].rows]
    by = "words and vectors"
    assert agreement == [
        [MODEL, by, "sentences of answers", 4, 0.5],
        [MODEL, by, "sentences of reports", 2, 0.5],
    ]
    differing = tables["differing sentences"].rows
    assert [row[2] for row in differing] == [f"Ann sails to port {n}." for n in (1, 2, 2)]
    assert differing[-1][:2] == ["reports of level 0", REPORT]
    sentences = list(csv.DictReader(io.StringIO(report.csv_files()["sentences.csv"])))
    assert len(sentences) == 12
    assert escape(REPORT) in report.page()
    assert r"Ann \| and \<port\>" in report.markdown()


def test_results_tells_how_often_the_judges_agree(kg_alone: Run, folder: EvaluationFolder) -> None:
    judged(folder, SAID)  # type: ignore[arg-type] # they are verdicts
    ran = kg_alone("eval", "results", folder.path)
    assert ran.code == 0
    said = " ".join(ran.out.split())
    assert f"{MODEL} words and vectors sentences of answers 4 50.0 % 0.26" in said
    assert f"Ann sails to port 2. {MODEL}: not." in said
