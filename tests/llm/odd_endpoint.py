"""An endpoint that gives one answer to all calls, for answers that the fake one never gives."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal

from tests.fake_endpoint.fake import address
from tests.fake_endpoint.server import HttpRequest, HttpResponse, HttpServer

__all__ = ["nothing_listens", "odd_endpoint"]

JSON = "application/json"


@contextmanager
def odd_endpoint(
    body: object, *, status: int = 200, content_type: str = JSON
) -> Iterator[tuple[str, list[HttpRequest]]]:
    """The address of the endpoint, and the requests that came.

    "KEY" in the body is replaced by the key that the request brought.
    """
    came: list[HttpRequest] = []

    def answer(request: HttpRequest) -> HttpResponse:
        came.append(request)
        key = request.headers["authorization"].removeprefix("Bearer ")
        text = body if isinstance(body, str) else json.dumps(body)
        return HttpResponse(status, text.replace("KEY", key).encode(), content_type)

    with start_blocking_portal() as portal:
        server = HttpServer(answer)
        port = portal.call(server.listen, 0)
        try:
            yield address(port), came
        finally:
            portal.call(server.close)


def nothing_listens() -> str:
    """An address at which nothing listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return address(one.getsockname()[1])
