"""Reads replies, vectors and token counts from the bodies of responses, and from their events.

Any field of a body may be missing, null, of another type, or absurd. If a body holds no readable
text, vectors or counts, this is reported. A body that is too long is cut off.
"""

import json
import math
import re
from array import array
from base64 import b64decode
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, MutableMapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import httpx2
import openai

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.endpoint.reasoning_tags import (
    is_unfinished_reasoning,
    remove_reasoning,
    shows_reasoning,
)
from graphrag_neo4j.model.types import Reply, Usage
from graphrag_neo4j.text.strings import excerpt, flat, storable, without_unseen

Completion = dict[str, Any]
Used = tuple[int, int, int]
"""The tokens of a call: input tokens, cached tokens among them, output tokens."""
Vector: TypeAlias = "array[float]"
"""The numbers of a vector, of 32 bits each: an eighth of the memory of a list of numbers."""

NO_CHOICE: Final = "because it holds no choice"
LONGEST_REPLY: Final = 1_000_000  # characters; no model writes more in one reply
# Bytes after decompression. A streamed reply takes about 250 bytes for each token.
LONGEST_BODY: Final = 64 * 2**20
LEAST: Final = 0.7
"""Share of our own count of tokens that counts where an endpoint reports fewer. Its encoding may
need fewer tokens than ours, but not so few: some servers report zeros, or a cached prompt as 0."""
MOST_TOKENS: Final = 10**9  # of one call; a larger number is an error of the endpoint
# Where endpoints report cached input tokens: OpenAI and most others, DeepSeek, Moonshot.
CACHED: Final = (
    ("prompt_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("cached_tokens",),
)
# How replies end (finish_reason), as many endpoints say it, in lower case.
COMPLETE: Final = frozenset(
    {"", "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"}
    | {"tool_calls", "function_call", "null", "none", "finish_reason_unspecified"}
)
AT_LIMIT: Final = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length"}
    | {"model_context_window_exceeded"}
)
STOPPED: Final = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
    | {"language", "sensitive", "refusal", "content_filtered", "guardrail_intervened"}
    | {"error_toxic"}
)
BROKEN_OFF: Final = frozenset(
    {"error", "abort", "aborted", "cancelled", "network_error", "insufficient_system_resource"}
)
WITHHELD: Final = "the endpoint's content filter withheld the reply"
LONGEST_REFUSAL: Final = 200  # characters of a refusal that are shown
LONGEST_ENDING: Final = 50  # characters of an unknown ending that are shown
REASONING: Final = (
    "the endpoint sent a reasoning (reasoning_content), but no text: let the server's reasoning "
    "parser fit the model, or use a model that reasons less"
)
ELSEWHERE: Final = {
    "tool_calls": "the model called a tool instead of writing a reply (tool_calls): serve it "
    "without tools, or use another model",
    "reasoning_content": REASONING,
    "reasoning": REASONING,
}
"""The fields of a message that may hold something where its content is empty, with the reason."""
CUT, LAST = "graphrag_neo4j.cut", "graphrag_neo4j.last"  # our notes on a response
DONE: Final = re.compile(rb"^data: ?\[DONE\]", re.MULTILINE)  # ends a stream of events
EVENT: Final = re.compile(rb"^data: ?(\{.*)$", re.MULTILINE)
LAST_BYTES: Final = 1000  # of a body, in which DONE is looked for
# The errors that reading JSON of any form can raise, also for deep nesting and huge numbers.
UNREADABLE: Final = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError),
)


async def bound_body(response: httpx2.Response) -> None:
    """Limits the body of a response to LONGEST_BODY bytes. This is a hook of the HTTP client.

    It counts the bytes after decompression, because a small compressed body can hold gigabytes.
    The content of a file is not limited, because it goes to the disk.
    """
    if response.request.url.path.endswith("/content"):
        return
    packed = httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
    response.headers.pop("content-encoding", None)
    response.stream = _Bounded(packed, response.extensions)


