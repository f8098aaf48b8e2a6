"""The endpoint as tests hold it: started for a while, changed, asked what it was asked."""

import json
import subprocess
import sys
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from anyio.from_thread import start_blocking_portal

from tests.support.fake_endpoint.endpoint import Call, Endpoint
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.server import HttpServer


class FakeEndpoint:
    """A context manager: the endpoint runs in a thread or, for benchmarks, in its own process.

    `url` is the address for OPENAI_BASE_URL. Keyword arguments are those of Options.
    """

    def __init__(self, *, process: bool = False, **options: Any) -> None:  # noqa: ANN401 - checked by Options
        self._options = options
        self._start = self._start_process if process else self._start_thread
        self._running = ExitStack()
        self.url = ""

    def __enter__(self) -> Self:
        self.url = self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    @property
    def log(self) -> list[Call]:
        """All calls since the start or the last reset, in the order of their coming."""
        return [Call(**row) for row in self._control("log")]

    def count(self, kind: str) -> int:
        """How many calls of a kind came, failed ones too."""
        return sum(call.kind == kind for call in self.log)

    def reset(self) -> None:
        """Forget the calls, and how often each request was seen."""
        self._control("reset")

    def change(self, **options: Any) -> None:  # noqa: ANN401 - checked by Options
        """Change some options from the next call on."""
        self._control("options", options)

    def _control(self, name: str, values: object = None) -> Any:  # noqa: ANN401 - any JSON
        connection = HTTPConnection(urlsplit(self.url).netloc)
        try:
            connection.request("POST", f"/control/{name}", json.dumps(values))
            return json.load(connection.getresponse())
        finally:
            connection.close()

    def _start_thread(self) -> str:
        portal = self._running.enter_context(start_blocking_portal())
        server = HttpServer(Endpoint(Options(**self._options)).answer)
        port = portal.call(server.listen, 0)
        self._running.callback(portal.call, server.close)
        return address(port)

    def _start_process(self) -> str:
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "tests.support.fake_endpoint", json.dumps(self._options)],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._running.enter_context(process)
        self._running.callback(process.terminate)
        assert process.stdout is not None
        return process.stdout.readline().strip()


def address(port: int) -> str:
    """The base URL for clients of an endpoint at this port."""
    return f"http://127.0.0.1:{port}/v1"
