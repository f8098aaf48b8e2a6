"""The numbers of claims and of their clusters: the means of a condition, agreement with a judge.

`claim_clusters` counts them, and needs SciPy; this module needs nothing.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from graphrag_neo4j.evaluation.judge.agreement import Item, majority_labels
from graphrag_neo4j.evaluation.judge.comparisons import Judged, Label
from graphrag_neo4j.evaluation.model import Metric

__all__ = [
    "ClaimAgreement",
    "ClaimCounts",
    "JudgeAgreement",
    "agreement_of_claims",
    "agreement_with_judge",
    "mean_counts",
]

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """The number of different claims of an answer, and of their clusters by threshold.

    As the mean of several answers, these are numbers with decimals.
    """

    claims: float
    clusters: Mapping[float, float]


@dataclass(frozen=True, slots=True)
class ClaimAgreement:
    """How far counts of claims agree with the labels of the judge.

    `compared` counts the pairs of answers that have both. `decided` counts those of them that are a
    tie neither for the counts nor for the judge; of these, `matched` have the same winner.
    """

    compared: int
    decided: int
    matched: int

    @property
    def share(self) -> float | None:
        """The share (0 to 1) of the decided pairs that match, None without any."""
        return self.matched / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How far counts agree with a judge: claims with comprehensiveness, clusters with diversity.

    `diversity` is by threshold.
    """

    comprehensiveness: ClaimAgreement
    diversity: Mapping[float, ClaimAgreement]


def mean_counts(answers: Iterable[ClaimCounts]) -> ClaimCounts | None:
    """Returns the means over the answers of a condition, None without an answer."""
    counts = list(answers)
    if not counts:
        return None
    return ClaimCounts(
        fmean(one.claims for one in counts),
        {
            threshold: fmean(one.clusters[threshold] for one in counts)
            for threshold in counts[0].clusters
        },
    )


def agreement_of_claims(
    counts: Mapping[tuple[str, str], ClaimCounts], judged: Iterable[Judged]
) -> JudgeAgreement:
    """Compares counts with the majority of a judge's verdicts.

    `counts` are by the key of the question and the condition.
    """
    labels = majority_labels(judged)
    both: dict[Item, tuple[ClaimCounts, ClaimCounts]] = {}
    for metric, one, other, question in labels:
        if (question, one) in counts and (question, other) in counts:
            pair = (counts[question, one], counts[question, other])
            both[metric, one, other, question] = pair
    claims = {item: (one.claims, other.claims) for item, (one, other) in both.items()}
    thresholds = next(iter(counts.values())).clusters if counts else ()
    clusters = {
        threshold: {
            item: (one.clusters[threshold], other.clusters[threshold])
            for item, (one, other) in both.items()
        }
        for threshold in thresholds
    }
    return JudgeAgreement(
        agreement_with_judge(claims, _of(labels, "comprehensiveness")),
        {
            threshold: agreement_with_judge(numbers, _of(labels, "diversity"))
            for threshold, numbers in clusters.items()
        },
    )


def agreement_with_judge(
    counts: Mapping[K, tuple[float, float]], labels: Mapping[K, Label]
) -> ClaimAgreement:
    """Compares who has more claims (or clusters) with the label of the judge's majority.

    `counts` holds for each pair of answers the count of `one` and that of `other`.
    """
    both = [(_more(*counts[key]), label) for key, label in labels.items() if key in counts]
    decided = [(count, label) for count, label in both if "tie" not in (count, label)]
    return ClaimAgreement(len(both), len(decided), sum(a == b for a, b in decided))


def _of(labels: Mapping[Item, Label], metric: Metric) -> dict[Item, Label]:
    return {item: label for item, label in labels.items() if item[0] == metric}


def _more(one: float, other: float) -> Label:
    return "tie" if one == other else "one" if one > other else "other"
