"""The door to a model: one OpenAI-compatible endpoint, its limits, its errors, its cost."""

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
from graphrag_neo4j.llm.reasoning_tags import without_thoughts_streamed
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
# One without the other is of no use: under a bias on two words a model does not stop by itself.
ONE_TOKEN = {"logit_bias", "max_completion_tokens"}
LONGEST_MESSAGE = 300  # of what an endpoint says, which may be a whole page
# So many calls failing one after the other mean that the endpoint is down, not a chunk's text.
HOPELESS_AT_FIRST = 5
EMBEDDING = "embedding"  # the step that vectors are metered under


class Endpoint:
    """Sends requests, as an asynchronous context manager; one for a client.

    Raises InputError where neither a key nor an address is set, or where a cost limit is set for
    models whose price is not known.
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
        """This endpoint for one run or one question: with a meter and a cost limit of its own.

        The models are those of `settings`. The connections, the limits of calls at the same time
        and a minute, and what the endpoint has refused are shared; the meter of the whole counts
        the calls, too.
        """
        part = copy(self)
        part.meter = Meter(self.meter)
        part.take_models(settings)
        return part

    def take_models(self, settings: Settings) -> None:
        """Takes models, prices and the cost limit from these settings."""
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
        """Drives a think step to its result; raises what `ask` raises, and ReplyError."""
        try:
            request = next(task)
            while True:
                request = task.send(await self.ask(request))
        except StopIteration as done:
            return cast("T", done.value)

    async def ask(self, request: Request) -> Reply:
        """The reply to one request.

        Raises ModelError where no call can succeed, BudgetSpentError before a call that the cost
        limit forbids, ReplyError where only this one failed.
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
        """The reply to one request piece by piece, as it comes; raises as `ask` does.

        Closing this generator closes the connection on which the reply is still coming.
        """
        used = self.meter.steps[request.step]
        return without_thoughts_streamed(storable_pieces(self._streamed(request), used))

    async def _streamed(self, request: Request) -> AsyncGenerator[str, None]:
        self._check_budget()
        model = model_of(self._settings, request.step)
        await self._rates.before_call(request, self._settings.encoding)
        said: list[str] = []
        length = 0
        used: Used | None = None
        try:
            # The slot is given back before the reply is read: whoever reads it slowly, or asks
            # the next question meanwhile, must not keep the others waiting.
            async with self._slots:
                events = await self._open_stream(model, request)
            async with events:
                async for event in events:
                    used = used_by(event) or used
                    if piece := piece_of(event):
                        said.append(piece)
                        length += len(piece)
                        refuse_long(length)
                        yield piece
            refuse_long(length, events.response)
        except (openai.APIError, ReplyError) as error:
            raise self._failed(request.step, error, model) from None
        except (ValueError, RecursionError):
            odd = ReplyError("the endpoint's stream holds what is no JSON")
            raise self._failed(request.step, odd, model) from None
        self._failures_in_a_row = 0
        self._count(request, used, "".join(said))

    async def _open_stream(self, model: str, request: Request) -> AsyncStream[object]:
        """The events as they are: the client would take for granted that they have their form."""
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
        """A vector for each text, in their order; raises as `ask` does."""
        self._check_budget()
        model, dimensions = self._settings.embedding_model, self._settings.embedding_dimensions
        await self._rates.before_tokens(texts, self._settings.encoding)
        # Plain numbers would be four times as long.
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
                # What an endpoint does not know of is left out once it has said so.
                named = {_refusable(name, options) for name in options if _names(error, name)}
                if not named:
                    raise
                refused |= named | (ONE_TOKEN if named & ONE_TOKEN else set())
            else:
                return completion_of(response)

    def _reply(self, request: Request, completion: Completion) -> tuple[Reply, int]:
        """The reply of a completion, counted; one that can't be used was paid for, too."""
        used = used_by(completion)
        self._count(request, used, completion["choices"][0]["message"]["content"] or "")
        reply, replaced = reply_of(completion)
        if request.schema:  # JSON may write them as escapes
            text, escaped = storable_json(reply.text)
            return replace(reply, text=text), replaced + escaped
        return reply, replaced

    def _count(self, request: Request, used: Used | None, reply: str) -> None:
        """Counts a call; its tokens are estimated where the endpoint does not say them."""
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
        """Counts a call that failed; gives its error as what can be done about it."""
        self.meter.fail(step)
        return error if isinstance(error, ReplyError) else self._explained(error, model, setting)

    def _explained(
        self, error: openai.APIError, model: str, setting: str
    ) -> ModelError | ReplyError:
        """The error as what can be done about it, without the key."""
        said = self._redacted(str(error))
        match error:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return ModelError(
                    f"The model endpoint refuses the key: set OPENAI_API_KEY ({said})."
                )
            case openai.NotFoundError():
                return ModelError(
                    f"There is no model {model} at {self._address}: "
                    f"set {setting} or OPENAI_BASE_URL ({said})."
                )
            case openai.RateLimitError(code="insufficient_quota"):
                return ModelError(f"The quota of the key is used up ({said}).")
            case (
                openai.BadRequestError()
                | openai.UnprocessableEntityError()
                | openai.APIStatusError(status_code=413)  # too large
            ):
                return ReplyError(f"the endpoint refuses the request: {said}")
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= self._hopeless():
            count, address = self._failures_in_a_row, self._address
            return ModelError(
                f"{count} calls in a row failed at {address}: see whether OPENAI_BASE_URL and "
                f"the network are right ({said})."
            )
        reached = not isinstance(error, openai.APIConnectionError)
        if not reached:
            said = (
                f"the model endpoint at {self._address} can't be reached ({said.rstrip('.')}); see "
                "that it runs, and that OPENAI_BASE_URL and the network are right"
            )
        return ReplyError(f"the call failed: {said}", reached=reached)

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
    # The hook sees each sending, the client's own retries included.
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
    """The chat model that a step is asked of."""
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
    """How a reply is held to a schema: by it, else to JSON, as far as the endpoint can."""
    if "json_schema" not in refused:
        held = {"name": schema["title"], "schema": schema, "strict": True}
        return {"type": "json_schema", "json_schema": held}
    return None if "json_object" in refused else {"type": "json_object"}


def _refusable(name: str, options: Mapping[str, Any]) -> str:
    """What is left out of the next try: of formats the one that was asked for."""
    return str(options[name]["type"]) if name == "response_format" else name


def _names(error: openai.BadRequestError, option: str) -> bool:
    words = (option, "json") if option == "response_format" else (option,)
    return error.param == option or any(word in error.message for word in words)
