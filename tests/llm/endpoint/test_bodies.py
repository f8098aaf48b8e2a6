"""Any field of an endpoint's JSON may be null, missing, of another type or absurd: no crash."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.endpoint.bodies import LONGEST_BODY, LONGEST_REPLY
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import ChunkText, LLMTask, Message, Request
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.odd_endpoint import EVENTS, events, odd_endpoint

CHUNK = ChunkText("c", "Marley was dead, to begin with.")
SUMMARY = Request("summary", (Message("user", "Say something short."),))
ANSWER = replace(SUMMARY, step="answer")
DEEP = "[" * 200_000
ODD = [None, "many", [1], 7, {}, {"prompt_tokens": None}]


def settings(url: str, **given: object) -> Settings:
    return load_settings(openai_base_url=url, openai_api_key="sk-x", max_retries=0, **given)


def completion(content: object, **more: object) -> dict[str, object]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    return {"choices": [choice | {"finish_reason": "stop"}], **more}


def delta(content: object, **more: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": {"content": content}}], **more}


def usage(prompt: object, written: object) -> dict[str, object]:
    return {"prompt_tokens": prompt, "completion_tokens": written, "prompt_tokens_details": None}


WRONG_USAGE = [
    *ODD, usage("12", "3"), usage(-5, 3), usage(float("nan"), 3), usage(10**30, 3),
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG_USAGE)
async def test_a_usage_that_is_wrong_or_missing_is_estimated(wrong: object) -> None:
    """Of a whole reply, a streamed one and of vectors, so that a cost limit holds."""
    text = "So be it."
    vectors = {"data": [{"index": 0, "embedding": [0.5, 1.0]}], "usage": wrong}
    stream = events(delta("So be "), delta("it."), delta("", usage=wrong))
    prices = {"input_price": 1.0, "output_price": 1.0}
    with odd_endpoint(completion(text, usage=wrong)) as (url, _):
        async with Endpoint(settings(url, **prices)) as model:
            assert (await model.ask(SUMMARY)).text == text
    with odd_endpoint(stream, content_type=EVENTS) as (url, _):
        async with Endpoint(settings(url, **prices)) as listening:
            assert await listened(listening) == text
    for used in (model.meter.steps["summary"], listening.meter.steps["answer"]):
        assert (used.calls, used.failed, used.estimated) == (1, 0, 1)
        assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (4, 4, 0)
        assert used.cost == pytest.approx(8 / 1_000_000)
    with odd_endpoint(vectors) as (url, _):
        async with Endpoint(settings(url)) as embedding:
            [vector] = await embedding.embed(["Say something short."])
    assert vector.tolist() == [0.5, 1.0]
    used = embedding.meter.steps["embedding"]
    assert (used.calls, used.estimated, used.input_tokens) == (1, 1, 4)


@pytest.mark.parametrize(
    "body",
    [
        *(odd for odd in ODD if odd != {}), DEEP, '{"choices": ' + "9" * 5000 + "}",
        {"choices": None}, {"choices": []}, {"choices": {"0": 1}}, {"choices": [None]},
        {"choices": [{"message": None}]}, {"choices": [{"message": "text"}]},
        {"choices": [{"message": {}}]}, completion(["a", "list"]), completion(5),
    ],
)  # fmt: skip
async def test_a_reply_that_is_no_chat_completion_is_unusable(body: object) -> None:
    with odd_endpoint(body) as (url, _):
        async with Endpoint(settings(url)) as model:
            with pytest.raises(ReplyError, match="not a chat completion"):
                await model.ask(SUMMARY)
    assert (model.meter.total.calls, model.meter.total.failed) == (0, 1)


async def listened(model: Endpoint) -> str:
    return "".join([piece async for piece in model.stream(ANSWER)])


async def streamed(body: object, **given: object) -> tuple[str, Endpoint]:
    with odd_endpoint(body, content_type=EVENTS) as (url, _):
        async with Endpoint(settings(url, **given)) as model:
            return await listened(model), model


@pytest.mark.parametrize(
    "odd",
    [
        *(odd for odd in ODD if odd != "many"), {"choices": None}, {"choices": [None]},
        {"choices": [{"delta": None}]}, {"choices": [{"delta": "text"}]}, delta(None), delta(7),
        delta(["a"]), "7", "null", '"text"',
    ],
)  # fmt: skip
async def test_a_streamed_event_that_brings_no_text_is_passed_over(odd: object) -> None:
    text, _ = await streamed(events(delta("So be "), odd, delta("it.")))
    assert text == "So be it."


@pytest.mark.parametrize("odd", ["{", DEEP, "so be it"])
async def test_of_a_stream_with_an_event_that_is_no_json_the_text_before_counts(odd: str) -> None:
    reasons: list[str] = []
    with odd_endpoint(events(delta("So be "), odd), content_type=EVENTS) as (url, _):
        async with Endpoint(settings(url)) as model:
            pieces = [piece async for piece in model.stream(ANSWER, reasons.append)]
    assert pieces == ["So be "]
    assert ["not JSON" in reason for reason in reasons] == [True]
    with pytest.raises(ReplyError, match="not JSON"):
        await streamed(events(odd))


@pytest.mark.parametrize("error", [{"message": None}, "down", ["down"], {"message": ["x"]}])
async def test_a_streamed_error_fails_the_call_or_ends_the_text_before_it(error: object) -> None:
    with pytest.raises(ReplyError, match="the call failed"):
        await streamed(events({"error": error}))
    text, model = await streamed(events(delta("So be "), {"error": error}))
    assert text == "So be "
    assert model.meter.total.calls == 1


@pytest.mark.parametrize(
    "body",
    [
        *ODD,
        DEEP,
        {"data": [None]},
        *({"data": [{"index": 0, "embedding": odd}]} for odd in (["0.5"], [10**400], "\u20ac")),
    ],
)
async def test_vectors_that_are_none_are_unusable(body: object) -> None:
    with odd_endpoint(body) as (url, _):
        async with Endpoint(settings(url)) as model:
            with pytest.raises(ReplyError, match="vectors"):
                await model.embed(["One text."])


@pytest.mark.parametrize("status", [400, 429, 500])
@pytest.mark.parametrize(
    "body",
    [
        *ODD,
        DEEP,
        "\x00\x01",
        {"error": ["text"]},
        {"error": {"message": None, "code": ["x"], "param": {"y": 1}, "type": 7}},
    ],
)
async def test_an_error_is_explained_whatever_it_holds(body: object, status: int) -> None:
    with odd_endpoint(body, status=status) as (url, _):
        async with Endpoint(settings(url)) as model:
            with pytest.raises((ReplyError, ModelError)) as error:
                await model.ask(SUMMARY)
    assert len(str(error.value)) < 600


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "nan"}, {"retry-after": "-1"}, {"retry-after": "inf"},
        {"retry-after": "9" * 5000}, {"retry-after": "soon"},
        {"retry-after": "Mon, 99 Foo 99999999999999 99:99:99 GMT"},
        {"retry-after": "Thu, 01 Jan 0000 00:00:00 GMT"}, {"retry-after-ms": "nan"},
        {"x-should-retry": "perhaps"}, {"content-encoding": "gzip"},
        {"content-encoding": "unheard-of"}, {"content-type": "text/html; charset=unheard-of"},
    ],
)  # fmt: skip
async def test_an_error_is_explained_whatever_its_headers_hold(headers: Mapping[str, str]) -> None:
    with odd_endpoint({"error": {"message": "busy"}}, status=429, headers=headers) as (url, came):
        async with Endpoint(settings(url).changed(max_retries=1)) as model:
            with pytest.raises(ReplyError, match="the call failed"):
                await model.ask(SUMMARY)
    assert 1 <= len(came) <= 2


async def test_a_reply_longer_than_any_model_writes_is_unusable_and_read_no_further() -> None:
    longest = "a " * (LONGEST_REPLY // 2)
    with odd_endpoint(completion(longest)) as (url, _):
        async with Endpoint(settings(url)) as model:
            assert (await model.ask(SUMMARY)).text == longest
    with odd_endpoint(completion(longest + "a")) as (url, _):
        async with Endpoint(settings(url)) as model:
            with pytest.raises(ReplyError, match="longer than 1,000,000 characters"):
                await model.ask(SUMMARY)
    assert model.meter.total.calls == 1  # it was paid for
    with pytest.raises(ReplyError, match="longer than 1,000,000 characters"):
        await streamed(events(*[delta("a " * 50_000)] * 30))


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("status", [200, 500])
async def test_a_small_packed_body_that_holds_much_is_not_unpacked(
    status: int, *, streaming: bool
) -> None:
    bomb = gzip.compress(b" " * (LONGEST_BODY + 2**20))
    assert len(bomb) < 2**18
    packed = {"content-encoding": "gzip"}
    with odd_endpoint(bomb, status=status, content_type=EVENTS, headers=packed) as (url, _):
        async with Endpoint(settings(url)) as model:
            sentence = "larger than 64 MiB" if status == 200 else "the call failed"
            with pytest.raises(ReplyError, match=sentence):
                await (listened(model) if streaming else model.ask(SUMMARY))


# What can't be stored: as text of the reply, and as escapes within JSON that the reply holds.
HALF, NUL = "\ud83d", "\x00"
BAD = f"Bad{HALF}ly{NUL} said"
GOOD = "Bad\ufffdly\ufffd said"


def reports(text: str) -> str:
    """A report that says this everywhere."""
    named = dict.fromkeys(("title", "summary", "rating_explanation"), text)
    findings = [{"summary": text, "explanation": text}]
    return json.dumps({**named, "rating": 5, "findings": findings})


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        ("claims", f"({BAD}<|>NONE<|>{BAD}<|>TRUE<|>NONE<|>NONE<|>{BAD}<|>{BAD})<|COMPLETE|>"),
        ("report", reports(BAD)),
        ("report", reports(BAD).replace("\\ud83d", HALF).replace("\\u0000", NUL)),
    ],
    ids=["list", "escaped", "JSON"],
)
async def test_what_cant_be_stored_is_replaced(step: str, reply: str) -> None:
    with odd_endpoint(completion(reply)) as (url, _):
        given = settings(url, gleanings=0)
        index = LLMIndexBackend(given)
        report = index.report("context", ReportMaterial({}, [], []))
        task: LLMTask[object] = index.claims(CHUNK) if step == "claims" else report
        async with Endpoint(given) as model:
            text = repr(await model.run(task))
    assert GOOD.casefold() in text.casefold()
    assert repr(HALF)[1:-1] not in text
    assert repr(NUL)[1:-1] not in text
    assert model.meter.total.replaced >= 2


async def test_what_cant_be_stored_is_replaced_in_a_stream_and_counted() -> None:
    """A character that comes in two halves stays whole."""
    body = events(delta("So \ud83d"), delta(f"\ude00 be{HALF}"), delta("ly"), delta(f"{NUL} it"))
    text, model = await streamed(body)
    assert text == "So \N{GRINNING FACE} be\ufffdly\ufffd it"
    assert model.meter.steps["answer"].replaced == 2
