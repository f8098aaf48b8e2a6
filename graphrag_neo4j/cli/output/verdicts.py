"""Prints what judges say: win rates, statistics, bias, agreement, and the counts of claims."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.claims.counts import ClaimAgreement, ClaimCounts, JudgeAgreement
from graphrag_neo4j.evaluation.judge.agreement import Agreement
from graphrag_neo4j.evaluation.judge.judging import JudgeSummary
from graphrag_neo4j.evaluation.judge.tested_pair import PairTest
from graphrag_neo4j.evaluation.model import METRICS, Metric

__all__ = ["print_agreement", "print_claims", "print_claims_and_judge", "print_judge"]

NONE: Final = "–"
HEAD: Final = (
    "condition",
    "against",
    "win rate",
    "questions",
    "equal",
    "Z",
    "p",
    "p after Holm",
    "p from",
    "normal p",
    "smallest difference",
)
SIGNIFICANT: Final = 0.05
LEAST: Final = 0.001


def print_judge(
    summary: JudgeSummary, tests: Sequence[PairTest], suspicions: Sequence[str]
) -> None:
    """Prints the win rates of one judge by metric, and how far it can be trusted."""
    terminal.line()
    terminal.line((summary.judge, "bold"), f": {counted(summary.verdicts, 'verdict')}")
    if summary.missing:
        terminal.line(
            f"{counted(summary.missing, 'verdict')} missing. They count nowhere.", style="yellow"
        )
    if summary.left_out:
        terminal.line(
            f"{counted(summary.left_out, 'verdict is', 'verdicts are')} left out, because the "
            "other order of the answers has none: run `kg-build eval judge` again.",
            style="yellow",
        )
    for sentence in suspicions:
        terminal.line(sentence, style="yellow")
    for metric in METRICS:
        of_metric = [test for test in tests if test.result.metric == metric]
        if of_metric:
            terminal.line()
            terminal.line((metric, "bold"))
            terminal.table(HEAD, [_row(test) for test in of_metric], left=("against", "p from"))
        _print_trust(summary, metric)
    if any(test.adjusted < SIGNIFICANT for test in tests):
        terminal.line("Bold: significant after Holm's method (p < 0.05).", style="dim")


def print_agreement(agreed: Mapping[tuple[str, str], Agreement]) -> None:
    """Prints how far each two judges agree that have judged the same; nothing without such."""
    rows = [
        (one, other, f"{found.items:,}", _share(found.share), _number(found.alpha))
        for (one, other), found in agreed.items()
        if found.items
    ]
    if rows:
        terminal.line()
        head = ("judge", "and judge", "compared", "equal", "alpha")
        terminal.table(head, rows, left=("and judge",))


def print_claims(model: str, rows: Sequence[tuple[str, int, ClaimCounts]]) -> None:
    """Prints the mean numbers of claims and of clusters of each condition, with its answers."""
    thresholds = sorted({one for _, _, counts in rows for one in counts.clusters})
    head = ("condition", "answers", "claims", *(f"clusters {one}" for one in thresholds))
    terminal.line()
    terminal.line(("claims", "bold"), f", found by {model}; means for one answer")
    terminal.table(
        head,
        [
            (name, f"{n:,}", f"{of.claims:.2f}", *(f"{of.clusters[t]:.2f}" for t in thresholds))
            for name, n, of in rows
        ],
    )


def print_claims_and_judge(judge: str, agreed: JudgeAgreement) -> None:
    """Prints how far the counts of claims agree with a judge."""
    rows = [("claims, comprehensiveness", agreed.comprehensiveness)]
    rows += [(f"clusters {t}, diversity", one) for t, one in sorted(agreed.diversity.items())]
    terminal.line()
    head = (f"counts and {judge}", "compared", "no tie", "same winner")
    terminal.table(head, [(name, *_agreed(one)) for name, one in rows])


def _agreed(one: ClaimAgreement) -> Iterable[str]:
    return f"{one.compared:,}", f"{one.decided:,}", _share(one.share)


def _row(test: PairTest) -> Sequence[terminal.Part]:
    rate = test.result.win_rate or 0.0
    result = test.result if rate >= 50 else test.result.turned()
    found = test.test
    style: terminal.Style = "bold" if test.adjusted < SIGNIFICANT else ""
    cells = (
        result.one,
        result.other,
        f"{result.win_rate:.2f}",
        f"{len(result.scores):,}",
        f"{found.zeros:,}",
        f"{found.z:.2f}",
        _p(found.p),
        _p(test.adjusted),
        found.method,
        NONE if test.normal is None else _p(test.normal),
        NONE if test.smallest is None else f"{test.smallest:.1f}",
    )
    return [(cell, style) for cell in cells]


def _print_trust(summary: JudgeSummary, metric: Metric) -> None:
    bias, repeats = summary.bias.get(metric), summary.repeats.get(metric)
    if bias is None or repeats is None or bias.first_share is None:
        return
    told = [
        f"The first place won {_share(bias.first_share)} of the verdicts without a tie",
        f"the longer answer won {_share(bias.longer_share)}",
    ]
    if bias.pairs:
        turned = _share(bias.turned_share)
        told.append(f"{turned} of the verdicts turned with the order (a coin turns 50 %)")
    if repeats.items:
        alpha = _number(repeats.alpha)
        told.append(f"{_share(repeats.share)} of the repeats are equal (alpha {alpha})")
    terminal.line("; ".join(told) + ".", style="dim")


def _p(value: float) -> str:
    return f"<{LEAST:g}" if value < LEAST else f"{value:.3f}"


def _share(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.0f} %"


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
