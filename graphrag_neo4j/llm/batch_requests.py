"""The requests of a batch and their results: lines of JSON, each with the key of its request.

The key of a request is a hash of its model, its messages, its limit and its schema, with its step
before it. So the same request has the same key in every run, and a result tells its step.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from graphrag_neo4j import tokens
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.batch_calls import URL
from graphrag_neo4j.llm.calls.endpoint_errors import REFUSED
from graphrag_neo4j.llm.calls.response_bodies import (
    UNREADABLE,
    Completion,
    completion_in,
    has_no_text,
    has_reasoning,
    reply_of,
    used_by,
)
from graphrag_neo4j.llm.endpoint import Endpoint, model_of
from graphrag_neo4j.llm.structured_output import storable_json
from graphrag_neo4j.model import Reply, Request, Step
from graphrag_neo4j.text import excerpt, storable

__all__ = ["BatchRequests", "BatchResult", "Problem"]

Problem = Literal["again", "more room", "refused", "final"]
"""What is wrong with a result: the request may succeed in another batch, or with more room for the
reasoning; the endpoint refuses it; or its reply can't be used."""
STEPS: Final = frozenset(get_args(Step))
REFUSALS: Final = frozenset({400, 413, 422})
LONGEST_LINE: Final = 64 * 2**20  # bytes, as of the body of a direct call
LONGEST_MESSAGE: Final = 300  # characters of an error that are kept


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of one request: a reply, or a problem and its reason.

    `used` holds the input tokens, the cached tokens among them and the output tokens; None if the
    request was not answered.
    """

    key: str
    reply: Reply | None = None
    problem: Problem | None = None
    error: str = ""
    used: tuple[int, int, int] | None = None
    estimated: bool = False

    @property
    def step(self) -> Step:
        """The step of the request."""
        return _step_of(self.key)


class BatchRequests:
    """Writes requests as lines for a batch, and reads the lines with their results."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._settings = endpoint.settings

    def model(self, request: Request) -> str:
        """The model of a request; a batch is for one model."""
        return model_of(self._settings, request.step)

    def key(self, request: Request) -> str:
        """The key of a request."""
        said = [part for one in request.messages for part in (one.role, one.content)]
        schema = json.dumps(request.schema, sort_keys=True)
        limit = request.max_tokens or 0
        words = " ".join(request.choices)
        hash_ = identify("request", self.model(request), limit, words, schema, *said)
        return f"{request.step}-{hash_}"

    def line(self, request: Request, *, more_room: bool) -> bytes:
        """The line of a request. `more_room` gives its reply more room for the reasoning."""
        options = self._endpoint.options_of(request, int(more_room))
        body = options.body(stream=False)
        line = {"custom_id": self.key(request), "method": "POST", "url": URL, "body": body}
        return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"

    def cost_at_most(self, request: Request, *, more_room: bool) -> float | None:
        """US dollars in a batch if the reply reaches its limit; None if no price is known."""
        price = self._endpoint.price(request.step)
        if price is None:
            return None
        encoding = self._settings.encoding
        sent = sum(tokens.count(message.content, encoding) for message in request.messages)
        limit = self._endpoint.options_of(request, int(more_room)).limit or 0
        return price.of_batches.of(sent, 0, limit)

    def reply(self, request: Request, text: str, *, cut: bool) -> Reply:
        """The reply to a request, with the text that was saved."""
        return Reply(storable_json(text)[0] if request.schema else text, cut)

    def count(self, result: BatchResult) -> None:
        """Counts the tokens and the cost of a result, or its failure."""
        meter, price = self._endpoint.meter, self._endpoint.price(result.step)
        if result.used is None:
            meter.fail(result.step)
            return
        half = price.of_batches if price else None
        meter.count(result.step, half, result.used, estimated=result.estimated)

    def result(self, line: bytes) -> BatchResult | None:
        """Reads a line of a file of results; None if it is not the result of a request of ours."""
        row: Any = None
        if len(line) <= LONGEST_LINE:
            with suppress(*UNREADABLE):
                row = json.loads(line)
        key = row.get("custom_id") if isinstance(row, Mapping) else None
        if not isinstance(key, str) or key.partition("-")[0] not in STEPS:
            return None
        response = row.get("response")
        if isinstance(response, Mapping) and response.get("status_code") == 200:
            return self._answered(key, response.get("body"))
        return _failed(key, response, row.get("error"))

    def _answered(self, key: str, body: object) -> BatchResult:
        completion = completion_in(body)
        if completion is None:
            reason = "the result in the batch is not a chat completion"
            return BatchResult(key, problem="again", error=reason)
        used = used_by(completion)
        text = completion["choices"][0]["message"]["content"] or ""
        spent = used or (0, 0, tokens.count(text, self._settings.encoding))
        known = self._endpoint.options_of(Request(_step_of(key), ())).known
        known.reasons |= has_reasoning(completion)
        reply, problem, error = self._reply(key, completion)
        return BatchResult(key, reply, problem, error, spent, estimated=used is None)

    def _reply(self, key: str, completion: Completion) -> tuple[Reply | None, Problem | None, str]:
        """The reply of a completion, or its problem and the reason."""
        if has_no_text(completion):
            reason = (
                "the model wrote no text before its limit of tokens, since its reasoning took "
                "them: set KG_REASONING_TOKENS higher, or use a model that reasons less"
            )
            return None, "more room", reason
        try:
            reply, replaced = reply_of(completion)
        except ReplyError as error:
            return None, "final", str(error)
        self._endpoint.meter.steps[_step_of(key)].replaced += replaced
        return reply, None, ""


def _step_of(key: str) -> Step:
    step: Step = key.partition("-")[0]  # type: ignore[assignment] # checked where it is read
    return step


def _failed(key: str, response: object, error: object) -> BatchResult:
    """A request that was not answered, or with an error."""
    body = response.get("body") if isinstance(response, Mapping) else None
    status = response.get("status_code") if isinstance(response, Mapping) else None
    inner = body.get("error") if isinstance(body, Mapping) else error
    said = inner.get("message") if isinstance(inner, Mapping) else None
    message = excerpt(storable(str(said or f"status {status}"))[0], LONGEST_MESSAGE)
    if status in REFUSALS:
        return BatchResult(key, problem="refused", error=f"{REFUSED}: {message}")
    return BatchResult(key, problem="again", error=f"the batch did not answer it: {message}")
