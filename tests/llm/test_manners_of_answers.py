"""The manners in which endpoints stream an answer, or don't: over HTTP, through the client."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.query.answer import Answer
from tests.support.carol import Indexed, indexed_carol
from tests.support.fake_endpoint.forms import to_json
from tests.support.fake_endpoint.server import HttpResponse
from tests.support.odd_endpoint import EVENTS
from tests.support.odd_endpoint import events as done_events
from tests.support.recording_endpoint import Body, Manner, Usual, mannered_endpoint
from tests.support.servers import TestServer

QUESTION = "Who is Scrooge?"
SAID = "Scrooge is a miser."


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server, characters=4_000, claims=False) as indexed:
        yield indexed


async def ask(carol: Indexed, manner: Manner) -> tuple[Answer, list[Body]]:
    """The answer by basic search, for which the model is called once, and the chat bodies."""
    with mannered_endpoint(manner) as (url, came):
        settings = carol.settings.changed(openai_base_url=url, max_retries=0)
        async with AsyncGraphRAG(settings) as rag:
            answer = await rag.query(QUESTION, method="basic")
    return answer, [body for body in came if "messages" in body]


def delta(**fields: object) -> Body:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def events(*data: object) -> str:
    """A stream without its last mark."""
    return done_events(*data).removesuffix("data: [DONE]\n\n")


def whole(content: object, **message: object) -> HttpResponse:
    said = {"role": "assistant", "content": content, **message}
    return to_json({"choices": [{"message": said, "finish_reason": "stop"}]})


def chat(answer: HttpResponse, body: Body, _usual: Usual) -> HttpResponse | None:
    return answer if "messages" in body else None


def streaming(text: str) -> Manner:
    """A stream of this body, whatever is asked."""
    return partial(chat, HttpResponse(body=text.encode(), content_type=EVENTS))


def said(text: str, size: int = 5) -> Manner:
    """A proper stream of a text, in pieces."""
    pieces = [delta(content=text[n : n + size]) for n in range(0, len(text), size)]
    return streaming(done_events(*pieces))


async def test_a_stream_that_breaks_off_leaves_its_text_and_this_is_said(carol: Indexed) -> None:
    answer, _ = await ask(carol, streaming(events(delta(content=SAID))))
    assert answer.text == SAID
    assert answer.incomplete
    assert "stream ended" in answer.incomplete


@pytest.mark.parametrize(
    "instead",
    [
        None,
        to_json({"detail": "Streaming is not supported."}, 400),
        HttpResponse(501, b"nope", "text/plain"),
    ],
)
async def test_an_endpoint_that_does_not_stream_is_asked_plainly(
    carol: Indexed, instead: HttpResponse | None
) -> None:
    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        if "messages" not in body:
            return None
        return instead if body.get("stream") and instead else whole(SAID)

    answer, came = await ask(carol, manner)
    assert (answer.text, answer.incomplete) == (SAID, None)
    assert not came[-1].get("stream")


async def test_a_content_in_parts_is_read_without_its_thoughts(carol: Indexed) -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": SAID}]
    assert (await ask(carol, partial(chat, whole(parts))))[0].text == SAID
    assert (await ask(carol, streaming(done_events(delta(content=parts)))))[0].text == SAID


async def test_an_endpoint_that_takes_one_message_gets_one(carol: Indexed) -> None:
    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        if "messages" not in body:
            return None
        roles = [message["role"] for message in body["messages"]]
        if roles != ["user"]:
            return to_json({"error": {"message": "System role not supported"}}, 400)
        assert QUESTION in body["messages"][0]["content"]
        assert "# Sources" in body["messages"][0]["content"]
        return HttpResponse(body=done_events(delta(content=SAID)).encode(), content_type=EVENTS)

    with mannered_endpoint(manner) as (url, came):
        async with AsyncGraphRAG(carol.settings.changed(openai_base_url=url)) as rag:
            for _ in range(2):
                assert (await rag.query(QUESTION, method="basic")).text == SAID
    assert [len(body["messages"]) for body in came if "messages" in body] == [2, 1, 1]


@pytest.mark.parametrize(
    "form",
    [
        "[{}]",
        "[^{}]",
        "【{}†source】",
        "[Daten: Quellen ({})]",
        "Sources ({})",
        "[Data: Sources ({0}-{0})]",
    ],
)
async def test_a_citation_in_another_form_leads_to_the_text(carol: Indexed, form: str) -> None:
    async with AsyncGraphRAG(carol.settings) as rag:
        context = await rag.query(QUESTION, method="basic", context_only=True)
    ref = min(record.ref for table in context.context for record in table.records.values())
    answer, _ = await ask(carol, said(f"Scrooge is a miser {form.format(ref)}."))
    assert [(one.kind, one.ref, one.supported) for one in answer.citations] == [
        ("Sources", ref, True)
    ]
    assert answer.citations[0].sources
    assert answer.notices == ()


async def test_an_answer_without_sources_says_so(carol: Indexed) -> None:
    for text in (SAID, "Scrooge is a miser [99999]."):
        answer, _ = await ask(carol, said(text))
        assert answer.text == text
        assert any("no sources" in notice for notice in answer.notices)
    cites = next(one.ref for table in answer.context for one in table.records.values())
    answer, _ = await ask(carol, said(f"A miser [Data: Sources ({cites})]. So it is [99999]."))
    assert any("can't be read: 1" in notice for notice in answer.notices)
