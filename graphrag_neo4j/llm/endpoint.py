"""The connection to one OpenAI-compatible endpoint, with its limits, its errors and its cost."""

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Sequence,
)
from contextlib import aclosing, contextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Final, Self, cast

import anyio
import openai

from graphrag_neo4j.errors import BudgetSpentError, InputError, ReplyError
from graphrag_neo4j.llm.calls import bodies
from graphrag_neo4j.llm.calls.bodies import StreamRecord, storable_pieces
from graphrag_neo4j.llm.calls.errors import Failures
from graphrag_neo4j.llm.calls.http_calls import HttpCalls
from graphrag_neo4j.llm.calls.options import (
    Body,
    CallOptions,
    Capabilities,
    embedding_body,
    sent_without_refused,
)
from graphrag_neo4j.llm.calls.reasoning_tags import hides_opening, remove_reasoning_streamed
from graphrag_neo4j.llm.cost import Meter, price_of, us_dollars
from graphrag_neo4j.llm.structured_output import storable_json
from graphrag_neo4j.model import LLMTask, Reply, Request, Step, T
from graphrag_neo4j.model.concurrency import heard
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


class _NoTextError(Exception):
    """A model's reasoning reached the limit of the reply, or its end, before its text began."""


class _NotStreamedError(Exception):
    """The endpoint refuses to stream, or its stream holds nothing."""


