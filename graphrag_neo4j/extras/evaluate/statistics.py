"""What verdicts say: win rates, the bias of a judge, how far judges agree, and tests of all of it.

A condition gets 100 for a win, 0 for a loss and 50 for a tie. The score of a question is the mean
of its verdicts; the win rate of a pair is the mean over its questions. So the win rates of the two
conditions of a pair sum to 100, and a condition has 50 against itself.

The scores of a pair are paired by question. Shapiro-Wilk says whether their differences could be
normal; they mostly are not, so the pair is tested with Wilcoxon's signed-rank test, and the
p-values of all pairs of a metric are adjusted by Holm's method. The same test finds out judges that
go by place, by chance or by length, and compares the counts of claims.

Agreement is a share, and Krippendorff's alpha for nominal labels: 1 is full agreement, 0 is what
chance gives. Alpha was chosen over Cohen's kappa because it takes any number of verdicts on an
item, and items on which some are missing: so one number serves for five repeats and two judges.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import erfc, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any, Final, Literal

from graphrag_neo4j.extras.evaluate.folder import METRICS
from graphrag_neo4j.extras.evaluate.judging import Comparison, Judged, Label
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric, Winner

SCORES: Final[Mapping[Label, float]] = {"one": 100.0, "other": 0.0, "tie": 50.0}
Compared = tuple[str, str, str, str]
"""The metric, the pair of conditions and the question of a comparison."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result of a pair of conditions under a metric.

    `scores` holds the score of `one` from 0 to 100 by question; a question without a verdict has
    none.
    """

    metric: Metric
    one: str
    other: str
    scores: Mapping[str, float]

    @property
    def win_rate(self) -> float | None:
        """The mean score of `one`; that of `other` is 100 minus this. None without any verdict."""
        return fmean(self.scores.values()) if self.scores else None

    def reversed(self) -> "PairResult":
        """The same result with the conditions in the other order."""
        scores = {question: 100.0 - score for question, score in self.scores.items()}
        return replace(self, one=self.other, other=self.one, scores=scores)


def pair_results(judged: Iterable[Judged]) -> list[PairResult]:
    """Returns the results of all pairs, by metric and pair, in the order of the metrics."""
    given: dict[tuple[Metric, str, str], dict[str, list[float]]] = {}
    for each in judged:
        of = each.comparison
        scores = given.setdefault((of.metric, of.one, of.other), {})
        if label := each.label:
            scores.setdefault(of.question, []).append(SCORES[label])
    return [
        PairResult(*pair, {question: fmean(each) for question, each in given[pair].items()})
        for pair in sorted(given, key=lambda pair: (METRICS.index(pair[0]), *pair[1:]))
    ]


def win_rates(
    results: Iterable[PairResult], conditions: Sequence[str], metric: Metric
) -> list[list[float | None]]:
    """Returns a matrix: the win rate of the condition of each row against that of each column.

    It has None where a pair has no verdict.
    """
    rates: dict[tuple[str, str], float | None] = {(one, one): 50.0 for one in conditions}
    for result in results:
        if result.metric == metric:
            for each in (result, result.reversed()):
                rates[each.one, each.other] = each.win_rate
    return [[rates.get((row, column)) for column in conditions] for row in conditions]


@dataclass(frozen=True, slots=True)
class Bias:
    """How much the verdicts depend on the order and the length of the answers.

    `verdicts` counts those that count, `ties` among them. `pairs` counts the comparisons that have
    a verdict in both orders. Of these, `held` name the same winner in both orders, `turned` name
    the same place (so another condition), and the rest have a tie. `missing` verdicts are not
    there, and those `left_out` lack the other order; both count in nothing else.

    The shares (0 to 1) are those of the first place and of the longer answer in the verdicts that
    aren't ties, and of the pairs with a winner in both orders that turned; a coin turns half.
    """

    verdicts: int
    ties: int
    pairs: int
    held: int
    turned: int
    missing: int
    left_out: int
    first_share: float | None
    longer_share: float | None
    turned_share: float | None


def bias_of(judged: Sequence[Judged]) -> Bias:
    """Returns how much the verdicts depend on the order and the length of the answers."""
    counting = [one for one in judged if one.label]
    winners = Counter(one.winner for one in counting)
    decided = [one for one in counting if "tie" not in {one.winner, one.longer}]
    longer = sum(one.winner == one.longer for one in decided)
    labels = {one.comparison: one.label for one in counting}
    pairs = [
        {label, labels[of.other_order]}
        for of, label in labels.items()
        if not of.swapped and of.other_order in labels
    ]
    held, turned = pairs.count({"one"}) + pairs.count({"other"}), pairs.count({"one", "other"})
    return Bias(
        len(counting),
        winners["tie"],
        len(pairs),
        held,
        turned,
        missing=sum(one.winner is None for one in judged),
        left_out=sum(one.left_out for one in judged),
        first_share=_share(winners["first"], winners["second"]),
        longer_share=_share(longer, len(decided) - longer),
        turned_share=_share(turned, held),
    )


def _share(n: int, others: int) -> float | None:
    return n / (n + others) if n + others else None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the verdicts on the same items agree.

    `items` counts the items with at least two verdicts. `share` (0 to 1) is the mean share of their
    pairs of verdicts that are equal. `alpha` is Krippendorff's; it is None where all verdicts are
    the same label, because then nothing tells agreement from chance. Both are None without items.
    """

    items: int
    share: float | None
    alpha: float | None


