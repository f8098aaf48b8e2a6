"""The judge: a model compares two answers to a question by one metric.

The answers are text of others. They stand between marks that no text can forge, and without their
citations, so that the judge does not see which system wrote which answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation.plain_answer import plain_answer
from graphrag_neo4j.llm.evaluation.schemas import JudgedSchema
from graphrag_neo4j.llm.prompts import load_prompt, marked
from graphrag_neo4j.llm.replies.json_builder import TWICE
from graphrag_neo4j.llm.reply_limits import reply_limit
from graphrag_neo4j.llm.structured_output import OTHER_FORM, read_json
from graphrag_neo4j.model import LLMTask, Message, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import fold, fold_prose, storable

__all__ = ["DEFINITIONS", "Judge", "Metric", "Verdict", "Winner"]

Metric = Literal["comprehensiveness", "diversity", "empowerment", "directness"]
Winner = Literal["first", "second", "tie"]
KNOWN: Final = ("metric", "definition", "question", "answer_1", "answer_2")
WINNERS: Final[tuple[Winner, ...]] = ("tie", "first", "second")  # by the number in a reply

DEFINITIONS: Final[Mapping[Metric, str]] = {
    "comprehensiveness": (
        "How much of what the question asks for does the answer cover, and in how much detail? A "
        "comprehensive answer leaves out no important aspect. Saying the same thing again, or "
        "things beside the question, adds nothing."
    ),
    "diversity": (
        "How many different perspectives does the answer bring? A diverse answer looks at the "
        "question from several sides and shows different views, examples and sources. Several "
        "sentences that make the same point count once."
    ),
    "empowerment": (
        "How well does the answer help its reader to understand the topic and to form a judgement "
        "of his own? An empowering answer explains, gives reasons and examples, and does not "
        "mislead with false certainty."
    ),
    "directness": (
        "How directly does the answer say what was asked? A direct answer is specific, clear and "
        "short. It does not wander off, and the reader need not search for the answer in it."
    ),
}
"""What the judge is told about each metric. Directness is the control: an answer that
covers more is mostly less direct, so a judge that prefers one answer in all four sees only length
or style."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of two answers is better, by the order in which the judge saw them, and why."""

    winner: Winner
    reasoning: str


class Judge:
    """Compares two answers. The prompt comes from the file `eval_judge`."""

    def __init__(self, settings: Settings) -> None:
        needs = "answer_1"
        self._prompt = load_prompt("eval_judge", settings.prompts, known=KNOWN, needs=needs)
        self._model = settings.model_for("judge")
        self._limit = reply_limit("judge", settings)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Makes the judge from settings. Raises InputError if its prompt file can't be used."""
        return cls(settings)

    @property
    def name(self) -> str:
        """The judge as records name it: "model NAME"."""
        return f"model {self._model}"

    @property
    def signature(self) -> str:
        """A hash of the prompt, the metrics and the model: verdicts of the same judge share it."""
        metrics = [part for one in DEFINITIONS.items() for part in one]
        return identify("judge", self._prompt.text, self._model, *metrics)

    def compare(self, question: str, one: str, other: str, metric: Metric) -> LLMTask[Verdict]:
        """Returns the verdict about two answers, of which `one` is shown first.

        A reply without exactly one winner is asked for a second time. Raises ReplyError if the
        second reply has none either: such a comparison is missing, and is no tie.
        """
        message = Message("user", self._fill(question, one, other, metric))
        request = Request("judge", (message,), self._limit)
        found = yield from read_json(request, JudgedSchema, _one_winner)
        return Verdict(WINNERS[found.winner], fold_prose(found.reasoning))

    def _fill(self, question: str, one: str, other: str, metric: Metric) -> str:
        values = {
            "metric": metric,
            "definition": DEFINITIONS[metric],
            "question": marked(storable(fold(question))[0]),
            "answer_1": marked(storable(plain_answer(one))[0]),
            "answer_2": marked(storable(plain_answer(other))[0]),
        }
        return self._prompt.fill(values)


def _one_winner(found: JudgedSchema, odd: list[str]) -> JudgedSchema:
    """Raises ReplyError if a reply holds several verdicts: none of them is the right one."""
    if TWICE in odd or OTHER_FORM in odd:
        raise ReplyError("the reply holds more than one verdict")
    return found
