"""Reads the report of an evaluation from the records of its folder."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.grounding import support_file
from graphrag_neo4j.evaluation.judge.runs import claims_in, judged_in
from graphrag_neo4j.evaluation.model import AnswerRecord, VerdictRecord
from graphrag_neo4j.evaluation.plan import PAPER
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.report.answer_tables import (
    claim_tables,
    cost_table,
    retrieval_tables,
)
from graphrag_neo4j.evaluation.report.comparisons_data import comparisons_data, current_verdicts
from graphrag_neo4j.evaluation.report.groundedness_tables import (
    groundedness_tables,
    sentence_table,
)
from graphrag_neo4j.evaluation.report.page import page_of
from graphrag_neo4j.evaluation.report.plain_files import csv_of, markdown_of
from graphrag_neo4j.evaluation.report.record_tables import record_tables
from graphrag_neo4j.evaluation.report.repeat_tables import missing_table, repeat_tables
from graphrag_neo4j.evaluation.report.tables import Table
from graphrag_neo4j.evaluation.report.verdict_tables import verdict_tables
from graphrag_neo4j.evaluation.retrieval.ranking import RANKS, RankRecord
from graphrag_neo4j.evaluation.retrieval.short_answers import SHORT_ANSWERS, ShortAnswer
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
        data = comparisons_data(self.folder, self.answers, self.verdicts, self.conditions)
        return page_of(self.title, self.facts, self.tables, data)

    def markdown(self) -> str:
        """Returns the tables as Markdown."""
        return markdown_of(self.title, self.facts, self.tables)

    def csv_files(self) -> dict[str, str]:
        """Returns the content of a CSV file for each table, by the name of the file.

        Three more are for the answers, the verdicts, and the verdicts on sentences.
        """
        records = record_tables(self.folder, self.answers, self.verdicts)
        sentences = sentence_table(self.folder, self.answers, self.settings)
        return csv_of([*self.tables, *records, sentences])


def read_report(
    folder: str | Path,
    settings: Settings,
    *,
    title: str | None = None,
    retrieval: str | Path | None = None,
) -> Report:
    """Reads the report of the evaluation in a folder.

    `settings` say where your own prompt files are. `retrieval` is the folder of a measurement of
    retrieval, if it is another one. Raises InputError if the folder holds no evaluation or nothing
    to report yet, or a file that can't be read.
    """
    found = EvaluationFolder(folder)
    if not found.exists:
        raise InputError(
            f"{folder} holds no evaluation. `kg-build eval questions {folder}` begins one."
        )
    measured = Path(retrieval or found.path)
    answers = list(found.current_answers().values())
    others = any((measured / name).exists() for name in (RANKS, SHORT_ANSWERS))
    if not (answers or len(found.findings) or others):
        raise InputError(
            f"There is nothing to report in {folder}, since it holds no answers: "
            f"`kg-build eval answers {folder}` makes them."
        )
    order = _paper_order(found.conditions())
    answers.sort(key=lambda one: order.index(one.condition))
    verdicts = current_verdicts(found, answers)
    return Report(
        title or f"Evaluation: {found.path.resolve().name}",
        _facts(found, answers, verdicts),
        _tables(found, answers, order, settings, measured),
        found,
        settings,
        answers,
        verdicts,
        order,
    )


def _paper_order(names: Iterable[str]) -> list[str]:
    """Returns the conditions of the paper in its order, and then the others."""
    given = list(names)
    return [*(one for one in PAPER if one in given), *(one for one in given if one not in PAPER)]


def _facts(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord], verdicts: Sequence[VerdictRecord]
) -> list[str]:
    there = [one for one in answers if one.failure is None]
    names = list(dict.fromkeys(one.condition for one in there))
    judges = list(dict.fromkeys(one.judge for one in verdicts))
    about = folder.plan.description
    facts = [f"Documents: {about}"] if about else []
    facts.append(f"Questions: {len(folder.questions):,}")
    facts.append(f"Answers: {len(there):,}" + (f", by {', '.join(names)}" if names else ""))
    given = sum(one.failure is None for one in verdicts)
    facts.append(f"Verdicts: {given:,}" + (f", by {', '.join(judges)}" if judges else ""))
    return facts


def _tables(
    folder: EvaluationFolder,
    answers: Sequence[AnswerRecord],
    order: Sequence[str],
    settings: Settings,
    retrieval: Path,
) -> list[Table]:
    judged, supports = judged_in(folder), support_file(folder)
    ranks = RecordFile(retrieval / RANKS, RankRecord)
    short = RecordFile(retrieval / SHORT_ANSWERS, ShortAnswer)
    return [
        *verdict_tables(judged, order),
        *claim_tables(claims_in(folder), judged, order),
        *groundedness_tables(folder, answers, settings),
        *retrieval_tables(ranks, short),
        cost_table(answers),
        missing_table(folder, answers, judged, supports),
        *repeat_tables(folder, answers, settings),
    ]