def agreement(items: Iterable[Sequence[str]]) -> Agreement:
    """Returns the agreement of the verdicts on each item."""
    usable = [labels for labels in items if len(labels) > 1]
    if not usable:
        return Agreement(0, None, None)
    shares = []  # of the pairs of an item's labels that are equal
    for labels in usable:
        equal = sum(n * (n - 1) for n in Counter(labels).values())
        shares.append(equal / (len(labels) * (len(labels) - 1)))
    # Alpha is 1 - observed / expected disagreement, from the matrix of coincidences.
    totals = Counter(label for labels in usable for label in labels)
    pairs = sum(totals[a] * totals[b] for a, b in permutations(totals, 2))
    expected = pairs / (totals.total() - 1)
    observed = sum(len(labels) * (1 - share) for labels, share in zip(usable, shares, strict=True))
    return Agreement(len(usable), fmean(shares), 1 - observed / expected if expected else None)


def agreement_of_repeats(judged: Iterable[Judged]) -> Agreement:
    """Returns the agreement of the repeats of the same comparison, each order by itself."""
    items: defaultdict[Comparison, list[str]] = defaultdict(list)
    for each in judged:
        if label := each.label:
            items[replace(each.comparison, repeat=0)].append(label)
    return agreement(items.values())


def agreement_of_judges(judged: Mapping[str, Sequence[Judged]]) -> dict[tuple[str, str], Agreement]:
    """Returns how far each two judges agree, persons among them, by the majority of their verdicts.

    They are compared on the questions, pairs and metrics that both have judged.
    """
    labels = {judge: majority_labels(verdicts) for judge, verdicts in judged.items()}
    agreed = {}
    for one, other in combinations(sorted(labels), 2):
        both = labels[one].keys() & labels[other].keys()
        agreed[one, other] = agreement([labels[one][key], labels[other][key]] for key in both)
    return agreed


def majority_labels(judged: Iterable[Judged]) -> dict[Compared, Label]:
    """Returns the label of the majority of the verdicts on each item, of both orders together."""
    labels: defaultdict[Compared, list[Label]] = defaultdict(list)
    for each in judged:
        if label := each.label:
            of = each.comparison
            labels[of.metric, of.one, of.other, of.question].append(label)
    return {item: majority(given) for item, given in labels.items()}


def majority(labels: Sequence[Label]) -> Label:
    """Returns the label that more than half of the verdicts have; without one it is a tie.

    >>> majority(["one", "one", "tie"]), majority(["one", "one", "other", "other", "tie"])
    ('one', 'tie')
    """
    label, most = Counter(labels).most_common(1)[0] if labels else ("tie", 0)
    return label if 2 * most > len(labels) else "tie"