class _Bounded(httpx2.AsyncByteStream):
    """The decompressed body of a response up to LONGEST_BODY bytes.

    If there are more bytes, this is noted under CUT in the response's extensions. The last bytes
    that have come are noted under LAST.
    """

    def __init__(self, packed: httpx2.Response, notes: MutableMapping[str, Any]) -> None:
        self._packed, self._notes = packed, notes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left, last = LONGEST_BODY, b""
        async with aclosing(self._packed.aiter_bytes()) as parts:
            async for part in parts:
                left -= len(part)
                if left < 0:
                    self._notes[CUT] = True
                    return
                last = (last + part)[-LAST_BYTES:]
                self._notes[LAST] = last
                yield part

    async def aclose(self) -> None:
        await self._packed.aclose()


def refuse_long(characters: int, response: httpx2.Response | None = None) -> None:
    """Raises ReplyError if a reply has more than LONGEST_REPLY characters, or its body was cut."""
    if characters > LONGEST_REPLY:
        raise ReplyError(f"the reply is longer than {LONGEST_REPLY:,} characters")
    if response is not None and response.extensions.get(CUT):
        raise ReplyError(f"the endpoint's response is larger than {LONGEST_BODY >> 20} MiB")


def completion_of(response: httpx2.Response) -> Completion:
    """Returns the chat completion in a response.

    Raises ReplyError if the response is too long, and openai.APIResponseValidationError if it
    holds no chat completion.
    """
    body = _json_of(response)
    if body is None and EVENT.search(response.content):
        return _completion_of_events(response)
    if completion := completion_in(body):
        return completion
    refuse_error(body, response.request)
    empty = f", {NO_CHOICE}" if field_of(body, "choices") == [] else ""
    message = f"the endpoint's reply is not a chat completion{empty}"
    raise openai.APIResponseValidationError(response, None, message=message)


def _completion_of_events(response: httpx2.Response) -> Completion:
    """Returns the chat completion of a stream that has come as a whole."""
    record = StreamRecord()
    for data in EVENT.findall(response.content):
        with suppress(*UNREADABLE):
            record.add(json.loads(data), response.request)
    record.close(response)
    if record.flaw:
        raise ReplyError(record.flaw)
    return record.completion


def completion_in(body: object) -> Completion | None:
    """Returns a parsed body if it is a chat completion, else None."""
    message = field_of(body, "choices", 0, "message")
    if isinstance(body, dict) and isinstance(message, dict) and message:
        text = text_in(message.get("content"))
        if text is not None:
            message["content"] = text
            return body
    return None


