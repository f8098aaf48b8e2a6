"""`kg-build serve` over real HTTP, as OpenAI's client, chat clients and strangers ask it."""

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import openai
import pytest

from graphrag_neo4j.extras.serve.access import MOST_CONNECTIONS
from graphrag_neo4j.extras.serve.chat import MODELS, Footnotes
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.indexes import await_indexes
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.model.citations import footnoted
from graphrag_neo4j.query.answer import Answer, Citation, Source
from tests.support.carol import Indexed, indexed_carol
from tests.support.fake_endpoint.server import HttpResponse as Reply
from tests.support.odd_endpoint import EVENTS, events
from tests.support.recording_endpoint import Usual, mannered_endpoint, schema_of
from tests.support.servers import TestServer
from tests.support.serving import COMMAND, TOKEN, Served, served

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

QUESTION = "What does Scrooge think of Marley?"
PATIENCE = 60.0  # seconds that a run may take on a slow machine
HISTORY = "<chat_history>\nUSER: Who was Marley?\nASSISTANT: A partner.\n</chat_history>"
# Such requests Open WebUI makes by itself after an answer.
TASKS = {
    "title": "### Task:\nGenerate a concise title summarizing the chat history.\n### Output:\n"
    f'JSON format: {{ "title": "your concise title here" }}\n### Chat History:\n{HISTORY}',
    "tags": "### Task:\nGenerate 1-3 broad tags categorizing the main themes.\n\n### Output:\n"
    f'JSON format: {{ "tags": ["tag1", "tag2", "tag3"] }}\n\n### Chat History:\n{HISTORY}',
    "follow_ups": "### Task:\nSuggest 3-5 relevant follow-up questions.\n### Output:\n"
    f'JSON format: {{ "follow_ups": ["Question 1?"] }}\n### Chat History:\n{HISTORY}',
}


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Indexed]:
    async with indexed_carol(checked_server) as indexed:
        yield indexed


@pytest.fixture(scope="module")
def running(carol: Indexed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve"), carol.environment) as one:
        yield one


@pytest.fixture
def client(running: Served) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key=TOKEN, max_retries=0) as opened:
        yield opened


def ask(
    running: Served, path: str, body: object = None, method: str = "", **headers: str
) -> tuple[int, Any, HTTPResponse]:
    """The status of a response, its JSON or text, and the response."""
    connection = HTTPConnection(urlsplit(running.url).netloc)
    sent = body if isinstance(body, bytes | None) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    method = method or ("GET" if body is None else "POST")
    connection.request(method, path, sent, {"Content-Type": "application/json", **named})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    kind = response.headers.get("content-type", "")
    return response.status, json.loads(text) if text and "json" in kind else text, response


def test_each_method_is_a_model_and_answers_with_footnotes(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == list(MODELS)
    for model in MODELS:
        reply = client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": QUESTION}],
            extra_body={"graphrag": True},
        )
        [choice] = reply.choices
        text = choice.message.content or ""
        assert "[Data:" not in text
        assert re.search(
            r"\[\^1\].*\n\n\[\^1\]: .*\(http://[^)]+/source/\d+-\d+-\d+\)", text, re.DOTALL
        )
        assert reply.usage
        assert reply.usage.prompt_tokens > 0
        assert reply.model_extra
        assert reply.model_extra["graphrag"]["citations"]


def test_a_stream_is_the_same_text_and_tells_its_tokens(client: openai.OpenAI) -> None:
    asked: Any = {"model": "kg-local", "messages": [{"role": "user", "content": QUESTION}]}
    whole = client.chat.completions.create(**asked).choices[0].message.content
    chunks = list(
        client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
    )
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(pieces) == whole
    assert len([piece for piece in pieces if piece]) > 2
    assert chunks[-1].usage
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_the_whole_answer_is_sent_only_if_it_is_asked_for(client: openai.OpenAI) -> None:
    asked: Any = {"model": "kg-local", "messages": [{"role": "user", "content": QUESTION}]}
    assert not client.chat.completions.create(**asked).model_extra
    for wanted in (False, True):
        asked |= {"extra_body": {"graphrag": wanted}, "stream": True}
        chunks = list(client.chat.completions.create(**asked))
        extra = [one for one in chunks if one.model_extra]
        assert extra == (chunks[-1:] if wanted else [])
        assert [one.choices for one in extra] == ([[]] if wanted else [])
    assert chunks[-1].model_extra["graphrag"]["context"]
    assert chunks[-2].choices[0].finish_reason == "stop"


