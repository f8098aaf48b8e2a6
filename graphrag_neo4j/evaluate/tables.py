"""The tables of an evaluation: on the page, in Markdown and CSV, and in the terminal.

The columns of Tables 2, 3, 4 and 6 of the paper are among them. It needs the extra `eval`, apart
from `cost_table`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from importlib.metadata import version
from typing import Final, Literal

from graphrag_neo4j.evaluate.answer_claims import (
    ClaimCounts,
    FoundClaims,
    agreement_of_claims,
    mean_counts,
)
from graphrag_neo4j.evaluate.costs import condition_costs
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.groundedness import (
    TITLE,
    Groundedness,
    JudgedSentence,
    JudgesCompared,
    compare_judges,
    groundedness_of,
    judged_sentences,
    signatures_of,
)
from graphrag_neo4j.evaluate.judging import Judged
from graphrag_neo4j.evaluate.records import METRICS, AnswerRecord, VerdictRecord, failure_of
from graphrag_neo4j.evaluate.scores import (
    agreement_of_judges,
    agreement_of_repeats,
    bias_of,
    pair_results,
    win_rates,
)
from graphrag_neo4j.settings import Settings

__all__ = [
    "Cell",
    "Column",
    "Table",
    "agreement_table",
    "claim_tables",
    "cost_table",
    "explained_once",
    "formatted",
    "groundedness_tables",
    "missing_table",
    "record_tables",
    "repeat_tables",
    "shares_table",
    "verdict_tables",
]

Cell = str | float | int | None
Form = Literal["text", "count", "one decimal", "two decimals", "share", "percent", "money", "p"]
Rows = list[list[Cell]]
MOST: Final = 200  # rows of a list of sentences on the page
SIGNIFICANT: Final = 0.05
BETTER: Final = "Which answers are better"
TRUST: Final = "How far the verdicts can be trusted"
CLAIMS: Final = "What the answers state"
GROUNDED: Final = "Do the answers and reports rest on what they cite"
REPEAT: Final = "How to repeat it"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, how its values are shown, and what it means (empty if it is plain)."""

    name: str
    form: Form = "text"
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an evaluation.

    `name` names its CSV file, and `part` the part of the report. `rows` hold plain values; a share
    is between 0 and 1. `note` explains the table. `empty` is the sentence that stands in its place
    if it has no rows. With `heat`, the values from 0 to 100 are shown on coloured ground. The page
    and Markdown show the first `most` rows, or all if it is 0; the CSV file always has all.
    """

    name: str
    part: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    empty: str = ""
    heat: bool = False
    most: int = 0

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows of the page and of Markdown."""
        return self.rows[: self.most] if self.most else self.rows

    @property
    def told(self) -> str:
        """The note, and a sentence that says how many rows are not shown."""
        n, of = len(self.shown), len(self.rows)
        first = f"These are the first {n:,} of {of:,} rows. `--format csv` writes all of them."
        return " ".join(filter(None, (self.note, first if n < of else "")))


def formatted(value: Cell, form: Form) -> str:
    """Returns a value as people read it.

    >>> formatted(0.2511, "share"), formatted(None, "p"), formatted(0.0002, "p")
    ('25.1 %', '–', '<0.001')
    """
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if form == "p":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    if form == "money":
        return f"${value:,.2f}" if value >= 1 or not value else f"${value:.4f}"
    return {
        "one decimal": f"{value:,.1f}",
        "two decimals": f"{value:,.2f}",
        "share": f"{100 * value:.1f} %",
        "percent": f"{value:.1f} %",
    }.get(form, f"{value:,.0f}")


def explained_once(tables: Iterable[Table]) -> list[Table]:
    """Returns the tables without the notes and meanings that stand at an earlier table already."""
    told: set[object] = set()
    found = []
    for table in tables:
        columns = tuple(table.columns)
        known = columns in told
        plain = [replace(one, meaning="") for one in columns] if known else columns
        note = "" if table.note in told else table.note
        found.append(replace(table, columns=plain, note=note))
        if table.rows:
            told |= {columns, table.note}
    return found


