"""The tables of verdicts: win rates, their tests, and how far each judge can be trusted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from graphrag_neo4j.evaluation.judge.agreement import Agreement
from graphrag_neo4j.evaluation.judge.comparisons import Judged, win_rates
from graphrag_neo4j.evaluation.judge.judging import JudgeSummary, agreement_of_judges, summarised
from graphrag_neo4j.evaluation.judge.statistics import pair_tests, suspicions
from graphrag_neo4j.evaluation.judge.tested_pair import PairTest
from graphrag_neo4j.evaluation.model import METRICS, Metric
from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table
from graphrag_neo4j.llm.evaluation import DEFINITIONS

__all__ = ["verdict_tables"]

PART: Final = "Which answers are better"
TRUST: Final = "How far the verdicts can be trusted"
SIGNIFICANT: Final = 0.05
METRIC_NAMES: Final[Sequence[str]] = METRICS
NO_VERDICTS: Final = "There are no verdicts yet. `kg-build eval judge FOLDER` makes them."
HEAT_NOTE: Final = (
    "The win rate of the condition of each row against the condition of each column: 100 if it won "
    "every comparison, 50 if the two are equal. A tie counts as half a win. Blue: the row won more "
    "often; orange: the column did."
)
TEST_NOTE: Final = (
    "These are the columns of Table 6 of the paper. The win rate is the mean score of the first "
    "condition; that of the second one is 100 minus it. Wilcoxon's signed-rank test compares the "
    "scores of each question, and Holm's method adjusts the p-values over all pairs of a metric. "
    "Two conditions differ if the adjusted p-value is less than 0.05."
)
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
    Column(
        "normal p", "p", "of the Shapiro-Wilk test; below 0.05, the scores are not normally spread"
    ),
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
AGREEMENT: Final = (
    Column("judge"),
    Column("other judge"),
    Column("compared", "count", "comparisons that both have judged"),
    Column("equal", "share", "of these: the same winner, or a tie, by the majority"),
    Column("alpha", "two decimals", "Krippendorff's alpha: 1 is full agreement, 0 is chance"),
)


def verdict_tables(judged: Mapping[str, Sequence[Judged]], order: Sequence[str]) -> list[Table]:
    """Returns the tables of each judge, and of the agreement between judges.

    `order` is the order of the conditions.
    """
    summaries = [summarised(judge, verdicts) for judge, verdicts in judged.items()]
    found = [
        table for one in summaries for table in _of_judge(one, suspicions(judged[one.judge]), order)
    ]
    found = found or [_tests("tests", "Win rates", [], order)]
    return [*found, _metrics(), *map(_bias, summaries), _agreement(judged)]


def _metrics() -> Table:
    columns = (Column("metric"), Column("what the judge is told"))
    rows = [[metric, DEFINITIONS[metric]] for metric in METRICS]
    note = "Directness is the control: an answer that covers more is mostly less direct."
    return Table("metrics", PART, "The metrics", columns, rows, note)


def _of_judge(summary: JudgeSummary, suspected: Sequence[str], order: Sequence[str]) -> list[Table]:
    heat = [_heat(summary, metric, order) for metric in METRICS if metric in summary.bias]
    title = f"Win rates and their tests: {summary.judge}"
    tests = _tests(f"tests {summary.judge}", title, pair_tests(summary.results), order)
    return [*heat, replace(tests, note=" ".join([*suspected, TEST_NOTE]))]


def _heat(summary: JudgeSummary, metric: Metric, order: Sequence[str]) -> Table:
    of_metric = [one for one in summary.results if one.metric == metric]
    seen = {name for one in of_metric for name in (one.one, one.other)}
    names = [name for name in order if name in seen]
    rates = win_rates(of_metric, names, metric)
    return Table(
        f"win rates {summary.judge} {metric}",
        PART,
        f"{metric.capitalize()}: {summary.judge}",
        [Column(""), *(Column(name, "one decimal") for name in names)],
        [[name, *row] for name, row in zip(names, rates, strict=True)],
        HEAT_NOTE,
        heat=True,
    )


def _tests(name: str, title: str, tests: Sequence[PairTest], order: Sequence[str]) -> Table:
    place = {name: n for n, name in enumerate(order)}
    rows = sorted(
        (_test(one, place) for one in tests),
        key=lambda row: (METRIC_NAMES.index(str(row[0])), place[str(row[1])], place[str(row[2])]),
    )
    return Table(name, PART, title, TESTS, rows, TEST_NOTE, NO_VERDICTS)


def _test(one: PairTest, place: Mapping[str, int]) -> list[Cell]:
    given, found = one.result, one.test
    result = given if place[given.one] < place[given.other] else given.turned()
    return [
        result.metric,
        result.one,
        result.other,
        result.win_rate,
        found.z,
        found.p,
        one.adjusted,
        "yes" if one.adjusted < SIGNIFICANT else "no",
        found.method.removesuffix(" approximation"),
        len(result.scores),
        found.zeros,
        one.normal,
        one.smallest,
    ]


def _bias(summary: JudgeSummary) -> Table:
    rows: list[list[Cell]] = []
    for metric, bias in summary.bias.items():
        repeats = summary.repeats[metric]
        rows.append(
            [
                metric,
                bias.first + bias.second + bias.ties,
                bias.missing,
                bias.left_out,
                bias.ties,
                bias.first_share,
                bias.longer_share,
                bias.pairs,
                bias.turned_share,
                repeats.share,
                repeats.alpha,
            ]
        )
    title = f"Order of the answers, and repeats: {summary.judge}"
    note = "A judge that prefers a place, and not an answer, is found out if the answers change it."
    return Table(f"trust {summary.judge}", TRUST, title, BIAS, rows, note)


def _agreement(judged: Mapping[str, Sequence[Judged]]) -> Table:
    pairs: Mapping[tuple[str, str], Agreement] = agreement_of_judges(judged)
    rows = [
        [one, other, found.items, found.share, found.alpha]
        for (one, other), found in pairs.items()
        if found.items
    ]
    empty = (
        "No two judges have judged the same yet. `kg-build eval verdict FOLDER` adds the verdicts "
        "of a person, and `kg-build eval judge FOLDER --model NAME` those of another model."
    )
    title = "Agreement between judges, and with people"
    return Table("agreement", TRUST, title, AGREEMENT, rows, "", empty)
