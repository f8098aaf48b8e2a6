"""The endpoint of a model over real HTTP: what is retried, what stops a run, what it costs."""

import json
import logging
from array import array
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from io import BytesIO

import anyio
import pytest

from graphrag_neo4j.errors import BudgetSpentError, InputError, ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.endpoint.batches import BatchCalls
from graphrag_neo4j.llm.endpoint.cost import Meter, price_of
from graphrag_neo4j.llm.endpoint.server_checks import try_window
from graphrag_neo4j.model.types import Message, Reply, Request
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text import tokens
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.faults import decide
from tests.support.fake_endpoint.options import MODES, Options
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.odd_endpoint import EVENTS, events, nothing_listens, odd_endpoint, serving

KEY = "sk-secret-0123456789abcdef"
YES_OR_NO = ("Yes", "No")


def settings(url: str, **given: object) -> Settings:
    usual = {"openai_base_url": url, "openai_api_key": KEY, "max_retries": 0, "concurrency": 4}
    return load_settings(**(usual | given))


def request(text: str = "Say something.", choices: tuple[str, ...] = ()) -> Request:
    return Request("summary", (Message("user", text),), choices=choices)


async def ask(url: str, *requests: Request, **given: object) -> list[Reply | Exception]:
    """The replies to some requests, one after the other, or the errors in their place."""
    found: list[Reply | Exception] = []
    async with Endpoint(settings(url, **given)) as endpoint:
        for one in requests:
            try:
                found.append(await endpoint.ask(one))
            except (ReplyError, ModelError, BudgetSpentError) as error:
                found.append(error)
    return found