COSTS: Final = (
    Column("condition"),
    Column("answers", "count"),
    Column("failed", "count"),
    Column("units", "one decimal", "reports, passages and other records of the context"),
    Column("context tokens", "count"),
    Column("% of most", "percent", "of the tokens of the condition that has the most"),
    Column("calls", "one decimal"),
    Column("tokens in", "count"),
    Column("tokens out", "count"),
    Column("cost", "money"),
    Column("seconds", "one decimal"),
    Column("total cost", "money", "of all answers of the condition"),
)


def cost_table(answers: Iterable[AnswerRecord]) -> Table:
    """Returns what an answer of each condition takes: Table 2 of the paper, and the money."""
    rows: Rows = [list(astuple(one)) for one in condition_costs(answers)]
    note = (
        "Units, tokens and percent are the columns of Table 2 of the paper. From the units to the "
        "seconds, all numbers are means for one answer. Costs are US dollars by the price list."
    )
    empty = (
        "There are no answers yet. `kg-build eval answers FOLDER` makes them, and `kg-build eval "
        "import FOLDER FILE --condition NAME` takes those of another system."
    )
    title = "Size of the contexts, and costs"
    return Table("costs", "What the answers cost", title, COSTS, rows, note, empty)


TESTS: Final = (
    Column("metric"),
    Column("condition"),
    Column("against"),
    Column("win rate", "two decimals"),
    Column("Z", "two decimals", "the test statistic; the farther from 0, the clearer"),
    Column("p", "p", "the probability of such a difference, or a larger one, by chance alone"),
    Column("p after Holm", "p", "p, adjusted because many pairs are tested"),
    Column("differ", "text", "yes if p after Holm is less than 0.05"),
    Column("p from", "text", "the exact distribution, or its normal approximation"),
    Column("questions", "count"),
    Column("equal", "count", "questions on which the two have the same score"),
    Column("normal p", "p", "of the Shapiro-Wilk test; below 0.05 the scores are not normal"),
    Column("smallest difference", "one decimal", "from 50, that so many questions find"),
)
BIAS: Final = (
    Column("metric"),
    Column("verdicts", "count"),
    Column("missing", "count", "the judge gave no usable verdict; they count nowhere"),
    Column("left out", "count", "the other order has no verdict, so they count nowhere, too"),
    Column("ties", "count"),
    Column("first place won", "share", "of the verdicts that are no ties; 50 % is fair"),
    Column("longer answer won", "share", "of the verdicts that are no ties"),
    Column("judged in both orders", "count", "comparisons with a verdict in both orders"),
    Column("turned", "share", "of these without ties: the winner changed; a coin turns 50 %"),
    Column("repeats equal", "share", "of the pairs of repeated verdicts"),
    Column("alpha", "two decimals", "Krippendorff's alpha of the repeats: 1 is full agreement"),
)


def verdict_tables(judged: Mapping[str, Sequence[Judged]], order: Sequence[str]) -> list[Table]:
    """Returns the win rates and their tests by each judge, and how far it can be trusted.

    `order` is the order of the conditions.
    """
    tests = [_tests(judge, verdicts, order) for judge, verdicts in judged.items()]
    heats = [_heats(judge, verdicts, order) for judge, verdicts in judged.items()]
    empty = "There are no verdicts yet. `kg-build eval judge FOLDER` makes them."
    return [
        *(table for both in zip(heats, tests, strict=True) for table in (*both[0], both[1])),
        *([] if tests else [Table("tests", BETTER, "Win rates", TESTS, [], "", empty)]),
        *(_bias(judge, verdicts) for judge, verdicts in judged.items()),
    ]