MOST_EXACT: Final = 50  # differences; for more of them the normal approximation is close enough
DECIMALS: Final = 9
EFFICIENCY: Final = 0.864  # of Wilcoxon's test against the t-test, for the worst distribution
ALPHA, POWER = 0.05, 0.8
BY_PLACE: Final = 0.7  # of the verdicts: with this share for one place, a judge may go by it
MOSTLY_TIES: Final = 0.9  # of the verdicts: with this share of ties, the rest says little
OTHER: Final[Mapping[Winner | None, Winner]] = {"first": "second", "second": "first", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class SignedRank:
    """The result of Wilcoxon's signed-rank test, with two sides.

    `n` counts the differences that are not zero; `zeros` counts the others, which are left out as
    Wilcoxon does. `w` is the smaller sum of ranks; equal differences share their mean rank. `z` is
    negative or 0, as in the paper, with correction for ties. `p` comes from the exact distribution
    of these ranks, ties included, or from `z`, as `method` says.
    """

    n: int
    zeros: int
    w: float
    z: float
    p: float
    method: Literal["exact", "normal approximation"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """A pair of conditions with its test.

    `adjusted` is the p-value after Holm's method over all pairs of the metric. `normal` is the
    p-value of the Shapiro-Wilk test, None where it can't be computed: for fewer than three
    questions, or if all scores are equal. `smallest` is the smallest distance of a win rate from
    50, in points, that so many questions find, None where none can be found or told.
    """

    result: PairResult
    test: SignedRank
    adjusted: float
    normal: float | None
    smallest: float | None


def pair_tests(results: Iterable[PairResult]) -> list[PairTest]:
    """Tests pairs. The p-values are adjusted over all pairs of the same metric.

    A pair without a score is left out, because nothing can be said about it.
    """
    scored = [result for result in results if result.scores]
    found = []
    for metric in METRICS:
        of_metric = [one for one in scored if one.metric == metric]
        # The score of `one` minus that of `other`, for each question.
        differences = [[2 * score - 100.0 for score in one.scores.values()] for one in of_metric]
        tests = adjusted_tests(differences)
        for result, given, (test, p) in zip(of_metric, differences, tests, strict=True):
            n, smallest = len(given), None
            if n > 1:
                deviation = stdev(result.scores.values())
                smallest = smallest_difference(deviation, n, pairs=len(of_metric))
            found.append(PairTest(result, test, p, normality(given), smallest))
    return found


def adjusted_tests(differences: Sequence[Sequence[float]]) -> list[tuple[SignedRank, float]]:
    """Returns the test of each pair, and its p-value adjusted over all of these pairs."""
    tests = [signed_rank(given) for given in differences]
    return list(zip(tests, holm([test.p for test in tests]), strict=True))


def signed_rank(differences: Sequence[float]) -> SignedRank:
    """Tests whether differences are as often and as far above 0 as below.

    Differences that differ only in their tenth decimal are equal: they come from means of the same
    scores. Without a difference that is not zero, `p` is 1.
    """
    rounded = [round(one, DECIMALS) for one in differences]
    given = [one for one in rounded if one]
    zeros = len(differences) - len(given)
    if not given:
        return SignedRank(0, zeros, 0.0, 0.0, 1.0, "exact")
    # These are packages of the extra `eval`, and take a moment.
    import numpy as np  # noqa: PLC0415
    from scipy import stats  # noqa: PLC0415

    found: Any = stats.wilcoxon(given, method="approx")
    n, w, z = len(given), float(found.statistic), float(found.zstatistic) + 0.0  # no -0.0
    if n > MOST_EXACT:
        return SignedRank(n, zeros, w, z, p_of_z(z), "normal approximation")
    # SciPy's exact test knows no ties. `p` is twice the share of all signs of these ranks that give
    # a sum as small as `w`. Mean ranks are multiples of a half, so doubled sums are whole numbers;
    # the ways to each are the coefficients of a product of polynomials, 1 + x^rank.
    ways = np.ones(1, int)
    for rank in np.rint(2 * stats.rankdata(np.abs(given))).astype(int):
        ways = np.convolve(ways, np.bincount([0, rank]))
    below = int(ways[: round(2 * w) + 1].sum())
    return SignedRank(n, zeros, w, z, min(1.0, 2 * below / 2**n), "exact")


def p_of_z(z: float) -> float:
    """Returns the p-value of a standard normal deviate, with two sides."""
    return erfc(abs(z) / sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p-values adjusted by Holm's method, in their order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, most = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        most = max(most, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = most
    return adjusted


def normality(differences: Sequence[float]) -> float | None:
    """Returns the p-value of the Shapiro-Wilk test; a small one says: not normal.

    None for fewer than three differences, or if all are equal.
    """
    if len(differences) < 3 or len(set(differences)) == 1:
        return None
    from scipy import stats  # noqa: PLC0415 - a package of the extra `eval`

    return float(stats.shapiro(differences).pvalue)


def smallest_difference(deviation: float, questions: int, *, pairs: int = 1) -> float | None:
    """Returns the smallest distance of a win rate from 50, in points, that is found significant.

    It is found in four of five evaluations with so many `questions`, if it must hold against 0.05
    divided by the number of pairs (the hardest step of Holm's method). `deviation` is the standard
    deviation of the scores of the questions, in points. The method: the normal approximation of the
    paired t-test, divided by the efficiency of Wilcoxon's test for the worst distribution (0.864),
    so rather too large. None if no difference can be found, or if nothing deviates.

    >>> smallest_difference(20, 125), smallest_difference(20, 500, pairs=15)
    (5.4, 3.6)
    """
    quantiles = NormalDist().inv_cdf(1 - ALPHA / pairs / 2) + NormalDist().inv_cdf(POWER)
    found = round(quantiles * deviation / sqrt(questions * EFFICIENCY), 1)
    possible = 2 ** (1 - questions) < ALPHA / pairs  # the smallest p-value of the exact test
    return found if possible and 0 < found <= 50 else None


def preferences(judged: Sequence[Judged]) -> list[str]:
    """Returns a sentence for each thing that a judge seems to go by instead of the answers.

    These are their place, a coin, and their length. A judge that finds nearly all answers equal
    gets a sentence, too. Without any the sentence says so; without a verdict there is none.
    """
    counting = {one.comparison: one for one in judged if one.label}
    verdicts, bias, found = list(counting.values()), bias_of(judged), list[str]()
    if verdicts and bias.ties >= MOSTLY_TIES * bias.verdicts:
        comparisons = f"{bias.verdicts:,} comparison{'s' if bias.verdicts > 1 else ''}"
        found.append(
            f"The judge called {bias.ties:,} of {comparisons} a tie: it does not tell these "
            "answers apart."
        )
    first = bias.first_share or 0.0
    place: Winner = "first" if first > 0.5 else "second"
    share = max(first, 1 - first)
    questions = {of.question for of in counting}
    if share >= BY_PLACE and _won(verdicts, lambda _: place):
        found.append(
            f"This judge goes by the place: the {place} answer won {share:.0%} of its verdicts "
            "without a tie."
        )
    elif (
        bias.turned_share is not None
        and 2 ** (1 - len(questions)) < ALPHA  # with fewer, no test tells anything from a coin
        and not _won(
            (one for one in verdicts if one.comparison.other_order in counting),
            lambda one: OTHER[counting[one.comparison.other_order].winner],
        )
    ):
        found.append(
            f"This judge can't be told from a coin: {bias.turned_share:.0%} of its verdicts turned "
            "with the order, and a coin turns 50 %."
        )
    of_metrics = [[one for one in verdicts if one.comparison.metric == of] for of in METRICS]
    if all(_won(of_metric, lambda one: one.longer) for of_metric in of_metrics):
        found.append(
            "This judge may go by length: the longer answer won beyond chance in every metric, "
            f"directness included ({bias.longer_share:.0%} of the verdicts without a tie)."
        )
    nothing = "Nothing shows that this judge goes by the place or the length of the answers."
    return found or ([nothing] if verdicts else [])


def _won(verdicts: Iterable[Judged], place: Callable[[Judged], Winner | None]) -> bool:
    """Returns whether a place won beyond chance. Each question counts once, ties nowhere."""
    of_question: defaultdict[str, list[float]] = defaultdict(list)
    for one in verdicts:
        if "tie" not in {one.winner, place(one)}:
            won = 1.0 if one.winner == place(one) else -1.0
            of_question[one.comparison.question].append(won)
    means = [fmean(given) for given in of_question.values()]
    return sum(means) > 0 and signed_rank(means).p < ALPHA
