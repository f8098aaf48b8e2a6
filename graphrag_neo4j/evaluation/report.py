"""The report of an evaluation: its tables and comparisons as a web page, Markdown and CSV.

    folder ──read_report──▶ Report ──▶ page()       one HTML file
                                   ├─▶ markdown()   its tables
                                   └─▶ csv_files()  one file for each table, answers and verdicts

It asks no model and needs no Neo4j. It needs the packages of the extra `eval`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.answer_claims import claims_in
from graphrag_neo4j.evaluation.conditions import PAPER
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judging import judged_by
from graphrag_neo4j.evaluation.page import csv_of, markdown_of, page_of
from graphrag_neo4j.evaluation.records import AnswerRecord, VerdictRecord
from graphrag_neo4j.evaluation.statistics import preferences
from graphrag_neo4j.evaluation.tables import (
    Table,
    agreement_tables,
    claim_tables,
    cost_table,
    groundedness_tables,
    missing_table,
    record_tables,
    repeat_tables,
    verdict_tables,
)
from graphrag_neo4j.settings import Settings

__all__ = ["Report", "read_report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of an evaluation.

    `facts` are sentences that say what there is. `tables` are in the order in which they are shown.
    """

    title: str
    facts: Sequence[str]
    tables: Sequence[Table]
    folder: EvaluationFolder
    settings: Settings
    answers: Sequence[AnswerRecord]
    verdicts: Sequence[VerdictRecord]
    conditions: Sequence[str]

    def page(self) -> str:
        """Returns the complete HTML page, which needs no network."""
        return page_of(
            self.title,
            self.facts,
            self.tables,
            questions=self.folder.questions,
            answers=self.answers,
            verdicts=self.verdicts,
            order=self.conditions,
        )

    def markdown(self) -> str:
        """Returns the tables as Markdown."""
        return markdown_of(self.title, self.facts, self.tables)

    def csv_files(self) -> dict[str, str]:
        """Returns the content of a CSV file for each table, by the name of the file.

        Three more are for the answers, the verdicts, and the judged sentences.
        """
        records = record_tables(self.folder, self.answers, self.verdicts, self.settings)
        return csv_of([*self.tables, *records])


def read_report(folder: str | Path, settings: Settings, *, title: str | None = None) -> Report:
    """Reads the report of the evaluation in a folder.

    `settings` say where your own prompt files are. Raises InputError if the folder holds no
    evaluation or nothing to report yet, or a file that can't be read.
    """
    found = EvaluationFolder(folder)
    if not found.exists:
        raise InputError(
            f"{folder} holds no evaluation. `kg-build eval questions {folder}` begins one."
        )
    answers = list(found.current_answers().values())
    if not (answers or len(found.findings)):
        raise InputError(
            f"There is nothing to report in {folder}, since it holds no answers: "
            f"`kg-build eval answers {folder}` makes them."
        )
    given = found.conditions()
    order = [one for one in PAPER if one in given] + [one for one in given if one not in PAPER]
    answers.sort(key=lambda one: order.index(one.condition))
    verdicts, judged = _current(found, answers), judged_by(found.verdicts, answers)
    there = [one for one in answers if one.failure is None]
    names = ", ".join(dict.fromkeys(one.condition for one in there))
    n = sum(one.failure is None for one in verdicts)
    facts = [
        *([f"Documents: {found.plan.description}"] if found.plan.description else []),
        f"Questions: {len(found.questions):,}",
        f"Answers: {len(there):,}" + (f", by {names}" if names else ""),
        f"Verdicts: {n:,}" + (f", by {', '.join(judged)}" if judged else ""),
        *(f"{judge}: {' '.join(preferences(of))}" for judge, of in judged.items()),
    ]
    tables = [
        *verdict_tables(judged, order),
        *agreement_tables(judged),
        *claim_tables(claims_in(found), judged, order),
        *groundedness_tables(found, answers, settings),
        cost_table(answers),
        missing_table(found, answers, judged),
        *repeat_tables(found, answers),
    ]
    name = title or f"Evaluation: {found.path.resolve().name}"
    return Report(name, facts, tables, found, settings, answers, verdicts, order)


def _current(folder: EvaluationFolder, answers: Sequence[AnswerRecord]) -> list[VerdictRecord]:
    """Returns the verdicts that count: those on these answers, of each comparison the last one."""
    question = {one.key: one.question for one in answers if one.failure is None}
    last = {
        (one.judge, one.metric, one.repeat, one.first, one.second): one
        for one in folder.verdicts
        if one.first in question and question[one.first] == question.get(one.second)
    }
    return list(last.values())