def _heats(judge: str, verdicts: Sequence[Judged], order: Sequence[str]) -> list[Table]:
    note = (
        "The win rate of the condition of each row against the condition of each column: 100 if it "
        "won every comparison, 50 if the two are equal. A tie counts as half a win. Blue: the row "
        "won more often; orange: the column did."
    )
    results, tables = pair_results(verdicts), []
    for metric in dict.fromkeys(one.metric for one in results):
        seen = {name for one in results if one.metric == metric for name in (one.one, one.other)}
        names = [name for name in order if name in seen]
        columns = [Column(""), *(Column(name, "one decimal") for name in names)]
        rates = win_rates(results, names, metric)
        rows: Rows = [[name, *row] for name, row in zip(names, rates, strict=True)]
        of = (f"win rates {judge} {metric}", BETTER, f"{metric.capitalize()}: {judge}")
        tables.append(Table(*of, columns, rows, note, heat=True))
    return tables


def _tests(judge: str, verdicts: Sequence[Judged], order: Sequence[str]) -> Table:
    from graphrag_neo4j.evaluate.statistics import pair_tests  # noqa: PLC0415

    place = {name: n for n, name in enumerate(order)}
    rows: Rows = []
    for one in pair_tests(pair_results(verdicts)):
        given, found = one.result, one.test
        result = given if place[given.one] < place[given.other] else given.turned()
        differ = "yes" if one.adjusted < SIGNIFICANT else "no"
        method = found.method.removesuffix(" approximation")
        rows.append(
            [
                *(result.metric, result.one, result.other, result.win_rate),
                *(found.z, found.p, one.adjusted, differ, method),
                *(len(result.scores), found.zeros, one.normal, one.smallest),
            ]
        )
    metrics: Sequence[str] = METRICS
    rows.sort(key=lambda row: (metrics.index(str(row[0])), place[str(row[1])], place[str(row[2])]))
    note = (
        "These are the columns of Table 6 of the paper. The win rate is the mean score of the "
        "first condition; that of the second one is 100 minus it. Wilcoxon's test compares "
        "the scores of each question, and Holm's method adjusts the p-values over all pairs of a "
        "metric. Two conditions differ if the adjusted p-value is less than 0.05. Directness is "
        "the control: an answer that covers more is mostly less direct."
    )
    return Table(f"tests {judge}", BETTER, f"Win rates and their tests: {judge}", TESTS, rows, note)


def _bias(judge: str, verdicts: Sequence[Judged]) -> Table:
    rows: Rows = []
    for metric in METRICS:
        given = [one for one in verdicts if one.comparison.metric == metric]
        bias, repeats = bias_of(given), agreement_of_repeats(given)
        if given:
            rows.append(
                [
                    *(metric, bias.first + bias.second + bias.ties, bias.missing, bias.left_out),
                    *(bias.ties, bias.first_share, bias.longer_share, bias.pairs),
                    *(bias.turned_share, repeats.share, repeats.alpha),
                ]
            )
    title = f"Order of the answers, and repeats: {judge}"
    note = "A judge that prefers a place, and not an answer, is found out if the answers change it."
    return Table(f"trust {judge}", TRUST, title, BIAS, rows, note)


def agreement_table(
    judged: Mapping[str, Sequence[Judged]], compared: Iterable[JudgesCompared]
) -> Table:
    """Returns how far each two judges agree, persons among them: on answers, and on sentences."""
    columns = (
        Column("judge"),
        Column("other judge"),
        Column("on"),
        Column("compared", "count", "comparisons or cited sentences that both have judged"),
        Column("equal", "share", "of these; of repeats, the majority counts"),
        Column("alpha", "two decimals", "Krippendorff's alpha: 1 is full agreement, 0 is chance"),
    )
    agreed = agreement_of_judges(judged)
    rows: Rows = [[*both, "answers", *astuple(one)] for both, one in agreed.items() if one.items]
    for one in compared:
        shown = (_by(one.one), _by(one.other), f"sentences of {one.texts}")
        rows.append([*shown, *astuple(one.agreement)])
    note = (
        "Words and vectors do not see a “not”, and they miss a summary in other words; a model may "
        "believe what it knows from elsewhere."
    )
    empty = (
        "No two judges have judged the same yet. `kg-build eval verdict FOLDER` adds the verdicts "
        "of a person, `kg-build eval judge FOLDER --model NAME` those of another model, and "
        "`kg-build eval ground FOLDER --words` what words and vectors say of sentences."
    )
    title = "Agreement between judges, and with people"
    return Table("agreement", TRUST, title, columns, rows, note, empty)


