"""Counts the claims of an answer and their clusters.

Claims are alike by the words that they share in the same order: their
distance is 1 - ROUGE-L (F1). Clusters are joined by complete linkage, as long as no two of their
claims are farther apart than the threshold. A distance that equals the threshold is joined, as in
the paper. SciPy does so; scikit-learn would not join it.

It needs SciPy and RapidFuzz (the extra `eval`). The package rouge-score was not taken: it
knows no letters but a to z, so a Chinese or Greek claim has no words there.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

import numpy as np
import regex
from rapidfuzz.distance import LCSseq
from scipy.cluster.hierarchy import fcluster, linkage

from graphrag_neo4j.evaluate.answer_claims import ClaimCounts
from graphrag_neo4j.text import fold, name_key, spaced_characters

__all__ = [
    "THRESHOLDS",
    "count_claims",
    "different",
    "rouge_l",
]

THRESHOLDS: Final = (0.5, 0.6, 0.7, 0.8)
WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
END = " .…。!?！？;；"


def different(claims: Iterable[str]) -> list[str]:
    """Returns the claims that differ in more than capitals, spaces and punctuation at the end.

    >>> different(["Ann sails.", "ann  sails", "Bob rows."])
    ['Ann sails.', 'Bob rows.']
    """
    by_key: dict[str, str] = {}
    for claim in claims:
        by_key.setdefault(name_key(claim).rstrip(END), claim)
    return [claim for key, claim in by_key.items() if key]


def count_claims(claims: Iterable[str], thresholds: Sequence[float] = THRESHOLDS) -> ClaimCounts:
    """Returns the number of different claims of one answer, and of their clusters."""
    kept = different(claims)
    if len(kept) < 2:
        return ClaimCounts(len(kept), dict.fromkeys(thresholds, float(len(kept))))
    words = [_words(claim) for claim in kept]
    # The distances of all pairs, in the condensed form that SciPy reads.
    distances = np.array([_distance(one, other) for one, other in combinations(words, 2)])
    tree = linkage(distances, method="complete")
    return ClaimCounts(
        len(kept), {one: float(fcluster(tree, one, "distance").max()) for one in thresholds}
    )


def rouge_l(one: str, other: str) -> float:
    """Returns ROUGE-L (F1) of two texts: 2 * LCS / (words of one + words of the other).

    Words are runs of letters and digits of any script, without case. In scripts without spaces,
    each character is a word. Two texts without words have 0.

    >>> rouge_l("Ann sails a big ship.", "Ann sails a ship")
    0.8888888888888888
    """
    return 1 - _distance(_words(one), _words(other))


def _distance(one: Sequence[str], other: Sequence[str]) -> float:
    """Returns 1 - F1 as one division: 1 - 0.7 would be more than 0.3, and miss the threshold."""
    total = len(one) + len(other)
    if not total:
        return 1.0
    return (total - 2 * LCSseq.similarity(one, other)) / total


def _words(text: str) -> list[str]:
    return WORD.findall(spaced_characters(fold(text).casefold()))