ERROR = ("message", "type", "param", "code", "request_id")
SAID = "Scrooge and Marley [^1] were partners.\n\n[^1]: Marley, in a book\n\n```\nHe died"


def test_half_an_answer_is_said_to_be_one_and_comes_back_without_what_we_added(
    carol: Indexed, tmp_path: Path
) -> None:
    def manner(body: dict[str, Any], _usual: Usual) -> Reply | None:
        if "messages" not in body or schema_of(body):
            return None
        return Reply(body=broken_off.encode(), content_type=EVENTS)

    sent = [
        {"choices": [{"index": 0, "delta": {"content": SAID[n : n + 5]}, "finish_reason": None}]}
        for n in range(0, len(SAID), 5)
    ]
    broken_off = events(*sent).removesuffix("data: [DONE]\n\n")
    with mannered_endpoint(manner) as (url, came):
        environment = {**carol.environment, "OPENAI_BASE_URL": url, "KG_MAX_RETRIES": "0"}
        with (
            served(tmp_path, environment) as running,
            openai.OpenAI(base_url=f"{running.url}/v1", api_key=TOKEN, max_retries=0) as client,
        ):
            asked: Any = {"model": "kg-basic", "messages": [{"role": "user", "content": QUESTION}]}
            [whole] = client.chat.completions.create(**asked).choices
            chunks = list(client.chat.completions.create(**asked, stream=True))
            content = whole.message.content or ""
            assert "".join(one.choices[0].delta.content or "" for one in chunks) == content
            assert whole.finish_reason == chunks[-1].choices[0].finish_reason == "length"
            text, _, said = content.partition("\n\n*Notice: ")
            assert text == "Scrooge and Marley were partners.\n\n```\nHe died\n```"
            assert said.startswith("The answer is not complete, because ")
            assert "*\n\n*Notice: The answer has no sources, " in said
            asked["messages"] += [
                {"role": "assistant", "content": f"{content}\n\n[^1]: Sources (3)"},
                {"role": "user", "content": "When did he die?"},
            ]
            client.chat.completions.create(**asked)
    [message] = [one for one in came[-1]["messages"] if one["role"] == "assistant"]
    assert message["content"] == text


def test_history_wishes_conditions_and_parts_reach_the_search(
    client: openai.OpenAI, carol: Indexed
) -> None:
    carol.endpoint.reset()
    messages: Any = [
        {"role": "system", "content": "Answer as a list of five."},
        {"role": "user", "content": "Who was Marley?"},
        {"role": "assistant", "content": "A partner of Scrooge."},
        {"role": "user", "content": [{"type": "text", "text": "When did he die?"}]},
    ]
    reply = client.chat.completions.create(
        model="kg-local", messages=messages, temperature=0.2, extra_body={"where": "source=carol"}
    )
    assert reply.choices[0].message.content
    kinds = [call.kind for call in carol.endpoint.log]
    assert kinds[0] == "json:self_contained_question"
    with pytest.raises(openai.BadRequestError, match="No document has the field sourc"):
        client.chat.completions.create(
            model="kg-local", messages=messages, extra_body={"where": ["sourc=carol"]}
        )


def test_an_answer_that_breaks_off_ends_with_the_error(
    running: Served, client: openai.OpenAI, carol: Indexed
) -> None:
    messages: Any = [{"role": "user", "content": QUESTION}]
    carol.endpoint.change(half=1.0, only=("answer",))
    try:
        with pytest.raises(openai.APIError, match="can't be reached"):
            list(client.chat.completions.create(model="kg-local", messages=messages, stream=True))
        asked = {"question": QUESTION, "method": "local"}
        status, events, _ = ask(running, "/api/ask", asked, **running.headers)
    finally:
        carol.endpoint.change(half=0.0, only=())
    *_, last = events.rstrip().split("\n\n")
    assert (status, last.partition("\n")[0]) == (200, "event: error")


