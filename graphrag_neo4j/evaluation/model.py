"""The records of an evaluation: questions, answers and verdicts.

Each record has a `key`: a hash of all that it was made from. A record whose key is there is never
made again. A record with a `failure` is missing: it is made again in the next run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from graphrag_neo4j.ids import identify

__all__ = [
    "METRICS",
    "AnswerRecord",
    "CitedSource",
    "Metric",
    "QuestionRecord",
    "VerdictRecord",
    "Winner",
    "answer_key",
    "question_key",
    "verdict_key",
]

Metric = Literal["comprehensiveness", "diversity", "empowerment", "directness"]
METRICS: Final[tuple[Metric, ...]] = get_args(Metric)
Winner = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question, with the persona and the task that it was made for.

    Both are empty for a question that a person gave.
    """

    key: str
    text: str
    persona: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A place that a citation leads to, with its text.

    `citation` is the text of the citation as it stands in the answer, such as
    "[Data: Reports (3)]". `source` names the document; `text` is the passage, and `quote` the part
    of it that supports the statement, empty where no part does so well enough.
    """

    citation: str
    source: str
    text: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """The answer of a condition to a question.

    `question` is the key of the question. `made_with` says what the condition stands for: its
    options, the models, and a hash of the graph and the prompts. `context_tokens` counts the tokens
    of the context, and `units` its records (reports or passages). `cost` is in US dollars, None
    where the price is not known. All numbers are None where they are not known. `dead` holds the
    citations that lead to no place. `failure` says why there is no answer.
    """

    key: str
    question: str
    condition: str
    text: str
    made_with: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[CitedSource] = ()
    dead: Sequence[str] = ()
    notices: Sequence[str] = ()
    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    context_tokens: int | None = None
    units: int | None = None
    cost: float | None = None
    seconds: float | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The verdict on two answers to a question under one metric.

    `first` and `second` are the keys of the answers, in the order in which the judge saw them.
    `judge` is "model NAME" or "person NAME". `repeat` counts from 1. `winner` is None where there
    is no verdict; `failure` then says why.
    """

    key: str
    question: str
    metric: Metric
    first: str
    second: str
    judge: str
    repeat: int
    winner: Winner | None
    reason: str = ""
    failure: str | None = None


def question_key(text: str) -> str:
    """The key of a question: equal questions are one question."""
    return identify("question", text)


def answer_key(question: str, condition: str, made_with: Mapping[str, str]) -> str:
    """The key of the answer of a condition to the question with this key."""
    made = [part for name in sorted(made_with) for part in (name, made_with[name])]
    return identify("answer", question, condition, *made)


def verdict_key(
    metric: Metric, answers: tuple[str, str], judge: str, repeat: int, made_with: str
) -> str:
    """The key of a verdict on the answers with these two keys, in this order.

    `made_with` identifies the prompt and the options of the judge.
    """
    return identify("verdict", metric, *answers, judge, repeat, made_with)
