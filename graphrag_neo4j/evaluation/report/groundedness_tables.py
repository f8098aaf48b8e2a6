"""The tables of groundedness: the answers, the reports of the graph, and how far judges agree."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.findings import report_title
from graphrag_neo4j.evaluation.groundedness.grounding import support_file
from graphrag_neo4j.evaluation.groundedness.judged_sentences import (
    JudgedSentence,
    JudgesCompared,
    compare_judges,
    judged_sentences,
)
from graphrag_neo4j.evaluation.groundedness.sentence_judges import judges_named
from graphrag_neo4j.evaluation.groundedness.sentence_support import Groundedness, groundedness_of
from graphrag_neo4j.evaluation.model import AnswerRecord
from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table
from graphrag_neo4j.settings import Settings

__all__ = ["groundedness_tables", "sentence_table"]

PART: Final = "Do the answers and reports rest on what they cite"
MOST: Final = 200  # rows of a list of sentences on the page
SHARES: Final = (
    Column("statements", "count", "sentences that claim something"),
    Column("cited", "share", "of the statements: they carry a citation"),
    Column("supported", "share", "of the cited statements: the cited text supports them"),
    Column("partly", "share"),
    Column("not", "share"),
    Column("no verdict", "count", "cited statements that are not judged"),
    Column("citations", "count"),
    Column("dead", "share", "of the citations: they lead to no text"),
)
ANSWERS: Final = (
    Column("condition"),
    Column("answers", "count", "those that make a statement"),
    *SHARES,
)
REPORTS: Final = (
    Column("texts"),
    Column("reports", "count"),
    Column("findings", "count", "those that make a statement"),
    *SHARES,
)
PLACE: Final = (Column("text"), Column("question or report"), Column("sentence"))
AGREEMENT: Final = (
    Column("judge"),
    Column("and judge"),
    Column("on"),
    Column("sentences", "count", "both judges have given a verdict"),
    Column("same verdict", "share", "of these sentences"),
    Column("alpha", "two decimals", "Krippendorff's: 1 is full agreement, 0 is what chance gives"),
    Column("first stricter", "count", "sentences in which the first judge sees less support"),
    Column("second stricter", "count"),
)
NO_ANSWERS: Final = Table(
    "groundedness",
    PART,
    "Groundedness of the answers",
    ANSWERS,
    [],
    empty="The answers were not judged yet. `kg-build eval ground FOLDER` does it; without a "
    "model, it judges by words and vectors.",
)
NO_REPORTS: Final = Table(
    "groundedness of reports",
    PART,
    "Groundedness of the reports",
    REPORTS,
    [],
    empty="The reports of the graph were not judged yet. `kg-build eval ground FOLDER --reports` "
    "does it.",
)
ONE_JUDGE: Final = (
    "There are no sentences with verdicts of two judges. `kg-build eval ground FOLDER --words` "
    "adds the verdicts of words and vectors to those of a model, and costs nothing."
)


def groundedness_tables(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord], settings: Settings
) -> list[Table]:
    """Returns how far answers and reports rest on what they cite, by each judge.

    After that come the agreement of the judges, the sentences on which they differ, and the
    statements of reports that their records do not support. `settings` say where your own prompt
    files are: a model's verdicts by another prompt do not count.
    """
    supports, findings = support_file(folder), list(folder.findings)
    judges = judges_named((one.judge for one in supports), settings)
    of_answers = judged_sentences(answers, supports, judges)
    of_reports = judged_sentences(findings, supports, judges)

    def shares(texts: Sequence[AnswerRecord], judge: str) -> list[Groundedness]:
        return groundedness_of(texts, supports, judges[judge])

    on_answers = [_answers(one, shares(answers, one)) for one in _judges(of_answers)]
    on_reports = [_reports(one, shares(findings, one), findings) for one in _judges(of_reports)]
    compared = [*compare_judges("answers", of_answers), *compare_judges("reports", of_reports)]
    questions = {one.key: one.text for one in folder.questions}
    return [
        *(on_answers or [NO_ANSWERS]),
        *(on_reports or [NO_REPORTS]),
        _agreement(compared),
        *_listed(_differing(compared, questions)),
        *_listed(_unsupported(of_reports, questions)),
    ]


def sentence_table(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord], settings: Settings
) -> Table:
    """Returns the verdicts of all judges on all cited sentences, for a CSV file."""
    supports, findings = support_file(folder), folder.findings
    judges = judges_named((one.judge for one in supports), settings)
    questions = {one.key: one.text for one in folder.questions}
    rows = [
        [*_place(one, questions), "\n".join(one.sources), judge, given.support, given.reason]
        for texts in (answers, findings)
        for one in judged_sentences(texts, supports, judges)
        for judge, given in one.verdicts.items()
    ]
    columns = (*PLACE, *map(Column, ("sources", "judge", "verdict", "reason")))
    return Table("sentences", "Records", "Sentences", columns, rows)


def _judges(sentences: Iterable[JudgedSentence]) -> list[str]:
    return list(dict.fromkeys(judge for one in sentences for judge in one.verdicts))


def _answers(judge: str, found: Sequence[Groundedness]) -> Table:
    rows = [[one.name, one.texts, *_shares(one)] for one in found if one.texts]
    note = f"Each cited statement was judged against the text that it cites, by {_by(judge)}."
    title = f"Groundedness of the answers: {_by(judge)}"
    return Table(f"groundedness {judge}", PART, title, ANSWERS, rows, note)


def _reports(judge: str, found: Sequence[Groundedness], findings: Sequence[AnswerRecord]) -> Table:
    of_level: dict[str, set[str]] = {}
    for one in findings:
        of_level.setdefault(one.condition, set()).add(one.question)
    rows = [
        [one.name, len(of_level[one.name]), one.texts, *_shares(one)] for one in found if one.texts
    ]
    note = (
        "Each cited statement of a finding was judged against the entities, relationships, claims, "
        f"passages and reports that it cites, by {_by(judge)}. Reports that only list the "
        "descriptions of their members are left out."
    )
    title = f"Groundedness of the reports: {_by(judge)}"
    return Table(f"groundedness of reports {judge}", PART, title, REPORTS, rows, note)


def _shares(one: Groundedness) -> list[Cell]:
    judged = one.supported + one.partly + one.unsupported
    shares = [n / judged if judged else None for n in (one.partly, one.unsupported)]
    dead = None if one.placed_share is None else 1 - one.placed_share
    return [
        one.statements,
        one.cited_share,
        one.supported_share,
        *shares,
        one.missing,
        one.citations,
        dead,
    ]


def _by(judge: str) -> str:
    return "words and vectors" if judge == "words" else judge


def _agreement(compared: Sequence[JudgesCompared]) -> Table:
    rows: list[list[Cell]] = [
        [
            _by(one.one),
            _by(one.other),
            one.texts,
            one.agreement.items,
            one.agreement.share,
            one.agreement.alpha,
            one.stricter,
            one.milder,
        ]
        for one in compared
    ]
    note = (
        "Both judges gave a verdict on the same sentences and the same passages. Words and vectors "
        "do not see a “not”, and they miss a summary in other words; a model may believe what it "
        "knows from elsewhere."
    )
    title = "Do the judges of sentences agree?"
    return Table("agreement on sentences", PART, title, AGREEMENT, rows, note, ONE_JUDGE)


def _differing(compared: Sequence[JudgesCompared], questions: Mapping[str, str]) -> Table:
    """Returns the sentences on which two judges differ, each pair of judges after the other."""
    rows: list[list[Cell]] = [
        [
            *_place(one, questions),
            *(_said(judge, one) for judge in (pair.one, pair.other)),
        ]
        for pair in compared
        for one in pair.differing
    ]
    title = "Sentences on which the judges differ"
    columns = (*PLACE, Column("one judge"), Column("another judge"))
    return Table("differing sentences", PART, title, columns, rows, most=MOST)


def _said(judge: str, sentence: JudgedSentence) -> str:
    given = sentence.verdicts[judge]
    return f"{_by(judge)}: {given.support}. {given.reason}"


def _unsupported(sentences: Sequence[JudgedSentence], questions: Mapping[str, str]) -> Table:
    rows: list[list[Cell]] = [
        [*_place(one, questions), _by(judge), given.reason]
        for one in sentences
        for judge, given in one.verdicts.items()
        if given.support == "not"
    ]
    title = "Statements of reports that their records do not support"
    columns = (*PLACE, Column("judge"), Column("reason"))
    return Table("unsupported in reports", PART, title, columns, rows, most=MOST)


def _listed(table: Table) -> list[Table]:
    """Returns the table, or nothing if it has no rows."""
    return [table] if table.rows else []


def _place(one: JudgedSentence, questions: Mapping[str, str]) -> list[Cell]:
    of = questions.get(one.text.question) or report_title(one.text)
    return [one.text.condition, of, one.sentence]