@pytest.mark.parametrize("stream", [False, True])
def test_what_a_client_asks_that_goes_away_is_ended(
    stream: bool, running: Served, carol: Indexed
) -> None:
    connection = HTTPConnection(urlsplit(running.url).netloc)
    carol.endpoint.reset()
    carol.endpoint.change(latency=600.0)
    try:
        headers = {**running.headers, "Content-Type": "application/json"}
        body = json.dumps({"question": QUESTION, "method": "text", "stream": stream})
        connection.request("POST", "/api/ask", body, headers)
        while not carol.endpoint.log:
            time.sleep(0.1)
        connection.close()
        looks = iter(range(600))  # the call itself would take ten minutes
        while not carol.endpoint.log[-1].dropped and next(looks, None) is not None:
            time.sleep(0.1)
        assert carol.endpoint.log[-1].dropped
    finally:
        carol.endpoint.change(latency=0.0)


@pytest.mark.parametrize("task", TASKS)
def test_tasks_of_a_chat_client_ask_nothing(
    task: str, client: openai.OpenAI, carol: Indexed
) -> None:
    carol.endpoint.reset()
    given: Any = {"model": "kg-auto", "messages": [{"role": "user", "content": TASKS[task]}]}
    whole = client.chat.completions.create(**given).choices[0].message.content or ""
    chunks: Any = client.chat.completions.create(**given, stream=True)
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert json.loads(whole) == {task: "Who was Marley?" if task == "title" else []}
    assert "".join(pieces) == whole
    assert carol.endpoint.log == []


DEMANDED: list[tuple[dict[str, object], str]] = [
    ({"response_format": {"type": "json_object"}}, "response_format.type"),
    ({"response_format": {"type": "json_schema", "json_schema": {}}}, "response_format.type"),
    ({"tool_choice": "required"}, "tool_choice"),
    ({"tool_choice": {"type": "function", "function": {"name": "find"}}}, "tool_choice"),
    ({"function_call": {"name": "find"}}, "function_call"),
    ({"n": 2}, "n"),
    ({"logprobs": True}, "logprobs"),
]


def test_what_a_client_does_not_rely_on_is_left_out(client: openai.OpenAI) -> None:
    tool: Any = {"type": "function", "function": {"name": "find", "parameters": {}}}
    reply = client.chat.completions.create(
        model="kg-basic",
        messages=[{"role": "user", "content": QUESTION}],
        tools=[tool] * 36,
        tool_choice="auto",
        response_format={"type": "text"},
        n=1,
        logprobs=False,
    )
    assert reply.choices[0].message.content


def test_models_are_described_and_addresses_are_tried(
    running: Served, client: openai.OpenAI
) -> None:
    assert client.models.retrieve("kg-local").id == "kg-local"
    for path in ("/", "/v1/models", "/v1/models/kg-local", "/api/state"):
        status, text, response = ask(running, path, method="HEAD", **running.headers)
        assert (status, text) == (200, ""), path
        assert int(response.headers["content-length"]) > 0
    wrong = {
        "/v1/models": ("POST", "GET, HEAD"),
        "/v1/chat/completions": ("GET", "POST"),
        "/api/documents": ("PATCH", "GET, HEAD"),  # DELETE only with --write
    }
    for path, (method, allowed) in wrong.items():
        status, reply, response = ask(running, path, method=method, **running.headers)
        assert (status, response.headers["allow"]) == (405, allowed)
        assert reply["error"]["message"] == f"{path} takes {allowed}, not {method}."


