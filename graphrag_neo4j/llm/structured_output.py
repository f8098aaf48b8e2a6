"""Replies held to a form: asked for with its schema, read, and asked for once more if need be."""

import re
from collections.abc import Generator
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.llm.schemas import ReplySchema
from graphrag_neo4j.model import Message, Reply, Request
from graphrag_neo4j.text import storable

__all__ = ["read_json", "schema_of", "storable_json"]

FENCE = "```"
OPENING = re.compile(rf"{FENCE}\w*+")
# What JSON writes with a backslash: characters, a pair of surrogates, and one that stands alone.
ESCAPED = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
    r"|(?P<unstorable>u(?:[dD][89a-fA-F][\da-fA-F]{2}|0000))|.)",
    re.DOTALL,
)
W = TypeVar("W", bound=ReplySchema)


def schema_of(form: type[ReplySchema]) -> dict[str, Any]:
    """The JSON schema of a form, with its title."""
    return form.model_json_schema()


def storable_json(text: str) -> tuple[str, int]:
    """JSON without what can't be stored, as it is or as an escape; and how much there was."""
    escaped = 0

    def mend(found: re.Match[str]) -> str:
        nonlocal escaped
        if not found["unstorable"]:
            return found[0]
        escaped += 1
        return "\\ufffd"

    plain, replaced = storable(text)
    whole = ESCAPED.sub(mend, plain)
    return whole, replaced + escaped


def read_json(request: Request, form: type[W]) -> Generator[Request, Reply, W]:
    """A reply of that form; one that is not is asked for once more, with the error.

    Raises ReplyError where the second one is not either.
    """
    request = replace(request, schema=schema_of(form))
    reply = yield request
    try:
        return _read(reply, form)
    except ReplyError as error:
        again = load_prompt("again").fill({"error": str(error)}).strip()
    said = Message("assistant", storable(reply.text)[0])
    reply = yield replace(request, messages=(*request.messages, said, Message("user", again)))
    return _read(reply, form)


def _read(reply: Reply, form: type[W]) -> W:
    try:
        return form.model_validate_json(storable_json(_unfenced(reply.text))[0])
    except ValidationError as error:
        raise ReplyError(_explain(error, cut=reply.cut)) from None


def _unfenced(text: str) -> str:
    """A reply without the code fence around it."""
    text = text.strip()
    opening = OPENING.match(text)
    return text[opening.end() :].removesuffix(FENCE) if opening else text


def _explain(error: ValidationError, *, cut: bool) -> str:
    if cut:
        return "the reply is cut off"
    problem = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"the reply is not valid: {place + ': ' if place else ''}{problem['msg']}"