COUNT_TESTS: Final = Table(
    "tests of claims",
    CLAIMS,
    "Do the numbers of claims differ?",
    (
        *(Column("counts"), Column("condition"), Column("against")),
        *(Column("mean", "two decimals"), Column("other mean", "two decimals")),
        *(Column("Z", "two decimals"), Column("p", "p"), Column("p after Holm", "p")),
        Column("differ"),
    ),
    [],
    "The counts of two conditions are compared by question with Wilcoxon's test, and the p-values "
    "are adjusted over all pairs, as those of the win rates are.",
    "This table needs claims of two conditions: `kg-build eval claims FOLDER`.",
)
CLAIMS_AND_JUDGES: Final = Table(
    "claims and judges",
    CLAIMS,
    "Do the counts name the same winner as the judge?",
    (
        Column("judge"),
        Column("counts, and the metric of the judge"),
        Column("compared", "count"),
        Column("no tie", "count", "a tie neither by the counts nor by the judge"),
        Column("same winner", "share", "of these"),
    ),
    [],
    empty="It needs claims and verdicts on the same answers: `eval claims`, `eval judge`.",
)


def claim_tables(
    found: FoundClaims, judged: Mapping[str, Sequence[Judged]], order: Sequence[str]
) -> list[Table]:
    """Returns the numbers of claims and of clusters (Tables 3 and 4), their tests, who agrees."""
    from graphrag_neo4j.evaluate.clusters import THRESHOLDS, count_claims  # noqa: PLC0415
    from graphrag_neo4j.evaluate.statistics import count_tests  # noqa: PLC0415

    counts = {at: count_claims(claims) for at, claims in found.claims.items()}
    by_condition: defaultdict[str, list[ClaimCounts]] = defaultdict(list)
    for (_, condition), one in counts.items():
        by_condition[condition].append(one)
    rows: Rows = []
    for name in (one for one in order if one in by_condition):
        mean = mean_counts(by_condition[name])
        rows.append([name, len(by_condition[name]), mean.claims, *mean.clusters.values()])
    tests: Rows = [
        [
            *(one.measure, one.one, one.other, one.mean, one.other_mean, one.test.z, one.test.p),
            *(one.adjusted, "yes" if one.adjusted < SIGNIFICANT else "no"),
        ]
        for one in count_tests(counts, order)
    ]
    agreed: Rows = [
        [judge, name, one.compared, one.decided, one.share]
        for judge, verdicts in judged.items()
        for name, one in agreement_of_claims(counts, verdicts).items()
    ]
    columns = (
        *(Column("condition"), Column("answers", "count"), Column("claims", "two decimals")),
        *(Column(f"clusters at {one}", "two decimals") for one in THRESHOLDS),
    )
    note = (
        "A claim is one thing that an answer states. The mean number of different claims of an "
        "answer measures how comprehensive it is (Table 3 of the paper); that of their clusters "
        "measures how diverse it is (Table 4). Claims that share many words in the same order form "
        f"a cluster, up to a distance (1 − ROUGE-L) within it. Found by {found.model}."
    )
    empty = "There are no claims yet. `kg-build eval claims FOLDER` finds them."
    title = "Claims of an answer, and their clusters"
    return [
        Table("claims", CLAIMS, title, columns, rows, note, empty),
        replace(COUNT_TESTS, rows=tests),
        replace(CLAIMS_AND_JUDGES, rows=agreed),
    ]


