"""The connection to one OpenAI-compatible endpoint, with its limits, its errors and its cost."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from typing import Any, Final, Self, cast

import openai

from graphrag_neo4j import tokens
from graphrag_neo4j.concurrency import heard
from graphrag_neo4j.errors import BudgetSpentError, InputError, ModelError, ReplyError
from graphrag_neo4j.llm.calls.call_options import CallOptions, Capabilities, embedding_body
from graphrag_neo4j.llm.calls.endpoint_errors import Explainer, Failures
from graphrag_neo4j.llm.calls.http_calls import HttpCalls
from graphrag_neo4j.llm.calls.reasoning_tags import hides_opening, remove_reasoning_streamed
from graphrag_neo4j.llm.calls.refusals import refused_option
from graphrag_neo4j.llm.calls.response_bodies import (
    Completion,
    Used,
    Vector,
    completion_of,
    has_no_text,
    has_reasoning,
    reply_of,
    used_by,
    vectors_of,
)
from graphrag_neo4j.llm.calls.stream_record import StreamRecord
from graphrag_neo4j.llm.calls.streamed import storable_pieces
from graphrag_neo4j.llm.meter import Meter
from graphrag_neo4j.llm.prices import Price, price_of, us_dollars
from graphrag_neo4j.llm.structured_output import storable_json
from graphrag_neo4j.model import LLMTask, Reply, Request, Step, T
from graphrag_neo4j.settings import WITHOUT_ENDPOINT, ModelStep, Settings

__all__ = ["NO_MODEL", "Endpoint", "model_of"]

MODEL_OF: Final[dict[Step, ModelStep]] = {
    "extraction": "extraction",
    "claims": "extraction",
    "names": "summary",
    "summary": "summary",
    "report": "report",
    "map": "answer",
    "answer": "answer",
    "rating": "rating",
    "judge": "judge",
    "answer_claims": "judge",
}
NO_MODEL = (
    "No model is set: set OPENAI_API_KEY, "
    "or OPENAI_BASE_URL for an OpenAI-compatible endpoint of your own."
)
EMBEDDING = "embedding"  # the step under which the meter counts embeddings
CHAT, EMBEDDINGS = "/chat/completions", "/embeddings"
ATTEMPTS: Final = 2  # at a reply without a text


class _NoTextError(Exception):
    """A model's reasoning reached the limit of the reply, or its end, before its text began."""


class _NotStreamedError(Exception):
    """The endpoint refuses to stream, or its stream holds nothing."""