class Endpoint:
    """Sends requests to a model. Each client has one endpoint.

    It is an asynchronous context manager. `meter` counts the calls of several clients together.
    `calls` are its connections. `settings`, `failures` and `prices` (by step, None where a price is
    not known) are those of this run or question. Raises InputError if neither a key nor an address
    is set, or if a cost limit is set for models whose price is not known.
    """

    def __init__(self, settings: Settings, meter: Meter | None = None) -> None:
        if not settings.has_model:
            raise InputError(NO_MODEL)
        if settings.openai_api_key and not settings.openai_api_key.get_secret_value().isascii():
            raise InputError("OPENAI_API_KEY holds characters that no key has: copy it again.")
        self.calls = HttpCalls(settings)
        self._known: dict[str, Capabilities] = {}
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
        self.settings, self.meter = settings, Meter(whole)
        self.prices = {step: price_of(model_of(settings, step), settings) for step in MODEL_OF}
        own = settings.embedding_model in WITHOUT_ENDPOINT
        self._embedding_price = None if own else price_of(settings.embedding_model, settings)
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

        Raises ModelError if no call can succeed, BudgetSpentError if the cost limit is reached
        (then nothing is sent), and ReplyError if only this call failed.
        """
        for attempt in range(ATTEMPTS):
            options = await self._prepare(request, attempt)
            try:
                completion, sent = await sent_without_refused(
                    options.known, options.body, partial(self._complete, options)
                )
            except (openai.APIError, ReplyError) as error:
                raise self.failures.count(request.step, error, options.model) from None
            # The call is counted first, because it costs money even if the reply can't be used.
            choice = completion["choices"][0]
            text = choice["message"]["content"]
            self._count(
                options, bodies.used_by(completion), text, reasons=bodies.has_reasoning(completion)
            )
            if bodies.has_no_text(text, choice.get("finish_reason")):
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
        """Yields the pieces of a reply as they come, and counts the call at the end."""

        def body_without(refused: Collection[str]) -> Body:
            return options.body(refused, stream=True)

        def count_part() -> None:
            self._meter(options, record.used, record.text)

        step, model = options.request.step, options.model
        try:
            with self._counted_if_dropped(count_part) as check:
                events, record.sent = await sent_without_refused(
                    options.known, body_without, partial(self._open_stream, check)
                )
                async with events:
                    async for event in events:
                        if piece := record.add(event):
                            yield piece
            record.close(events.response)
        except (openai.APIError, ReplyError) as error:
            raise self.failures.count(step, error, model) from None
        except (ValueError, RecursionError):
            record.flaw = "the endpoint's stream holds text that is not JSON"
            if not record.pieces:
                raise self.failures.count(step, ReplyError(record.flaw), model) from None
        self._count(options, record.used, record.text, reasons=record.reasons)
        if record.has_no_text:
            raise _NoTextError
        if record.is_empty():
            raise _NotStreamedError

    async def embed(self, texts: Sequence[str]) -> list[bodies.Vector]:
        """Returns one vector for each text, in the same order. Raises the same errors as `ask`."""
        self._check_budget()
        model, dimensions = self.settings.embedding_model, self.settings.embedding_dimensions
        known = self._known.setdefault(model, Capabilities())
        await self.calls.rates.before_tokens(texts)

        def count(used: bodies.Used | None = None) -> None:
            spent = used or (self._tokens(texts), 0, 0)
            self.meter.count(EMBEDDING, self._embedding_price, spent, estimated=used is None)

        async def post(body: Body) -> tuple[list[bodies.Vector], bodies.Used | None]:
            with self._counted_if_dropped(count) as check:
                return await self.calls.post(EMBEDDINGS, body, bodies.vectors_of, check)

        def body_without(refused: Collection[str]) -> Body:
            return embedding_body(model, texts, dimensions, refused)

        try:
            (vectors, used), _ = await sent_without_refused(known, body_without, post)
        except (openai.APIError, ReplyError) as error:
            raise self.failures.count(EMBEDDING, error, model, "KG_EMBEDDING_MODEL") from None
        self.failures.end_row()
        count(used)
        if len(vectors) != len(texts):
            raise ReplyError(f"the endpoint gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    async def _prepare(self, request: Request, attempt: int) -> CallOptions:
        """Waits until the call may be sent, and returns its options."""
        self._check_budget()
        await self.calls.rates.before_call(request)
        return self.options_of(request, attempt)

    async def _complete(self, options: CallOptions, body: Body) -> bodies.Completion:
        with self._counted_if_dropped(partial(self._meter, options, None, "")) as check:
            return await self.calls.post(CHAT, body, bodies.completion_of, check)

    async def _open_stream(
        self, check: Callable[[], None], body: Body
    ) -> openai.AsyncStream[object]:
        if "stream" not in body:
            raise _NotStreamedError
        return await self.calls.open_stream(CHAT, body, check)

    @contextmanager
    def _counted_if_dropped(self, count: Callable[[], object]) -> Generator[Callable[[], None]]:
        """Counts a call that was sent and whose reply is awaited no more: it may cost money.

        Yields what checks the budget when the call is sent.
        """
        sent = False

        def check() -> None:
            nonlocal sent
            self._check_budget()
            sent = True

        try:
            yield check
        except (GeneratorExit, anyio.get_cancelled_exc_class()):
            if sent:
                count()
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
        spent = self._meter(options, used, reply)
        self.calls.rates.after_call(spent[2])
        options.known.reasons |= reasons
        options.known.hides_opening |= hides_opening(reply)

    def _meter(
        self, options: CallOptions, used: bodies.Used | None, reply: str
    ) -> tuple[int, int, int]:
        """Counts a call, and returns its tokens: an estimate if the endpoint reports none."""
        step = options.request.step
        sent = (message.content for message in options.request.messages)
        spent = used or (self._tokens(sent), 0, self._tokens([reply]))
        self.meter.count(step, self.prices[step], spent, estimated=used is None)
        return spent

    def _tokens(self, texts: Iterable[str]) -> int:
        return sum(map(tokens.count, texts))

    def _check_budget(self) -> None:
        """Raises BudgetSpentError if no call may begin. A call that waited is checked again."""
        limit = self.settings.max_cost
        if limit is None or self.meter.total.cost < limit:
            limit = self.meter.reached()
        if limit is not None:
            raise BudgetSpentError(f"The cost limit of {us_dollars(limit)} is reached.")


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