SHARES: Final = (
    Column("texts", "count", "answers or findings that make a statement"),
    Column("statements", "count", "sentences that claim something"),
    Column("cited", "share", "of the statements: they carry a citation"),
    Column("supported", "share", "of the cited statements: the cited text supports them"),
    Column("partly", "share"),
    Column("not", "share"),
    Column("no verdict", "count", "cited statements that are not judged"),
    Column("citations", "count"),
    Column("dead", "share", "of the citations: they lead to no text"),
)
PLACE: Final = (Column("text"), Column("question or report"), Column("sentence"))


def groundedness_tables(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord], settings: Settings
) -> list[Table]:
    """Returns how far answers and reports rest on what they cite, by each judge.

    After that come the sentences on which two judges differ. `settings` say where your own prompt
    files are: what a model gave with another prompt does not count.
    """
    supports, texts = folder.supports, {"answers": answers, "reports": list(folder.findings)}
    signatures = signatures_of((one.judge for one in supports), settings)
    sentences = {name: judged_sentences(of, supports, signatures) for name, of in texts.items()}
    tables = []
    for name, option in (("answers", ""), ("reports", " --reports")):
        judges = dict.fromkeys(judge for one in sentences[name] for judge in one.said)
        for judge in judges:
            shares = groundedness_of(texts[name], supports, judge, signatures[judge])
            tables.append(shares_table(f"{name} {judge}", name, shares))
        if not judges:
            empty = (
                f"The {name} were not judged yet. `kg-build eval ground FOLDER{option}` does it; "
                "without a model, it judges by words and vectors."
            )
            tables.append(replace(shares_table(name, name, []), empty=empty))
    compared = [one for name, of in sentences.items() for one in compare_judges(name, of)]
    questions = folder.question_texts()
    differing: Rows = [
        [
            *_place(one, questions),
            *(
                f"{_by(judge)}: {one.said[judge].support}. {one.said[judge].reason}"
                for judge in both
            ),
        ]
        for pair in compared
        for both in [(pair.one, pair.other)]
        for one in pair.differing
    ]
    columns = (*PLACE, Column("one judge"), Column("another judge"))
    of = ("differing sentences", GROUNDED, "Sentences on which the judges differ")
    lists = [Table(*of, columns, differing, most=MOST)] if differing else []
    return [*tables, *lists]


def shares_table(name: str, texts: str, found: Sequence[Groundedness]) -> Table:
    """Returns the groundedness of `texts` ("answers" or "reports") by one judge."""
    judge = _by(found[0].judge) if found else ""
    rows: Rows = [
        [
            *(one.name, one.texts, one.statements, one.cited_share, one.supported_share),
            *(n / one.judged if one.judged else None for n in (one.partly, one.unsupported)),
            *(one.missing, one.citations),
            None if one.placed_share is None else 1 - one.placed_share,
        ]
        for one in found
        if one.texts
    ]
    title = f"Groundedness of the {texts}" + (f": {judge}" if judge else "")
    note = f"Each cited statement was judged against the text that it cites, by {judge}."
    if texts == "reports":
        note += " Reports that only list the descriptions of their members are left out."
    columns = (Column("condition"), *SHARES)
    return Table(f"groundedness of {name}", GROUNDED, title, columns, rows, note)


def _by(judge: str) -> str:
    return "words and vectors" if judge == "words" else judge


def _place(one: JudgedSentence, questions: Mapping[str, str]) -> list[Cell]:
    of = questions.get(one.text.question) or one.text.made_with.get(TITLE, "")
    return [one.text.condition, of, one.sentence]


