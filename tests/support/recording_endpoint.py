"""A fake endpoint that keeps the bodies of the requests, and may reply what a test wants."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.fake_endpoint.endpoint import Endpoint
from tests.support.fake_endpoint.forms import Completion, completion, stream
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.odd_endpoint import serving

__all__ = ["Body", "prompt_of", "recording_endpoint", "schema_of"]

Body = dict[str, Any]


def schema_of(body: Body) -> str:
    """The name of the schema that a request asks for; empty without one."""
    return str(body.get("response_format", {}).get("json_schema", {}).get("name", ""))


def prompt_of(body: Body) -> str:
    """All messages of a request as one text."""
    return "\n\n".join(message["content"] for message in body["messages"])


@contextmanager
def recording_endpoint(
    reply: Callable[[Body], str | None] = lambda _body: None,
) -> Iterator[tuple[str, list[Body]]]:
    """Yields the address, and the list of the bodies of the chat requests that came.

    `reply` gives the text of a reply; None leaves the reply to the fake endpoint.
    """
    came: list[Body] = []
    fake = Endpoint(Options())

    def answer(request: HttpRequest) -> HttpResponse:
        body = json.loads(request.body) if request.body else {}
        if "messages" not in body:
            return fake.answer(request)
        came.append(body)
        said = reply(body)
        if said is None:
            return fake.answer(request)
        done = Completion("1", str(body["model"]), said, "stop", 1, 1)
        return stream(done, include_usage=True) if body.get("stream") else completion(done)

    with serving(answer) as url:
        yield url, came
