"""The bodies of OpenAI's API: completions whole and streamed, vectors, models, errors."""

import json
from array import array
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.fake_endpoint.server import HttpResponse

CREATED = 1_750_000_000
THOUGHT = "so "  # one token of reasoning
PIECE = 24  # characters of a streamed piece


class ApiError(Exception):
    """A request that is answered with an error, as OpenAI words it."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        kind = "server_error" if status >= 500 else "invalid_request_error"
        error = {"message": message, "type": kind, "param": param, "code": code}
        self.response = to_json({"error": error}, status, headers)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply and what it cost."""

    id: str
    model: str
    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    reasoning: int = 0
    shows_reasoning: str = ""


def to_json(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """A response that carries a value as JSON."""
    return HttpResponse(status, json.dumps(value).encode("ascii"), headers=headers or {})


def completion(done: Completion) -> HttpResponse:
    """The reply in one piece."""
    thoughts, content = _shown(done)
    message = {"role": "assistant", "content": content, "refusal": None} | thoughts
    choice = {"message": message, "finish_reason": done.finish_reason}
    return to_json(_chunk(done, "chat.completion", choice) | {"usage": _usage(done)})


def stream(done: Completion, include_usage: bool) -> HttpResponse:
    """The reply as server-sent events."""
    thoughts, content = _shown(done)
    deltas = [{"role": "assistant", "content": ""} | thoughts]
    deltas += [{"content": content[n : n + PIECE]} for n in range(0, len(content), PIECE)]
    choices: list[dict[str, Any]] = [{"delta": one, "finish_reason": None} for one in deltas]
    choices.append({"delta": {}, "finish_reason": done.finish_reason})
    events = [_chunk(done, "chat.completion.chunk", choice) for choice in choices]
    if include_usage:
        events.append(_chunk(done, "chat.completion.chunk") | {"usage": _usage(done)})
    lines = [*map(json.dumps, events), "[DONE]"]
    pieces = [f"data: {line}\n\n".encode("ascii") for line in lines]
    return HttpResponse(content_type="text/event-stream", pieces=pieces)


def vectors(model: str, rows: Sequence[list[float]], base64: bool, tokens: int) -> HttpResponse:
    """The vectors of a batch of texts; as base64 they are little-endian floats of 32 bits."""
    sent = [b64encode(array("f", row).tobytes()).decode() if base64 else row for row in rows]
    data = [{"object": "embedding", "index": n, "embedding": one} for n, one in enumerate(sent)]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return to_json({"object": "list", "data": data, "model": model, "usage": usage})


def models(names: Sequence[str]) -> HttpResponse:
    """The list of models."""
    common = {"object": "model", "created": CREATED, "owned_by": "nobody"}
    return to_json({"object": "list", "data": [{"id": name, **common} for name in names]})


def _shown(done: Completion) -> tuple[dict[str, str], str]:
    """A field with the reasoning if it is shown in one; the text, after it if it is shown there."""
    thoughts = THOUGHT * done.reasoning
    if thoughts and done.shows_reasoning == "field":
        return {"reasoning_content": thoughts}, done.text
    if thoughts and done.shows_reasoning == "content":
        return {}, f"<think>{thoughts}" + (done.text and f"</think>{done.text}")
    return {}, done.text


def _chunk(done: Completion, kind: str, *choices: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{done.id}",
        "object": kind,
        "created": CREATED,
        "model": done.model,
        "choices": [{"index": 0, "logprobs": None} | choice for choice in choices],
    }


def _usage(done: Completion) -> dict[str, Any]:
    return {
        "prompt_tokens": done.prompt_tokens,
        "completion_tokens": done.completion_tokens,
        "total_tokens": done.prompt_tokens + done.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": done.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": done.reasoning},
    }
