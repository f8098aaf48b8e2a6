"""The claims of the answers, as the paper counts them in its second experiment.

    answers ──parts of ten sentences──▶ items ──three requests each──▶ claims.jsonl ──▶ counts

An answer is the more comprehensive, the more different claims it makes; and the more diverse, the
more clusters these form. A record is known by the text of its part, so equal answers are paid for
once. An answer counts only if all its parts are there: half of its claims would make it look worse.

Claims are alike by the words that they share in the same order: their distance is 1 - ROUGE-L (F1).
Clusters are joined by complete linkage, as long as no two of their claims are farther apart than
the threshold. A distance that equals the threshold is joined, as in the paper; SciPy does so,
scikit-learn would not. The package rouge-score was not taken: it knows no letters but a to z, so a
Chinese or Greek claim has no words there.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Final

import regex

from graphrag_neo4j.extras.evaluate.folder import ClaimsRecord, EvaluationFolder
from graphrag_neo4j.extras.evaluate.judging import Judged, Label
from graphrag_neo4j.extras.evaluate.statistics import SignedRank, adjusted_tests, majority_labels
from graphrag_neo4j.extras.evaluate.steps import ModelStep, token_counter
from graphrag_neo4j.extras.evaluate.tasks.claims import AnswerPart, ClaimSteps, answer_parts
from graphrag_neo4j.model.types import LLMTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import fold, identify, name_key, spaced_characters

# For the estimate, in tokens: the three prompts without their texts, an item of a reply, and the
# claims for each token of a sentence. A part and its sentences stand in each of the prompts.
STEPS, PARTS_PROMPT, ITEM, CLAIMS_OF_TEXT = 3, 400, 25, 1.5
THRESHOLDS: Final = (0.5, 0.6, 0.7, 0.8)
WORD: Final = regex.compile(r"[\p{L}\p{N}\p{M}]+")
END: Final = " .…。!?！？;；"
Answered = tuple[str, str]
"""The key of a question and the condition that answers it."""


@dataclass(frozen=True, slots=True)
class ClaimItem:
    """A part of an answer whose claims are to be found, and the text of the question."""

    record: ClaimsRecord
    answer: Answered
    question: str
    part: AnswerPart


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """The number of different claims of an answer, and of their clusters by threshold.

    As the mean of several answers, these are numbers with decimals.
    """

    claims: float
    clusters: Mapping[float, float]

    @property
    def measures(self) -> Mapping[str, float]:
        """All these numbers by what they count: "claims", and "clusters at" each threshold."""
        return {"claims": self.claims} | {f"clusters at {at}": n for at, n in self.clusters.items()}


CountTest = tuple[str, str, str, float, float, SignedRank, float]
"""What is counted ("claims", or "clusters at" a threshold), two conditions, the mean of each, the
test, and its p-value after Holm's method."""
Agreed = tuple[str, int, int, float | None]
"""What is counted and the metric of the judge, the pairs of answers that have both, those of them
that are a tie neither for the counts nor for the judge, and the share of these with one winner."""


def claim_step(folder: EvaluationFolder, settings: Settings) -> ModelStep[ClaimItem]:
    """Returns the parts of the answers that count, whose claims a model finds."""
    steps, count = ClaimSteps(settings), token_counter()

    def found(item: ClaimItem) -> LLMTask[ClaimsRecord]:
        sentences = yield from steps.claims(item.question, item.part)
        return replace(item.record, sentences=sentences)

    def tokens_of(item: ClaimItem) -> tuple[float, float]:
        said = sum(map(count, item.part.sentences))
        listed = len(item.part.sentences) * ITEM
        shown = count(item.question) + count(item.part.context) + said
        sent = STEPS * (PARTS_PROMPT + shown + listed)
        return sent, STEPS * listed + said + CLAIMS_OF_TEXT * said

    items, replies = _items(folder, steps.model, steps.signature), folder.unfinished_claims
    records = ("claims", folder.claims, items)
    return ModelStep(*records, "answer_claims", found, tokens_of, settings, STEPS, replies)


def _items(folder: EvaluationFolder, model: str, made_with: str) -> list[ClaimItem]:
    """Returns the parts of the answers that count. An answer without a sentence has no part.

    `made_with` is the signature of the steps: other steps make other records. Equal parts of
    answers to one question have the same key.
    """
    items = []
    for answer in folder.given_answers():
        question = folder.questions[answer.question].text
        for part in answer_parts(answer.text):
            key = identify("answer claims", made_with, question, part.context, *part.sentences)
            record = ClaimsRecord(key, (), model, made_with)
            items.append(ClaimItem(record, (answer.question, answer.condition), question, part))
    return items


