"""The query backend with a model: LLM tasks that write prompts and read replies, without I/O."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Final

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import Prompt, WorkedPrompt, load_prompt, marked
from graphrag_neo4j.llm.replies.schemas import (
    FOLLOW_UPS,
    AnswerSchema,
    PointsSchema,
    PrimerSchema,
    RatingSchema,
)
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.computing import computation_of, shown_properties
from graphrag_neo4j.llm.tasks.questions import (
    conversation_text,
    next_questions,
    questions_on,
    self_contained,
)
from graphrag_neo4j.llm.tasks.reply_limits import ONE_WORD, PRIMER, reply_limit
from graphrag_neo4j.model.computation import Computation, KnownProperty
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.material import DraftQuestion, SuggestionMaterial
from graphrag_neo4j.model.types import LLMTask, Message, Point, Primer, Request, Step, StreamedTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import fold, fold_prose, storable

# The placeholders that the prompt files of this project and of microsoft/graphrag use.
ANSWER_NAMES: Final = (
    *("context_data", "entity_name", "examples", "general_knowledge", "history", "language"),
    *("max_length", "n", "one", "other", "question", "report_data", "response_type", "today"),
)
# The words of a reply that the files of microsoft/graphrag ask for as `{max_length}`.
MAP_WORDS, REDUCE_WORDS = "1000", "2000"


class LLMQueryBackend:
    """The map and reduce steps, answers and ratings with a model.

    The prompts come from the prompt files. `today` is the day that they tell, by default the
    present one. `quotes` is False: a model writes its answers. Raises InputError if a prompt file
    can't be used.
    """

    quotes = False

    def __init__(self, settings: Settings, today: date | None = None) -> None:
        load = partial(load_prompt, folder=settings.prompts, known=ANSWER_NAMES)
        worked = partial(
            WorkedPrompt.load, settings=settings, known=ANSWER_NAMES, needs="context_data"
        )
        self._settings = settings
        self._values: Mapping[str, str] = {
            "response_type": fold(settings.response_type),
            "general_knowledge": "Add nothing that the material does not hold.",
            "language": settings.language or "the language of the question",
            "today": (today or datetime.now(UTC).date()).isoformat(),
        }
        self._whole = settings.map_style == "answer"
        self._answer = load("answer", needs="context_data")
        self._reduce = load("reduce", needs="report_data")
        room = settings.map_context_tokens
        self._map = worked("map_answer" if self._whole else "map", context_tokens=room)
        self._rate = worked("rate", context_tokens=room)
        self._prime = worked("prime", context_tokens=min(room, settings.max_context_tokens))
        self._route = load("route", needs="question")
        self._compute = load("compute", needs="question")
        self._contradict = load("contradict", needs="one")
        self._follow_up = load("follow_up", needs="history")
        self._suggest = load("suggest", needs="context_data")
        self._suggest_next = load("suggest_next", needs="context_data")

    def answer(
        self, question: str, context: ContextTable, history: Sequence[Message]
    ) -> StreamedTask:
        """Answers from one context. Raises ReplyError if the reply is empty."""
        system = self._fill(self._answer, context_data=marked(context.text))
        return self._final(system, question, history)

    def reduce(
        self, question: str, points: Sequence[Point], history: Sequence[Message]
    ) -> StreamedTask:
        """Answers from the points of all map calls, the most helpful first."""
        listed = "\n\n".join(
            f"Analyst {n}, helpfulness {point.helpfulness}:\n{point.description}"
            for n, point in enumerate(points, start=1)
        )
        system = self._fill(self._reduce, report_data=marked(listed), max_length=REDUCE_WORDS)
        return self._final(system, question, history)

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]:
        """Returns the points in a context that help to answer the question."""
        request = self._request("map", self._map, question, context)
        is_copied = _copied(self._map, question, context)

        def one(found: AnswerSchema, _odd: list[str]) -> Sequence[Point]:
            _refuse_copied(found, is_copied)
            return [Point(fold_prose(found.answer), found.score)]

        def several(found: PointsSchema, odd: list[str]) -> Sequence[Point]:
            points = [one for one in found.points if not is_copied(one.description)]
            if found.points and not points:
                raise ReplyError("the points repeat the instructions instead of following them")
            odd += ["a point repeats the instructions"] * (len(found.points) - len(points))
            return [Point(fold_prose(point.description), point.score) for point in points]

        if self._whole:
            return (yield from read_json(request, AnswerSchema, one))
        return (yield from read_json(request, PointsSchema, several))

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]:
        """Returns the refs of the reports that are relevant to the question."""
        request = self._request("rating", self._rate, question, context)
        return (yield from read_json(request, RatingSchema, lambda found, _: found.relevant))

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]:
        """Returns a first answer and follow-up questions."""
        request = self._request("map", self._prime, question, context, PRIMER)
        is_copied = _copied(self._prime, question, context)

        def check(found: PrimerSchema, odd: list[str]) -> Primer:
            _refuse_copied(found, is_copied)
            asked = [one for one in found.follow_ups if one.strip()]
            own = [one for one in asked if not is_copied(one)]
            odd += ["a follow-up question repeats the instructions"] * (len(asked) - len(own))
            odd += ["a follow-up question too many"] * len(own[FOLLOW_UPS:])
            follow_ups = [fold(one) for one in own[:FOLLOW_UPS]]
            return Primer(fold_prose(found.answer), found.score, follow_ups)

        return (yield from read_json(request, PrimerSchema, check))

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """Returns whether the question is about the whole corpus. An unclear reply counts as no."""
        prompt = self._fill(self._route, question=marked(storable(question)[0]))
        message = Message("user", prompt)
        reply = yield Request("rating", (message,), ONE_WORD, choices=("global", "local"))
        return reply.text.strip().casefold().startswith("global")

    def contradicts(self, entity: str, one: str, other: str) -> LLMTask[bool]:
        """Returns whether two statements do. An unclear reply counts as no."""
        said = {"one": marked(storable(one)[0]), "other": marked(storable(other)[0])}
        prompt = self._fill(self._contradict, entity_name=fold(storable(entity)[0]), **said)
        message, words = Message("user", prompt), ("contradiction", "change", "neither")
        reply = yield Request("rating", (message,), ONE_WORD, choices=words)
        return reply.text.strip(" `*").casefold().startswith("contradiction")

    def computation(
        self,
        question: str,
        known: Sequence[KnownProperty],
        names: Sequence[str],
        predicates: Mapping[str, Sequence[str]],
    ) -> LLMTask[Computation | None]:
        """Returns the computation that answers a question, None if none does.

        Raises ReplyError if the reply can't be used.
        """
        shown = storable(shown_properties(known, names, predicates))[0]
        prompt = self._fill(
            self._compute, context_data=marked(shown), question=marked(storable(question)[0])
        )
        limit = reply_limit("rating", self._settings)
        request = Request("rating", (Message("user", prompt),), limit)
        return (yield from computation_of(request, known, predicates))

    def self_contained(self, question: str, history: Sequence[Message]) -> LLMTask[str | None]:
        """Returns the question in a form that can be understood without the conversation.

        Raises ReplyError if the reply is not a question.
        """
        prompt = self._fill(
            self._follow_up,
            history=marked(storable(conversation_text(history))[0]),
            question=marked(storable(question)[0]),
        )
        limit = reply_limit("rating", self._settings)
        request = Request("rating", (Message("user", prompt),), limit)
        return (yield from self_contained(request, question))

    def questions(self, material: SuggestionMaterial, n: int) -> LLMTask[Sequence[DraftQuestion]]:
        """Returns questions on the collection or, after an answer, questions that follow on it.

        Raises ReplyError if the reply can't be used.
        """
        if material.asked:
            return next_questions(self._suggest_next, material, n)
        language = self._settings.language or "the language of the reports"
        return questions_on(self._suggest, material, n, language)

    def _final(self, system: str, question: str, history: Sequence[Message]) -> StreamedTask:
        last = Message("user", storable(question)[0])
        messages = (Message("system", system), *history, last)
        limit = reply_limit("answer", self._settings)
        return StreamedTask(Request("answer", messages, limit), _refuse_empty)

    def _request(
        self,
        step: Step,
        prompt: WorkedPrompt,
        question: str,
        context: ContextTable,
        limit: int | None = None,
    ) -> Request:
        values = {"context_data": marked(context.text), "max_length": MAP_WORDS}
        system = Message("system", self._fill(prompt, **values))
        messages = (system, Message("user", storable(question)[0]))
        return Request(step, messages, limit or reply_limit(step, self._settings))

    def _fill(self, prompt: Prompt | WorkedPrompt, **values: str) -> str:
        return prompt.fill({**self._values, **values})


def _copied(prompt: WorkedPrompt, question: str, context: ContextTable) -> Callable[[str], bool]:
    """Returns a test of whether a text repeats the prompt instead of the question or material."""
    material = f"{question}\n{context.text}"
    return lambda text: prompt.instructions.are_copied_in(text, material)


def _refuse_copied(found: AnswerSchema | PrimerSchema, is_copied: Callable[[str], bool]) -> None:
    """Raises ReplyError if an answer, which may be empty, repeats the prompt."""
    if found.answer.strip() and is_copied(found.answer):
        raise ReplyError("the answer repeats the instructions instead of following them")


def _refuse_empty(text: str) -> None:
    if not storable(text)[0].strip():
        raise ReplyError("the answer is empty")
