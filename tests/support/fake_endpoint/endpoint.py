"""The routes of OpenAI's API, what is refused, and the log.

Tests use /control/log, /control/reset and /control/options.
"""

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Any

from tests.support.fake_endpoint import forms
from tests.support.fake_endpoint.batches import Batches
from tests.support.fake_endpoint.chat import read_chat, text_hash
from tests.support.fake_endpoint.faults import Fate, decide
from tests.support.fake_endpoint.forms import ApiError, Completion, to_json
from tests.support.fake_endpoint.options import Options, change
from tests.support.fake_endpoint.replies import garbage, read_task, reply
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.fake_endpoint.words import count, cut, digest, embed

ANY_MODEL = ("gpt-4.1-mini", "text-embedding-3-small")
"""What is listed where every name is known."""
REFUSALS = {
    "param": (400, "Unsupported parameter: '{0}'."),
    "strict": (422, "[{{'type': 'extra_forbidden', 'loc': ('body', '{0}'), 'msg': 'Extra'}}]"),
    "unknown field": (400, 'json: unknown field "{0}"'),
    "nameless": (422, "Extra inputs are not permitted"),
}
"""The ways in which endpoints refuse a parameter of a request; "strict" is that of pydantic."""


@dataclass(slots=True)
class Call:
    """One call, as the log keeps it.

    `time`: seconds on the monotonic clock when it came. `status`: of HTTP, 0 for a connection
    closed without a response. `request`: a hash of its body; `attempt`: how often that was seen.
    `text`: `text_hash` of what it asks to read; `header`: of what is shown above that. `inputs`:
    how many texts it asks to embed. `ended`: the time when its response was sent, or the client was
    gone (`dropped`); 0.0 before.
    """

    time: float
    path: str
    request: str
    kind: str = ""
    model: str = ""
    status: int = 0
    fault: str = ""
    attempt: int = 0
    text: str = ""
    header: str = ""
    inputs: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ended: float = 0.0
    dropped: bool = False

    def end(self, whole: bool) -> None:
        self.ended, self.dropped = time.monotonic(), not whole


