"""Makes the questions of an evaluation, as Algorithm 1 of the paper does.

    description ──▶ personas ──▶ tasks of each ──▶ questions for each task

Every list that a model gives is a record of `drafts.jsonl`, so an interrupted run asks for nothing
twice. A question that comes again is one question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.model import QuestionRecord, question_key
from graphrag_neo4j.evaluation.plan import Plan
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import Step, StepResult, make_missing
from graphrag_neo4j.events import Listener, Started
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.estimate import StepEstimate, priced
from graphrag_neo4j.indexing.preparation import metered
from graphrag_neo4j.llm import Endpoint, model_of
from graphrag_neo4j.llm.evaluation.questions import (
    describe,
    name_personas,
    name_tasks,
    write_questions,
)
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.model import LLMTask
from graphrag_neo4j.settings import EXTRACTIVE, Settings

__all__ = [
    "DraftRecord",
    "MadeQuestions",
    "check_asking",
    "draft_description",
    "estimate_questions",
    "make_questions",
]

DRAFTS: Final = "drafts.jsonl"
REPORTS: Final = 30  # largest communities of the coarsest level that describe a collection
PROMPT: Final = 450  # tokens of a prompt with its texts: an assumption for the estimate
REPLY: Final = 40  # tokens of each item of a reply: an assumption
Kind = Literal["personas", "tasks", "questions"]
NO_MODEL: Final = (
    "Questions are made by a model, and no model is set: set OPENAI_API_KEY, or OPENAI_BASE_URL "
    "for an OpenAI-compatible endpoint of your own. Or give a file of your own questions."
)
MODEL_IS_OFF: Final = (
    f"Questions are made by a model, and KG_MODEL={EXTRACTIVE} says that none is asked: set "
    "KG_MODEL to the name of a model, or give a file of your own questions."
)


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """A list that a model gave: personas, the tasks of a persona, or questions for a task."""

    key: str
    kind: Kind
    texts: Sequence[str]
    persona: str = ""
    task: str = ""
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class DraftItem:
    """A list that is to be made."""

    key: str
    kind: Kind
    persona: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class MadeQuestions:
    """What was made: new questions, and how many came again.

    `calls` says what became of the calls, and `reasons` why some failed. `wanted` is the number
    that the plan asks for.
    """

    new: Sequence[QuestionRecord]
    repeated: int
    wanted: int
    calls: StepResult
    reasons: Sequence[str] = ()


def check_asking(settings: Settings) -> None:
    """Raises InputError if no model is set."""
    if not settings.has_model:
        raise InputError(MODEL_IS_OFF if settings.model == EXTRACTIVE else NO_MODEL)


async def draft_description(settings: Settings, listen: Listener) -> str:
    """Returns a description of the collection, which a model writes from its largest reports.

    Raises InputError if no model is set, and if the graph has no reports; GraphError if Neo4j
    fails; ReplyError, ModelError and BudgetSpentError as a question does.
    """
    check_asking(settings)
    async with AsyncGraphRAG(settings, listen) as rag:
        communities = [one for one in await rag.communities(level=0) if one.title]
    if not communities:
        raise InputError(
            "The graph has no reports of communities yet. Run `kg-build index PATHS` first, or "
            "describe your documents yourself."
        )
    listen(Started("description"))
    shown = [(one.title or "", one.summary or "") for one in communities[:REPORTS]]
    backends = Backends(settings)
    try:
        return await backends.endpoint_for(settings).run(describe(shown, settings))
    finally:
        await backends.aclose()


def estimate_questions(plan: Plan, settings: Settings) -> StepEstimate:
    """Estimates what it takes to make all questions of a plan.

    Raises InputError if a cost limit is set and the price of the model is not known.
    """
    tasks = plan.personas * plan.tasks
    calls = 1 + plan.personas + tasks
    items = plan.personas + tasks + tasks * plan.questions
    return priced("report", calls, calls * PROMPT, items * REPLY, settings)


async def make_questions(
    folder: EvaluationFolder, settings: Settings, listen: Listener
) -> MadeQuestions:
    """Makes the questions of the plan that are not there yet, and adds them to the folder.

    Raises InputError if no model is set or the plan has no description, and the errors of
    `make_missing`; what was made before is saved.
    """
    check_asking(settings)
    if not folder.plan.description.strip():
        raise InputError("The evaluation has no description of the documents. Give one.")
    async with Endpoint(settings) as endpoint:
        drafting = _Drafting(folder, settings, endpoint, metered(listen, endpoint.meter))
        try:
            await drafting.run()
        finally:
            new, repeated = _add_questions(folder, drafting.found)
    plan = folder.plan
    wanted = plan.personas * plan.tasks * plan.questions
    return MadeQuestions(new, repeated, wanted, drafting.calls, drafting.reasons)


class _Drafting:
    """Makes the drafts level by level.

    `found` holds those that are there for this plan, and `reasons` why others failed.
    """

    def __init__(
        self, folder: EvaluationFolder, settings: Settings, endpoint: Endpoint, listen: Listener
    ) -> None:
        self.plan, self.settings, self.endpoint = folder.plan, settings, endpoint
        self.file = RecordFile(folder.path / DRAFTS, DraftRecord)
        self.listen = listen
        self.calls = StepResult()
        self.found: list[DraftRecord] = []
        self.reasons: list[str] = []

    async def run(self) -> None:
        [personas] = await self._made([self._item("personas")])
        tasks = await self._made([self._item("tasks", one) for one in personas])
        asked = [
            self._item("questions", persona, task)
            for persona, found in zip(personas, tasks, strict=True)
            for task in found
        ]
        await self._made(asked)

    async def _made(self, items: Sequence[DraftItem]) -> list[Sequence[str]]:
        """Makes the drafts that are missing, and returns the texts of each; none if it failed."""
        name = items[0].kind if items else "questions"
        step = Step(name, self.file, self._make, _missing)
        try:
            done = await make_missing(
                step, items, workers=self.settings.concurrency, listen=self.listen
            )
        finally:
            there = [self.file[item.key] for item in items if item.key in self.file]
            self.found += there
        self.calls = StepResult(
            self.calls.there + done.there,
            self.calls.made + done.made,
            self.calls.failed + done.failed,
        )
        keys = {item.key for item in items}
        self.reasons += [one.failure for one in self.file if one.key in keys and one.failure]
        by_key: Mapping[str, DraftRecord] = {one.key: one for one in there}
        return [by_key[item.key].texts if item.key in by_key else () for item in items]

    async def _make(self, item: DraftItem) -> DraftRecord:
        texts = await self.endpoint.run(self._task(item))
        return DraftRecord(item.key, item.kind, texts, item.persona, item.task)

    def _task(self, item: DraftItem) -> LLMTask[Sequence[str]]:
        plan, settings = self.plan, self.settings
        about = plan.description
        make: Mapping[Kind, Callable[[], LLMTask[Sequence[str]]]] = {
            "personas": lambda: name_personas(about, plan.personas, settings),
            "tasks": lambda: name_tasks(about, item.persona, plan.tasks, settings),
            "questions": lambda: write_questions(
                about, item.persona, item.task, plan.questions, settings
            ),
        }
        return make[item.kind]()

    def _item(self, kind: Kind, persona: str = "", task: str = "") -> DraftItem:
        prompt = load_prompt(f"eval_{kind}", self.settings.prompts).text
        model = model_of(self.settings, "report")
        language = self.settings.language or ""
        n: int = getattr(self.plan, kind)
        parts = (kind, self.plan.description, persona, task, n, model, language, prompt)
        return DraftItem(identify("draft", *parts), kind, persona, task)


def _missing(item: DraftItem, failure: str) -> DraftRecord:
    return DraftRecord(item.key, item.kind, (), item.persona, item.task, failure)


def _add_questions(
    folder: EvaluationFolder, drafts: Sequence[DraftRecord]
) -> tuple[list[QuestionRecord], int]:
    """Adds the questions of drafts. Returns the new ones, and the number that came again."""
    given = [
        QuestionRecord(question_key(text), text, one.persona, one.task)
        for one in drafts
        if one.kind == "questions"
        for text in one.texts
    ]
    first: dict[str, QuestionRecord] = {}
    for question in given:
        first.setdefault(question.key, question)
    new = [question for key, question in first.items() if key not in folder.questions]
    folder.questions.add(new)
    return new, len(given) - len(first)
