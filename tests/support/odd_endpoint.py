"""An endpoint that sends one response to all calls, for responses that the fake never sends."""

import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal

from tests.support.fake_endpoint.fake import address
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse, HttpServer

JSON = "application/json"
EVENTS = "text/event-stream"


@contextmanager
def odd_endpoint(
    body: object,
    *,
    status: int = 200,
    content_type: str = JSON,
    headers: Mapping[str, str] | None = None,
    port: int = 0,
) -> Iterator[tuple[str, list[HttpRequest]]]:
    """Yields the address of the endpoint, and the list of requests that it receives.

    A body is text, bytes, or a value that is sent as JSON. "KEY" in a text is replaced by the key
    of the request. The endpoint listens at `port`, or at any if that is 0.
    """
    came: list[HttpRequest] = []

    def answer(request: HttpRequest) -> HttpResponse:
        came.append(request)
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        sent = text if isinstance(text, bytes) else text.replace("KEY", key).encode()
        return HttpResponse(status, sent, content_type, headers or {})

    with serving(answer, port) as url:
        yield url, came


@contextmanager
def serving(answer: Callable[[HttpRequest], HttpResponse], port: int = 0) -> Iterator[str]:
    """Yields the address of a server that answers each request with this function."""
    with start_blocking_portal() as portal:
        server = HttpServer(answer)
        found = portal.call(server.listen, port)
        try:
            yield address(found)
        finally:
            portal.call(server.close)


def events(*data: object) -> str:
    """Returns a streamed body of these events. Each is text, or a value that is sent as JSON."""
    lines: Sequence[str] = [one if isinstance(one, str) else json.dumps(one) for one in data]
    return "".join(f"data: {line}\n\n" for line in (*lines, "[DONE]"))


@contextmanager
def nothing_listens() -> Iterator[str]:
    """Yields an address at which nothing listens, and which nobody else can take."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield address(one.getsockname()[1])
