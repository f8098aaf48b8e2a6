"""The Batch API of OpenAI: files of requests, batches of these files, and lines with their results.

A batch goes through these states: validating, in_progress, finalizing, and at the end completed,
expired, cancelled or failed. A failed batch was refused as a whole; nothing in it was answered. The
others may have two files: one of replies, one of errors.

The key of a request is a hash of its model, its messages, its limit and its schema, with its step
before it. So the same request has the same key in every run, and a result tells its step.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO, Any, Final, Literal, TypeVar, get_args

import httpx2
import openai
from openai import AsyncOpenAI

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint, bodies, model_of
from graphrag_neo4j.llm.endpoint.errors import REFUSED
from graphrag_neo4j.llm.replies.structured_output import storable_json
from graphrag_neo4j.model.types import Reply, Request, Step
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import excerpt, identify, storable

R = TypeVar("R")
URL: Final = "/v1/chat/completions"
"""The address of the requests in a batch; it does not depend on that of the endpoint."""
ENDED: Final = frozenset({"completed", "expired", "cancelled", "failed"})
OUR_MARK: Final = "graphrag_neo4j"  # the name of our mark in the metadata of a batch
LISTED: Final = 100  # of the newest batches, among which one with our mark is looked for
NAME: Final = "requests.jsonl"
PART: Final = 2**20  # bytes
STEPS: Final = frozenset(get_args(Step))
REFUSALS: Final = frozenset({400, 413, 422})
LONGEST_REASON: Final = 300  # characters of an error that are kept
NO_ROOM_FOR_TEXT: Final = (
    "the model wrote no text before its limit of tokens, since its reasoning took them: set "
    "KG_REASONING_TOKENS higher, or use a model that reasons less"
)


class UnknownBatchError(ModelError):
    """The endpoint does not know a batch."""


class PassingError(ModelError):
    """A call failed in a way that may pass: no network, or a server that has too much to do."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch at the provider: its id, its state, and how many of its requests are answered.

    `files` are the ids of the files with its results. `refusal` says why it was refused as a whole.
    """

    id: str
    state: str
    answered: int = 0
    files: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.state in ENDED


class BatchCalls:
    """The Batch API of an endpoint.

    All methods raise ModelError if the endpoint has no Batch API, refuses the call or can't be
    reached.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def upload(self, content: IO[bytes]) -> str:
        """Uploads a file of requests and returns its id."""

        async def send(client: AsyncOpenAI) -> object:
            content.seek(0)
            return await client.files.create(file=(NAME, content), purpose="batch")

        return self._id_of(await self._call(send))

    async def create(self, file: str, mark: str) -> BatchState:
        """Makes a batch of an uploaded file. `mark` is a text by which `find` finds it."""
        made = await self._call(
            lambda client: client.batches.create(
                input_file_id=file,
                endpoint=URL,
                completion_window="24h",
                metadata={OUR_MARK: mark},
            )
        )
        return self._state_of(made)

    async def find(self, mark: str) -> BatchState | None:
        """Returns the batch with a mark, None if there is none among the newest batches."""
        listed = (await self._call(lambda client: client.batches.list(limit=LISTED))).data or ()
        marked = (one for one in listed if (_field(one, "metadata") or {}).get(OUR_MARK) == mark)
        return next(map(self._state_of, marked), None)

    async def state(self, batch: str) -> BatchState:
        """Returns the state of a batch. Raises UnknownBatchError if the endpoint has none."""
        found = await self._call(lambda client: client.batches.retrieve(batch), of_known=True)
        return self._state_of(found)

    async def download(self, file: str, target: IO[bytes]) -> None:
        """Writes the content of a file of results to `target`."""

        async def send(client: AsyncOpenAI) -> None:
            async with client.files.with_streaming_response.content(file) as response:
                target.seek(0)
                target.truncate()
                try:
                    async for part in response.iter_bytes(PART):
                        target.write(part)
                except httpx2.HTTPError as error:
                    raise openai.APIConnectionError(request=response.http_request) from error

        await self._call(send)

    async def delete(self, file: str) -> str | None:
        """Deletes a file at the provider; returns the reason if that fails, None if it is gone."""
        try:
            await self._call(lambda client: client.files.delete(file), of_known=True)
        except UnknownBatchError:
            return None
        except ModelError as error:
            return str(error)
        return None

    async def _call(
        self, send: Callable[[AsyncOpenAI], Awaitable[R]], *, of_known: bool = False
    ) -> R:
        """Sends a call. With `of_known` it is about a batch or a file that was there before.

        Such a call raises UnknownBatchError if the endpoint does not know it any more.
        """
        try:
            return await self._endpoint.calls.retried(send)
        except openai.APIError as error:
            status = error.status_code if isinstance(error, openai.APIStatusError) else None
            if of_known and status == 404:
                raise UnknownBatchError(self._endpoint.failures.message(error)) from None
            if status in {404, 405, 501}:
                said = self._endpoint.failures.message(error)
                raise ModelError(self._no_batch_api(said)) from None
            known = self._endpoint.failures.explain(error)
        if isinstance(known, ReplyError):
            kind = ModelError if known.refused else PassingError
            raise kind(f"The batch can't be sent or read, since {known}.")
        raise known

    def _state_of(self, batch: object) -> BatchState:
        counts = _field(batch, "request_counts")
        answered = [_field(counts, name) or 0 for name in ("completed", "failed")]
        files = (_field(batch, name) for name in ("output_file_id", "error_file_id"))
        errors = _field(_field(batch, "errors"), "data") or ()
        return BatchState(
            self._id_of(batch),
            str(_field(batch, "status")),
            sum(n for n in answered if isinstance(n, int)),
            tuple(file for file in files if isinstance(file, str) and file),
            "; ".join(str(_field(error, "message")) for error in errors),
        )

    def _id_of(self, made: object) -> str:
        id_ = _field(made, "id")
        if not (isinstance(id_, str) and id_):
            raise ModelError(self._no_batch_api("its reply holds no id"))
        return id_

    def _no_batch_api(self, why: str) -> str:
        return (
            f"The endpoint at {self._endpoint.calls.address} has no Batch API: run the command "
            f"without --batch, or set OPENAI_BASE_URL to an endpoint that has one ({why})."
        )


