"""The connection to one OpenAI-compatible endpoint, with its limits, its errors and its cost."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import replace
from textwrap import shorten
from typing import Any, Final, Literal, Self, cast

import anyio
import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream

from graphrag_neo4j import tokens
from graphrag_neo4j.errors import BudgetSpentError, InputError, ModelError, ReplyError
from graphrag_neo4j.llm.meter import Meter
from graphrag_neo4j.llm.prices import price_of
from graphrag_neo4j.llm.rate_limiter import Rates
from graphrag_neo4j.llm.reasoning_tags import remove_reasoning_streamed
from graphrag_neo4j.llm.response_bodies import (
    Completion,
    Used,
    bound_body,
    completion_of,
    piece_of,
    refuse_long,
    reply_of,
    used_by,
    vectors_of,
)
from graphrag_neo4j.llm.streamed import storable_pieces
from graphrag_neo4j.llm.structured_output import storable_json
from graphrag_neo4j.model import LLMTask, Reply, Request, Step, T
from graphrag_neo4j.settings import Settings

__all__ = ["Endpoint", "model_of"]

MODEL_OF: Final[dict[Step, Literal["extraction", "summary", "report", "answer", "rating"]]] = {
    "extraction": "extraction",
    "claims": "extraction",
    "summary": "summary",
    "report": "report",
    "map": "answer",
    "answer": "answer",
    "rating": "rating",
}
NO_MODEL = (
    "No model is set: set OPENAI_API_KEY, "
    "or OPENAI_BASE_URL for an OpenAI-compatible endpoint of your own."
)
# These two options are used together: a model that is biased towards two words does not stop by
# itself, so it also needs a limit of tokens.
ONE_TOKEN = {"logit_bias", "max_completion_tokens"}
LONGEST_MESSAGE = 300  # characters of an endpoint's error message, which may be a whole page
# If the first calls all fail, this many failures mean that the endpoint is down. Fewer failures
# may be due to the texts of single chunks.
HOPELESS_AT_FIRST = 5
EMBEDDING = "embedding"  # the step under which the meter counts embeddings


class Endpoint:
    """Sends requests to a model. Each client has one endpoint.

    It is an asynchronous context manager. Raises InputError if neither a key nor an address is
    set, or if a cost limit is set for models whose price is not known.
    """

    def __init__(self, settings: Settings) -> None:
        if not settings.has_model:
            raise InputError(NO_MODEL)
        if settings.openai_api_key and not settings.openai_api_key.get_secret_value().isascii():
            raise InputError("OPENAI_API_KEY holds characters that no key has: copy it again.")
        self.meter = Meter()
        self._rates = Rates(settings.requests_per_minute, settings.tokens_per_minute)
        self._client = _client(settings, self._rates)
        self._slots = anyio.CapacityLimiter(settings.concurrency)
        self._refused: dict[str, set[str]] = {}
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
        self._embedding_price = price_of(settings.embedding_model, settings)
        self._failures_in_a_row = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def run(self, task: LLMTask[T]) -> T:
        """Runs an LLM task: sends its requests and returns its result.

        Raises what `ask` raises, and ReplyError where the task can't use a reply.
        """
        try:
            request = next(task)
            while True:
                reply = await self.ask(request)
                try:
                    next_request = task.send(reply)
                finally:
                    self.meter.note_repaired(request.step, len(reply.odd))
                request = next_request
        except StopIteration as done:
            return cast("T", done.value)

    async def ask(self, request: Request) -> Reply:
        """Sends one request and returns the reply.

        Raises ModelError if no call can succeed, BudgetSpentError if the cost limit is reached
        (then nothing is sent), and ReplyError if only this call failed.
        """
        self._check_budget()
        model = model_of(self._settings, request.step)
        await self._rates.before_call(request, self._settings.encoding)
        try:
            async with self._slots:
                completion = await self._complete(model, request)
        except (openai.APIError, ReplyError) as error:
            raise self._failed(request.step, error, model) from None
        self._failures_in_a_row = 0
        reply, replaced = self._reply(request, completion)
        self.meter.steps[request.step].replaced += replaced
        return reply

    def stream(self, request: Request) -> AsyncGenerator[str, None]:
        """Sends one request and yields the reply as it comes. Raises the same errors as `ask`."""
        used = self.meter.steps[request.step]
        return remove_reasoning_streamed(storable_pieces(self._streamed(request), used))

    async def _streamed(self, request: Request) -> AsyncGenerator[str, None]:
        self._check_budget()
        model = model_of(self._settings, request.step)
        await self._rates.before_call(request, self._settings.encoding)
        pieces: list[str] = []
        length = 0
        used: Used | None = None
        try:
            # The slot is released before the reply is read. A reader that is slow, or that asks
            # another question meanwhile, must not block the other calls.
            async with self._slots:
                events = await self._open_stream(model, request)
            async with events:
                async for event in events:
                    used = used_by(event) or used
                    if piece := piece_of(event):
                        pieces.append(piece)
                        length += len(piece)
                        refuse_long(length)
                        yield piece
            refuse_long(length, events.response)
        except (openai.APIError, ReplyError) as error:
            raise self._failed(request.step, error, model) from None
        except (ValueError, RecursionError):
            invalid = ReplyError("the endpoint's stream holds text that is not JSON")
            raise self._failed(request.step, invalid, model) from None
        self._failures_in_a_row = 0
        self._count(request, used, "".join(pieces))

    async def _open_stream(self, model: str, request: Request) -> AsyncStream[object]:
        """Opens a stream of raw events. Typed events would fail if an event has another form."""
        body: dict[str, Any] = {
            "model": model,
            "messages": _messages(request),
            "temperature": 0.0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        return await self._client.post(
            "/chat/completions",
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=AsyncStream[object],
        )

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Returns one vector for each text, in the same order. Raises the same errors as `ask`."""
        self._check_budget()
        model, dimensions = self._settings.embedding_model, self._settings.embedding_dimensions
        await self._rates.before_tokens(texts, self._settings.encoding)
        # Decimal numbers would make the response four times as long as base64.
        body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "base64"}
        if dimensions:
            body["dimensions"] = dimensions
        try:
            async with self._slots:
                response = await self._client.post(
                    "/embeddings", body=body, cast_to=httpx2.Response
                )
        except openai.APIError as error:
            raise self._failed(EMBEDDING, error, model, "KG_EMBEDDING_MODEL") from None
        self._failures_in_a_row = 0
        vectors, used = vectors_of(response)
        self.meter.count(
            EMBEDDING,
            self._embedding_price,
            used or (self._tokens(texts), 0, 0),
            estimated=used is None,
        )
        if len(vectors) != len(texts):
            raise ReplyError(f"the endpoint gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    async def _complete(self, model: str, request: Request) -> Completion:
        refused = self._refused.setdefault(model, set())
        while True:
            options = _options(model, request, refused)
            try:
                # The typed `chat.completions.create` takes 1.7 times the processor time for this.
                response = await self._client.post(
                    "/chat/completions",
                    body={"model": model, "messages": _messages(request), **options},
                    cast_to=httpx2.Response,
                )
            except openai.BadRequestError as error:
                # An option that the endpoint refuses is left out of all later calls.
                named = {_refusable(name, options) for name in options if _names(error, name)}
                if not named:
                    raise
                refused |= named | (ONE_TOKEN if named & ONE_TOKEN else set())
            else:
                return completion_of(response)

    def _reply(self, request: Request, completion: Completion) -> tuple[Reply, int]:
        """Counts a completion, and returns its reply and the number of replaced characters.

        The call is counted first, because it costs money even if the reply can't be used.
        """
        used = used_by(completion)
        self._count(request, used, completion["choices"][0]["message"]["content"] or "")
        reply, replaced = reply_of(completion)
        if request.schema:  # JSON may hold characters that can't be stored as escapes
            text, escaped = storable_json(reply.text)
            return replace(reply, text=text), replaced + escaped
        return reply, replaced

    def _count(self, request: Request, used: Used | None, reply: str) -> None:
        """Counts a call. Its tokens are estimated if the endpoint does not report them."""
        step = request.step
        sent = (message.content for message in request.messages)
        spent = used or (self._tokens(sent), 0, self._tokens([reply]))
        self.meter.count(step, self._prices[step], spent, estimated=used is None)
        self._rates.after_call(spent[2])

    def _tokens(self, texts: Iterable[str]) -> int:
        return sum(tokens.count(text, self._settings.encoding) for text in texts)

    def _check_budget(self) -> None:
        limit = self._settings.max_cost
        if limit is not None and self.meter.total.cost >= limit:
            raise BudgetSpentError(f"The cost limit of {limit:.2f} US dollars is reached.")

    def _failed(
        self,
        step: str,
        error: openai.APIError | ReplyError,
        model: str,
        setting: str = "KG_MODEL",
    ) -> ModelError | ReplyError:
        """Counts a failed call, and returns an error that says what to do."""
        self.meter.fail(step)
        return error if isinstance(error, ReplyError) else self._explained(error, model, setting)

    def _explained(
        self, error: openai.APIError, model: str, setting: str
    ) -> ModelError | ReplyError:
        """Returns an error that says what to do. Its message never holds the key."""
        message = self._redacted(str(error))
        match error:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return ModelError(
                    f"The model endpoint refuses the key: set OPENAI_API_KEY ({message})."
                )
            case openai.NotFoundError():
                return ModelError(
                    f"There is no model {model} at {self._address}: "
                    f"set {setting} or OPENAI_BASE_URL ({message})."
                )
            case openai.RateLimitError(code="insufficient_quota"):
                return ModelError(f"The quota of the key is used up ({message}).")
            case (
                openai.BadRequestError()
                | openai.UnprocessableEntityError()
                | openai.APIStatusError(status_code=413)  # too large
            ):
                return ReplyError(f"the endpoint refuses the request: {message}")
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= self._hopeless():
            count, address = self._failures_in_a_row, self._address
            return ModelError(
                f"{count} calls in a row failed at {address}: see whether OPENAI_BASE_URL and "
                f"the network are right ({message})."
            )
        reached = not isinstance(error, openai.APIConnectionError)
        if not reached:
            message = (
                f"the model endpoint at {self._address} can't be reached ({message.rstrip('.')}); "
                "see that it runs, and that OPENAI_BASE_URL and the network are right"
            )
        return ReplyError(f"the call failed: {message}", reached=reached)

    def _hopeless(self) -> int:
        return 2 * self._settings.concurrency if self.meter.total.calls else HOPELESS_AT_FIRST

    @property
    def _address(self) -> str:
        """The endpoint's address without a user name and password that it may hold."""
        return str(self._client.base_url.copy_with(username=None, password=None, query=None))

    def _redacted(self, text: str) -> str:
        key = self._settings.openai_api_key
        shown = text.replace(key.get_secret_value(), "…") if key else text
        # Only its beginning, since `shorten` takes long for a long text.
        return shorten(shown[: 2 * LONGEST_MESSAGE], LONGEST_MESSAGE, placeholder=" …")


def _client(settings: Settings, rates: Rates) -> AsyncOpenAI:
    key = settings.openai_api_key
    # The request hook runs before every HTTP request, also before the client's own retries.
    http_client = openai.DefaultAsyncHttpxClient(
        event_hooks={"request": [rates.before_request], "response": [bound_body]},
        timeout=settings.timeout,
    )
    return AsyncOpenAI(
        api_key=key.get_secret_value() if key else "none",
        base_url=settings.openai_base_url,
        timeout=settings.timeout,
        max_retries=settings.max_retries,
        http_client=http_client,
    )


def model_of(settings: Settings, step: Step) -> str:
    """Returns the name of the chat model for a step."""
    return settings.model_for(MODEL_OF[step])


def _messages(request: Request) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _options(model: str, request: Request, refused: Set[str]) -> dict[str, Any]:
    options: dict[str, Any] = {"temperature": 0.0}
    if request.max_tokens:
        options["max_completion_tokens"] = request.max_tokens
    if request.choices and (encoding := tokens.encoding_for(model)):
        ids = [tokens.encoding(encoding).encode(word)[0] for word in request.choices]
        options |= {"logit_bias": dict.fromkeys(map(str, ids), 100), "max_completion_tokens": 1}
    if request.schema:
        options["response_format"] = _format(request.schema, refused)
    return {name: v for name, v in options.items() if v is not None and name not in refused}


def _format(schema: Mapping[str, object], refused: Set[str]) -> dict[str, Any] | None:
    """Returns the `response_format`: a JSON schema or, if the endpoint refuses it, plain JSON."""
    if "json_schema" not in refused:
        strict = {"name": schema["title"], "schema": schema, "strict": True}
        return {"type": "json_schema", "json_schema": strict}
    return None if "json_object" in refused else {"type": "json_object"}


def _refusable(name: str, options: Mapping[str, Any]) -> str:
    """Returns the name to leave out of the next call; for a response format this is its type."""
    return str(options[name]["type"]) if name == "response_format" else name


def _names(error: openai.BadRequestError, option: str) -> bool:
    words = (option, "json") if option == "response_format" else (option,)
    return error.param == option or any(word in error.message for word in words)
