"""The query backend with a model: LLM tasks that write prompts and read replies, without I/O."""

from collections.abc import Mapping, Sequence
from typing import Final, Self

from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.follow_up import conversation_text, self_contained
from graphrag_neo4j.llm.prompts import Prompt, load_prompt, marked
from graphrag_neo4j.llm.schemas import AnswerSchema, PointsSchema, PrimerSchema, RatingSchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.model import LLMTask, Message, Point, Primer, Request, StreamedTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import fold, fold_prose, storable

__all__ = ["LLMQueryBackend"]

# The placeholders that the prompt files of this project and of microsoft/graphrag use.
KNOWN: Final = (
    "context_data",
    "general_knowledge",
    "history",
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
    """The map and reduce steps, answers and ratings with a model.

    The prompts come from the prompt files.
    """

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
        self._route, self._follow_up = load("route", "question"), load("follow_up", "history")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Makes the backend from settings. Raises InputError if a prompt file can't be used."""
        return cls(settings)

    def answer(
        self, question: str, context: ContextTable, history: Sequence[Message]
    ) -> StreamedTask:
        """Answers from one context. Raises ReplyError if the reply is empty."""
        system = self._fill(self._answer, context_data=marked(context.text))
        return _final(system, question, history)

    def reduce(
        self, question: str, points: Sequence[Point], history: Sequence[Message]
    ) -> StreamedTask:
        """Answers from the points of all map calls, the most helpful first."""
        listed = "\n\n".join(
            f"Analyst {n}, helpfulness {point.helpfulness}:\n{point.description}"
            for n, point in enumerate(points, start=1)
        )
        system = self._fill(self._reduce, report_data=marked(listed))
        return _final(system, question, history)

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]:
        """Returns the points in a context that help to answer the question."""
        messages = self._messages(self._map, question, context_data=marked(context.text))
        if self._whole:
            one = yield from read_json(Request("map", messages), AnswerSchema)
            return [Point(fold_prose(one.answer), one.score)]
        found = yield from read_json(Request("map", messages), PointsSchema)
        return [Point(fold_prose(point.description), point.score) for point in found.points]

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]:
        """Returns the refs of the reports that are relevant to the question."""
        messages = self._messages(self._rate, question, context_data=marked(context.text))
        return (yield from read_json(Request("rating", messages), RatingSchema)).relevant

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]:
        """Returns a first answer and follow-up questions."""
        messages = self._messages(self._prime, question, context_data=marked(context.text))
        found = yield from read_json(Request("map", messages), PrimerSchema)
        follow_ups = [fold(one) for one in found.follow_ups if fold(one)]
        return Primer(fold_prose(found.answer), found.score, follow_ups)

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """Tells whether the question is about the whole corpus. An unclear reply counts as no."""
        prompt = self._fill(self._route, question=marked(storable(question)[0]))
        reply = yield Request("rating", (Message("user", prompt),), choices=("global", "local"))
        return reply.text.strip().casefold().startswith("global")

    def self_contained(self, question: str, history: Sequence[Message]) -> LLMTask[str | None]:
        """Returns the question in a form that can be understood without the conversation.

        Raises ReplyError if the reply is not a question.
        """
        prompt = self._fill(
            self._follow_up,
            history=marked(storable(conversation_text(history))[0]),
            question=marked(storable(question)[0]),
        )
        request = Request("rating", (Message("user", prompt),))
        return (yield from self_contained(request, question))

    def _messages(self, prompt: Prompt, question: str, **values: str) -> tuple[Message, ...]:
        system = Message("system", self._fill(prompt, **values))
        return system, Message("user", storable(question)[0])

    def _fill(self, prompt: Prompt, **values: str) -> str:
        return prompt.fill({**self._values, **values})


def _final(system: str, question: str, history: Sequence[Message]) -> StreamedTask:
    last = Message("user", storable(question)[0])
    request = Request("answer", (Message("system", system), *history, last))
    return StreamedTask(request, _refuse_empty)


def _refuse_empty(text: str) -> None:
    if not storable(text)[0].strip():
        raise ReplyError("the answer is empty")
