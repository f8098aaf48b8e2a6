"""The answers and the verdicts as tables, for a spreadsheet or a program of one's own."""

from collections.abc import Mapping, Sequence

from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.model import AnswerRecord, QuestionRecord, VerdictRecord
from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table

__all__ = ["record_tables"]

QUESTION = (Column("question"), Column("persona"), Column("task"))


def record_tables(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord], verdicts: Sequence[VerdictRecord]
) -> list[Table]:
    """Returns a table of all answers, and one of all verdicts."""
    questions = {one.key: one for one in folder.questions}
    of_key = {one.key: one for one in answers}
    names = ("condition", "answer", "sources", "dead citations", "failure")
    columns = (*QUESTION, *map(Column, names))
    rows = [[*_asked(questions[one.question]), *_answer(one)] for one in answers]
    shown = ("metric", "first", "second", "judge", "repeat", "winner", "reason", "failure")
    given = [[*_asked(questions[one.question]), *_verdict(one, of_key)] for one in verdicts]
    return [
        Table("answers", "Records", "Answers", columns, rows),
        Table("verdicts", "Records", "Verdicts", (*QUESTION, *map(Column, shown)), given),
    ]


def _asked(question: QuestionRecord) -> list[Cell]:
    return [question.text, question.persona, question.task]


def _answer(one: AnswerRecord) -> list[Cell]:
    sources = "\n".join(f"{source.citation} {source.source}" for source in one.sources)
    return [one.condition, one.text, sources, "\n".join(one.dead), one.failure]


def _verdict(one: VerdictRecord, answers: Mapping[str, AnswerRecord]) -> list[Cell]:
    first, second = answers[one.first].condition, answers[one.second].condition
    winner = {"first": first, "second": second, "tie": "tie", None: None}[one.winner]
    return [one.metric, first, second, one.judge, one.repeat, winner, one.reason, one.failure]
