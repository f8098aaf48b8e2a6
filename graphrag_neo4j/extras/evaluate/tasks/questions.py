"""LLM tasks that make questions about a whole collection (arXiv 2404.16130, Algorithm 1).

    description ──▶ personas ──▶ tasks of each persona ──▶ questions for each task

The model sees only a short description of the collection, never its text: so the questions favour
no way of answering. What it says is made one line without marks, because it becomes a part of the
next prompt.
"""

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.copies import Instructions
from graphrag_neo4j.llm.prompts import load_prompt, marked, plain_line
from graphrag_neo4j.llm.replies.schemas import Listed, ReplySchema, Text
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.questions import asks
from graphrag_neo4j.model.citations import neutralised, rewrite
from graphrag_neo4j.model.types import LLMTask, Message, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import excerpt, fold_prose, name_key, storable

LONGEST_DESCRIPTION = 1500  # characters
SUMMARY = 500  # characters of a report's summary that the model is shown
REPLY_TOKENS = 3000
MOST_DRAFTS = 50  # items of a list
Phrase = Annotated[Text, Field(json_schema_extra={"maxLength": 400})]


class DescriptionSchema(ReplySchema):
    """A short description of a collection of documents."""

    model_config = ConfigDict(title="collection_description")
    description: Annotated[Text, Field(min_length=1)] = Field(json_schema_extra={"maxLength": 1500})


class PersonasSchema(ReplySchema):
    """People who use a collection."""

    model_config = ConfigDict(title="evaluation_personas")
    listed = "personas"
    personas: Listed[Phrase] = Field(json_schema_extra={"maxItems": MOST_DRAFTS})


class TasksSchema(ReplySchema):
    """Tasks of a person who uses a collection."""

    model_config = ConfigDict(title="evaluation_tasks")
    listed = "tasks"
    tasks: Listed[Phrase] = Field(json_schema_extra={"maxItems": MOST_DRAFTS})


class TaskQuestionsSchema(ReplySchema):
    """Questions that a person asks of a collection to do a task."""

    model_config = ConfigDict(title="evaluation_questions")
    listed = "questions"
    questions: Listed[Phrase] = Field(json_schema_extra={"maxItems": MOST_DRAFTS})


def describe(reports: Sequence[tuple[str, str]], settings: Settings) -> LLMTask[str]:
    """Returns a description of a collection from reports: pairs of a title and a summary.

    Raises ReplyError if the reply can't be used.
    """
    prompt = load_prompt("eval_description", settings.prompts, needs="context_data")
    shown = "\n\n".join(
        f"{excerpt(title, SUMMARY)}\n{excerpt(rewrite(summary, lambda *_: None), SUMMARY)}"
        for title, summary in reports
    )
    values = {
        "context_data": marked(storable(shown)[0]),
        "language": settings.language or "the language of the reports",
    }
    copies = Instructions(prompt.text)

    def check(found: DescriptionSchema, _odd: list[str]) -> DescriptionSchema:
        if copies.are_copied_in(found.description, shown):
            raise ReplyError("the description repeats the instructions instead of following them")
        return found

    found = yield from read_json(_request(prompt.fill(values)), DescriptionSchema, check)
    return excerpt(neutralised(fold_prose(found.description)), LONGEST_DESCRIPTION)


SCHEMAS: Final[Mapping[str, type[ReplySchema]]] = {
    "personas": PersonasSchema,
    "tasks": TasksSchema,
    "questions": TaskQuestionsSchema,
}


def name_things(
    kind: Literal["personas", "tasks", "questions"], n: int, settings: Settings, **shown: str
) -> LLMTask[Sequence[str]]:
    """Returns at most `n` personas, tasks of a persona, or questions of a persona for a task.

    `shown` are the texts of the prompt: the `description`, the `persona` and the `task`. What is no
    question is left out of the questions. Raises ReplyError if nothing is left.
    """
    prompt = load_prompt(f"eval_{kind}", settings.prompts, needs="description")
    texts = {name: marked(storable(text)[0]) for name, text in shown.items()}
    language = settings.language or "the language of the description"

    def check(found: ReplySchema, odd: list[str]) -> ReplySchema:
        given: Sequence[str] = getattr(found, kind)
        usable = [text for text in given if plain_line(text)]
        if kind == "questions":  # it asks something, and is short enough to be kept as a whole
            lines = {text: plain_line(text) for text in usable}
            usable = [one for one in usable if asks(lines[one]) and not lines[one].endswith("…")]
        if not usable:
            raise ReplyError(f"the reply holds no {kind}")
        odd += [f"an item that can't be used among the {kind}"] * (len(given) - len(usable))
        return found.model_copy(update={kind: usable})

    request = _request(prompt.fill({"n": str(n), "language": language, **texts}))
    found = yield from read_json(request, SCHEMAS[kind], check)
    lines = map(plain_line, getattr(found, kind))
    return list({name_key(line): line for line in lines}.values())[:n]


def _request(prompt: str) -> Request:
    return Request("report", (Message("user", prompt),), REPLY_TOKENS)
