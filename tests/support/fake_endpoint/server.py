"""A small HTTP/1.1 server on asyncio's streams: keep-alive, Content-Length, chunked streams."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it came; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""


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


TURNS = 10  # of the loop, in which a connection that was just accepted is opened, and is lost


class HttpServer:
    """A listening server and its connections; each has its requests answered one by one."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer
        self._open = set[asyncio.StreamWriter]()

    async def listen(self, port: int) -> int:
        """Listen on the loopback; return the port."""
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return int(self._listener.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Stop listening and drop every connection."""
        self._listener.close()
        for _ in range(TURNS):
            for writer in tuple(self._open):
                writer.transport.abort()
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            response = HttpResponse()
            while not response.broken:
                response = self._answer(await _read(reader))
                whole = False
                try:
                    await _send(response, reader, writer)
                    whole = True
                finally:
                    response.ended(whole)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self._open.discard(writer)


async def _read(reader: asyncio.StreamReader) -> HttpRequest:
    head = await reader.readuntil(b"\r\n\r\n")
    start_line, *lines = head.decode("latin-1").strip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    method, path, _ = start_line.split(" ")
    path, _, query = path.partition("?")
    return HttpRequest(method, path, headers, body, query)


async def _send(
    response: HttpResponse, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    wait = response.delay
    for part in _parts(response):
        if wait:
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(1), wait)
                raise ConnectionResetError  # nothing comes before the reply but the end
        if response.broken != "cut":
            writer.write(part)
            await writer.drain()
        wait = response.pace


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