def missing_table(folder: EvaluationFolder, answers: Sequence[AnswerRecord]) -> Table:
    """Returns what is missing, with the reason, and the citations that lead nowhere."""
    current, dead = {one.key for one in answers}, Counter[str]()
    for one in answers:
        dead[one.condition] += len(one.dead)
    failed = [
        *((f"answer of {one.condition}", one.failure) for one in answers),
        *(
            (f"verdict by {one.judge} on {one.metric}", one.failure)
            for one in folder.verdicts
            if {one.first, one.second} <= current
        ),
        *(("claims of a part of an answer", failure_of(one)) for one in folder.claims),
        *(("support of a cited sentence", failure_of(one)) for one in folder.supports),
    ]
    reasons = Counter((what, why) for what, why in failed if why)
    given = Counter(one.condition for one in answers if one.failure)
    left = {name: n - given[name] for name, n in folder.unanswered().items()}
    never = "not asked yet, or the graph does not have this level"
    rows: Rows = [[f"answer of {name}", n, never] for name, n in left.items() if n]
    rows += [[what, n, why] for (what, why), n in reasons.most_common()]
    rows += [[f"citation of {name}", n, "it leads to no text"] for name, n in dead.items() if n]
    columns = (Column("what"), Column("how many", "count"), Column("reason"))
    note = (
        "What is missing counts in no table. Run the command that makes it again: it tries again "
        "what failed, and pays for nothing twice."
    )
    part = "What is missing or malformed"
    return Table("missing", part, "Missing", columns, rows, note, "Nothing is missing.")


def repeat_tables(folder: EvaluationFolder, answers: Sequence[AnswerRecord]) -> list[Table]:
    """Returns the plan, and what the answers of each condition were made with."""
    plan: Rows = [["version of graphrag-neo4j", version("graphrag-neo4j")]]
    for name, value in asdict(folder.plan).items():
        plan.append([name, ", ".join(value) if isinstance(value, tuple) else str(value)])
    made = Counter(
        (one.condition, name, value)
        for one in answers
        if one.failure is None
        for name, value in one.made_with.items()
    )
    columns = (Column("condition"), Column("what"), Column("value"), Column("answers", "count"))
    return [
        Table(
            "plan",
            REPEAT,
            "The plan",
            (Column("what"), Column("value")),
            plan,
            "The file evaluation.json. Copy it and questions.jsonl to ask for the same again.",
        ),
        Table(
            "made with",
            REPEAT,
            "What the answers were made with",
            columns,
            [[*one, n] for one, n in made.items()],
            "The settings, models and hashes that each answer depends on. If a name has two "
            "values, something was changed between the answers. Imported answers say nothing.",
            "There are no answers that say what they were made with.",
        ),
    ]


def record_tables(
    folder: EvaluationFolder,
    answers: Sequence[AnswerRecord],
    verdicts: Sequence[VerdictRecord],
    settings: Settings,
) -> list[Table]:
    """Returns tables of all answers, verdicts and judged sentences, for a spreadsheet."""
    asked = {one.key: (one.text, one.persona, one.task) for one in folder.questions}
    condition = {one.key: one.condition for one in answers}
    given: Rows = []
    for one in answers:
        sources = "\n".join(f"{source.citation} {source.source}" for source in one.sources)
        said = (one.condition, one.text, sources, "\n".join(one.dead), one.failure)
        given.append([*asked[one.question], *said])
    compared: Rows = []
    for each in verdicts:
        first, second = condition[each.first], condition[each.second]
        winner = {"first": first, "second": second, "tie": "tie", None: None}[each.winner]
        shown = (each.metric, first, second, each.judge, each.repeat, winner)
        compared.append([*asked[each.question], *shown, each.reason, each.failure])
    signatures = signatures_of((one.judge for one in folder.supports), settings)
    texts = folder.question_texts()
    sentences: Rows = [
        [*_place(it, texts), "\n".join(it.sources), judge, said.support, said.reason]
        for of in (answers, folder.findings)
        for it in judged_sentences(of, folder.supports, signatures)
        for judge, said in it.said.items()
    ]
    names = {
        "answers": "question,persona,task,condition,answer,sources,dead citations,failure",
        "verdicts": "question,persona,task,metric,first,second,judge,repeat,winner,reason,failure",
        "sentences": "text,question or report,sentence,sources,judge,verdict,reason",
    }
    rows = (given, compared, sentences)
    return [
        Table(name, "Records", name, [Column(one) for one in heads.split(",")], of)
        for (name, heads), of in zip(names.items(), rows, strict=True)
    ]