class Endpoint:
    """Sends requests to a model. Each client has one endpoint.

    It is an asynchronous context manager. `meter` counts the calls of several clients together.
    Raises InputError if neither a key nor an address is set, or if a cost limit is set for models
    whose price is not known.
    """

    def __init__(self, settings: Settings, meter: Meter | None = None) -> None:
        if not settings.has_model:
            raise InputError(NO_MODEL)
        if settings.openai_api_key and not settings.openai_api_key.get_secret_value().isascii():
            raise InputError("OPENAI_API_KEY holds characters that no key has: copy it again.")
        self.meter = Meter(meter)
        self._calls = HttpCalls(settings)
        self._known: dict[str, Capabilities] = {}
        self._explain = Explainer(settings, self._calls.address)
        self.take_models(settings)

    def metered(self, settings: Settings) -> Self:
        """Returns this endpoint for one run or one question, with its own meter and cost limit.

        The models are those of `settings`. Both endpoints share the connections, the limit of
        concurrent calls, the limits per minute, and the knowledge of which options the endpoint
        refuses. The meter of this endpoint also counts the calls of the new one.
        """
        part = copy(self)
        part.meter = Meter(self.meter)
        part.take_models(settings)
        return part

    def take_models(self, settings: Settings) -> None:
        """Uses the models, prices and the cost limit (in US dollars) of these settings."""
        self._settings = settings
        self._prices = {step: price_of(model_of(settings, step), settings) for step in MODEL_OF}
        own = settings.embedding_model in WITHOUT_ENDPOINT
        self._embedding_price = None if own else price_of(settings.embedding_model, settings)
        self._failures = Failures(self._explain, self.meter, 2 * settings.concurrency)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._calls.aclose()

    @property
    def of_large_provider(self) -> bool:
        """Whether the endpoint belongs to a provider whose prices are known: no own server."""
        return self._calls.of_large_provider

    @property
    def calls(self) -> HttpCalls:
        """The connections to the endpoint."""
        return self._calls

    @property
    def settings(self) -> Settings:
        """The settings of this run or question."""
        return self._settings

    def message_of(self, error: openai.APIError) -> str:
        """Returns the beginning of the endpoint's own message, without the key."""
        return self._explain.message(error)

    def price(self, step: Step) -> Price | None:
        """Returns the price of the model of a step, or None if it is not known."""
        return self._prices[step]

    def explained(self, error: openai.APIError, step: Step) -> ModelError | ReplyError:
        """Returns the error of one call as an error that says what to do."""
        model = model_of(self._settings, step)
        known = self._explain.fatal(error, model, "KG_MODEL") or self._explain.of_content(error)
        return known or self._explain.of_failure(error)

    def knows_schemas(self, step: Step) -> bool:
        """Tells whether the model of a step has not refused a JSON schema so far."""
        known = self._known.get(model_of(self._settings, step))
        return known is None or "json_schema" not in known.refused

    async def run(self, task: LLMTask[T]) -> T:
        """Runs an LLM task: sends its requests and returns its result.

        Raises what `ask` raises, and ReplyError where the task can't use a reply. A request that
        fails raises its error in the task, which may go on without the reply.
        """
        try:
            request = next(task)
            while True:
                reply = await self.reply_or_error(request)
                request = self._advance(task, request, reply)
        except StopIteration as done:
            return cast("T", done.value)

    async def reply_or_error(self, request: Request) -> Reply | ReplyError:
        """Sends one request; returns the error if only this call fails."""
        try:
            reply = await self.ask(request)
        except ReplyError as error:
            return error
        heard(request, reply)
        return reply

    def _advance(self, task: LLMTask[T], request: Request, reply: Reply | ReplyError) -> Request:
        """Gives a task the reply to its request, and returns its next request."""
        if isinstance(reply, ReplyError):
            return task.throw(reply)
        try:
            return task.send(reply)
        finally:
            self.meter.note_repaired(request.step, len(reply.odd))

    async def ask(self, request: Request) -> Reply:
        """Sends one request and returns the reply.

        Raises ModelError if no call can succeed, BudgetSpentError if the cost limit is reached
        (then nothing is sent), and ReplyError if only this call failed.
        """
        for attempt in range(ATTEMPTS):
            options = await self._prepare(request, attempt)
            try:
                completion = await self._complete(options)
            except (openai.APIError, ReplyError) as error:
                raise self._failures.count(request.step, error, options.model) from None
            self._failures.end_row()
            # The call is counted first, because it costs money even if the reply can't be used.
            content = completion["choices"][0]["message"]["content"]
            self._count(request, used_by(completion), content)
            options.known.reasons |= has_reasoning(completion)
            options.known.hides_opening |= hides_opening(content)
            if has_no_text(completion):
                self._refuse_same_again(options)
                continue
            reply = self._reply(request, completion)
            if attempt or reply.text.strip():  # a reply may be empty by chance
                return reply
        raise ReplyError(options.no_text)

    async def stream(
        self,
        request: Request,
        incomplete: Callable[[str], None] = lambda _reason: None,
        restart: Callable[[], None] = lambda: None,
    ) -> AsyncGenerator[str, None]:
        """Sends one request and yields the reply as it comes. Raises the same errors as `ask`.

        If the reply is cut off, `incomplete` is called at its end with the reason, which is a part
        of a sentence. `restart` is called if what was yielded turns out to be no part of the reply,
        but the model's reasoning. A reply that the endpoint does not stream is yielded whole.
        """
        used = self.meter.steps[request.step]
        for attempt in range(ATTEMPTS):
            options = await self._prepare(request, attempt)
            record = StreamRecord()
            written = remove_reasoning_streamed(
                storable_pieces(self._streamed(options, record), used),
                hidden=options.known.hides_opening,
                restart=restart,
            )
            try:
                async with aclosing(written) as pieces:
                    async for piece in pieces:
                        yield piece
            except _NoTextError:  # then nothing was yielded
                self._refuse_same_again(options)
                continue
            except _NotStreamedError:
                reply = await self.ask(request)
                if not record.has_events:
                    options.known.refused.add("stream")
                yield reply.text
                record = StreamRecord(end="length" if reply.cut else "stop")
            if record.incomplete:
                incomplete(record.incomplete)
            return
        raise ReplyError(options.no_text)

    async def _streamed(
        self, options: CallOptions, record: StreamRecord
    ) -> AsyncGenerator[str, None]:
        """Yields the pieces of a reply as they come, and counts the call at the end."""
        step, model = options.request.step, options.model
        try:
            events = await options.healed(self._open_stream, stream=True)
            async with events:
                async for event in events:
                    if piece := record.add(event):
                        yield piece
            record.close(events.response)
        except (openai.APIError, ReplyError) as error:
            raise self._failures.count(step, error, model) from None
        except (ValueError, RecursionError):
            record.flaw = "the endpoint's stream holds text that is not JSON"
            if not record.pieces:
                raise self._failures.count(step, ReplyError(record.flaw), model) from None
        self._failures.end_row()
        self._count(options.request, record.used, record.text)
        options.known.reasons |= record.reasons
        options.known.hides_opening |= hides_opening(record.text)
        if record.has_no_text:
            raise _NoTextError
        record.refuse_empty()
        if record.is_empty:
            raise _NotStreamedError

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector for each text, in the same order. Raises the same errors as `ask`."""
        self._check_budget()
        model = self._settings.embedding_model
        await self._calls.rates.before_tokens(texts, self._settings.encoding)
        try:
            vectors, used = await self._embed(model, texts)
        except (openai.APIError, ReplyError) as error:
            raise self._failures.count(EMBEDDING, error, model, "KG_EMBEDDING_MODEL") from None
        self._failures.end_row()
        self.meter.count(
            EMBEDDING,
            self._embedding_price,
            used or (self._tokens(texts), 0, 0),
            estimated=used is None,
        )
        if len(vectors) != len(texts):
            raise ReplyError(f"the endpoint gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    async def _embed(self, model: str, texts: Sequence[str]) -> tuple[list[Vector], Used | None]:
        refused = self._known.setdefault(model, Capabilities()).refused
        while True:
            body = embedding_body(model, texts, self._settings.embedding_dimensions, refused)
            try:
                return await self._calls.post(EMBEDDINGS, body, vectors_of, self._check_budget)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                name = refused_option(error, body.keys() - {"model", "input"})
                if name is None:
                    raise
                refused.add(name)

    async def _prepare(self, request: Request, attempt: int) -> CallOptions:
        """Waits until the call may be sent, and returns its options."""
        self._check_budget()
        await self._calls.rates.before_call(request, self._settings.encoding)
        return self.options_of(request, attempt)

    def options_of(self, request: Request, attempt: int = 0) -> CallOptions:
        """Returns the options of a call, by what is known of its model so far."""
        model = model_of(self._settings, request.step)
        return CallOptions(
            model,
            request,
            self._known.setdefault(model, Capabilities()),
            openai_itself=self._calls.openai_itself,
            room=self._settings.reasoning_tokens,
            attempt=attempt,
        )

    async def _complete(self, options: CallOptions) -> Completion:
        async def post(body: Mapping[str, Any]) -> Completion:
            return await self._calls.post(CHAT, body, completion_of, self._check_budget)

        return await options.healed(post, stream=False)

    async def _open_stream(self, body: Mapping[str, Any]) -> openai.AsyncStream[object]:
        if "stream" not in body:
            raise _NotStreamedError
        return await self._calls.open_stream(CHAT, body, self._check_budget)

    def _refuse_same_again(self, options: CallOptions) -> None:
        """Raises ReplyError if a second attempt would be the same call again."""
        if not (options.limit or options.held):
            raise ReplyError(options.no_text)
        options.known.reasons = True

    def _reply(self, request: Request, completion: Completion) -> Reply:
        """Returns the reply of a completion, with the characters that can't be stored replaced."""
        reply, replaced = reply_of(completion)
        if request.schema:  # JSON may hold characters that can't be stored as escapes
            text, escaped = storable_json(reply.text)
            reply, replaced = replace(reply, text=text), replaced + escaped
        self.meter.steps[request.step].replaced += replaced
        return reply

    def _count(self, request: Request, used: Used | None, reply: str) -> None:
        """Counts a call. Its tokens are estimated if the endpoint does not report them."""
        step = request.step
        sent = (message.content for message in request.messages)
        spent = used or (self._tokens(sent), 0, self._tokens([reply]))
        self.meter.count(step, self._prices[step], spent, estimated=used is None)
        self._calls.rates.after_call(spent[2])

    def _tokens(self, texts: Iterable[str]) -> int:
        return sum(tokens.count(text, self._settings.encoding) for text in texts)

    def _check_budget(self) -> None:
        """Raises BudgetSpentError if no call may begin. A call that waited is checked again."""
        limit = self._settings.max_cost
        if limit is None or self.meter.total.cost < limit:
            limit = self.meter.reached()
        if limit is not None:
            raise BudgetSpentError(f"The cost limit of {us_dollars(limit)} is reached.")


def model_of(settings: Settings, step: Step) -> str:
    """Returns the name of the chat model for a step."""
    return settings.model_for(MODEL_OF[step])
