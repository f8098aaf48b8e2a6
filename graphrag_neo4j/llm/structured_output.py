"""Structured output: replies that follow a schema. An invalid reply is asked for a second time."""

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
# The escapes of JSON: characters, surrogate pairs, and single surrogates, which can't be stored.
ESCAPED = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
    r"|(?P<unstorable>u(?:[dD][89a-fA-F][\da-fA-F]{2}|0000))|.)",
    re.DOTALL,
)
W = TypeVar("W", bound=ReplySchema)


def schema_of(schema: type[ReplySchema]) -> dict[str, Any]:
    """Returns the JSON schema, with its title."""
    return schema.model_json_schema()


def storable_json(text: str) -> tuple[str, int]:
    """Replaces the characters in JSON that can't be stored, also those written as escapes.

    Returns the text and the number of replaced characters.
    """
    escaped = 0

    def replaced_escape(found: re.Match[str]) -> str:
        nonlocal escaped
        if not found["unstorable"]:
            return found[0]
        escaped += 1
        return "\\ufffd"

    plain, replaced = storable(text)
    whole = ESCAPED.sub(replaced_escape, plain)
    return whole, replaced + escaped


def read_json(request: Request, schema: type[W]) -> Generator[Request, Reply, W]:
    """Requests a reply that follows a schema, and returns it as an instance of the schema.

    If the reply is not valid, the model is shown the error and asked a second time. Raises
    ReplyError if the second reply is not valid either.
    """
    request = replace(request, schema=schema_of(schema))
    reply = yield request
    try:
        return _read(reply, schema)
    except ReplyError as error:
        again = load_prompt("again").fill({"error": str(error)}).strip()
    invalid = Message("assistant", storable(reply.text)[0])
    reply = yield replace(request, messages=(*request.messages, invalid, Message("user", again)))
    return _read(reply, schema)


def _read(reply: Reply, schema: type[W]) -> W:
    try:
        return schema.model_validate_json(storable_json(_unfenced(reply.text))[0])
    except ValidationError as error:
        raise ReplyError(_explain(error, cut=reply.cut)) from None


def _unfenced(text: str) -> str:
    """Returns a reply without the code fence around it."""
    text = text.strip()
    opening = OPENING.match(text)
    return text[opening.end() :].removesuffix(FENCE) if opening else text


def _explain(error: ValidationError, *, cut: bool) -> str:
    if cut:
        return "the reply is cut off"
    problem = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"the reply is not valid: {place + ': ' if place else ''}{problem['msg']}"
