"""A small HTTP/1.1 server on asyncio's protocols: keep-alive, Content-Length, chunked streams.

It shares two cores with what is measured through it, so it does no more than that.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Literal

__all__ = ["HttpRequest", "HttpResponse", "HttpServer"]

Broken = Literal["", "cut", "half"]


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
    broken: Broken = ""
    ended: Callable[[bool], None] = lambda _whole: None


Answer = Callable[[HttpRequest], HttpResponse]


class HttpServer:
    """A listening server and its connections."""

    def __init__(self, answer: Answer) -> None:
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
            connection.drop()
        await asyncio.sleep(0)  # one turn of the loop, in which they are lost


class _Connection(asyncio.Protocol):
    """One client: its requests are answered one after the other."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self._busy = False
        self._transport: asyncio.Transport | None = None
        self._sending: HttpResponse | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._transport = None
        self._server.connections.discard(self)
        if self._sending:
            self._sending.ended(False)
            self._sending = None

    def drop(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._answer_next()

    def _answer_next(self) -> None:
        while not self._busy and (request := _take_request(self._buffer)):
            self._busy = True
            self._sending = response = self._server.answer(request)
            if response.delay:
                loop = asyncio.get_running_loop()
                loop.call_later(response.delay, self._send_late, response)
            else:
                self._send(response)

    def _send_late(self, response: HttpResponse) -> None:
        self._send(response)
        self._answer_next()

    def _send(self, response: HttpResponse) -> None:
        if response.pace and response.pieces:
            head, *chunks = _paced(response)
            self._send_slowly(head, chunks, response)
            return
        self._busy = False
        if self._transport is None or self._transport.is_closing():
            return
        if response.broken != "cut":
            self._transport.write(_to_bytes(response))
        self._sent(response)
        if response.broken:
            self._transport.close()

    def _send_slowly(self, now: bytes, later: Sequence[bytes], response: HttpResponse) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write(now)
        if later:
            loop = asyncio.get_running_loop()
            loop.call_later(response.pace, self._send_slowly, later[0], later[1:], response)
            return
        self._busy = False
        self._sent(response)
        self._answer_next()

    def _sent(self, response: HttpResponse) -> None:
        self._sending = None
        response.ended(True)


def _take_request(buffer: bytearray) -> HttpRequest | None:
    """Take the first request off the buffer; None as long as it is not whole."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    start_line, *lines = buffer[:end].decode("latin-1").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body_end = end + 4 + int(headers.get("content-length", 0))
    if len(buffer) < body_end:
        return None
    body = bytes(buffer[end + 4 : body_end])
    del buffer[:body_end]
    method, path, _ = start_line.split(" ")
    return HttpRequest(method, path.partition("?")[0], headers, body)


def _paced(response: HttpResponse) -> list[bytes]:
    """The head of a streamed response with its first two pieces, and each other piece.

    The first piece of an answer holds no text, so the second one comes with it.
    """
    first, second, *others = [*(response.pieces or ()), b""]
    head = _to_bytes(replace(response, pieces=(first, second))).removesuffix(_chunk(b""))
    return [head, *map(_chunk, others)]


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def _to_bytes(response: HttpResponse) -> bytes:
    if response.pieces is None:
        length, body = f"content-length: {len(response.body)}", response.body
    else:
        body = b"".join(map(_chunk, (*response.pieces, b"")))
        length = "transfer-encoding: chunked"
    if response.broken == "half":
        body = body[: len(body) // 2]
    lines = [
        f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}",
        f"content-type: {response.content_type}",
        length,
        *(f"{name}: {value}" for name, value in response.headers.items()),
    ]
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body
