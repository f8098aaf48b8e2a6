"""The verdicts of several judges on the same sentences: how often they agree, where they differ.

    sentence + passages ──▶ verdict of a model ─┐
                        └─▶ verdict of words ───┴──▶ the share of equal verdicts, alpha, the others

A sentence with the same passages counts once, in however many texts it stands.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.grounding import support_file
from graphrag_neo4j.evaluation.groundedness.sentence_judges import SentenceJudge, judges_named
from graphrag_neo4j.evaluation.groundedness.sentence_support import (
    SupportRecord,
    cited_sentences,
    support_key,
)
from graphrag_neo4j.evaluation.judge.agreement import Agreement, agreement
from graphrag_neo4j.evaluation.model import AnswerRecord
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.llm.evaluation import Support
from graphrag_neo4j.settings import Settings

__all__ = ["JudgedSentence", "JudgesCompared", "compare_judges", "compared_in", "judged_sentences"]

GRADES: Final[Mapping[Support | None, int]] = {"not": 0, "partly": 1, "supported": 2}


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence, the first text in which it stands, and the verdicts on it by judge.

    `sources` names the passages. A judge that has given no verdict is not in `verdicts`.
    """

    text: AnswerRecord
    sentence: str
    sources: Sequence[str]
    verdicts: Mapping[str, SupportRecord]


@dataclass(frozen=True, slots=True)
class JudgesCompared:
    """How far two judges agree on the sentences of `texts` ("answers" or "reports").

    `agreement.items` counts the sentences that both have judged. Of these, `stricter` are those on
    which `one` is stricter than `other`, and `milder` those on which it is milder. `differing`
    holds both kinds.
    """

    texts: str
    one: str
    other: str
    agreement: Agreement
    stricter: int
    milder: int
    differing: Sequence[JudgedSentence]


def compared_in(folder: EvaluationFolder, settings: Settings) -> list[JudgesCompared]:
    """Returns how far the judges of a folder agree: on its answers, and on the graph's reports.

    `settings` say where your own prompt files are: verdicts by another prompt do not count.
    """
    file = support_file(folder)
    judges = judges_named((one.judge for one in file), settings)
    groups: dict[str, Iterable[AnswerRecord]] = {
        "answers": folder.current_answers().values(),
        "reports": folder.findings,
    }
    return [
        compared
        for texts, records in groups.items()
        for compared in compare_judges(texts, judged_sentences(records, file, judges))
    ]


def judged_sentences(
    texts: Iterable[AnswerRecord],
    file: RecordFile[SupportRecord],
    judges: Mapping[str, SentenceJudge],
) -> list[JudgedSentence]:
    """Returns the sentences of texts that a judge has judged, each once, with all verdicts."""
    signatures = {name: judge.signature for name, judge in judges.items()}
    found: dict[str, JudgedSentence] = {}
    for text in texts:
        for one in cited_sentences([text], ""):
            keys = {
                name: support_key(signature, one.sentence, one.passages)
                for name, signature in signatures.items()
            }
            verdicts = {name: file[key] for name, key in keys.items() if key in file}
            if verdicts:
                found.setdefault(one.key, JudgedSentence(text, one.sentence, one.sources, verdicts))
    return list(found.values())


def compare_judges(texts: str, sentences: Sequence[JudgedSentence]) -> list[JudgesCompared]:
    """Returns how far each two judges agree that have judged the same sentences."""
    names = dict.fromkeys(name for one in sentences for name in one.verdicts)
    compared = (_compared(texts, *pair, sentences) for pair in combinations(names, 2))
    return [one for one in compared if one.agreement.items]


def _compared(
    texts: str, one: str, other: str, sentences: Iterable[JudgedSentence]
) -> JudgesCompared:
    both = [it for it in sentences if {one, other} <= it.verdicts.keys()]
    given = [(it.verdicts[one].support, it.verdicts[other].support) for it in both]
    grades = [(GRADES[a], GRADES[b]) for a, b in given]
    return JudgesCompared(
        texts,
        one,
        other,
        agreement([(str(a), str(b)) for a, b in given]),
        sum(a < b for a, b in grades),
        sum(a > b for a, b in grades),
        [it for it, (a, b) in zip(both, grades, strict=True) if a != b],
    )
