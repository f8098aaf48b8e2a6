"""Answers by a model: the prompts of the searches, and what is made of the replies. No I/O."""

from collections.abc import Mapping, Sequence
from typing import Final, Self

from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import Prompt, load_prompt, marked
from graphrag_neo4j.llm.schemas import AnswerSchema, PointsSchema, PrimerSchema, RatingSchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.model import LLMTask, Message, Point, Primer, Request, StreamedTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import fold, fold_prose, storable

__all__ = ["LLMQueryBackend"]

# Names that prompt files of this project and of microsoft/graphrag use.
KNOWN: Final = (
    "context_data",
    "general_knowledge",
    "language",
    "max_length",
    "question",
    "report_data",
    "response_type",
)
GENERAL = {
    True: "You may add what you know yourself, after the rest and marked [general knowledge].",
    False: "Add nothing that the material does not hold.",
}


class LLMQueryBackend:
    """Map, reduce, local answers and small decisions, worded by the prompt files."""

    def __init__(self, settings: Settings) -> None:
        def load(name: str, needs: str | None = None) -> Prompt:
            return load_prompt(name, settings.prompts, known=KNOWN, needs=needs)

        self._values: Mapping[str, str] = {
            "response_type": fold(settings.response_type),
            "general_knowledge": GENERAL[settings.general_knowledge],
            "language": settings.language or "the language of the question",
        }
        self._whole = settings.map_style == "answer"
        self._answer, self._reduce = load("answer", "context_data"), load("reduce", "report_data")
        self._map = load("map_answer" if self._whole else "map", "context_data")
        self._rate, self._prime = load("rate", "context_data"), load("prime", "context_data")
        self._route = load("route", "question")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Raises InputError where a prompt file can't be used."""
        return cls(settings)

    def answer(
        self, question: str, context: ContextTable, history: Sequence[Message]
    ) -> StreamedTask:
        """The answer from one context; raises ReplyError where the reply is empty."""
        system = self._fill(self._answer, context_data=marked(context.text))
        return _final(system, question, history)

    def reduce(
        self, question: str, points: Sequence[Point], history: Sequence[Message]
    ) -> StreamedTask:
        """The answer from the points of all map calls, the most helpful first."""
        told = "\n\n".join(
            f"Analyst {n}, helpfulness {point.helpfulness}:\n{point.description}"
            for n, point in enumerate(points, start=1)
        )
        system = self._fill(self._reduce, report_data=marked(told))
        return _final(system, question, history)

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]:
        """What a context has to say to the question."""
        messages = self._messages(self._map, question, context_data=marked(context.text))
        if self._whole:
            one = yield from read_json(Request("map", messages), AnswerSchema)
            return [Point(fold_prose(one.answer), one.score)]
        found = yield from read_json(Request("map", messages), PointsSchema)
        return [Point(fold_prose(point.description), point.score) for point in found.points]

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]:
        """The refs of the reports that are worth opening."""
        messages = self._messages(self._rate, question, context_data=marked(context.text))
        return (yield from read_json(Request("rating", messages), RatingSchema)).relevant

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]:
        """A first answer and what to ask next."""
        messages = self._messages(self._prime, question, context_data=marked(context.text))
        found = yield from read_json(Request("map", messages), PrimerSchema)
        follow_ups = [fold(asked) for asked in found.follow_ups if fold(asked)]
        return Primer(fold_prose(found.answer), found.score, follow_ups)

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """Whether the question is about the whole; an unreadable reply says it is not."""
        prompt = self._fill(self._route, question=marked(storable(question)[0]))
        reply = yield Request("rating", (Message("user", prompt),), choices=("global", "local"))
        return reply.text.strip().casefold().startswith("global")

    def _messages(self, prompt: Prompt, question: str, **values: str) -> tuple[Message, ...]:
        system = Message("system", self._fill(prompt, **values))
        return system, Message("user", storable(question)[0])

    def _fill(self, prompt: Prompt, **values: str) -> str:
        return prompt.fill({**self._values, **values})


def _final(system: str, question: str, history: Sequence[Message]) -> StreamedTask:
    asked = Message("user", storable(question)[0])
    request = Request("answer", (Message("system", system), *history, asked))
    return StreamedTask(request, _refuse_empty)


def _refuse_empty(text: str) -> None:
    if not storable(text)[0].strip():
        raise ReplyError("the answer is empty")
