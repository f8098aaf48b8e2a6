"""Structured output: replies that follow a schema. An invalid reply is asked for a second time."""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.llm.replies.json_values import CUT, JSONValues, read_values
from graphrag_neo4j.llm.replies.schemas import ReplySchema, usual_spelling
from graphrag_neo4j.model.types import Message, Reply, Request
from graphrag_neo4j.text.strings import excerpt, storable

# The escapes of JSON: characters, surrogate pairs, and single surrogates, which can't be stored.
ESCAPED = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
    r"|(?P<unstorable>u(?:[dD][89a-fA-F][\da-fA-F]{2}|0000))|.)",
    re.DOTALL,
)
CUT_OFF = "the reply is cut off"
OTHER_FORM = "JSON in another form"  # the note on a reply that is not the one object of the schema
BEGINNING = 500  # characters of an invalid reply that the model is shown
R = TypeVar("R")
W = TypeVar("W", bound=ReplySchema)


def storable_json(text: str) -> tuple[str, int]:
    """Replaces the characters in JSON that can't be stored, also those written as escapes.

    Returns the text and the number of replaced characters.
    """
    plain, replaced = storable(text)
    escapes = sum(one["unstorable"] is not None for one in ESCAPED.finditer(plain))
    whole = ESCAPED.sub(lambda one: "\\ufffd" if one["unstorable"] else one[0], plain)
    return whole, replaced + escapes


def read_json(
    request: Request, schema: type[W], check: Callable[[W, list[str]], R]
) -> Generator[Request, Reply, R]:
    """Requests a reply that follows a schema, and returns what `check` makes of it.

    The model is asked for the JSON schema of the request or, by default, for that of `schema`.
    What was repaired or left out is noted in `Reply.odd`. `check` gets the reply as an instance of
    the schema, and these notes. It may leave out parts and note them, or raise ReplyError if the
    instance can't be used.
    If the reply is not valid, the model is shown the error and the beginning of the reply, and
    asked a second time. Raises ReplyError if the second reply is not valid either.
    """
    request = replace(request, schema=request.schema or schema.model_json_schema())
    reply = yield request
    try:
        return check(_read(reply, schema, usable_if_cut=schema.usable_if_cut), reply.odd)
    except ReplyError as error:
        second = again(request, reply.text, str(error), "again")
    with suppress(ReplyError):  # if this request is refused, the first reply goes as far as it can
        reply = yield second
    return check(_read(reply, schema, usable_if_cut=True), reply.odd)


def again(request: Request, reply: str, error: str, prompt: str) -> Request:
    """Returns the request once more, with the beginning of its reply and why it can't be used.

    `prompt` is the name of the prompt that says so.
    """
    # A whole invalid reply may be too long. Some endpoints refuse an empty message, and two
    # messages of the user in a row.
    shown = excerpt(storable(reply[: 2 * BEGINNING])[0], BEGINNING) or "…"
    said = load_prompt(prompt).fill({"error": error}).strip()
    messages = (*request.messages, Message("assistant", shown), Message("user", said))
    return replace(request, messages=messages)


def _read(reply: Reply, schema: type[W], *, usable_if_cut: bool) -> W:
    found = read_values(storable_json(reply.text)[0])
    if reply.cut and not found.open:
        found.open = True
        found.odd.append(CUT)
    if found.open and not usable_if_cut:
        raise ReplyError(CUT_OFF)
    if not (found.values or found.open):
        raise ReplyError("the reply is not valid: it holds no JSON object")
    try:
        whole = schema.model_validate(_root(found, schema), context=found.odd)
    except RecursionError:
        raise ReplyError("the reply is not valid: it is nested too deeply") from None
    except ValidationError as error:
        raise ReplyError(CUT_OFF if found.open else _explain(error)) from None
    reply.odd.extend(found.odd)
    return whole


def _root(found: JSONValues, schema: type[ReplySchema]) -> Mapping[str, object]:
    """Returns the object of a reply that follows the schema best. It may stand in another object.

    Items of its list that stand elsewhere in the reply are added to the list.
    """

    def known(one: Mapping[str, Any]) -> int:
        return len(schema.model_fields.keys() & set(map(usual_spelling, one)))

    top = list(_each(found.values))
    objects = [one for one in top if isinstance(one, dict)]
    inner = [_each(_parsed(value)) for one in objects for value in one.values()]
    deeper = [one for values in inner for one in values if isinstance(one, dict)]
    best: Mapping[str, Any] = max(objects, key=known, default={})
    if not known(best):
        best = max(deeper, key=known, default={})
    if known(best) and len(found.values) == 1 and best is found.values[0]:
        return best
    found.odd.append(OTHER_FORM)
    root = dict(best if known(best) else {})
    items = [item for one in top if one != best for item in _items(one, schema)]
    if items:
        already = root.get(schema.listed, [])
        root[schema.listed] = [*(already if isinstance(already, list) else [already]), *items]
    return root


def _items(value: object, schema: type[ReplySchema]) -> Sequence[object]:
    """Returns the items of the list of a schema that a value at the top of a reply holds."""
    if not isinstance(value, dict):
        return [value] if schema.listed and not schema.item_fields else []
    if schema.item_fields and schema.item_fields[0] in value:
        return [value]
    lists = [part for part in value.values() if isinstance(part, list)]
    is_whole = schema.model_fields.keys() == {schema.listed}
    return lists[0] if is_whole and len(lists) == 1 else []


def _parsed(value: object) -> Sequence[object]:
    """Returns a value, or the values of the JSON that it holds as a text."""
    is_json = isinstance(value, str) and value.lstrip().startswith(("{", "["))
    return read_values(value).values if is_json and isinstance(value, str) else [value]


def _each(values: Sequence[object]) -> Iterator[Any]:
    """Yields the values at the top of a reply, and the items of the lists there."""
    for value in values:
        yield from value if isinstance(value, list) else [value]


def _explain(error: ValidationError) -> str:
    problem = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"the reply is not valid: {place + ': ' if place else ''}{problem['msg']}"
