"""The tables of an evaluation: on the page, in Markdown and CSV, and in the terminal.

The columns of Tables 2, 3, 4 and 6 of the paper are among them. Their words stand in the file
data/evaluation/tables.toml: titles, notes, and how each column is shown.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import cache
from importlib.metadata import version
from statistics import fmean
from typing import Any, Final

from graphrag_neo4j.extras.evaluate import claims, groundedness, statistics
from graphrag_neo4j.extras.evaluate.answers import condition_costs
from graphrag_neo4j.extras.evaluate.folder import METRICS, AnswerRecord, EvaluationFolder
from graphrag_neo4j.extras.evaluate.judging import Judged
from graphrag_neo4j.files import read_data
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import money

Cell = str | float | int | None
Rows = Sequence[Sequence[Cell]]
Sentences = Sequence[groundedness.JudgedSentence]
MOST: Final = 500  # rows of a table that are shown
SIGNIFICANT: Final = 0.05
# How people read a value, by the form that tables.toml gives its column.
FORMS: Final[Mapping[str, Callable[[float], str]]] = {
    "text": str,
    "count": "{:,.0f}".format,
    "one decimal": "{:,.1f}".format,
    "two decimals": "{:,.2f}".format,
    "percent": "{:.1f} %".format,
    "share": lambda value: f"{100 * value:.1f} %",
    "p": lambda value: "<0.001" if value < 0.001 else f"{value:.3f}",
    "money": money,
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, how its values are shown, and what it means (empty if it is plain)."""

    name: str
    form: str = "text"
    meaning: str = ""

    @property
    def is_text(self) -> bool:
        """Whether it stands on the left; numbers stand on the right."""
        return self.form == "text"

    def shown(self, value: Cell) -> str:
        """Returns a value as people read it.

        >>> Column("cited", "share").shown(0.2511), Column("p", "p").shown(0.0002)
        ('25.1 %', '<0.001')
        """
        if value is None or isinstance(value, str):
            return "–" if value is None else value
        return FORMS[self.form](value)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of an evaluation.

    `kind` is its name in tables.toml, `name` that of its CSV file, and `part` the part of the
    report. `rows` hold plain values; a share is between 0 and 1. `note` explains the table. `empty`
    is the sentence that stands in its place if it has no rows. With `heat`, the values from 0 to
    100 are shown on coloured ground. The page, Markdown and the terminal show the first rows; the
    CSV file always has all.
    """

    kind: str
    name: str
    columns: Sequence[Column]
    rows: Rows
    part: str
    title: str
    note: str = ""
    empty: str = ""
    heat: bool = False

    @property
    def shown(self) -> list[list[str]]:
        """The rows as people read them."""
        return [
            [column.shown(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows[:MOST]
        ]

    @property
    def told(self) -> str:
        """The note, and a sentence that says how many rows are not shown."""
        if (n := len(self.rows)) <= MOST:
            return self.note
        first = f"These are the first {MOST:,} of {n:,} rows. `--format csv` writes all of them."
        return f"{self.note} {first}".strip()

    @property
    def meanings(self) -> list[Column]:
        """The columns whose meaning is told."""
        return [one for one in self.columns if one.meaning]


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads(read_data("evaluation/tables.toml").decode())


def _table(kind: str, rows: Iterable[Sequence[Cell]], name: str = "", **filled: str) -> ResultTable:
    """Returns a table with the words of its kind, in which some are filled in."""
    words, known = _words()["tables"][kind], _words()["columns"]
    columns = [Column(one, *known.get(one, ())) for one in words["columns"].split(", ")]
    texts = (words.get(of, "").format_map(filled) for of in ("part", "title", "note", "empty"))
    return ResultTable(kind, name or kind, columns, list(map(list, rows)), *texts)


def explained_once(tables: Iterable[ResultTable]) -> list[ResultTable]:
    """Returns the tables without the notes and meanings that stand at an earlier table already."""
    told, found = set[object](), []
    for table in tables:
        columns = [one if one not in told else replace(one, meaning="") for one in table.columns]
        note = "" if table.note in told else table.note
        found.append(replace(table, columns=columns, note=note))
        if table.rows:
            told |= {*table.columns, table.note}
    return found


def cost_table(answers: Iterable[AnswerRecord]) -> ResultTable:
    """Returns what an answer of each condition takes: Table 2 of the paper, and the money."""
    return _table("costs", map(astuple, condition_costs(answers)))


@dataclass(frozen=True, slots=True)
class Results:
    """What the tables are made of: all that an evaluation holds, read once.

    `answers` are those that count, the missing ones among them, and `judged` holds the verdicts on
    them by judge. `order` is the order of the conditions. `settings` say where your own prompt
    files are: what a model gave with another prompt does not count.
    """

    folder: EvaluationFolder
    settings: Settings
    answers: Sequence[AnswerRecord]
    judged: Mapping[str, Sequence[Judged]]
    order: Sequence[str]

    @property
    def given(self) -> list[AnswerRecord]:
        """The answers that are not missing."""
        return [one for one in self.answers if one.failure is None]

    def texts(self) -> list[tuple[str, Sequence[AnswerRecord], Sentences]]:
        """Returns the answers and the findings of reports by name, with their judged sentences."""
        named = (("answers", self.answers), ("reports", list(self.folder.findings)))
        of_folder = (self.folder.supports, self.settings)
        return [
            (name, texts, groundedness.judged_sentences(texts, *of_folder)) for name, texts in named
        ]


def result_tables(found: Results) -> list[ResultTable]:
    """Returns what the verdicts, the claims and the judged sentences say, and what it took."""
    judges = found.judged.items()
    tests = [table for judge, verdicts in judges for table in _win_rates(judge, verdicts, found)]
    agreed: list[Sequence[Cell]] = [
        [*both, "answers", *astuple(one)]
        for both, one in statistics.agreement_of_judges(found.judged).items()
        if one.items
    ]
    differing: list[Sequence[Cell]] = []
    shares: list[ResultTable] = []
    of_folder = (found.folder, found.settings)
    for name, texts, sentences in found.texts():
        shares += [
            shares_table(name, groundedness.groundedness_of(texts, *of_folder, judge))
            for judge in sorted({judge for one in sentences for judge in one.said})
        ] or [shares_table(name, [])]
        for a, b, agreement, differ in groundedness.compare_judges(sentences):
            agreed.append([_by(a), _by(b), f"sentences of {name}", *astuple(agreement)])
            for one in differ:
                said = (one.said[judge] for judge in (a, b))
                told = (f"{_by(each.judge)}: {each.support}. {each.reason}" for each in said)
                differing.append([*_place(one, found.folder), *told])
    return [
        *(tests or [_table("tests", [], judge="")]),
        *(_trust(judge, verdicts) for judge, verdicts in judges),
        _table("agreement", agreed),
        *_claim_tables(found),
        *shares,
        _table("differing sentences", differing),
        cost_table(found.answers),
        _table("missing", _missing(found)),
        _table("made with", _made_with(found)),
    ]


def _win_rates(judge: str, verdicts: Sequence[Judged], found: Results) -> Iterator[ResultTable]:
    """Yields a matrix of the win rates for each metric, and then all tests (Table 6)."""
    results, place = statistics.pair_results(verdicts), found.order.index
    for metric in dict.fromkeys(one.metric for one in results):
        seen = {name for one in results if one.metric == metric for name in (one.one, one.other)}
        names = [name for name in found.order if name in seen]
        rates = statistics.win_rates(results, names, metric)
        rows = [[name, *row] for name, row in zip(names, rates, strict=True)]
        name, shown = f"win rates {judge} {metric}", metric.capitalize()
        columns = [Column("condition"), *(Column(one, "one decimal") for one in names)]
        table = _table("win rates", rows, name, metric=shown, judge=judge)
        yield replace(table, columns=columns, heat=True)
    tests: dict[tuple[int, ...], Sequence[Cell]] = {}
    for one in statistics.pair_tests(results):
        given, test = one.result, one.test
        result = given if place(given.one) < place(given.other) else given.reversed()
        at = METRICS.index(result.metric), place(result.one), place(result.other)
        tests[at] = [
            *(result.metric, result.one, result.other, result.win_rate),
            *(test.z, test.p, one.adjusted, _differ(one.adjusted)),
            *(test.method.removesuffix(" approximation"), len(result.scores), test.zeros),
            *(one.normal, one.smallest),
        ]
    yield _table("tests", [tests[at] for at in sorted(tests)], f"tests {judge}", judge=judge)


def _trust(judge: str, verdicts: Sequence[Judged]) -> ResultTable:
    rows = []
    for metric in METRICS:
        given = [one for one in verdicts if one.comparison.metric == metric]
        bias, repeats = statistics.bias_of(given), statistics.agreement_of_repeats(given)
        counts = (bias.verdicts, bias.missing, bias.left_out, bias.ties)
        shares = (bias.first_share, bias.longer_share, bias.pairs, bias.turned_share)
        if given:
            rows.append([metric, *counts, *shares, repeats.share, repeats.alpha])
    return _table("trust", rows, f"trust {judge}", judge=judge)


def _claim_tables(found: Results) -> Iterator[ResultTable]:
    """Yields the numbers of claims and of clusters (Tables 3 and 4), their tests, who agrees."""
    model, by_answer = claims.claims_in(found.folder)
    counts = {at: claims.count_claims(made) for at, made in by_answer.items()}
    means: list[Sequence[Cell]] = []
    for name in found.order:
        of = [
            each.measures.values() for (_, condition), each in counts.items() if condition == name
        ]
        if of:
            means.append([name, len(of), *map(fmean, zip(*of, strict=True))])
    yield _table("claims", means, model=model)
    tests = (
        (*of[:5], of[5].z, of[5].p, of[6], _differ(of[6]))
        for of in claims.count_tests(counts, found.order)
    )
    yield _table("tests of claims", tests)
    agreed = (
        [judge, *row]
        for judge, verdicts in found.judged.items()
        for row in claims.agreement_of_claims(counts, verdicts)
    )
    yield _table("claims and judges", agreed)


def _differ(p: float) -> str:
    return "yes" if p < SIGNIFICANT else "no"


def shares_table(texts: str, found: Sequence[groundedness.Groundedness]) -> ResultTable:
    """Returns the groundedness of `texts` ("answers" or "reports") by one judge."""
    judge = found[0].judge if found else ""
    rows: list[Sequence[Cell]] = []
    for one in found:
        if one.texts:
            counts = (one.name, one.texts, one.statements, one.cited_share, one.supported_share)
            others = (n / one.judged if one.judged else None for n in (one.partly, one.unsupported))
            dead = None if one.placed_share is None else 1 - one.placed_share
            rows.append([*counts, *others, one.missing, one.citations, dead])
    name = f"groundedness of {texts} {judge}".strip()
    option = " --reports" if texts == "reports" else ""
    return _table("groundedness", rows, name, texts=texts, judge=_by(judge), option=option)


def _by(judge: str) -> str:
    return "words and vectors" if judge == "words" else judge


def _place(one: groundedness.JudgedSentence, folder: EvaluationFolder) -> list[Cell]:
    """Returns the condition, the question or the title of the report, and the sentence."""
    asked, key = folder.questions, one.text.question
    title = one.text.made_with.get(groundedness.TITLE, "")
    return [one.text.condition, asked[key].text if key in asked else title, one.sentence]


def _missing(found: Results) -> list[Sequence[Cell]]:
    """Returns what is missing, how much of it, and why."""
    folder, answers = found.folder, found.answers
    current = {one.key for one in answers}
    failures = [
        *((f"answer of {one.condition}", one.failure) for one in answers),
        *(
            (f"verdict by {one.judge} on {one.metric}", one.failure)
            for one in folder.verdicts
            if {one.first, one.second} <= current
        ),
        *(("claims of a part of an answer", one.failure) for one in folder.claims),
        *(("support of a cited sentence", one.failure) for one in folder.supports),
    ]
    reasons = Counter((what, why) for what, why in failures if why)
    failed = Counter(one.condition for one in answers if one.failure)
    dead = Counter(one.condition for one in answers for _ in one.dead)
    false = Counter(one.condition for one in answers for _ in one.misquoted)
    left = {name: n - failed[name] for name, n in folder.unanswered().items()}
    never = "not asked yet, or the graph does not have this level"
    return [
        *((f"answer of {name}", n, never) for name, n in left.items() if n),
        *((what, n, why) for (what, why), n in reasons.most_common()),
        *((f"citation of {name}", n, "it leads to no text") for name, n in dead.items()),
        *((f"quotation of {name}", n, "it is not in what is cited") for name, n in false.items()),
    ]


def _made_with(found: Results) -> list[Sequence[Cell]]:
    """Returns the plan, and what the answers depend on: what repeats the evaluation."""
    made = Counter((one.condition, *it) for one in found.given for it in one.made_with.items())
    plan = {"version of graphrag-neo4j": version("graphrag-neo4j"), **asdict(found.folder.plan)}
    texts = {name: ", ".join(it) if isinstance(it, tuple) else str(it) for name, it in plan.items()}
    planned = (("plan", name, text, None) for name, text in texts.items())
    return [*planned, *((*one, n) for one, n in made.items())]


def record_tables(found: Results) -> list[ResultTable]:
    """Returns tables of all answers, verdicts and judged sentences, for a spreadsheet."""
    asked = {one.key: (one.text, one.persona, one.task) for one in found.folder.questions}
    given = (
        (
            *(*asked[one.question], one.condition, one.text),
            "\n".join(f"{source.citation} {source.source}" for source in one.sources),
            *("\n".join(one.dead), one.failure),
        )
        for one in found.answers
    )
    compared: list[Sequence[Cell]] = []
    for judge, verdicts in found.judged.items():
        for each in verdicts:
            of = each.comparison
            winners = {"first": of.shown[0], "second": of.shown[1], "tie": "tie", None: None}
            shown = (of.metric, *of.shown, judge, of.repeat, winners[each.winner], each.reason)
            compared.append([*asked[of.question], *shown])
    sentences = (
        (*_place(it, found.folder), "\n".join(it.sources), judge, support.support, support.reason)
        for _, _, judged in found.texts()
        for it in judged
        for judge, support in it.said.items()
    )
    return [_table("answers", given), _table("verdicts", compared), _table("sentences", sentences)]
