"""Exact match and F1 of short answers, as SQuAD, MuSiQue, HotpotQA and 2WikiMultiHopQA define them.

An answer is compared without case, punctuation (of ASCII) and the English articles. F1 is that of
the words of both. Of several right answers the best score counts.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["AnswerScore", "ScoreRule", "normalised", "score_answer"]

ScoreRule = Literal["squad", "hotpot"]
PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
CLOSED: Final = frozenset({"yes", "no", "noanswer"})  # answers that are right as a whole or not


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """The scores of an answer, both from 0 to 1."""

    exact: float
    f1: float


def normalised(answer: str) -> str:
    """Returns an answer in the form in which it is compared.

    >>> normalised("The  U.S. Supreme Court, in an appeal")
    'us supreme court in appeal'
    """
    return " ".join(ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split())


def score_answer(answer: str, right: Sequence[str], rule: ScoreRule) -> AnswerScore:
    """Returns the scores of an answer, the best of those with each right answer.

    The rule "hotpot" is that of HotpotQA and 2WikiMultiHopQA: "yes", "no" and "noanswer" have no F1
    with anything but themselves. The rule "squad" is that of SQuAD and MuSiQue: two empty answers
    agree.

    >>> score_answer("the director Joan Whitlow", ["Joan Whitlow", "Whitlow"], "squad")
    AnswerScore(exact=0.0, f1=0.8)
    """
    said = normalised(answer)
    known = [normalised(one) for one in right]
    return AnswerScore(
        float(said in known), max((_f1(said, one, rule) for one in known), default=0.0)
    )


def _f1(said: str, right: str, rule: ScoreRule) -> float:
    if rule == "hotpot" and said != right and not CLOSED.isdisjoint((said, right)):
        return 0.0
    words, wanted = said.split(), right.split()
    if not (words and wanted):
        return float(rule == "squad" and words == wanted)
    shared = sum((Counter(words) & Counter(wanted)).values())
    return 2 * shared / (len(words) + len(wanted))
