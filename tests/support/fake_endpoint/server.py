"""A small HTTP/1.1 server on asyncio's protocols: keep-alive, Content-Length, chunked streams.

It shares two cores with what is measured through it, so it does no more than that.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it came; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response: a body, or `pieces` that are sent chunked.

    `delay`: seconds to wait first; `pace`: seconds between pieces. `broken`: "cut" closes the
    connection instead of answering, "half" closes it after half of what was announced. `ended` is
    called once: when all was sent (True), or the client had gone before that (False).
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes] | None = None
    delay: float = 0.0
    pace: float = 0.0
    broken: str = ""
    ended: Callable[[bool], None] = lambda _whole: None


class HttpServer:
    """A listening server and its connections."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer
        self.connections: set[_Connection] = set()
        self._listener: asyncio.Server | None = None

    async def listen(self, port: int) -> int:
        """Listen on the loopback; return the port."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: _Connection(self), "127.0.0.1", port)
        return int(self._listener.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Stop listening and drop every connection."""
        if self._listener is not None:
            self._listener.close()
        for connection in tuple(self.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # one turn of the loop, in which they are lost


class _Connection(asyncio.Protocol):
    """One client: its requests are answered one after the other."""

    transport: asyncio.Transport

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self._sending: HttpResponse | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._server.connections.discard(self)
        if self._sending:
            self._sending.ended(False)
            self._sending = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._answer_next()

    def _answer_next(self) -> None:
        if self._sending is None and (request := _take_request(self._buffer)):
            self._sending = response = self._server.answer(request)
            self._send_after(response.delay, _parts(response))

    def _send_after(self, delay: float, parts: Sequence[bytes]) -> None:
        if delay:
            asyncio.get_running_loop().call_later(delay, self._send, parts)
        else:
            self._send(parts)

    def _send(self, parts: Sequence[bytes]) -> None:
        response = self._sending
        if response is None or self.transport.is_closing():
            return
        if response.broken != "cut":
            self.transport.write(parts[0])
        if len(parts) > 1:
            self._send_after(response.pace, parts[1:])
            return
        self._sending = None
        response.ended(True)
        if response.broken:
            self.transport.close()
        else:
            self._answer_next()


def _take_request(buffer: bytearray) -> HttpRequest | None:
    """Take the first request off the buffer; None as long as it is not whole."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    start_line, *lines = buffer[:end].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body_end = end + 4 + int(headers.get("content-length", 0))
    if len(buffer) < body_end:
        return None
    body = bytes(buffer[end + 4 : body_end])
    del buffer[:body_end]
    method, path, _ = start_line.split(" ")
    return HttpRequest(method, path.partition("?")[0], headers, body)


def _parts(response: HttpResponse) -> Sequence[bytes]:
    """What is sent at once, and what follows at the response's pace."""
    length = f"content-length: {len(response.body)}"
    body = [response.body]
    if response.pieces is not None:
        length = "transfer-encoding: chunked"
        body = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*response.pieces, b"")]
        # The first piece of an answer holds no text, so the second one comes with it.
        at_once = 2 if response.pace else len(body)
        body = [b"".join(body[:at_once]), *body[at_once:]]
    if response.broken == "half":
        body = [b"".join(body)]
        body = [body[0][: len(body[0]) // 2]]
    phrase = HTTPStatus(response.status).phrase
    others = (f"{name}: {value}" for name, value in response.headers.items())
    first = (f"HTTP/1.1 {response.status} {phrase}", f"content-type: {response.content_type}")
    head = "\r\n".join((*first, length, *others, "", "")).encode("latin-1")
    return [head + body[0], *body[1:]]