@pytest.fixture(autouse=True)
def key_is_never_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever happens in these tests, no logger is told the key, not even at DEBUG."""
    caplog.set_level(logging.DEBUG)
    yield
    assert KEY not in caplog.text


async def test_a_call_that_is_dropped_is_metered_if_it_was_sent(endpoint: FakeEndpoint) -> None:
    endpoint.change(latency=600.0)
    async with Endpoint(settings(endpoint.url, concurrency=1)) as model:
        async with anyio.create_task_group() as asking:
            for _ in range(2):  # the second one waits for the first one
                asking.start_soon(model.ask, request())
            while not endpoint.log:  # noqa: ASYNC110 - there is no event
                await anyio.sleep(0.01)
            asking.cancel_scope.cancel()
        used = model.meter.steps["summary"]
        async with anyio.create_task_group() as asking:
            asking.start_soon(model.embed, ["Scrooge"])
            while endpoint.count("embeddings") == 0:  # noqa: ASYNC110 - there is no event
                await anyio.sleep(0.01)
            asking.cancel_scope.cancel()
        embedded = model.meter.steps["embedding"]
    assert (used.calls, used.estimated, used.failed, used.output_tokens) == (1, 1, 0, 0)
    assert used.input_tokens > 0
    assert (embedded.calls, embedded.estimated, embedded.input_tokens > 0) == (1, 1, True)


async def test_what_a_call_used_is_metered_by_its_step(endpoint: FakeEndpoint) -> None:
    async with Endpoint(settings(endpoint.url, input_price=1.0, output_price=10.0)) as model:
        await model.ask(request("Hello there."))
        await model.ask(request("And again."))
    used = model.meter.steps["summary"]
    prompt = sum(call.prompt_tokens for call in endpoint.log)
    completion = sum(call.completion_tokens for call in endpoint.log)
    assert (used.calls, used.failed) == (2, 0)
    assert (used.input_tokens, used.output_tokens) == (prompt, completion)
    assert used.cost == pytest.approx((prompt + 10 * completion) / 1_000_000)
    assert model.meter.total == used


async def test_a_word_is_forced_where_the_encoding_of_the_model_is_known(
    endpoint: FakeEndpoint,
) -> None:
    (known,) = await ask(endpoint.url, request("Is it so?", YES_OR_NO))
    assert isinstance(known, Reply)
    assert known.text in YES_OR_NO
    assert endpoint.log[0].completion_tokens == 1
    await ask(endpoint.url, request("Is it so?", YES_OR_NO), model="llama-of-mine")
    assert endpoint.log[1].completion_tokens > 1


@pytest.mark.parametrize(
    ("fault", "status"), [("too_many", 429), ("server_error", 500), ("cut", 0), ("half", 200)]
)
async def test_a_failed_call_is_tried_again(
    endpoint: FakeEndpoint, fault: str, status: int
) -> None:
    expected = await ask(endpoint.url, request())
    [call] = endpoint.log

    def fails(seed: int, attempt: int) -> bool:
        options = Options(seed=seed, **{fault: 0.5})  # type: ignore[arg-type] # rates are numbers
        return bool(decide(options, call.request, attempt, call.kind).fault)

    seed = next(one for one in range(1000) if fails(one, 1) and not fails(one, 2))
    endpoint.reset()
    endpoint.change(seed=seed, **{fault: 0.5})
    assert await ask(endpoint.url, request(), max_retries=1) == expected
    assert [(call.status, call.fault) for call in endpoint.log] == [(status, fault), (200, "")]


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (400, "KEY", "refuses the request"),
        (401, "KEY", "set OPENAI_API_KEY"),
        (402, "KEY", "credit"),
        (403, "KEY", "set OPENAI_API_KEY"),
        (404, "KEY", "There is no model gpt-none at URL"),
        (429, "KEY", "the call failed"),
        (429, "insufficient_quota", "quota"),
        (500, "KEY", "the call failed"),
    ],
)
async def test_an_error_says_what_to_do_and_never_shows_the_key(
    status: int, code: str, said: str
) -> None:
    """The endpoint repeats the key in all fields."""
    body = {"error": {"message": "KEY is no key of ours", "code": code, "param": "KEY"}}
    with odd_endpoint(body, status=status) as (url, _):
        (error,) = await ask(url, request(), extraction_model="gpt-none")
    assert isinstance(error, ReplyError if said[:3] in {"ref", "the"} else ModelError)
    assert said.replace("URL", url) in str(error)
    assert "is no key of ours" in str(error)
    assert KEY not in str(error)
    assert error.__suppress_context__


@pytest.mark.parametrize("status", [302, 307])
async def test_a_redirect_is_not_followed_and_says_what_to_set(status: int) -> None:
    """Neither by a call, a stream, embeddings nor the calls of batches."""
    with odd_endpoint({}) as (elsewhere, reached):

        def redirect(asked: HttpRequest) -> HttpResponse:
            place = elsewhere + asked.path.removeprefix("/v1") + "?key=secret"
            return HttpResponse(status, headers={"Location": place})

        with serving(redirect) as url:
            async with Endpoint(settings(url, max_retries=2)) as endpoint:
                batches = BatchCalls(endpoint)
                ways: list[Callable[[], Awaitable[object]]] = [
                    lambda: endpoint.ask(request()),
                    lambda: anext(endpoint.stream(request())),
                    lambda: endpoint.embed(["Marley was dead."]),
                    lambda: batches.upload(BytesIO(b"{}")),
                ]
                said = []
                for way in ways:
                    with pytest.raises(ModelError) as error:
                        await way()
                    said.append(str(error.value))
    assert reached == []
    assert all("redirects" in one and "OPENAI_BASE_URL" in one for one in said)
    assert all(f"={elsewhere}" in one and "secret" not in one for one in said)


async def test_an_address_where_nobody_listens_stops_after_a_few_calls() -> None:
    with nothing_listens() as url:
        *first, last = await ask(url, *[request()] * 5)
    assert [type(error) for error in first] == [ReplyError] * 4
    assert isinstance(last, ModelError)
    assert f"5 calls in a row failed at {url}" in str(last)
    assert "OPENAI_BASE_URL" in str(last)


async def test_once_calls_came_back_a_few_failures_are_no_reason_to_stop(
    endpoint: FakeEndpoint,
) -> None:
    async with Endpoint(settings(endpoint.url, concurrency=4)) as model:
        for _ in range(3):
            endpoint.change(server_error=0.0)
            await model.ask(request())  # it ends a row of failures
            endpoint.change(server_error=1.0)
            for _ in range(7):
                with pytest.raises(ReplyError):
                    await model.ask(request())
        with pytest.raises(ModelError, match="8 calls in a row failed"):
            await model.ask(request())


PRICES = {"input_price": 1_000.0, "output_price": 1_000.0}


def billed(endpoint: FakeEndpoint) -> float:
    """US dollars that the endpoint charges at PRICES."""
    return sum(call.prompt_tokens + call.completion_tokens for call in endpoint.log) / 1_000


@pytest.mark.parametrize("way", ["reply", "stream", "vectors"])
async def test_however_many_calls_begin_at_once_the_cost_limit_is_not_passed(
    endpoint: FakeEndpoint, way: str
) -> None:
    """Nor by one call that began below it. Calls wait for others but streams, so most is used."""
    endpoint.change(latency=0.02)
    said: list[str] = []
    async with Endpoint(settings(endpoint.url, max_cost=0.95, concurrency=64, **PRICES)) as model:

        async def call(n: int) -> None:
            try:
                if way == "vectors":
                    await model.embed([f"Scrooge met ghost {n}. " * 8])
                elif way == "reply":
                    await model.ask(replace(PLAIN, messages=request(f"Say {n}.").messages))
                else:
                    await heard(model, replace(ANSWER, messages=request(f"Say {n}.").messages))
            except BudgetSpentError as error:
                said.append(str(error))

        async with anyio.create_task_group() as all_:
            for n in range(64):
                all_.start_soon(call, n)
    assert (0.0 if way == "stream" else 0.5) < billed(endpoint) <= 0.95
    assert model.meter.total.cost == pytest.approx(billed(endpoint))
    assert len(said) == 64 - len(endpoint.log)
    assert all(one.startswith("The cost limit of $0.9500 is reached") for one in said)
    assert abs(model.meter.held) < 1e-9


async def test_what_fails_frees_what_it_held_and_what_was_sent_and_lost_counts(
    endpoint: FakeEndpoint,
) -> None:
    endpoint.change(server_error=1.0)
    async with Endpoint(settings(endpoint.url, max_cost=0.7, max_retries=2, **PRICES)) as model:
        with pytest.raises(ReplyError):
            await model.ask(PLAIN)  # three times the limit if its attempts added up
        assert (model.meter.total.cost, model.meter.held) == (0, 0)
        endpoint.change(server_error=0.0, half=1.0)
        with pytest.raises(ReplyError):
            await model.ask(replace(PLAIN, max_tokens=20))
        lost = model.meter.total
    assert (lost.calls, lost.failed, lost.input_tokens > 0, lost.cost > 0) == (0, 2, True, True)


async def test_a_reader_that_asks_another_question_does_not_wait_for_itself(
    endpoint: FakeEndpoint,
) -> None:
    async with Endpoint(settings(endpoint.url, max_cost=0.5, **PRICES)) as model:
        async with aclosing(model.stream(ANSWER)) as pieces:
            await anext(pieces)
            with pytest.raises(BudgetSpentError, match="spent or reserved"), anyio.fail_after(60):
                await model.ask(PLAIN)
        assert await heard(model)  # what was left of the first one is free again


async def test_a_call_that_waits_for_the_cost_of_another_may_be_cancelled(
    endpoint: FakeEndpoint,
) -> None:
    endpoint.change(latency=600.0)
    meter = Meter(limit=0.5)
    async with (
        Endpoint(settings(endpoint.url, **PRICES), meter) as one,
        Endpoint(settings(endpoint.url, **PRICES), meter) as other,
        anyio.create_task_group() as asking,
    ):
        asking.start_soon(one.ask, PLAIN)
        while not endpoint.log:  # noqa: ASYNC110 - there is no event
            await anyio.sleep(0.01)
        asking.start_soon(other.ask, PLAIN)
        while meter.ended is None:  # noqa: ASYNC110 - there is no event
            await anyio.sleep(0.01)
        asking.cancel_scope.cancel()
    assert (len(endpoint.log), meter.held, meter.ending) == (1, 0, 0)


async def test_the_test_of_a_context_window_is_a_call_like_others(endpoint: FakeEndpoint) -> None:
    async with Endpoint(settings(endpoint.url, max_cost=1.0, **PRICES)) as model:
        with pytest.raises(BudgetSpentError):
            await try_window(model, "report", 4_000)
    assert endpoint.log == []


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 3, "completion_tokens": 1},
        {"prompt_tokens": 0, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 0}},
        {"prompt_tokens": 3, "completion_tokens": 1, "cached_tokens": 900},
    ],
)
async def test_tokens_that_an_endpoint_does_not_report_count_nearly_as_we_count_them(
    usage: dict[str, object],
) -> None:
    said = "Marley was dead: to begin with. " * 10
    message = {"role": "assistant", "content": said}
    whole = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    written = events(
        {"choices": [{"index": 0, "delta": {"content": said}}]}, ending("stop") | {"usage": usage}
    )
    vectors = {"data": [{"index": 0, "embedding": [0.5, 1.0]}], "usage": usage}
    with (
        odd_endpoint(whole) as (url, _),
        odd_endpoint(written, content_type=EVENTS) as (streaming, _),
        odd_endpoint(vectors) as (embedding, _),
    ):
        used = []
        async with Endpoint(settings(url)) as model:
            await model.ask(request(said))
            used.append(model.meter.total)
        async with Endpoint(settings(streaming)) as model:
            await heard(model, request(said))
            used.append(model.meter.total)
        async with Endpoint(settings(embedding)) as model:
            await model.embed([said])
            assert model.meter.total.input_tokens >= 0.7 * tokens.count(said)
    for one in used:
        assert one.estimated == 1
        assert one.cached_tokens == 0
        assert 0.7 * tokens.count(said) <= one.input_tokens <= tokens.count(said)
        assert 0.7 * tokens.count(said) <= one.output_tokens <= tokens.count(said)


async def test_vectors_come_in_the_order_of_the_texts_and_are_metered(
    endpoint: FakeEndpoint,
) -> None:
    async with Endpoint(settings(endpoint.url, embedding_dimensions=12)) as model:
        one, other = await model.embed(["One text.", "Other words"])
        assert await model.embed(["Other words", "One text."]) == [other, one]
    assert one != other
    assert len(one) == 12
    assert isinstance(one, array)  # a list of numbers takes 32 bytes for each
    assert one.itemsize == 4
    assert model.meter.steps["embedding"].calls == 2
    tokens = sum(call.prompt_tokens for call in endpoint.log)
    assert model.meter.steps["embedding"].input_tokens == tokens


async def test_a_question_has_fields_of_its_own_beside_those_of_all_texts() -> None:
    fields = {
        "embedding_extra_body": {"input_type": "passage", "truncate": True},
        "question_extra_body": '{"input_type": "query"}',
    }
    vectors = {"data": [{"index": 0, "embedding": [0.5, 1.0]}]}
    with odd_endpoint(vectors) as (url, came):
        async with Endpoint(settings(url, **fields)) as model:
            await model.embed(["Marley was dead."])
            await model.embed_questions(["Who was dead?"])
    bodies = [json.loads(one.body) for one in came]
    assert [(one["input_type"], one["truncate"]) for one in bodies] == [
        ("passage", True),
        ("query", True),
    ]
    with pytest.raises(InputError, match="KG_EXTRA_BODY must be an object"):
        load_settings(extra_body="{")


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_however_many_texts_are_too_much_the_endpoint_is_not_down(status: int) -> None:
    with odd_endpoint({"error": {"message": "too long"}}, status=status) as (url, _):
        async with Endpoint(settings(url)) as model:
            for _ in range(20):
                with pytest.raises(ReplyError, match=r"refuses the request: .*too long"):
                    await model.embed(["One text."])


SCHEMA = {"title": "note", "type": "object", "properties": {"text": {"type": "string"}}}
PLAIN = Request("summary", (Message("user", "Say something short."),), max_tokens=200)
CHOICE = Request("rating", (Message("user", "Is it so?"),), choices=("Yes", "No"))
NOTE = Request("report", (Message("user", "A note, please."),), schema=SCHEMA, max_tokens=500)
ANSWER = Request("answer", (Message("user", "Say something short."),), max_tokens=200)


@pytest.fixture(params=list(MODES))
def kind(request: pytest.FixtureRequest) -> Iterator[FakeEndpoint]:
    with FakeEndpoint(**MODES[request.param]) as endpoint:
        yield endpoint


async def heard(model: Endpoint, request: Request = ANSWER) -> tuple[str, list[str]]:
    """The streamed text, and the reasons why it is incomplete."""
    reasons: list[str] = []
    return "".join([piece async for piece in model.stream(request, reasons.append)]), reasons


async def test_every_call_comes_through_and_is_refused_only_at_first(kind: FakeEndpoint) -> None:
    async with Endpoint(settings(kind.url)) as model:
        for _ in range(2):
            kind.reset()
            assert (await heard(model))[0]
            assert (await model.ask(PLAIN)).text
            assert (await model.ask(CHOICE)).text
            assert (await model.ask(NOTE)).text
            assert await model.embed(["One text."])
    assert [call.status for call in kind.log] == [200] * 5


@pytest.mark.parametrize("shown", ["content", "field", ""])
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reply_whose_limit_went_to_the_reasoning_is_asked_for_with_more_room(
    shown: str, *, streamed: bool
) -> None:
    with FakeEndpoint(reasoning=300, shows_reasoning=shown) as endpoint:
        async with Endpoint(settings(endpoint.url)) as model:
            for _ in range(2):
                text = (await heard(model))[0] if streamed else (await model.ask(PLAIN)).text
                assert text
                assert "<think>" not in text
        sizes = [call.completion_tokens for call in endpoint.log]
    assert sizes[0] == 200
    assert len(sizes) == 3  # the second question has room for the reasoning at once


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_reasoning_without_end_is_no_reply(*, streamed: bool) -> None:
    with FakeEndpoint(reasoning=10**6) as endpoint:
        async with Endpoint(settings(endpoint.url, reasoning_tokens=100)) as model:
            with pytest.raises(ReplyError, match=r"no text within 600 tokens.*KG_REASONING_TOKENS"):
                await (heard(model) if streamed else model.ask(PLAIN))
        assert len(endpoint.log) == 2
    assert model.meter.total.calls == 2  # both were paid for


def ending(reason: str, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


async def streamed(*body: object) -> tuple[str, list[str]]:
    with odd_endpoint(events(*body), content_type=EVENTS) as (url, _):
        async with Endpoint(settings(url)) as model:
            return await heard(model)


async def test_a_filter_that_ends_or_withholds_an_answer_is_said() -> None:
    text, reasons = await streamed(ending("", content="So be"), ending("content_filter"))
    assert text == "So be"
    assert reasons == ["the endpoint's content filter stopped it"]
    with pytest.raises(ReplyError, match="content filter withheld"):
        await streamed(ending("content_filter"))
    withheld = {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}
    with odd_endpoint(withheld) as (url, _):
        (error,) = await ask(url, request())
    assert "content filter withheld" in str(error)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens_details": {"cached_tokens": 80}},
        {"prompt_cache_hit_tokens": 80, "prompt_cache_miss_tokens": 20},
        {"cached_tokens": 80},
    ],
)
async def test_cached_input_is_reported_and_has_its_price(usage: dict[str, object]) -> None:
    message = {"role": "assistant", "content": "Yes."}
    body = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10} | usage,
    }
    prices = {"input_price": 1.0, "output_price": 4.0}
    with odd_endpoint(body) as (url, _):
        async with Endpoint(settings(url, **prices)) as model:
            assert await model.ask(PLAIN) == Reply("Yes.")
    used = model.meter.total
    assert (used.input_tokens, used.cached_tokens) == (100, 80)
    assert used.cost == pytest.approx((20 * 1.0 + 80 * 1.0 + 10 * 4.0) / 1_000_000)


def test_a_cost_limit_needs_a_price_and_a_listed_one_is_that_of_usual_prompts() -> None:
    """Prompts of more than 200,000 tokens cost double there."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - as our own code does

    with pytest.raises(InputError, match=r"llama-of-mine.*KG_INPUT_PRICE"):
        Endpoint(settings("http://127.0.0.1:9/v1", max_cost=1.0, model="llama-of-mine"))
    Endpoint(settings("http://127.0.0.1:9/v1", model="llama-of-mine"))
    price = price_of("gemini-2.5-pro", load_settings())
    usual = calc_price(Usage(input_tokens=5_000, output_tokens=500), model_ref="gemini-2.5-pro")
    assert price is not None
    assert price.of(5_000, 0, 500) == pytest.approx(float(usual.total_price))
    assert price.of(5_000, 5_000, 0) < price.of(5_000, 0, 0)