def test_wrong_requests_have_one_form_and_one_sentence(running: Served) -> None:
    chat, user = "/v1/chat/completions", [{"role": "user", "content": "Who?"}]
    wrong: list[tuple[str, object, int, str]] = [
        (chat, {"model": "kg-lokal", "messages": user}, 404, "Did you mean kg-local"),
        (chat, {"model": "kg-auto", "messages": []}, 400, "messages"),
        (chat, {"messages": user}, 400, "model: must be given"),
        (chat, b"{", 400, "can't be used"),
        ("/api/ask", {"question": "Who?", "how": 1}, 400, "how"),
        ("/api/ask", {"question": "Who?", "method": "lokal"}, 400, "Did you mean local?"),
        ("/api/sources/99999999", None, 404, "There is no source 99999999"),
        ("/api/reports/99999999", None, 404, "99999999"),
        ("/api/entity?name=Nobody", None, 404, "There is no entity 'Nobody'"),
        ("/api/nothing", None, 404, "nothing at /api/nothing: let clients use chat completions"),
        ("/v1", None, 404, "(POST /v1/chat/completions, GET /v1/models); /openapi.json"),
        ("/v1/models/kg-lokal", None, 404, "There is no model kg-lokal"),
        *(
            (f"/v1/{path}", {}, 404, f"nothing at /v1/{path}: let clients use chat completions")
            for path in ("responses", "completions", "embeddings", "images/generations", "messages")
        ),
        *(
            (f"{path}/chat/completions", {}, 404, f"chat clients is {running.url}/v1.")
            for path in ("", "/v1/v1", "/openai", "/v1/", "/v1/chat/completions")
        ),
        ("/models", None, 404, f"chat clients is {running.url}/v1."),
        *(
            (chat, {"model": "kg-auto", "messages": user, **demanded}, 400, f"{says}: must be ")
            for demanded, says in DEMANDED
        ),
        (f"/api/sources/{10**30}", None, 400, "ref"),
        ("/api/ask", b"x" * 1_100_000, 413, "more than 1,000,000 bytes"),
    ]  # fmt: skip
    for path, body, status, says in wrong:
        found, reply, _ = ask(running, path, body, **running.headers)
        assert (found, reply["error"].keys()) == (status, {*ERROR}), path
        assert says in reply["error"]["message"]
    form = {**running.headers, "Content_Type": "application/x-www-form-urlencoded"}
    status, reply, _ = ask(running, "/api/ask", {"question": "Who?"}, **form)
    assert (status, "Content-Type: application/json" in reply["error"]["message"]) == (400, True)
    status, reply, _ = ask(running, "/api/documents/x.txt", b"x", "PUT", **running.headers)
    assert (status, "--write" in reply["error"]["message"]) == (403, True)


SHELL = ("/", "/static/page.js", "/static/page.css", "/favicon.ico", "/source/1-0-8")
DATA = ("/api/state", "/api/map", "/api/sources/1", "/v1/models", "/mcp", "/openapi.json")