def text_in(content: object) -> str | None:
    """Returns the text of a content: a text, parts, or null. None if it is something else."""
    if isinstance(content, list) and all(isinstance(part, Mapping) for part in content):
        texts = [part.get("text") for part in content if part.get("type", "text") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ("" if content is None else None)


def reply_of(completion: Completion) -> tuple[Reply, int]:
    """Returns the reply of a completion, and the number of characters that were replaced.

    Raises ReplyError if a content filter or the model withheld the reply, or if it is too long.
    """
    choice = completion["choices"][0]
    end = ending(choice.get("finish_reason"))
    if end in STOPPED:
        raise ReplyError(WITHHELD if end == "content_filter" else f"{WITHHELD} ({end})")
    if end in BROKEN_OFF:
        raise ReplyError(f"the endpoint broke the reply off ({end})")
    written = choice["message"]["content"]
    if not written:
        refuse_textless(choice["message"])
    refuse_long(len(written))
    text, replaced = storable(written)
    return Reply(remove_reasoning(text), cut=end in AT_LIMIT), replaced


def ending(finish_reason: object) -> str:
    """How a reply ended, in lower case: "" if unknown, "safety" for "FinishReason.SAFETY"."""
    return (
        finish_reason.strip().lower().rpartition(".")[2] if isinstance(finish_reason, str) else ""
    )


def odd_ending(finish_reason: object) -> str:
    """A sentence about an ending that is not known; "" for those that are."""
    end = ending(finish_reason)
    if end in COMPLETE | AT_LIMIT | STOPPED | BROKEN_OFF:
        return ""
    shown = excerpt(flat(end), LONGEST_ENDING)
    return f"The endpoint ended a reply in a way that is not known (finish_reason {shown})."


def refuse_textless(message: Mapping[str, object]) -> None:
    """Raises ReplyError if a message without a text says why, or holds something else."""
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        raise ReplyError(f"the model refused to reply: {excerpt(refusal, LONGEST_REFUSAL)}")
    for name, reason in ELSEWHERE.items():
        if message.get(name):
            raise ReplyError(reason)


def has_no_text(text: str, finish_reason: object) -> bool:
    """Returns whether a reply reached its limit, or ended, before its text began."""
    return is_unfinished_reasoning(text) or (ending(finish_reason) in AT_LIMIT and not text)


def is_blank_to_limit(choice: Mapping[str, Any]) -> bool:
    """Returns whether a reply is white space up to its limit, as a schema makes models write."""
    text = choice["message"]["content"]
    return ending(choice.get("finish_reason")) in AT_LIMIT and text != "" and not text.strip()


def has_reasoning(body: object) -> bool:
    """Returns whether a completion or an event of a stream shows that the model reasons."""
    if _number(body, "usage", "completion_tokens_details", "reasoning_tokens"):
        return True
    choice = field_of(body, "choices", 0)
    part = field_of(choice, "message") or field_of(choice, "delta")
    text = field_of(part, "content")
    tagged = isinstance(text, str) and shows_reasoning(text)
    return bool(tagged or field_of(part, "reasoning_content") or field_of(part, "reasoning"))


def used_by(body: object, *, replied: bool = True) -> Used | None:
    """Returns the tokens of a call as the body reports them, or None for invalid numbers.

    With `replied` the body must also report the tokens of the reply.
    """
    sent = _number(body, "usage", "prompt_tokens")
    written = _number(body, "usage", "completion_tokens") if replied else 0
    if sent is None or written is None:
        return None
    cached = next(filter(None, (_number(body, "usage", *path) for path in CACHED)), 0)
    return sent, cached if cached <= sent else 0, written


def at_least(used: Used | None, sent: int, written: int) -> Used:
    """Returns the tokens of a call: as it reports them, but at least LEAST of our own counts."""
    if used is None:
        return sent, 0, written
    return max(used[0], math.ceil(LEAST * sent)), used[1], max(used[2], math.ceil(LEAST * written))


def vectors_in(response: httpx2.Response) -> tuple[list[Vector], Used | None]:
    """Returns the vectors of a response in the order of the texts, and the tokens of the call.

    Raises ReplyError if the response holds no vectors or is too long, and openai.APIError if it
    holds an error.
    """
    body: Any = _json_of(response)
    try:
        places = {n: row.get("index", n) for n, row in enumerate(body["data"])}
        rows = [body["data"][n]["embedding"] for n in sorted(places, key=places.__getitem__)]
        # An endpoint may ignore the format, and send numbers instead of base64.
        vectors = [array("f", b64decode(row) if isinstance(row, str) else row) for row in rows]
    except UNREADABLE:
        refuse_error(body, response.request)
        raise ReplyError("the endpoint's reply holds no vectors") from None
    return vectors, used_by(body, replied=False)


def field_of(body: object, *path: str | int) -> object:
    """Returns what stands at a path in parsed JSON, None if there is nothing."""
    found: Any = body
    with suppress(*UNREADABLE):
        for name in path:
            found = found[name]
        return found
    return None


def _number(body: object, *path: str) -> int | None:
    """Returns a valid number of tokens, or None. An invalid number would distort the cost."""
    found = field_of(body, *path)
    usable = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= MOST_TOKENS
    return found if usable and isinstance(found, int) else None


def _json_of(response: httpx2.Response) -> object:
    """Returns the parsed body, None if it is no JSON. Raises ReplyError if it is too long."""
    refuse_long(0, response)
    with suppress(*UNREADABLE):
        return json.loads(response.content)
    return None


def refuse_error(body: object, request: httpx2.Request) -> None:
    """Raises openai.APIError for an error that came with status 200, or in a stream."""
    error = field_of(body, "error")
    if not error and isinstance(body, Mapping) and not body.get("choices"):
        is_error = body.get("object") == "error" or isinstance(body.get("message"), str)
        error = body if is_error else None
    if error:
        said = field_of(error, "message") or error
        message = said if isinstance(said, str) else "the endpoint reports an error"
        raise openai.APIError(message, request, body=error)


@dataclass(slots=True)
class StreamRecord:
    """The pieces of a reply, its tokens, and the reason why it ended (None if unknown).

    `sent` is the body that the endpoint accepted. `held` are the US dollars that are held until the
    text is read. `has_events` says whether anything came that is
    an event of a stream. `flaw` is the reason why the stream may have ended too early, as a part of
    a sentence.
    """

    sent: dict[str, Any] = field(default_factory=dict)
    held: float = 0.0
    pieces: list[str] = field(default_factory=list)
    has_events: bool = False
    flaw: str | None = None
    used: Used | None = None
    end: str | None = None
    reasons: bool = False
    _refusal: str = ""
    _elsewhere: dict[str, object] = field(default_factory=dict)
    _length: int = 0

    def add(self, event: object, request: httpx2.Request) -> str:
        """Reads an event and returns its piece of the text, which may be "".

        Raises openai.APIError for an error, and ReplyError if the reply becomes longer than any
        model writes.
        """
        refuse_error(event, request)
        self.has_events = True
        self.used = used_by(event) or self.used
        self.reasons = self.reasons or has_reasoning(event)
        choice = field_of(event, "choices", 0)
        end = field_of(choice, "finish_reason")
        self.end = (end if isinstance(end, str) else None) or self.end
        delta = field_of(choice, "delta")
        piece = text_in(field_of(delta, "content")) or ""
        self._length += len(piece)
        refuse_long(self._length)
        if piece:
            self.pieces.append(piece)
        else:
            self._refusal += text_in(field_of(delta, "refusal")) or ""
            self._elsewhere |= {one: said for one in ELSEWHERE if (said := field_of(delta, one))}
        return piece

    def close(self, response: httpx2.Response) -> None:
        """Notes how the stream has ended. Raises ReplyError if its body was cut off."""
        refuse_long(0, response)
        if not (self.end or DONE.search(response.extensions.get(LAST, b""))):
            self.flaw = "the endpoint's stream ended without a mark that the text ends there"

    @property
    def completion(self) -> Completion:
        """The same as the body of a call without a stream."""
        sent, cached, written = self.used or (None, 0, None)
        cached_of = {"cached_tokens": cached}
        usage = {"prompt_tokens": sent, "completion_tokens": written}
        message = {"content": self.text, "refusal": self._refusal, **self._elsewhere}
        return {
            "choices": [{"message": message, "finish_reason": self.end}],
            "usage": {**usage, "prompt_tokens_details": cached_of},
        }

    @property
    def has_begun(self) -> bool:
        """Whether anything of the reply has come, which is paid for."""
        return bool(self.pieces or self.end or self.used or self.reasons or self._elsewhere)

    @property
    def text(self) -> str:
        """The text that has come so far."""
        return "".join(self.pieces)

    @property
    def has_no_text(self) -> bool:
        """Whether the reply reached its limit, or ended, before its text began."""
        return has_no_text(self.text, self.end)

    def is_empty(self) -> bool:
        """Returns whether the reply has no text beside its reasoning.

        Raises ReplyError if it says why: a filter, a refusal, or something else than text.
        """
        if not self.pieces:
            if ending(self.end) in STOPPED:
                raise ReplyError(WITHHELD)
            refuse_textless({"refusal": self._refusal, **self._elsewhere})
        return not remove_reasoning(self.text).strip()

    @property
    def incomplete(self) -> str | None:
        """The reason why the text is not complete, as a part of a sentence; None if it is."""
        end = ending(self.end)
        if end in AT_LIMIT:
            return "it reached the limit of its length"
        if end in STOPPED:
            why = "" if end == "content_filter" else f" ({end})"
            return f"the endpoint's content filter stopped it{why}"
        if end in BROKEN_OFF:
            return self.flaw or "the endpoint reported an error"
        return self.flaw


async def storable_pieces(
    pieces: AsyncGenerator[str, None], used: Usage
) -> AsyncGenerator[str, None]:
    """Yields the pieces with U+FFFD for characters that can't be stored; closes `pieces`.

    What a terminal would leave out is left out here, before citations are looked for.

    `used.replaced` is the count. A character may arrive in two halves (a surrogate pair). Then the
    first half is held back until the second arrives.
    """
    decoder = getincrementaldecoder("utf-16-le")("surrogatepass")
    async with aclosing(pieces):
        async for piece in pieces:
            paired = decoder.decode(piece.encode("utf-16-le", "surrogatepass"))
            whole, replaced = storable(without_unseen(paired))
            used.replaced += replaced
            if whole:
                yield whole
    if held := decoder.decode(b"", final=True):
        used.replaced += 1
        yield storable(held)[0]
