"""The connection to one OpenAI-compatible endpoint, with its limits, its errors and its cost."""

import json
import re
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final, Self, cast

import anyio
import httpx2
import openai

from graphrag_neo4j.concurrency import heard
from graphrag_neo4j.errors import InputError, ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import bodies
from graphrag_neo4j.llm.endpoint.bodies import StreamRecord, storable_pieces
from graphrag_neo4j.llm.endpoint.cost import Meter, price_of
from graphrag_neo4j.llm.endpoint.errors import Failures, costs_nothing
from graphrag_neo4j.llm.endpoint.http_calls import HttpCalls
from graphrag_neo4j.llm.endpoint.options import (
    Body,
    CallOptions,
    Capabilities,
    at_most,
    embedding_body,
    sent_without_refused,
)
from graphrag_neo4j.llm.endpoint.reasoning_tags import hides_opening, remove_reasoning_streamed
from graphrag_neo4j.llm.replies.structured_output import storable_json
from graphrag_neo4j.model.types import LLMTask, Reply, Request, Step, T
from graphrag_neo4j.settings import WITHOUT_ENDPOINT, ModelRole, Settings
from graphrag_neo4j.text import tokens

MODEL_OF: Final[dict[Step, ModelRole | None]] = {
    "extraction": "extraction",
    "claims": "extraction",
    "names": "extraction",
    "summary": "extraction",
    "report": None,
    "map": "answer",
    "answer": "answer",
    "rating": None,
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
BROKEN: Final = (openai.APIError, ReplyError, ValueError, RecursionError)
"""The errors of a call whose reply does not come, or is not JSON."""
END: Final = object()  # of the events of a stream
PREFIX: Final = 4000  # characters of a prompt, of which a server may have kept what it read
CHECKED: Final = 500  # tokens of a prompt whose number in the reply is compared with ours
CUT_OFF: Final = (
    "The endpoint reports that it read {:,} of about {:,} tokens of a prompt, so it may have cut "
    "off the beginning without saying so: let the server keep a larger context window, which "
    "`kg-build doctor` tests."
)
NOT_JSON: Final = "the endpoint's stream holds text that is not JSON"


class _NoTextError(Exception):
    """A model's reasoning reached the limit of the reply, or its end, before its text began."""


class _NotStreamedError(Exception):
    """The endpoint refuses to stream, or its stream holds nothing."""


class Endpoint:
    """Sends requests to a model. Each client has one endpoint.

    It is an asynchronous context manager. `meter` counts the calls of several clients together.
    `calls` are its connections. `settings`, `failures` and `prices` (by step, None where a price is
    not known) are those of this run or question. `remarks` holds sentences on what was odd in its
    replies. Raises InputError if neither a key nor an address
    is set, or if a cost limit is set for models whose price is not known.
    """

    def __init__(self, settings: Settings, meter: Meter | None = None) -> None:
        if not settings.has_model:
            raise InputError(NO_MODEL)
        key = settings.openai_api_key.get_secret_value().strip() if settings.openai_api_key else ""
        if not key.isascii() or re.search(r"[\s\x00-\x1f]", key):
            raise InputError("OPENAI_API_KEY holds characters that no key has: copy it again.")
        self.calls = HttpCalls(settings)
        self._known: dict[str, Capabilities] = {}
        self._prefixes: set[int] = set()  # hashes: a server asks for months
        self.begin_run(settings, meter)

    def metered(self, settings: Settings) -> Self:
        """Returns this endpoint for one run or one question, with its own meter and cost limit.

        The models are those of `settings`. Both endpoints share the connections, the limit of
        concurrent calls, the limits per minute, and the knowledge of which options the endpoint
        refuses. The meter of this endpoint also counts the calls of the new one.
        """
        part = copy(self)
        part.begin_run(settings, self.meter)
        return part

    def begin_run(self, settings: Settings, whole: Meter | None) -> None:
        """Uses the models, prices and the cost limit (in US dollars) of these settings."""
        self.settings, self.meter = settings, Meter(whole, settings.max_cost)
        price = partial(price_of, settings=settings, limited=self.meter.is_limited)
        self.prices = {step: price(model_of(settings, step)) for step in MODEL_OF}
        own = settings.embedding_model in WITHOUT_ENDPOINT
        self._embedding_price = None if own else price(settings.embedding_model)
        self.remarks: dict[str, None] = {}
        self.failures = Failures(settings, self.calls.address, self.meter)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self.calls.aclose()

    def known_of(self, step: Step) -> Capabilities:
        """Returns what is known of the model of a step so far."""
        return self._known.setdefault(model_of(self.settings, step), Capabilities())

    def options_of(self, request: Request, attempt: int = 0) -> CallOptions:
        """Returns the options of a call, by what is known of its model so far."""
        return CallOptions(
            model_of(self.settings, request.step),
            request,
            self.known_of(request.step),
            openai_itself=self.calls.openai_itself,
            room=self.settings.reasoning_tokens,
            attempt=attempt,
            sent=self._tokens(message.content for message in request.messages),
            more=json.loads(self.settings.extra_body),
        )

    async def run(self, task: LLMTask[T]) -> T:
        """Runs an LLM task: sends its requests and returns its result.

        Raises what `ask` raises, and ReplyError where the task can't use a reply. A request that
        fails raises its error in the task, which may go on without the reply.
        """
        return await driven(task, self.reply_or_error, self.meter.note_repaired)

    async def reply_or_error(self, request: Request) -> Reply | ReplyError:
        """Sends one request; returns the error if only this call fails."""
        try:
            reply = await self.ask(request)
        except ReplyError as error:
            return error
        heard(request, reply)
        return reply

    async def ask(self, request: Request) -> Reply:
        """Sends one request and returns the reply.

        Raises ModelError if no call can succeed, BudgetSpentError if it might pass a cost limit
        (then it is not sent), and ReplyError if only this call failed.
        """
        plain = False
        for attempt in range(ATTEMPTS):
            options = replace(await self._prepare(request, attempt), plain=plain)
            try:
                completion, sent = await sent_without_refused(
                    options.known, options.body, partial(self._complete, options), options.sent
                )
            except (openai.APIError, ReplyError) as error:
                raise self._failure(request.step, error, options.model) from None
            choice = completion["choices"][0]
            if bodies.is_blank_to_limit(choice) and "response_format" in sent:
                plain = True
                continue
            if bodies.has_no_text(choice["message"]["content"], choice.get("finish_reason")):
                self._refuse_same_again(options, sent)
                continue
            reply, replaced = bodies.reply_of(completion)
            if request.schema:  # JSON may hold characters that can't be stored as escapes
                stored, escaped = storable_json(reply.text)
                reply, replaced = replace(reply, text=stored), replaced + escaped
            self.meter.steps[request.step].replaced += replaced
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
        for attempt in range(ATTEMPTS):
            options = await self._prepare(request, attempt)
            record = StreamRecord()
            written = remove_reasoning_streamed(
                storable_pieces(self._streamed(options, record), self.meter.steps[request.step]),
                hidden=options.known.hides_opening,
                restart=restart,
            )
            try:
                async with aclosing(written) as pieces:
                    async for piece in pieces:
                        yield piece
            except _NoTextError:  # then nothing was yielded
                self._refuse_same_again(options, record.sent)
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
        """Yields the pieces of a reply as they come, and counts the call at the end.

        A reply that breaks off after its text has begun keeps this text, if the endpoint says why.
        """
        body_without = partial(options.body, stream=True)
        opening = partial(self._open_stream, options, record)
        try:
            events, record.sent = await sent_without_refused(
                options.known, body_without, opening, options.sent
            )
        except BROKEN as error:
            raise self._failure(options.request.step, error, options.model) from None
        try:
            async with events:
                if record.text:
                    yield record.text
                async for event in events:
                    if piece := record.add(event, events.response.request):
                        yield piece
            record.close(events.response)
            self._remark(bodies.odd_ending(record.end))
            self._count(options, record.used, record.text, reasons=record.reasons)
        except (GeneratorExit, anyio.get_cancelled_exc_class()):
            self._meter(options, record.used, record.text)
            raise
        except BROKEN as error:
            self._end_early(options, record, error)
        finally:
            self.meter.reserve(-record.held)
        if record.has_no_text:
            raise _NoTextError
        if record.is_empty():
            raise _NotStreamedError

    def _failure(
        self, step: str, error: Exception, model: str, setting: str = "KG_MODEL"
    ) -> ModelError | ReplyError:
        """Counts a failed call, and returns an error that says what to do."""
        self.meter.fail(step)
        known = error if isinstance(error, openai.APIError | ReplyError) else ReplyError(NOT_JSON)
        return self.failures.count(step, known, model, setting)

    def _end_early(self, options: CallOptions, record: StreamRecord, error: Exception) -> None:
        """Counts a reply that an error ends. Raises unless text has come that stays a reply."""
        lost = isinstance(error, openai.APIConnectionError | ReplyError)
        if lost or not record.pieces:
            self._meter(options, record.used, record.text, calls=0)
            raise self._failure(options.request.step, error, options.model) from None
        if not record.end:
            record.flaw = NOT_JSON
            if isinstance(error, openai.APIError):
                said = self.failures.message(error).rstrip(".")
                record.flaw = f"the endpoint reported an error: {said}"
        self._count(options, record.used, record.text, reasons=record.reasons)

    async def embed_questions(self, texts: Sequence[str]) -> list[bodies.Vector]:
        """Does what `embed` does, for questions."""
        return await self.embed(texts, json.loads(self.settings.question_extra_body))

    async def embed(
        self, texts: Sequence[str], more: Mapping[str, object] = MappingProxyType({})
    ) -> list[bodies.Vector]:
        """Returns one vector for each text, in the same order. Raises the same errors as `ask`.

        `more` holds fields of the body beside those that the user has set for all texts.
        """
        self.meter.check()
        model, dimensions = self.settings.embedding_model, self.settings.embedding_dimensions
        known = self._known.setdefault(model, Capabilities())
        price, sent = self._embedding_price, self._tokens(texts)
        await self.calls.rates.before_tokens(texts)

        def count(used: bodies.Used | None = None, calls: int = 1) -> None:
            spent = bodies.at_least(used, sent, 0)
            self.meter.count(EMBEDDING, price, spent, estimated=spent != used, calls=calls)

        def read(response: httpx2.Response) -> list[bodies.Vector]:
            vectors, used = bodies.vectors_in(response)
            count(used)
            return vectors

        async def post(body: Body) -> list[bodies.Vector]:
            hold = partial(self._hold, price.of(at_most(sent), 0, 0) if price else 0.0, count)
            return await self.calls.post(EMBEDDINGS, body, read, hold)

        fields = {**json.loads(self.settings.embedding_extra_body), **more}
        body_without = partial(embedding_body, model, texts, dimensions, fields)
        try:
            vectors, _ = await sent_without_refused(known, body_without, post)
        except (openai.APIError, ReplyError) as error:
            raise self._failure(EMBEDDING, error, model, "KG_EMBEDDING_MODEL") from None
        self.failures.end_row()
        if len(vectors) != len(texts):
            raise ReplyError(f"the endpoint gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    async def _prepare(self, request: Request, attempt: int) -> CallOptions:
        """Waits until the call may be sent, and returns its options."""
        self.meter.check()
        await self.calls.rates.before_call(request)
        return self.options_of(request, attempt)

    async def _complete(self, options: CallOptions, body: Body) -> bodies.Completion:
        def read(response: httpx2.Response) -> bodies.Completion:
            # It is counted first, because it costs money even if the reply can't be used.
            done = bodies.completion_of(response)
            text = done["choices"][0]["message"]["content"]
            self._count(options, bodies.used_by(done), text, reasons=bodies.has_reasoning(done))
            self._remark(bodies.odd_ending(done["choices"][0].get("finish_reason")))
            return done

        count = partial(self._meter, options, None, "")
        hold = partial(self._hold, self.most(options, body), count)
        return await self.calls.post(CHAT, body, read, hold)

    async def _open_stream(
        self, options: CallOptions, record: StreamRecord, body: Body
    ) -> openai.AsyncStream[object]:
        """Opens a stream, whose first events go to the record.

        What the call may cost is held until its text is read. No other call waits for that, since
        the reader may be slow, or wait for that other call.
        """
        if "stream" not in body:
            raise _NotStreamedError
        most = self.most(options, body)

        async def begin(events: openai.AsyncStream[object]) -> None:
            while not record.has_begun and (event := await anext(events, END)) is not END:
                record.add(event, events.response.request)
            record.held = most
            self.meter.reserve(most)

        count = partial(self._meter, options, None, "")
        return await self.calls.open_stream(CHAT, body, begin, partial(self._hold, most, count))

    @asynccontextmanager
    async def _hold(self, most: float, count: Callable[..., object]) -> AsyncGenerator[None]:
        """Holds what a call may cost while it is sent, and counts it if its reply is lost.

        An abandoned or incomplete call may also cost money.
        """
        async with self.meter.hold(most):
            try:
                yield
            except anyio.get_cancelled_exc_class():
                count()
                raise
            except BROKEN as error:
                if not costs_nothing(error):
                    count(calls=0)
                raise

    def _refuse_same_again(self, options: CallOptions, sent: Body) -> None:
        """Raises ReplyError if a second attempt would be the same call again."""
        options.known.reasons = True
        if replace(options, attempt=1).body(stream="stream" in sent) == sent:
            raise ReplyError(options.no_text)

    def _count(
        self, options: CallOptions, used: bodies.Used | None, reply: str, *, reasons: bool
    ) -> None:
        """Counts a call that was answered, and notes what its reply shows of the model."""
        self.failures.end_row()
        self._compare_read(options, used)
        spent = self._meter(options, used, reply)
        self.calls.rates.after_call(spent[2])
        options.known.reasons |= reasons
        options.known.hides_opening |= hides_opening(reply)

    def _remark(self, sentence: str) -> None:
        if sentence:
            self.remarks[sentence] = None

    def _compare_read(self, options: CallOptions, used: bodies.Used | None) -> None:
        """Remarks that a server seems to have read only a part of a prompt.

        It may report only what it had not read before, so only a first prompt tells.
        """
        prefix = hash("".join(one.content for one in options.request.messages)[:PREFIX])
        if used is None or options.sent < CHECKED or prefix in self._prefixes:
            return
        self._prefixes.add(prefix)
        read = used[0] + used[1]
        if 0 < read < bodies.LEAST * options.sent:
            self._remark(CUT_OFF.format(read, options.sent))

    def _meter(
        self, options: CallOptions, used: bodies.Used | None, reply: str, calls: int = 1
    ) -> bodies.Used:
        """Counts a call, and returns its tokens: an estimate if the endpoint reports too few."""
        step = options.request.step
        spent = bodies.at_least(used, options.sent, self._tokens([reply]))
        options.known.reported = used and used[0]
        self.meter.count(step, self.prices[step], spent, estimated=spent != used, calls=calls)
        return spent

    def most(self, options: CallOptions, body: Body) -> float:
        """US dollars that a call may cost at most if its reply has a limit; 0 without a price."""
        price = self.prices[options.request.step]
        return price.of(*options.most(body)) if price else 0.0

    def _tokens(self, texts: Iterable[str]) -> int:
        return sum(map(tokens.count_message, texts))


async def driven(
    task: LLMTask[T],
    answer: Callable[[Request], Awaitable[Reply | ReplyError]],
    note_repaired: Callable[[Step, int], None],
) -> T:
    """Runs an LLM task with the replies that `answer` gives to its requests; returns its result.

    An error instead of a reply is raised in the task. `note_repaired` is told the number of parts
    of each reply that the task repaired or left out.
    """
    try:
        request = next(task)
        while True:
            reply = await answer(request)
            step = request.step
            if isinstance(reply, ReplyError):
                request = task.throw(reply)
                continue
            try:
                request = task.send(reply)
            finally:
                note_repaired(step, len(reply.odd))
    except StopIteration as done:
        return cast("T", done.value)


def model_of(settings: Settings, step: Step) -> str:
    """Returns the name of the chat model for a step."""
    role = MODEL_OF[step]
    return settings.model_for(role) if role else settings.model