def claims_in(folder: EvaluationFolder) -> tuple[str, Mapping[Answered, Sequence[str]]]:
    """Returns the model that found the claims last ("" for none), and the claims of the answers.

    Answers of which a part is missing are left out. An answer without a sentence has no claims.
    """
    records = [one for one in folder.claims if one.failure is None]
    if not records:
        return "", {}
    last = records[-1]
    found = {(one.question, one.condition): list[str]() for one in folder.given_answers()}
    for item in _items(folder, last.model, last.made_with):
        if item.record.key not in folder.claims:
            found.pop(item.answer, None)
        elif item.answer in found:
            for sentence in folder.claims[item.record.key].sentences:
                found[item.answer] += sentence.claims
    return last.model, found


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
    # These are packages of the extra `eval`, and take a moment.
    import numpy as np  # noqa: PLC0415
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415

    words = [words_of(claim) for claim in kept]
    # The distances of all pairs, in the condensed form that SciPy reads.
    distances = np.array([distance(one, other) for one, other in combinations(words, 2)])
    tree = linkage(distances, method="complete")
    clusters = {one: float(fcluster(tree, one, "distance").max()) for one in thresholds}
    return ClaimCounts(len(kept), clusters)


def distance(one: Sequence[str], other: Sequence[str]) -> float:
    """Returns 1 - ROUGE-L (F1) of the words of two claims; 1 if there are none.

    It is one division: 1 - 0.7 would be more than 0.3, and miss the threshold.

    >>> distance(words_of("Ann sails a big ship."), words_of("Ann sails a ship"))
    0.1111111111111111
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - a package of the extra `eval`

    total = len(one) + len(other)
    return (total - 2 * LCSseq.similarity(one, other)) / total if total else 1.0


def words_of(text: str) -> list[str]:
    """Returns the runs of letters and digits of any script, without case.

    In scripts without spaces, each character is a word.
    """
    return WORD.findall(spaced_characters(fold(text).casefold()))


def count_tests(counts: Mapping[Answered, ClaimCounts], order: Sequence[str]) -> list[CountTest]:
    """Tests the numbers of claims, and of clusters at each threshold (Experiment 2 of the paper).

    They are paired by question; the p-values are adjusted over all pairs of conditions, whose order
    is `order`.
    """
    questions = dict.fromkeys(question for question, _ in counts)
    found: list[CountTest] = []
    for measure in next(iter(counts.values())).measures if counts else ():
        numbers = {at: one.measures[measure] for at, one in counts.items()}
        compared = {}
        for one, other in combinations(order, 2):
            asked = [q for q in questions if (q, one) in numbers and (q, other) in numbers]
            if asked:
                compared[one, other] = [[numbers[q, it] for q in asked] for it in (one, other)]
        tests = adjusted_tests(
            [[a - b for a, b in zip(*both, strict=True)] for both in compared.values()]
        )
        for (pair, both), (test, p) in zip(compared.items(), tests, strict=True):
            found.append((measure, *pair, fmean(both[0]), fmean(both[1]), test, p))
    return found


def agreement_of_claims(
    counts: Mapping[Answered, ClaimCounts], judged: Iterable[Judged]
) -> list[Agreed]:
    """Compares counts with the majority of a judge's verdicts: who has more of them, who won?

    Claims are compared with comprehensiveness, and clusters at each threshold with diversity. What
    nothing can be compared for is left out.
    """
    found: defaultdict[str, list[tuple[Label, Label]]] = defaultdict(list)
    for (metric, one, other, question), label in majority_labels(judged).items():
        both = [counts[at].measures for at in ((question, one), (question, other)) if at in counts]
        for measure in both[0] if len(both) == 2 else ():
            if metric == ("comprehensiveness" if measure == "claims" else "diversity"):
                a, b = (numbers[measure] for numbers in both)
                more: Label = "tie" if a == b else "one" if a > b else "other"
                found[f"{measure}, {metric}"].append((more, label))
    agreed: list[Agreed] = []
    for name, pairs in sorted(found.items()):
        decided = [a == b for a, b in pairs if "tie" not in {a, b}]
        agreed.append((name, len(pairs), len(decided), fmean(decided) if decided else None))
    return agreed
