"""Each line of the table of manners comes out as it says, over real HTTP."""

import json
from collections import Counter
from collections.abc import Callable

import anyio
import pytest

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.model.types import Message, Request
from graphrag_neo4j.settings import load_settings
from tests.llm.endpoint.manners import LIMIT, MANNERS, WORDS, Manner
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.odd_endpoint import EVENTS, JSON, serving

PROMPT = " dog" * WORDS
SCHEMA = {"title": "Said", "type": "object", "properties": {}}
VECTORS = {"data": [{"index": 0, "embedding": [0.5, 1.0]}]}


def answering(manner: Manner, came: list[HttpRequest]) -> Callable[[HttpRequest], HttpResponse]:
    used = Counter[int]()
    ordinary = {"finish_reason": "stop", "index": 0}
    said = {"role": "assistant", "content": "So be it."}

    def answer(request: HttpRequest) -> HttpResponse:
        came.append(request)
        sent = json.loads(request.body)
        for number, rule in enumerate(manner.rules):
            if rule.when(sent) and used[number] < rule.times:
                used[number] += 1
                text = rule.body if isinstance(rule.body, str) else json.dumps(rule.body)
                return HttpResponse(rule.status, text.encode(), rule.content_type, rule.headers)
        if "input" in sent:
            return HttpResponse(200, json.dumps(VECTORS).encode(), JSON)
        body: object = {"choices": [{**ordinary, "message": said}]}
        if not sent.get("stream"):
            return HttpResponse(200, json.dumps(body).encode(), JSON)
        body = {"choices": [{**ordinary, "delta": said}]}
        return HttpResponse(200, f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n".encode(), EVENTS)

    return answer


async def call(manner: Manner, model: Endpoint) -> tuple[str, str]:
    """The outcome of a call, and what it says."""
    model = model.metered(model.settings)
    reasons: list[str] = []
    schema = SCHEMA if manner.way == "schema" else None
    request = Request("answer", (Message("user", PROMPT),), LIMIT, schema=schema)
    try:
        if manner.way == "embed":
            await model.embed(["dog"])
        elif manner.way == "stream":
            text = "".join([piece async for piece in model.stream(request, reasons.append)])
            assert text == "So be it."
        else:
            assert (await model.ask(request)).text == "So be it."
    except ModelError as error:
        return "ends", str(error)
    except ReplyError as error:
        return "fails", str(error)
    if reasons:
        return "incomplete", reasons[0]
    return ("remark", "".join(model.remarks)) if model.remarks else ("whole", "")


@pytest.mark.parametrize("manner", MANNERS, ids=lambda manner: manner.name)
async def test_a_manner_comes_out_as_the_table_says(
    manner: Manner, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[HttpRequest] = []
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def sleep_until(_: float) -> None:
        return

    with serving(answering(manner, came)) as url:
        given = load_settings(
            openai_base_url=url, openai_api_key="sk-x", max_retries=2, **manner.settings
        )
        async with Endpoint(given) as model:
            with monkeypatch.context() as patch:
                patch.setattr(anyio, "sleep", sleep)
                patch.setattr(anyio, "sleep_until", sleep_until)
                outcome, said = await call(manner, model)
                assert (outcome, len(came)) == (manner.outcome, manner.calls), said
                assert manner.says in said
                if manner.again is not None:
                    assert (await call(manner, model))[0] == manner.outcome
                    assert len(came) == manner.calls + manner.again
    if manner.waits is not None:
        assert {*waited} == {manner.waits}
