"""Who may ask the server: whoever has the token, from the server's page or from a program.

Both send it as a bearer token. The shell of the page holds no data and is open to all; its script
takes the token from behind the "#" of the printed address, which no server sees. There is no
cookie: browsers send those to every port of a host. The address that a request names must be one
of ours, so that a foreign name can't be made to lead here; and a page must come from here.
"""

import asyncio
import re
import secrets
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlsplit

from pydantic import BaseModel
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphrag_neo4j.extras.serve.logs import CURRENT, PROBES, own_path, with_request
from graphrag_neo4j.settings import LOCAL_HOSTS

LARGEST_BODY: Final = 1_000_000  # bytes of a request that sends no file
UPLOAD_PATH: Final = "/api/documents/"  # what the path begins with of one that does
HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{1,5}))?")
SHELL: Final = re.compile(r"/|/favicon\.ico|/(?:static|source)/[^/]+")
MOST_CONNECTIONS: Final = 512  # those of 64 questions, and what browsers keep open
POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect")),
        *(f"{kind} 'none'" for kind in ("base-uri", "form-action", "frame-ancestors")),
        "require-trusted-types-for 'script'",  # no text becomes a script, which reads the token
    ]
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
REFUSED: Final = "The token is missing or wrong"
HOW: Final = (
    "Open the address that `kg-build serve` printed, which ends in `#token=…`, or send the token "
    "as `Authorization: Bearer …` (as API key of an OpenAI client). It is not taken from "
    "`?token=…`, since such addresses get into logs."
)
REFUSED_PAGE: Final = f"""<!DOCTYPE html><html lang="en"><title>The token is missing</title>
<meta name="viewport" content="width=device-width"><h1>{REFUSED}</h1>
<p>{HOW}</p></html>"""
TYPES: Final[Mapping[int, str]] = {  # what OpenAI calls an error of this status
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.NOT_FOUND: "not_found_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


class Problem(BaseModel):
    """What is wrong, in a sentence."""

    message: str
    type: str
    param: None = None
    code: int
    request_id: str


class ErrorBody(BaseModel):
    """An error in the one form of this server, which is that of OpenAI."""

    error: Problem


def problem(status: int, message: str) -> dict[str, Any]:
    """An error of a status, as JSON knows it."""
    usual = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
    kind, exchange = TYPES.get(status, usual), CURRENT.get()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        message = with_request(message)  # the one thing that people see, and can report
    number = exchange.id if exchange else ""
    told = Problem(message=message, type=kind, code=status, request_id=number)
    return ErrorBody(error=told).model_dump()


def refusal(status: int, message: str, **headers: str) -> Response:
    """A response with an error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse(problem(status, message), status, named)


class Access:
    """Lets requests through to `app`; `hosts` are the host names of this server beside LOCAL_HOSTS.

    `largest` is the largest number of bytes of a file that is sent.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str], largest: int) -> None:
        self._app, self._token, self._largest = app, token, largest
        self._hosts = LOCAL_HOSTS.union(host.casefold() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        # Probes name the address of a container, and have no token.
        answered = None if own_path(scope) in PROBES else self._answered(Request(scope))
        if answered:
            await answered(scope, receive, send_with_headers)
        else:
            most = self._largest if own_path(scope).startswith(UPLOAD_PATH) else LARGEST_BODY
            await self._app(scope, _limited(receive, most), send_with_headers)

    def _answered(self, request: Request) -> Response | None:
        """The response to a request that is not let through."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        named = HOST.fullmatch(host.casefold())
        if not named or (named[1] or named[2]) not in self._hosts:
            return refusal(
                HTTPStatus.FORBIDDEN,
                f"This server is not called {host}: start it with --allowed-host.",
            )
        if origin is not None and urlsplit(origin).netloc != host:
            return refusal(HTTPStatus.FORBIDDEN, "Pages of other origins may not ask here.")
        if SHELL.fullmatch(own_path(request.scope)) and "token" not in request.query_params:
            return None
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        given, token = bearer.strip().encode(), self._token.encode()
        if scheme.casefold() == "bearer" and secrets.compare_digest(given, token):
            return None
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(REFUSED_PAGE, HTTPStatus.UNAUTHORIZED)
        return refusal(HTTPStatus.UNAUTHORIZED, f"{REFUSED}. {HOW}", www_authenticate="Bearer")


class Prefixed:
    """Serves `app` under a prefix of its paths, whether a proxy takes the prefix away or not."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] == "http" and self._prefix:
            path, prefix = scope["path"], self._prefix
            if path == prefix:  # the addresses of the page are relative to a folder
                await RedirectResponse(f"{prefix}/")(scope, receive, send)
                return
            path = path if path.startswith(f"{prefix}/") else prefix + path
            scope = {**scope, "root_path": prefix, "path": path}
        await self._app(scope, receive, send)


class Connection(H11Protocol):
    """A connection. Where there are too many, the oldest that waits for a request is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Makes room for itself."""
        self.began = self.loop.time()
        if len(self.connections) >= MOST_CONNECTIONS:
            others = cast("set[Connection]", self.connections)
            # Before its first request, a connection has no cycle.
            waiting = [one for one in others if getattr(one.cycle, "response_complete", True)]
            if oldest := min(waiting, key=lambda one: one.began, default=None):
                oldest.transport.abort()
                others.discard(oldest)  # else it is there until the loop has closed it
        super().connection_made(transport)


def _limited(receive: Receive, most: int) -> Receive:
    """Receives a body of at most `most` bytes."""
    n = 0

    async def limited() -> Message:
        nonlocal n
        message = await receive()
        n += len(message.get("body", b""))
        if n > most:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            raise HTTPException(status, f"The request has more than {most:,} bytes.")
        return message

    return limited