def _field(body: object, name: str) -> Any:  # noqa: ANN401 - an endpoint may send anything
    """Returns a field of an object of the client, or of a mapping; None if it has none."""
    return body.get(name) if isinstance(body, Mapping) else getattr(body, name, None)


Problem = Literal["again", "more room", "refused", "final"]
"""What is wrong with a result: the request may succeed in another batch, or with more room for the
reasoning; the endpoint refuses it; or its reply can't be used."""


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
        step: Step = self.key.partition("-")[0]  # type: ignore[assignment] # checked when read
        return step


class BatchRequests:
    """Writes requests as lines for a batch, and reads the lines with their results."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def model(self, request: Request) -> str:
        """The model of a request; a batch is for one model."""
        return model_of(self._endpoint.settings, request.step)

    def key(self, request: Request) -> str:
        """The key of a request."""
        said = [part for one in request.messages for part in (one.role, one.content)]
        schema = json.dumps(request.schema, sort_keys=True)
        limit = request.max_tokens or 0
        words = " ".join(request.choices)
        hash_ = identify("request", self.model(request), limit, words, schema, *said)
        return f"{request.step}-{hash_}"

    def line(self, request: Request, *, more_room: bool) -> tuple[bytes, float | None]:
        """The line of a request, and the US dollars that it may cost; None if no price is known.

        `more_room` gives its reply more room for the reasoning.
        """
        options = self._endpoint.options_of(request, int(more_room))
        body, price = options.body(), self._endpoint.prices[request.step]
        line = {"custom_id": self.key(request), "method": "POST", "url": URL, "body": body}
        cost = price.of_batches.of(*options.most(body)) if price else None
        return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n", cost

    def reply(self, request: Request, text: str, *, cut: bool) -> Reply:
        """The reply to a request, with the text that was saved."""
        return Reply(storable_json(text)[0] if request.schema else text, cut)

    def count(self, result: BatchResult) -> None:
        """Counts the tokens and the cost of a result, or its failure."""
        meter, price = self._endpoint.meter, self._endpoint.prices[result.step]
        if result.used is None:
            meter.fail(result.step)
            return
        half = price.of_batches if price else None
        meter.count(result.step, half, result.used, estimated=result.estimated)

    def result(self, line: bytes) -> BatchResult | None:
        """Reads a line of a file of results; None if it is not the result of a request of ours."""
        row: Any = None
        if len(line) <= bodies.LONGEST_BODY:
            with suppress(*bodies.UNREADABLE):
                row = json.loads(line)
        key = bodies.field_of(row, "custom_id")
        if not isinstance(key, str) or key.partition("-")[0] not in STEPS:
            return None
        response = bodies.field_of(row, "response")
        status, body = bodies.field_of(response, "status_code"), bodies.field_of(response, "body")
        if status == 200:
            return self._answered(key, body)
        said = bodies.field_of(body if isinstance(body, Mapping) else row, "error", "message")
        message = excerpt(storable(str(said or f"status {status}"))[0], LONGEST_REASON)
        if status in REFUSALS:
            return BatchResult(key, problem="refused", error=f"{REFUSED}: {message}")
        return BatchResult(key, problem="again", error=f"the batch did not answer it: {message}")

    def _answered(self, key: str, body: object) -> BatchResult:
        completion = bodies.completion_in(body)
        if completion is None:
            reason = "the result in the batch is not a chat completion"
            return BatchResult(key, problem="again", error=reason)
        choice = completion["choices"][0]
        text = choice["message"]["content"]
        reported = bodies.used_by(completion)
        used = bodies.at_least(reported, 0, tokens.count(text))  # only the reply is known here
        found = BatchResult(key, used=used, estimated=used != reported)
        self._endpoint.known_of(found.step).reasons |= bodies.has_reasoning(completion)
        if bodies.has_no_text(text, choice.get("finish_reason")):
            return replace(found, problem="more room", error=NO_ROOM_FOR_TEXT)
        try:
            reply, replaced = bodies.reply_of(completion)
        except ReplyError as unusable:
            return replace(found, problem="final", error=str(unusable))
        self._endpoint.meter.steps[found.step].replaced += replaced
        return replace(found, reply=reply)