async def test_a_limit_that_is_too_large_is_lowered_and_then_left_out_of_that_call() -> None:
    too_large = {"error": {"message": "max_tokens is too large: 200. At most 100."}}
    with odd_endpoint(too_large, status=400) as (url, came):
        async with Endpoint(settings(url)) as model:
            with pytest.raises(ReplyError, match="too large"):
                await model.ask(PLAIN)
            assert model.known_of(PLAIN.step).most_reply is None  # the number was of no use
    assert [json.loads(one.body).get("max_tokens") for one in came] == [200, 100, None]


ERRORS = [
    {"error": {"message": "The model is overloaded.", "code": 503}},
    {"error": {"message": "The model is overloaded.", "type": "server_error"}},
    {"error": "The model is overloaded."},
    {"object": "error", "message": "The model is overloaded.", "code": 503},
    {"message": "The model is overloaded.", "type": "overloaded_error"},
]
"""The forms that an error has in a stream, or in a body of status 200."""


@pytest.mark.parametrize("error", ERRORS)
async def test_an_error_in_a_stream_keeps_the_text_before_it_and_counts_it(error: object) -> None:
    begun = {"choices": [{"index": 0, "delta": {"content": "Marley was dead: to begin with."}}]}
    for last, told in ((begun, True), (ending("stop"), False)):
        body = events(begun, last, error)
        with odd_endpoint(body, content_type=EVENTS) as (url, came):
            async with Endpoint(settings(url, max_retries=1)) as model:
                text, reasons = await heard(model)
        assert text.startswith("Marley was dead: to begin with.")
        assert len(reasons) == told
        assert all("reported an error: " in one and "is overloaded" in one for one in reasons)
        used = model.meter.total
        assert (len(came), used.calls, used.failed) == (1, 1, 0)
        assert used.output_tokens == tokens.count(text)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("role_first", [False, True])
