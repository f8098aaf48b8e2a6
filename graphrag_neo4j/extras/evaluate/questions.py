"""The questions of an evaluation: made as Algorithm 1 of the paper does, or a person's own.

    description ──▶ personas ──▶ tasks of each ──▶ questions for each task

Every list that a model gives is a record of `drafts.jsonl`, so an interrupted run asks for nothing
twice. A question that comes again is one question. A person's own come from a .txt with a question
on each line, or from a .csv, .json or .jsonl with a column `question`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.documents import ReadOptions, Unreadable, holds_rows, read
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate.folder import (
    DraftKind,
    DraftRecord,
    EvaluationFolder,
    QuestionRecord,
    question_key,
)
from graphrag_neo4j.extras.evaluate.steps import EvaluationStep
from graphrag_neo4j.extras.evaluate.tasks.questions import describe, name_things
from graphrag_neo4j.index.estimate import StepEstimate, priced
from graphrag_neo4j.llm.endpoint import NO_MODEL, Endpoint, model_of
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.model.events import Listener, Started
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.query.question import LONGEST_QUESTION
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.checks import check_text
from graphrag_neo4j.text.strings import flat, identify, storable

REPORTS: Final = 30  # largest communities of the coarsest level that describe a collection
QUESTION_PROMPT: Final = 450  # tokens of a prompt with its texts: an assumption for the estimate
QUESTION_REPLY: Final = 40  # tokens of each item of a reply: an assumption
COLUMNS: Final = ("question", "question_text", "text")


@dataclass(frozen=True, slots=True)
class MadeQuestions:
    """What was made: new questions, how many came again, and why calls failed."""

    new: Sequence[QuestionRecord]
    repeated: int
    failures: Sequence[str]


def check_asking(settings: Settings) -> None:
    """Raises InputError if no model is set."""
    if not settings.has_model:
        raise InputError(f"{NO_MODEL} Or give a file of your own questions.")


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
    async with Endpoint(settings) as endpoint:
        return await endpoint.run(describe(shown, settings))


def estimate_questions(folder: EvaluationFolder, settings: Settings) -> StepEstimate:
    """Estimates what it takes to make all questions of the plan.

    Raises InputError if a cost limit is set and the price of the model is not known.
    """
    plan = folder.plan
    tasks = plan.personas * plan.tasks
    calls = 1 + plan.personas + tasks
    items = plan.personas + tasks + tasks * plan.questions
    return priced("report", calls, calls * QUESTION_PROMPT, items * QUESTION_REPLY, settings)


async def make_questions(
    folder: EvaluationFolder, settings: Settings, listen: Listener
) -> MadeQuestions:
    """Makes the questions of the plan that are not there yet, and adds them to the folder.

    Raises InputError if no model is set or the plan has no description, and the errors of
    `EvaluationStep.run`; what was made before is saved.
    """
    check_asking(settings)
    plan, file = folder.plan, folder.drafts
    if not plan.description.strip():
        raise InputError("The evaluation has no description of the documents. Give one.")
    asked = list[DraftRecord]()

    def wanted(kind: DraftKind, persona: str, task: str) -> DraftRecord:
        """Returns a list that is not made yet."""
        prompt = load_prompt(f"eval_{kind}", settings.prompts).text
        made_with = (model_of(settings, "report"), settings.language or "", prompt)
        parts = (plan.description, persona, task, getattr(plan, kind), *made_with)
        return DraftRecord(identify("draft", kind, *parts), kind, (), persona, task)

    async def make(one: DraftRecord) -> DraftRecord:
        texts = {"description": plan.description, "persona": one.persona, "task": one.task}
        shown = {name: text for name, text in texts.items() if text}
        things = name_things(one.kind, getattr(plan, one.kind), settings, **shown)
        return replace(one, texts=await endpoint.run(things))

    async def lists(kind: DraftKind, of: Sequence[tuple[str, str]]) -> list[DraftRecord]:
        """Returns the lists for these pairs of a persona and a task, without those that failed."""
        level = [wanted(kind, *each) for each in of]
        asked.extend(level)
        workers, meter = settings.concurrency, endpoint.meter
        step = EvaluationStep(kind, file, level)
        await step.run(make, workers=workers, listen=listen, meter=meter)
        return [file[one.key] for one in level if one.key in file]

    async with Endpoint(settings) as endpoint:
        try:
            personas = await lists("personas", [("", "")])
            tasks = await lists("tasks", [(text, "") for one in personas for text in one.texts])
            await lists("questions", [(one.persona, text) for one in tasks for text in one.texts])
        finally:
            new, repeated = _add_questions(folder, [file[a.key] for a in asked if a.key in file])
    keys = {one.key for one in asked}
    failures = [one.failure for one in file if one.key in keys and one.failure]
    return MadeQuestions(new, repeated, failures)


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
    first = {one.key: one for one in reversed(given)}
    new = [one for one in given if first[one.key] is one and one.key not in folder.questions]
    folder.questions.add(new)
    return new, len(given) - len(first)


def read_questions(path: Path, column: str | None = None) -> list[QuestionRecord]:
    """Returns the questions of a file in their order; a question that comes again counts once.

    `column` is the column of the question in a table; None takes the first of COLUMNS that is
    there. The columns `persona` and `task` are kept. Raises InputError if the file can't be read,
    if a row has no such column, and if there is no question.
    """
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    found: dict[str, QuestionRecord] = {}
    for one in _rows(path, column) if holds_rows(path) else _lines(path):
        found.setdefault(one.key, one)
    if not found:
        raise InputError(f"{path} holds no question.")
    return list(found.values())


def question_record(text: str, persona: str = "", task: str = "") -> QuestionRecord:
    """Returns the record of a question. Raises InputError if the text can't be a question."""
    written = flat(check_text(storable(text)[0], "A question"))
    if len(written) > LONGEST_QUESTION:
        raise InputError(
            f"A question has {len(written):,} characters; at most {LONGEST_QUESTION:,} are "
            f"possible. It begins with {written[:60]!r}."
        )
    return QuestionRecord(question_key(written), written, persona, task)


def _lines(path: Path) -> Iterator[QuestionRecord]:
    if path.suffix.lower() != ".txt":
        raise InputError(
            f"{path} is of no kind that holds questions: give a .txt with a question on each "
            "line, or a .csv or .jsonl with a column question."
        )
    for document in _documents(path, ReadOptions()):
        yield from (question_record(line) for line in document.text.splitlines() if line.strip())


def _rows(path: Path, column: str | None) -> Iterator[QuestionRecord]:
    for name in () if column else COLUMNS:
        if isinstance(next(read(path, ReadOptions(text_column=name)), None), Document):
            column = name
            break
    if column is None:
        raise InputError(
            f"{path} has no column {' or '.join(COLUMNS)} in its first row. Name the column of the "
            "questions by --column."
        )
    for document in _documents(path, ReadOptions(text_column=column)):
        if document.text.strip():
            persona, task = (str(document.metadata.get(one) or "") for one in ("persona", "task"))
            yield question_record(document.text, persona, task)


def _documents(path: Path, options: ReadOptions) -> Iterator[Document]:
    for one in read(path, options):
        if isinstance(one, Unreadable):
            raise InputError(f"{path}: {one.reason}.")
        yield one
