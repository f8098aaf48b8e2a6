"""Fake endpoints that reply what a test wants, and else what the fake replies."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests.support.fake_endpoint.endpoint import Endpoint
from tests.support.fake_endpoint.forms import Completion, completion, stream
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.odd_endpoint import serving

Body = dict[str, Any]
Usual = Callable[[Body], Body]
Manner = Callable[[Body, Usual], HttpResponse | None]


def schema_of(body: Body) -> str:
    """The name of the schema that a request asks for; empty without one."""
    return str(body.get("response_format", {}).get("json_schema", {}).get("name", ""))


def prompt_of(body: Body) -> str:
    """All messages of a request as one text."""
    return "\n\n".join(message["content"] for message in body["messages"])


@contextmanager
def mannered_endpoint(manner: Manner) -> Iterator[tuple[str, list[Body]]]:
    """Yields the address, and the list of the bodies that came.

    `manner` gets the body of a call and the function that tells what the fake replies to a body, as
    JSON. It returns the response, or None for that of the fake.
    """
    came: list[Body] = []
    fake = Endpoint(Options())

    def answer(request: HttpRequest) -> HttpResponse:
        if not request.body:
            return fake.answer(request)

        def usual(body: Body) -> Body:
            sent = replace(request, body=json.dumps(body).encode())
            replied: Body = json.loads(fake.answer(sent).body)
            return replied

        body = json.loads(request.body)
        came.append(body)
        return manner(body, usual) or fake.answer(request)

    with serving(answer) as url:
        yield url, came


@contextmanager
def recording_endpoint(
    reply: Callable[[Body], str | None] = lambda _body: None,
) -> Iterator[tuple[str, list[Body]]]:
    """As above for chat requests: `reply` gives the text of a reply, or None for the fake's."""
    came: list[Body] = []

    def manner(body: Body, _usual: Usual) -> HttpResponse | None:
        if "messages" not in body:
            return None
        came.append(body)
        said = reply(body)
        if said is None:
            return None
        done = Completion("1", str(body["model"]), said, "stop", 1, 1)
        return stream(done, include_usage=True) if body.get("stream") else completion(done)

    with mannered_endpoint(manner) as (url, _):
        yield url, came
