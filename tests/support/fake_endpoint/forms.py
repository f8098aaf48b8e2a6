"""The bodies of OpenAI's API: completions whole and streamed, vectors, models, errors."""

import json
from array import array
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.fake_endpoint.server import HttpResponse

__all__ = ["ApiError", "Completion", "completion", "models", "stream", "to_json", "vectors"]

CREATED = 1_750_000_000
THOUGHT = "so "  # one token of reasoning
PIECE = 24
"""Characters of a streamed piece."""


class ApiError(Exception):
    """A request that is answered with an error."""

    def __init__(
        self,
        status: int,
        message: str,
        code: str,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self._status, self._code, self._param = status, code, param
        self._headers = headers or {}

    def response(self) -> HttpResponse:
        """The error as OpenAI words it."""
        kind = "server_error" if self._status >= 500 else "invalid_request_error"
        error = {"message": str(self), "type": kind, "param": self._param, "code": self._code}
        return to_json({"error": error}, self._status, self._headers)


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

    @property
    def content(self) -> str:
        """The text, with the reasoning before it if that is shown there."""
        if not (self.reasoning and self.shows_reasoning == "content"):
            return self.text
        return f"<think>{THOUGHT * self.reasoning}" + (self.text and f"</think>{self.text}")

    @property
    def thoughts(self) -> dict[str, str]:
        """The field of a message that shows the reasoning, if one does."""
        shown = self.reasoning and self.shows_reasoning == "field"
        return {"reasoning_content": THOUGHT * self.reasoning} if shown else {}


def to_json(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """A response that carries a value as JSON."""
    return HttpResponse(status, json.dumps(value).encode("ascii"), headers=headers or {})


def completion(done: Completion) -> HttpResponse:
    """The reply in one piece."""
    message = {"role": "assistant", "content": done.content, "refusal": None} | done.thoughts
    choice = {"message": message, "finish_reason": done.finish_reason}
    return to_json(_chunk(done, "chat.completion", choice) | {"usage": _usage(done)})


def stream(done: Completion, include_usage: bool) -> HttpResponse:
    """The reply as server-sent events."""
    events = [json.dumps(event) for event in _events(done, include_usage)]
    pieces = [f"data: {event}\n\n".encode("ascii") for event in (*events, "[DONE]")]
    return HttpResponse(content_type="text/event-stream", pieces=pieces)


def vectors(
    model: str, rows: Sequence[list[float]], base64: bool, prompt_tokens: int
) -> HttpResponse:
    """The vectors of a batch of texts."""
    data = [
        {"object": "embedding", "index": index, "embedding": _to_base64(r) if base64 else r}
        for index, r in enumerate(rows)
    ]
    usage = {"prompt_tokens": prompt_tokens, "total_tokens": prompt_tokens}
    return to_json({"object": "list", "data": data, "model": model, "usage": usage})


def models(names: Sequence[str]) -> HttpResponse:
    """The list of models."""
    data = [
        {"id": name, "object": "model", "created": CREATED, "owned_by": "nobody"} for name in names
    ]
    return to_json({"object": "list", "data": data})


def _events(done: Completion, include_usage: bool) -> Iterator[dict[str, Any]]:
    kind = "chat.completion.chunk"
    opening = {"role": "assistant", "content": ""} | done.thoughts
    yield _chunk(done, kind, {"delta": opening, "finish_reason": None})
    for start in range(0, len(done.content), PIECE):
        delta = {"content": done.content[start : start + PIECE]}
        yield _chunk(done, kind, {"delta": delta, "finish_reason": None})
    yield _chunk(done, kind, {"delta": {}, "finish_reason": done.finish_reason})
    if include_usage:
        yield _chunk(done, kind) | {"usage": _usage(done)}


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


def _to_base64(vector: list[float]) -> str:
    """Little-endian floats of 32 bits, which OpenAI's own client asks for."""
    return b64encode(array("f", vector).tobytes()).decode("ascii")
