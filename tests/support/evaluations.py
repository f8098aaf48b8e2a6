"""Made-up evaluations, written through the records of the program."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from graphrag_neo4j.extras.evaluate.folder import (
    METRICS,
    AnswerRecord,
    CitedSource,
    EvaluationFolder,
    QuestionRecord,
    SupportRecord,
    VerdictRecord,
    answer_key,
    question_key,
)
from graphrag_neo4j.extras.evaluate.groundedness import signature_of, support_key
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric, Support, Winner
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text.strings import identify

JUDGE = "model gpt-4.1-mini"
REPORT = "Ann | and <port>"


def evaluation(
    path: Path,
    texts: dict[str, str],
    questions: int = 6,
    sources: Sequence[CitedSource] = (),
    dead: Sequence[str] = (),
) -> EvaluationFolder:
    """An evaluation in which each condition gives its text as the answer to each question.

    `{}` in a text is the number of the question. Odd questions are of the persona "Bob".
    """
    folder = EvaluationFolder(path)
    folder.change_plan(description="Tales of the sea", repeats=1)
    asked = [f"Who sails to port {n}?" for n in range(questions)]
    folder.questions.add(
        [
            QuestionRecord(question_key(text), text, "Bob" if n % 2 else "Ann", "to sail")
            for n, text in enumerate(asked)
        ]
    )
    for name, text in texts.items():
        folder.answers.add(
            [
                AnswerRecord(
                    answer_key(question_key(question), name, {}),
                    question_key(question),
                    name,
                    text.replace("{}", str(n)),
                    {"method": "global", "model": "gpt-4.1-mini"},
                    sources,
                    dead,
                    calls=2,
                    input_tokens=1_000,
                    output_tokens=100,
                    context_tokens=1_000 if name == "C0" else 4_000,
                    units=10,
                    cost=0.01,
                    seconds=2.5,
                )
                for n, question in enumerate(asked)
            ]
        )
    return folder


def add_verdicts(
    folder: EvaluationFolder,
    winner: str,
    *,
    metrics: Sequence[Metric] = METRICS,
    repeats: int = 1,
    judge: str = JUDGE,
    reason: str = "It says more.",
) -> None:
    """Adds verdicts on all pairs in both orders: `winner` wins its pairs, the others are ties."""
    made = [
        _verdict(pair, winner, (metric, repeat), judge, reason)
        for pair in _pairs(folder)
        for metric in metrics
        for repeat in range(1, repeats + 1)
    ]
    folder.verdicts.add(made)


def add_support(
    folder: EvaluationFolder,
    sentence: str,
    sources: Sequence[CitedSource],
    judge: str,
    support: Support | None,
) -> None:
    """Adds the verdict of a judge on a sentence that cites all these sources."""
    signature = signature_of(judge, load_settings())
    record = SupportRecord(
        support_key(signature, sentence, [one.text for one in sources]),
        sentence,
        [one.source for one in sources],
        judge,
        support,
        f"{judge} has read it.",
        failure=None if support else "no verdict",
    )
    folder.supports.add([record])


def add_findings(
    folder: EvaluationFolder, texts: Sequence[str], sources: Sequence[CitedSource]
) -> None:
    """Gives the folder these findings of one report."""
    made_with = {"report": REPORT}
    folder.findings.replace(
        [
            AnswerRecord(f"f{n}", "community", "reports of level 0", text, made_with, sources)
            for n, text in enumerate(texts)
        ]
    )


def _pairs(folder: EvaluationFolder) -> Iterator[tuple[AnswerRecord, AnswerRecord]]:
    answers = list(folder.current_answers().values())
    for question in folder.questions:
        of_question = [one for one in answers if one.question == question.key]
        for one, other in combinations(of_question, 2):
            yield one, other
            yield other, one


def _verdict(
    pair: tuple[AnswerRecord, AnswerRecord],
    winner: str,
    run: tuple[Metric, int],
    judge: str,
    reason: str,
) -> VerdictRecord:
    (first, second), (metric, repeat) = pair, run
    won: Winner = "tie"
    if winner in {first.condition, second.condition}:
        won = "first" if first.condition == winner else "second"
    keys = (first.key, second.key)
    key = identify("verdict", metric, *keys, judge, repeat)
    said = reason.replace("{}", f"{key[:8]} {repeat}")
    return VerdictRecord(key, first.question, metric, *keys, judge, repeat, won, said)
