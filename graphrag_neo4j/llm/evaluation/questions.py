"""LLM tasks that make questions about a whole collection (arXiv 2404.16130, Algorithm 1).

    description ──▶ personas ──▶ tasks of each persona ──▶ questions for each task

The model sees only a short description of the collection, never its text: so the questions favour
no way of answering. What it says is made one line without marks, because it becomes a part of the
next prompt.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from graphrag_neo4j.context.citations import neutralised, rewrite
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.copied_instructions import Instructions
from graphrag_neo4j.llm.evaluation.question_schemas import (
    DescriptionSchema,
    PersonasSchema,
    TaskQuestionsSchema,
    TasksSchema,
)
from graphrag_neo4j.llm.prompts import load_prompt, marked
from graphrag_neo4j.llm.questions import asks
from graphrag_neo4j.llm.schemas import ReplySchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.llm.tuning import plain_line
from graphrag_neo4j.model import LLMTask, Message, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import excerpt, fold_prose, name_key, storable

__all__ = ["describe", "name_personas", "name_tasks", "write_questions"]

W = TypeVar("W", bound=ReplySchema)
LONGEST_DESCRIPTION = 1500  # characters
SUMMARY = 500  # characters of a report's summary that the model is shown
REPLY_TOKENS = 3000
SAME = "the language of the description"


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


def name_personas(description: str, n: int, settings: Settings) -> LLMTask[Sequence[str]]:
    """Returns at most `n` personas who use a collection. Raises ReplyError if there is none."""
    request = _about("eval_personas", n, settings, description=description)
    found = yield from read_json(request, PersonasSchema, _some("personas"))
    return _lines(found.personas, n)


def name_tasks(
    description: str, persona: str, n: int, settings: Settings
) -> LLMTask[Sequence[str]]:
    """Returns at most `n` tasks of a persona. Raises ReplyError if there is none."""
    request = _about("eval_tasks", n, settings, description=description, persona=persona)
    found = yield from read_json(request, TasksSchema, _some("tasks"))
    return _lines(found.tasks, n)


def write_questions(
    description: str, persona: str, task: str, n: int, settings: Settings
) -> LLMTask[Sequence[str]]:
    """Returns at most `n` questions that a persona asks for a task.

    What is no question is left out. Raises ReplyError if there is none.
    """
    request = _about(
        "eval_questions", n, settings, description=description, persona=persona, task=task
    )
    found = yield from read_json(request, TaskQuestionsSchema, _some("questions", _is_question))
    return _lines(found.questions, n)


def _about(name: str, n: int, settings: Settings, **texts: str) -> Request:
    """Returns the request of a prompt whose texts stand between marks."""
    prompt = load_prompt(name, settings.prompts, needs="description")
    shown = {key: marked(storable(text)[0]) for key, text in texts.items()}
    values = {"n": str(n), "language": settings.language or SAME, **shown}
    return _request(prompt.fill(values))


def _request(prompt: str) -> Request:
    return Request("report", (Message("user", prompt),), REPLY_TOKENS)


def _some(
    name: str, is_usable: Callable[[str], bool] = lambda text: bool(plain_line(text))
) -> Callable[[W, list[str]], W]:
    """Returns a check that leaves out unusable items of a list, and refuses an empty one."""

    def check(found: W, odd: list[str]) -> W:
        given: Sequence[str] = getattr(found, name)
        usable = [text for text in given if is_usable(text)]
        if not usable:
            raise ReplyError(f"the reply holds no {name}")
        odd += [f"an item that can't be used among the {name}"] * (len(given) - len(usable))
        return found.model_copy(update={name: usable})

    return check


def _is_question(text: str) -> bool:
    """Tells whether a text asks something, and is short enough to be kept as a whole."""
    line = plain_line(text)
    return asks(line) and not line.endswith("…")


def _lines(texts: Sequence[str], n: int) -> list[str]:
    """Returns the first `n` texts as plain lines, each only once."""
    return list({name_key(line): line for line in map(plain_line, texts)}.values())[:n]
