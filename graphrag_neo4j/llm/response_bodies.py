"""What the bodies of an endpoint's responses hold: replies, pieces of replies, vectors, usage.

Any field of a body may be missing, null, of another type, or absurd. What the text, the vectors
or the usage can't be read from is said so; a body that goes on without an end is cut off.
"""

import json
from array import array
from base64 import b64decode
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import aclosing, suppress
from typing import Any, Final

import httpx2
import openai

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.reasoning_tags import without_thoughts
from graphrag_neo4j.model import Reply
from graphrag_neo4j.text import storable

__all__ = [
    "LONGEST_REPLY",
    "Completion",
    "Used",
    "bound_body",
    "completion_of",
    "piece_of",
    "refuse_long",
    "reply_of",
    "used_by",
    "vectors_of",
]

Completion = dict[str, Any]
Used = tuple[int, int, int]
"""Tokens of a call: (input, cached among these, output)."""

LONGEST_REPLY: Final = 1_000_000  # characters: more than any model writes in one reply
LONGEST_BODY: Final = 64 * 2**20  # bytes, unpacked: a streamed reply takes some 250 for a token
MOST_TOKENS: Final = 10**9  # of one call; a larger number is none
CUT: Final = "graphrag_neo4j.cut"
# What reading JSON of any shape raises, arrays in arrays in arrays and endless numbers included.
UNREADABLE: Final = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)


async def bound_body(response: httpx2.Response) -> None:
    """Lets no more than LONGEST_BODY bytes of a response be read; a hook of the HTTP client.

    It counts what has been unpacked, since a small packed body can hold gigabytes.
    """
    packed = httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
    response.headers.pop("content-encoding", None)
    response.stream = _Bounded(packed, response.extensions)


class _Bounded(httpx2.AsyncByteStream):
    """The unpacked body of a response up to LONGEST_BODY; CUT is noted where there is more."""

    def __init__(self, packed: httpx2.Response, notes: MutableMapping[str, Any]) -> None:
        self._packed, self._notes = packed, notes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LONGEST_BODY
        async with aclosing(self._packed.aiter_bytes()) as parts:
            async for part in parts:
                left -= len(part)
                if left < 0:
                    self._notes[CUT] = True
                    return
                yield part

    async def aclose(self) -> None:
        await self._packed.aclose()


def completion_of(response: httpx2.Response) -> Completion:
    """The chat completion that a response holds.

    Raises ReplyError where it is too long, APIResponseValidationError where it is none.
    """
    _refuse_cut(response)
    with suppress(*UNREADABLE):
        completion: Completion = json.loads(response.content)
        if isinstance(completion["choices"][0]["message"]["content"], str | None):
            return completion
    message = "the endpoint's reply is no chat completion"
    raise openai.APIResponseValidationError(response, None, message=message)


def reply_of(completion: Completion) -> tuple[Reply, int]:
    """The reply of a completion, and how many characters of it had to be replaced.

    Raises ReplyError where the endpoint withheld it, or where it is too long.
    """
    choice = completion["choices"][0]
    if choice.get("finish_reason") == "content_filter":
        raise ReplyError("the endpoint's content filter withheld the reply")
    written = choice["message"]["content"] or ""
    refuse_long(len(written))
    text, replaced = storable(written)
    return Reply(without_thoughts(text), cut=choice.get("finish_reason") == "length"), replaced


def piece_of(event: object) -> str:
    """The text that an event of a streamed reply brings; nothing where it brings none."""
    with suppress(*UNREADABLE):
        content = event["choices"][0]["delta"]["content"]  # type: ignore[index] # anything
        return content if isinstance(content, str) else ""
    return ""


def refuse_long(characters: int, response: httpx2.Response | None = None) -> None:
    """Raises ReplyError where a reply has more characters than any model writes.

    `response`: where it was streamed; the same error is raised where its body was cut off.
    """
    if characters > LONGEST_REPLY:
        raise ReplyError(f"the reply is longer than {LONGEST_REPLY:,} characters")
    if response is not None:
        _refuse_cut(response)


def used_by(body: object, *, replied: bool = True) -> Used | None:
    """The tokens that a body says a call has used; None where it does not say, or says nonsense.

    `replied`: the call had a reply, whose tokens must be there, too.
    """
    sent = _number(body, "usage", "prompt_tokens")
    written = _number(body, "usage", "completion_tokens") if replied else 0
    if sent is None or written is None:
        return None
    cached = _number(body, "usage", "prompt_tokens_details", "cached_tokens") or 0
    return sent, min(cached, sent), written


def vectors_of(response: httpx2.Response) -> tuple[list[list[float]], Used | None]:
    """The vectors of a response in the order of the texts, and the tokens used.

    Raises ReplyError where it holds none, or is too long.
    """
    _refuse_cut(response)
    try:
        body = json.loads(response.content)
        rows = sorted(body["data"], key=lambda row: row["index"])
        return [_vector(row["embedding"]) for row in rows], used_by(body, replied=False)
    except UNREADABLE:
        raise ReplyError("the endpoint's reply holds no vectors") from None


def _vector(given: str | list[float]) -> list[float]:
    """From the form that was asked for, or the plain one of an endpoint that knows no other."""
    return array("f", b64decode(given) if isinstance(given, str) else given).tolist()


def _number(body: object, *path: str) -> int | None:
    """A number of tokens; None for all else, since a wrong one would mend or break the bill."""
    for name in path:
        body = body.get(name) if isinstance(body, Mapping) else None
    usable = isinstance(body, int) and not isinstance(body, bool) and 0 <= body <= MOST_TOKENS
    return int(body) if usable and isinstance(body, int) else None


def _refuse_cut(response: httpx2.Response) -> None:
    if response.extensions.get(CUT):
        raise ReplyError(f"the endpoint's response is larger than {LONGEST_BODY >> 20} MiB")