class Endpoint:
    """Answers calls and keeps their log."""

    def __init__(self, options: Options) -> None:
        if options.replies:
            import_module(options.replies)
        self._options = options
        self._calls: list[Call] = []
        self._seen = Counter[str]()
        self._kinds = Counter[str]()  # calls of each kind since the options were changed
        self._batches = Batches(self._ask_in_batch)
        self._free = 0.0  # the time when the calls so far are answered, if one is worked on at once

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The response to any request."""
        if request.path.startswith("/control/"):
            return self._control(request)
        return self._answer(request, request.path)

    def _ask_in_batch(self, body: bytes) -> HttpResponse:
        """The response to a chat request that stands in a batch; it is logged as a call, too."""
        headers = {"authorization": f"Bearer {self._options.key}"}
        request = HttpRequest("POST", "/v1/chat/completions", headers, body)
        return self._answer(request, "/v1/batches")

    def _answer(self, request: HttpRequest, logged: str) -> HttpResponse:
        call = Call(time.monotonic(), logged, digest(request.body))
        self._calls.append(call)
        try:
            response = self._route(request, call)
        except ApiError as error:
            response = error.response
        call.status = 0 if response.broken == "cut" else response.status
        return replace(response, ended=call.end)

    def _control(self, request: HttpRequest) -> HttpResponse:
        match request.path.removeprefix("/control/"):
            case "log":
                return to_json([asdict(call) for call in self._calls])
            case "reset":
                self._calls.clear()
                self._seen.clear()
            case "options":
                self._options = change(self._options, json.loads(request.body))
                self._kinds.clear()
        return to_json({})

    def _route(self, request: HttpRequest, call: Call) -> HttpResponse:
        key = self._options.key
        if key and request.headers.get("authorization") != f"Bearer {key}":
            raise ApiError(401, "Incorrect API key provided.", "invalid_api_key")
        match request.method, *request.path.split("/")[1:]:
            case "GET", "v1", "models":
                call.kind = "models"
                return forms.models(self._options.models or ANY_MODEL)
            case "POST", "v1", "chat", "completions":
                return self._chat(self._read(request, call), call)
            case "POST", "v1", "embeddings":
                return self._embed(self._read(request, call), call)
            case _, "v1", "files" | "batches" as kind, *_ if self._options.batches:
                call.kind = kind
                if self._options.batches_away:
                    raise ApiError(503, "The server has too much to do.", "overloaded")
                answer = self._batches.answer(request, self._options)
                if isinstance(answer, bytes):
                    return HttpResponse(200, answer, "application/octet-stream")
                return to_json(answer)
        raise ApiError(404, f"Unknown request URL: {request.path}.", "unknown_url")

    def _read(self, request: HttpRequest, call: Call) -> dict[str, Any]:
        """The request's body, where its model and parameters are accepted."""
        body: dict[str, Any] = json.loads(request.body)
        call.model = body["model"]
        if self._options.models and call.model not in self._options.models:
            message = f"The model `{call.model}` does not exist."
            raise ApiError(404, message, "model_not_found", "model")
        for name in sorted(body.keys() & set(self._options.rejects)):
            status, message = REFUSALS[self._options.refuses_as]
            named = self._options.refuses_as == "param"
            code = "unsupported_parameter" if named else ""
            raise ApiError(status, message.format(name), code, name if named else None)
        return {name: v for name, v in body.items() if name not in self._options.ignores}

    def _chat(self, body: dict[str, Any], call: Call) -> HttpResponse:
        options = self._options
        chat = read_chat(body, options.window)
        task = read_task(chat, options)
        call.kind, call.text = task.name, text_hash(chat.text)
        call.header = "".join(map(text_hash, chat.texts[:-1]))
        self._weigh(call, sum(map(count, chat.pieces)))
        if options.window:
            call.prompt_tokens = min(call.prompt_tokens, options.window)
        fate = self._meet_fate(call)
        if chat.words and call.fault == "garbage":
            call.fault = ""  # a forced word is never garbage
        text = garbage(task) if call.fault == "garbage" else reply(task, chat, options)
        limits = [limit for limit in (chat.max_tokens, options.output_tokens) if limit]
        reasoning = min([options.reasoning, *limits])
        shown = cut(text, min(limits) - reasoning) if limits else text
        # Under a bias on words a model does not stop by itself, so one token is the whole limit.
        ended = len(shown) == len(text) and not (chat.words and 1 in limits)
        call.completion_tokens = count(shown) + reasoning
        done = Completion(
            id=call.request,
            model=call.model,
            text=shown,
            finish_reason="stop" if ended else "length",
            prompt_tokens=call.prompt_tokens,
            completion_tokens=call.completion_tokens,
            cached_tokens=round(call.prompt_tokens * options.cached),
            reasoning=reasoning,
            shows_reasoning=options.shows_reasoning,
        )
        if not body.get("stream"):
            return _spoil(forms.completion(done), fate)
        usage = (body.get("stream_options") or {}).get("include_usage", False)
        return _spoil(replace(forms.stream(done, usage), pace=options.pace), fate)

    def _embed(self, body: dict[str, Any], call: Call) -> HttpResponse:
        if not self._options.embeds:
            raise ApiError(404, "This server does not support embeddings.", "not_supported")
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        call.kind, call.inputs = "embeddings", len(texts)
        self._weigh(call, sum(map(count, texts)))
        fate = self._meet_fate(call)
        dimensions = body.get("dimensions") or self._options.dimensions
        rows = [embed(text, dimensions >> (fate.fault == "garbage")) for text in texts]
        base64 = body.get("encoding_format") == "base64"
        return _spoil(forms.vectors(call.model, rows, base64, call.prompt_tokens), fate)

    def _weigh(self, call: Call, tokens: int) -> None:
        call.prompt_tokens = tokens
        most = self._options.context_tokens
        if most and tokens > most:
            message = f"This model's maximum context length is {most} tokens; yours has {tokens}."
            raise ApiError(400, message, "context_length_exceeded", "messages")

    def _meet_fate(self, call: Call) -> Fate:
        """What happens to the call; raises ApiError where it is to be refused."""
        self._seen[call.request] += 1
        call.attempt = self._seen[call.request]
        self._kinds[call.kind] += 1
        fate = decide(self._options, call.request, call.attempt, call.kind)
        if self._kinds[call.kind] <= self._options.spared:
            fate = Fate("", fate.delay)
        call.fault = fate.fault
        if self._options.one_at_a_time:
            now = time.monotonic()
            self._free = max(self._free, now) + fate.delay
            fate = Fate(fate.fault, self._free - now)
        if fate.fault == "too_many":
            wait = {"retry-after": f"{self._options.retry_after:g}"}
            raise ApiError(429, "Rate limit reached.", "rate_limit_exceeded", headers=wait)
        if fate.fault == "server_error":
            raise ApiError(500, "The server had an error.", "server_error")
        return fate


def _spoil(response: HttpResponse, fate: Fate) -> HttpResponse:
    broken = fate.fault if fate.fault in {"cut", "half"} else ""
    return replace(response, delay=fate.delay, broken=broken)