async def test_an_error_that_a_stream_begins_with_is_retried(
    error: object, *, role_first: bool
) -> None:
    role = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}]
    came: list[HttpRequest] = []

    def answer(asked: HttpRequest) -> HttpResponse:
        came.append(asked)
        whole = [ending("", content="So be it."), ending("stop")]
        body = events(*role * role_first, *([error] if len(came) == 1 else whole))
        return HttpResponse(200, body.encode(), EVENTS)

    with serving(answer) as url:
        async with Endpoint(settings(url, max_retries=1)) as model:
            assert await heard(model) == ("So be it.", [])
    assert (len(came), model.meter.total.calls, model.meter.held) == (2, 1, 0)


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "Unsupported parameter: 'stream_options'.", "code": 400}},
        {"error": "Unsupported parameter: 'stream_options'."},
        {"error": {"message": "No.", "type": "invalid_request_error", "param": "stream_options"}},
        {"object": "error", "message": "stream_options is not supported", "code": None},
    ],
)
async def test_an_option_that_is_refused_within_a_stream_is_left_out(error: object) -> None:
    came: list[bool] = []

    def answer(asked: HttpRequest) -> HttpResponse:
        came.append("stream_options" in json.loads(asked.body))
        whole = [ending("", content="So be it."), ending("stop")]
        return HttpResponse(200, events(*([error] if came[-1] else whole)).encode(), EVENTS)

    with serving(answer) as url:
        async with Endpoint(settings(url)) as model:
            for _ in range(2):
                assert await heard(model) == ("So be it.", [])
    assert came == [True, False, False]


async def test_an_error_within_a_body_of_status_200_is_said_and_passing_ones_are_retried() -> None:
    for code, calls in ((503, 2), (400, 1)):
        body = {"error": {"message": "The provider is overloaded.", "code": code}}
        with odd_endpoint(body) as (url, came):
            async with Endpoint(settings(url, max_retries=1)) as model:
                with pytest.raises(ReplyError, match=r"failed: The provider is overloaded"):
                    await model.ask(PLAIN)
            assert len(came) == calls