def test_only_who_has_the_token_is_let_in(running: Served) -> None:
    netloc = urlsplit(running.url).netloc
    port = urlsplit(running.url).port
    local = f"localhost:{port}"
    cookies = [f"{name}={TOKEN}" for name in (f"kg-build-{port}", "kg-build-80", "token")]
    for path in (*DATA, "/static/", "/static/../api/state", "//api/state", "/source/1/2"):
        for given in ({}, {"Authorization": "Bearer wrong"}, *({"Cookie": c} for c in cookies)):
            assert ask(running, path, **given)[0] == 401, (path, given)
    for path in (*SHELL, *DATA):
        status, page, response = ask(running, f"{path}?token={TOKEN}", Accept="text/html,*/*")
        assert (status, response.headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert "<h1>The token is missing or wrong</h1>" in page
        assert "It is not taken from `?token=…`" in page
        assert ask(running, f"{path}?token={TOKEN}")[0] == 401
    strange: list[dict[str, str]] = [
        *({"Host": host} for host in ("evil.example", f"{local}.evil.example")),
        {"Host": f"{netloc}@evil.example"},
        *({"Origin": origin} for origin in ("http://evil.example", "null", f"http://{netloc}.evil")),
    ]  # fmt: skip
    for headers in strange:
        for path in ("/api/state", *SHELL):
            assert ask(running, path, **running.headers, **headers)[0] == 403, (path, headers)
    for host in (netloc, local):
        assert (
            ask(running, "/api/state", **running.headers, Host=host, Origin=f"http://{host}")[0]
            == 200
        )


def test_the_page_itself_is_open_holds_no_data_and_sets_no_cookie(
    running: Served, carol: Indexed
) -> None:
    for path in (*SHELL, *DATA):
        for given in ({}, running.headers):
            _, _, response = ask(running, path, **given)
            assert "set-cookie" not in response.headers, path
            policy = response.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "require-trusted-types-for 'script'" in policy
    for path in SHELL[:3]:
        status, text, _ = ask(running, path)
        assert status == 200
        for private in ("Carol", "Scrooge", TOKEN, str(carol.settings.neo4j_uri)):
            assert private not in text
    status, _, response = ask(running, "/source/1-0-8")
    assert (status, response.headers["location"]) == (307, "../#source-1-0-8")


@pytest.mark.parametrize(
    "token", ["short", "x" * 19, "twenty characters and blanks", "ü" * 20, "x" * 20 + "\n"]
)
def test_a_token_that_can_be_guessed_or_not_be_sent_is_refused(token: str, tmp_path: Path) -> None:
    ended = ended_at_once(tmp_path, {"KG_SERVE_TOKEN": token})
    assert ended.startswith("Error: KG_SERVE_TOKEN must have at least 20 characters, ")
    assert ended.count("\n") == 1
    assert token not in ended


def test_an_empty_token_is_refused_even_if_the_env_file_has_one(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"KG_SERVE_TOKEN={TOKEN}\n")
    ended = ended_at_once(tmp_path, {"KG_SERVE_TOKEN": ""})
    assert ended.startswith("Error: KG_SERVE_TOKEN is empty: ")
    assert ended.count("\n") == 1


def test_connections_that_ask_for_nothing_make_room_for_those_that_ask(
    running: Served, carol: Indexed
) -> None:
    address = urlsplit(running.url)
    asking, halves = HTTPConnection(address.netloc), list[socket.socket]()
    carol.endpoint.change(pace=0.05)
    try:
        asking.request(
            "POST",
            "/api/ask",
            json.dumps({"question": QUESTION, "method": "local"}),
            {**running.headers, "Content-Type": "application/json"},
        )
        answer = asking.getresponse()
        for _ in range(MOST_CONNECTIONS + 100):
            halves.append(socket.create_connection((address.hostname, address.port)))
            halves[-1].sendall(b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n")
        assert ask(running, "/api/state", **running.headers)[0] == 200
        assert "event: answer" in answer.read().decode()
        until = time.monotonic() + PATIENCE
        while sum(map(ended_by_server, halves)) < 100:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert not ended_by_server(halves[-1])
    finally:
        carol.endpoint.change(pace=0)
        for one in halves:
            one.close()
        asking.close()
    assert ask(running, "/api/state", **running.headers)[0] == 200


def ended_by_server(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


async def test_what_the_page_needs_is_there_and_nothing_is_changed(
    running: Served, carol: Indexed
) -> None:
    before = await dump(carol.graph)
    headers = running.headers
    _, state, _ = ask(running, "/api/state", **headers)
    assert state["counts"]["documents"] == 1
    assert state["write"] is False
    _, answer, _ = ask(running, "/api/ask", {"question": QUESTION, "stream": False}, **headers)
    chunk = next(s["chunk"] for c in answer["citations"] for s in c["sources"])
    _, passage, _ = ask(running, f"/api/sources/{chunk}", **headers)
    start = passage["text_start"]
    assert passage["text"] == carol.text[start : start + len(passage["text"])]
    assert start <= passage["start"] < passage["end"] <= start + len(passage["text"])
    assert passage["entities"]
    name = passage["entities"][0]["name"]
    assert ask(running, f"/api/entity?name={quote(name)}", **headers)[1]["name"] == name
    [document] = ask(running, "/api/documents", **headers)[1]
    assert (document["source"], document["state"]) == ("carol", "read")
    assert document["characters"] == len(carol.text.rstrip())
    read = ""
    at: int | None = 0
    while at is not None:
        _, part, _ = ask(running, f"/api/text?source=carol&at={at}", **headers)
        read, at = read + part["text"], part["next"]
    assert read == carol.text.rstrip()
    assert ask(running, "/api/text?source=none", **headers)[0] == 404
    _, events, response = ask(running, "/api/ask", {"question": QUESTION}, **headers)
    assert response.headers["content-type"].startswith("text/event-stream")
    kinds = re.findall(r"^event: (\w+)$", events, re.MULTILINE)
    assert set(kinds) == {"text", "answer"}
    told = ask(running, "/api/ask", {"question": QUESTION, "progress": True}, **headers)[1]
    assert (
        re.findall(r'^event: progress\ndata: {"stage": "(\w+)"', told, re.MULTILINE)[-1] == "answer"
    )
    number = json.loads(events.rpartition("data: ")[2])["id"]
    assert ask(running, f"/api/suggestions?n=3&after={number}", **headers)[1]
    schema = ask(running, "/openapi.json", **headers)[1]
    assert {"/api/ask", "/v1/chat/completions", "/api/sources/{ref}"} <= schema["paths"].keys()
    assert len(ask(running, "/api/map", **headers)[1]) > 1000
    assert await dump(carol.graph) == before


def test_pieces_of_a_stream_may_end_anywhere() -> None:
    source = Source("a.txt", "A [title](javascript:x)", 3, 0, 9, "He died. ", quote=(0, 8))
    cites = [
        Citation("Sources", 3, "A", True, [source]),
        Citation("Reports", 2, "B", False, [source]),
    ]
    text = (
        "He died [Data: Sources (3)]. See `a [b]` and [c](http://x) <b> [Data: Claims (7)].\n\n"
        "End [Data: Reports (2)]."
    )
    answer = Answer(text, "local", cites)
    for size in (1, 2, 5, 1000):
        notes = Footnotes(quotes=False)
        pieces = [text[n : n + size] for n in range(0, len(text), size)]
        made = "".join(map(notes.add, pieces)) + notes.end(answer, "http://h")
        body, *rest = made.split("\n\n[^1]: ")
        assert body == footnoted(text, {("Sources", 3): 1, ("Claims", 7): 2, ("Reports", 2): 3})
        assert r"\[c](http://x) \<b>[^2]." in body
        place = r"[a.txt (A \[title](javascript:x))](http://h/source/3-0-8): “He died.”"
        lacks = "not in the context of this answer"
        assert rest == [f"{place}\n\n[^2]: Claims (7)\n\n[^3]: Reports (2): B; {place}; {lacks}"]


def test_a_note_has_a_place_once_and_no_quote_that_stands_in_the_text() -> None:
    sources = [
        Source("a.txt", "A", chunk, 0, 8, "He died.", quote=quote)
        for chunk, quote in ((3, (0, 8)), (4, (0, 8)), (5, None))
    ]
    answer = Answer("", "local", [Citation("Sources", 3, "A", True, sources)])
    for quotes, said in ((False, ": “He died.”"), (True, "")):
        notes = Footnotes(quotes=quotes)
        made = notes.add("He died [Data: Sources (3)].") + notes.end(answer, "http://h")
        assert made.partition("\n\n")[2] == f"[^1]: [a.txt (A)](http://h/source/3-0-8){said}"


def test_uploads_are_read_and_deleted(carol: Indexed, tmp_path: Path) -> None:
    environment = {**carol.environment, "KG_HOME": str(tmp_path / "home"), "KG_MAX_FILE_MB": "2"}
    with served(tmp_path, environment, "--write") as writing:
        headers = writing.headers
        text = b"Ada Lovelace met Charles Babbage in London in 1833. " * 3
        assert ask(writing, "/api/documents/ada.txt", text, "PUT", **headers)[0] == 202
        last = ask(writing, "/api/run", **headers)[1].rpartition("data: ")[2]
        assert json.loads(last) | {"cost": 0} == {
            "running": False, "stage": "", "done": 0, "total": None, "cost": 0, "problems": [],
            "waiting": "",
        }  # fmt: skip
        asked = {
            "question": "Whom did Ada Lovelace meet in London?",
            "where": ["title=ada.txt"],
            "stream": False,
        }
        _, answer, _ = ask(writing, "/api/ask", asked, **headers)
        assert answer["citations"]
        [source] = [
            d["source"]
            for d in ask(writing, "/api/documents", **headers)[1]
            if d["title"] == "ada.txt"
        ]
        assert (
            ask(writing, f"/api/documents?source={quote(source)}", None, "DELETE", **headers)[0]
            == 202
        )
        ask(writing, "/api/run", **headers)
        assert [d["source"] for d in ask(writing, "/api/documents", **headers)[1]] == ["carol"]
        assert list(tmp_path.glob("home-uploads*/*")) == []
        rows = b"text,title\nAda met Charles in London.,One\nEve met Bob in Paris.,Two\n"
        assert ask(writing, "/api/documents/met.csv", rows, "PUT", **headers)[0] == 202
        ask(writing, "/api/run", **headers)
        listed = ask(writing, "/api/documents", **headers)[1]
        assert sorted(d["title"] for d in listed) == ["Carol", "One", "Two"]
        row = quote(listed[1]["source"], safe="")
        assert ask(writing, f"/api/documents?source={row}", None, "DELETE", **headers)[0] == 202
        ask(writing, "/api/run", **headers)
        assert [d["source"] for d in ask(writing, "/api/documents", **headers)[1]] == ["carol"]
        assert ask(writing, "/api/documents/bad.pdf", b"no pdf", "PUT", **headers)[0] == 202
        assert "bad.pdf" in ask(writing, "/api/run", **headers)[1]
        [bad, _] = ask(writing, "/api/documents", **headers)[1]
        assert (bad["title"], bad["state"]) == ("bad.pdf", "failed")
        bad = quote(bad["source"], safe="")
        assert ask(writing, f"/api/documents?source={bad}", None, "DELETE", **headers)[0] == 202
        ask(writing, "/api/run", **headers)
        assert len(ask(writing, "/api/documents", **headers)[1]) == 1
        names = (
            ("..%2Fx.txt", 404),
            ("..%5Cx.txt", 400),
            (".x.txt", 400),
            ("x%00.txt", 400),
            ("x.exe", 400),
            ("x" * 300 + ".txt", 400),
        )
        for name, status in names:
            assert ask(writing, f"/api/documents/{name}", text, "PUT", **headers)[0] == status
        assert ask(writing, "/api/documents/b.txt", b"x" * 2_100_000, "PUT", **headers)[0] == 413
        assert ask(writing, "/api/documents?source=none", None, "DELETE", **headers)[0] == 404


def test_questions_that_are_asked_at_once_do_not_pass_the_cost_of_a_day(
    carol: Indexed, tmp_path: Path
) -> None:
    day = {"KG_INPUT_PRICE": "10", "KG_OUTPUT_PRICE": "10", "KG_MAX_COST_A_DAY": "0.5"}
    carol.endpoint.reset()
    carol.endpoint.change(latency=0.3)
    with served(tmp_path, {**carol.environment, **day}) as running, ThreadPoolExecutor(64) as many:

        def reply(n: int) -> tuple[int, str]:
            asked = {"question": f"{QUESTION} ({n})", "method": "local", "stream": n % 2 == 0}
            status, body, _ = ask(running, "/api/ask", asked, **running.headers)
            return status, json.dumps(body)

        replies = list(many.map(reply, range(64)))
    carol.endpoint.change(latency=0.0)
    billed = sum(10 * (one.prompt_tokens + one.completion_tokens) for one in carol.endpoint.log)
    assert 0.1 < billed / 1_000_000 <= 0.5
    assert {status for status, _ in replies} == {200, 429}
    assert all("(KG_MAX_COST_A_DAY)" in body for status, body in replies if status == 429)


async def test_a_file_that_was_left_is_read_once_nothing_holds_it_up(
    carol: Indexed, tmp_path: Path
) -> None:
    settings = carol.settings.changed(home=tmp_path / "home")
    left = Uploads(settings).folder / "ada.txt"
    left.parent.mkdir()
    left.write_text("Ada Lovelace met Charles Babbage in London in 1833.")
    environment = {**carol.environment, "KG_HOME": str(settings.home)}
    spent = {**environment, "KG_MAX_COST_A_DAY": "0"}
    with served(tmp_path, spent, "--write") as writing:
        waiting = state_of_run(writing, lambda state: state["waiting"])
        assert waiting["running"]
        assert "The limit of $0 a day" in waiting["waiting"]
    another = {"command": "kg-build index", "host": "elsewhere", "process": 1, "born": 0.0}
    await carol.graph.write("build/start", build="another", properties=another)
    with served(tmp_path, environment, "--write") as writing:
        state_of_run(writing, lambda state: "Another run writes" in state["waiting"])
        await carol.graph.write("build/finish", build="another", usage={}, outcome="done")
        assert not state_of_run(writing, lambda state: not state["running"])["problems"]
        listed = ask(writing, "/api/documents", **writing.headers)[1]
        assert {one["title"]: one["state"] for one in listed} == {
            "Carol": "read",
            "ada.txt": "read",
        }


async def test_who_takes_documents_makes_the_schema_before_anybody_reads(
    carol: Indexed, tmp_path: Path
) -> None:
    await carol.graph.run_plain("DROP INDEX kg_chunk_text")
    environment = {**carol.environment, "KG_HOME": str(tmp_path / "home")}
    with served(tmp_path, environment, "--write") as writing:
        assert ask(writing, "/api/state", **writing.headers)[0] == 200
        made = "SHOW FULLTEXT INDEXES YIELD name WHERE name = 'kg_chunk_text' RETURN count(*) AS n"
        assert await carol.graph.run_plain(made) == [{"n": 1}]
        await await_indexes(carol.graph)


def test_what_is_followed_is_read_and_everybody_sees_it(carol: Indexed, tmp_path: Path) -> None:
    folder = tmp_path / "followed"
    folder.mkdir()
    (folder / "bob.txt").write_text("Bob met Eve in Paris.")
    carol.endpoint.change(latency=1.0)
    with served(tmp_path, carol.environment, str(folder)) as reading:
        assert state_of_run(reading, lambda state: state["stage"])["running"]
        carol.endpoint.change(latency=0)
        state_of_run(reading, lambda state: not state["running"])
        assert ask(reading, "/api/documents/x.txt", b"x", "PUT", **reading.headers)[0] == 403
        listed = ask(reading, "/api/documents", **reading.headers)[1]
        assert "bob.txt" in [one["title"] for one in listed]


def test_a_path_that_is_not_there_ends_it_in_a_sentence(carol: Indexed, tmp_path: Path) -> None:
    ended = ended_at_once(tmp_path, carol.environment, "nowhere/")
    assert ended == "Error: nowhere matches no file: check the path.\n"


def ended_at_once(folder: Path, environment: dict[str, str], *paths: str) -> str:
    """What a server says that does not start in this folder."""
    ended = subprocess.run(  # noqa: S603 - our own Python on our own code
        [*COMMAND, "--port", "0", *paths],
        env=os.environ | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    return ended.stderr


def state_of_run(running: Served, right: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The first state of a run that is right."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with closing(HTTPConnection(urlsplit(running.url).netloc)) as connection:
            connection.request("GET", "/api/run", headers=running.headers)
            for line in connection.getresponse():
                if line.startswith(b"data: "):
                    state: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
                    if right(state):
                        return state
        time.sleep(0.1)
    raise AssertionError("the run has never been in this state")
