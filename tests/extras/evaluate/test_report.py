"""The report of an evaluation: tables, Markdown and CSV, from records that one can check."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_neo4j.extras.evaluate.folder import CitedSource, EvaluationFolder
from graphrag_neo4j.extras.evaluate.report import Report, read_evaluation
from graphrag_neo4j.extras.evaluate.tables import ResultTable
from graphrag_neo4j.settings import load_settings
from tests.conftest import Run
from tests.support.evaluations import JUDGE, add_verdicts, evaluation

pytestmark = pytest.mark.one_release

TEXTS = {"SS": "It is far to {} [1].", "peer": "No one sails to {}.", "C0": "Ann sails to {} [1]."}
SOURCES = [CitedSource("[1]", "a.txt", "Ann sails to port.")]


@pytest.fixture
def folder(tmp_path: Path) -> EvaluationFolder:
    return evaluation(tmp_path / "e", TEXTS, sources=SOURCES)


def read(folder: EvaluationFolder) -> Report:
    return read_evaluation(folder.path, load_settings())


def table(report: Report, name: str) -> ResultTable:
    [found] = [one for one in report.tables if one.name == name]
    return found


def test_win_rates_stand_in_the_order_of_the_paper(folder: EvaluationFolder) -> None:
    add_verdicts(folder, "C0", metrics=["diversity"])
    report = read(folder)
    heat = table(report, f"win rates {JUDGE} diversity")
    assert [one.name for one in heat.columns] == ["condition", "C0", "SS", "peer"]
    assert heat.rows == [
        ["C0", 50.0, 100.0, 100.0],
        ["SS", 0.0, 50.0, 50.0],
        ["peer", 0.0, 50.0, 50.0],
    ]
    tests = table(report, f"tests {JUDGE}")
    pairs = (("C0", "SS", 100.0), ("C0", "peer", 100.0), ("SS", "peer", 50.0))
    assert [row[:4] for row in tests.rows] == [["diversity", *pair] for pair in pairs]
    # Six wins of six have p = 2 / 2**6, and Holm's method multiplies it by the three pairs.
    assert tests.rows[0][5:9] == [0.03125, pytest.approx(0.09375), "no", "exact"]


def test_what_is_missing_is_named_with_its_reason(folder: EvaluationFolder) -> None:
    add_verdicts(folder, "C0", metrics=["diversity"])
    bad = replace(next(iter(folder.verdicts)), winner=None, failure="it names winner 3")
    folder.verdicts.add([bad])
    answer = next(iter(folder.answers))
    folder.answers.add([replace(answer, key="other", failure="the call has failed")])
    rows = table(read(folder), "missing").rows
    assert ["answer of C1", 6, "not asked yet, or the graph does not have this level"] in rows
    assert ["answer of SS", 1, "the call has failed"] in rows
    folder.answers.add([answer])
    rows = table(read(EvaluationFolder(folder.path)), "missing").rows
    assert [f"verdict by {JUDGE} on diversity", 1, "it names winner 3"] in rows


def test_empty_parts_name_the_command_that_fills_them(folder: EvaluationFolder) -> None:
    report = read(folder)
    empty = {one.name: one.empty for one in report.tables if not one.rows}
    commands = {"tests": "judge", "claims": "claims", "groundedness of answers": "ground"}
    for name, command in commands.items():
        assert f"`kg-build eval {command} FOLDER`" in empty[name]
    assert "<code>kg-build eval judge FOLDER</code>" in report.page()
    assert table(report, "costs").rows


def test_nothing_hostile_becomes_markdown_html_or_a_formula(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>|[x](javascript:alert(1))"
    folder = evaluation(tmp_path / "e", {f"a{evil}": "=cmd()", f"b{evil}": "Yes."}, questions=2)
    add_verdicts(folder, "none", judge=f"person {evil}")
    report = read(folder)
    for text in (report.page(), report.markdown()):
        assert "<script>alert" not in text
    assert "|[x](javascript" not in report.markdown()
    files = report.csv_files()
    assert not any("/" in name or "<" in name for name in files)
    rows = list(csv.DictReader(io.StringIO(files["answers.csv"])))
    assert rows[0]["answer"] == "'=cmd()"


def test_the_command_writes_all_formats(
    kg_alone: Run, folder: EvaluationFolder, tmp_path: Path
) -> None:
    add_verdicts(folder, "C0")
    page = tmp_path / "out.html"
    ran = kg_alone("eval", "report", folder.path, "-o", page, "--format", "html,md,csv")
    assert ran.code == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "| C0 | 50.0 | 100.0 | 100.0 |" in (tmp_path / "out.md").read_text("utf-8")
    assert (tmp_path / "out-csv" / "costs.csv").exists()
    assert "kg-build eval judge" in page.read_text("utf-8")
