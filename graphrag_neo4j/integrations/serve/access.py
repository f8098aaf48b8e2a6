"""Who may ask the server: whoever has the token, from a page of its own or from a program.

A browser shows the token once, in the address, and then has it in a cookie that no script reads. A
program sends it as a bearer token. The address that a request names must be one of ours, so that a
foreign name can't be made to lead here; and a page must come from here.
"""

import re
import secrets
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
LARGEST_BODY: Final = 1_000_000  # bytes of a request that sends no file
FILES: Final = "/api/documents/"  # what the path begins with of one that does
HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{1,5}))?")
MONTH: Final = 30 * 86_400  # seconds
POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect")),
        *(f"{kind} 'none'" for kind in ("base-uri", "form-action", "frame-ancestors")),
    ]
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
REFUSED: Final = (
    "The token is missing or wrong: open the address that `kg-build serve` printed, or send the "
    "token as `Authorization: Bearer …` (as API key of an OpenAI client)."
)
REFUSED_PAGE: Final = """<!DOCTYPE html><html lang="en">
<meta name="viewport" content="width=device-width"><title>The token is missing</title>
<h1>The token is missing or wrong</h1>
<p>Open the address that <code>kg-build serve</code> printed when it started. It ends in
<code>?token=…</code>, and this browser then keeps the token for a month.</p></html>"""
TYPES: Final[Mapping[int, str]] = {  # what OpenAI calls an error of this status
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.NOT_FOUND: "not_found_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


def problem(status: int, message: str) -> dict[str, object]:
    """An error in the one form of this server, which is that of OpenAI."""
    usual = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
    kind = TYPES.get(status, usual)
    return {"error": {"message": message, "type": kind, "param": None, "code": status}}


def refusal(status: int, message: str, **headers: str) -> Response:
    """A response with an error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse(problem(status, message), status, named)


class Access:
    """Lets requests through to `app`; `hosts` are the host names of this server beside LOCAL.

    `largest` is the largest number of bytes of a file that is sent.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str], largest: int) -> None:
        self._app, self._token, self._largest = app, token, largest
        self._hosts = LOCAL.union(host.casefold() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answered = self._answered(Request(scope))
        if answered:
            await answered(scope, receive, send_with_headers)
        else:
            most = self._largest if scope["path"].startswith(FILES) else LARGEST_BODY
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
        # One for each port, since browsers mix the cookies of the ports of a host.
        cookie = f"kg-build-{named[3] or 80}"
        given = request.query_params.get("token")
        if given is not None and request.method == "GET" and self._right(given):
            rest = [(k, v) for k, v in request.query_params.multi_items() if k != "token"]
            # One slash: with two, a browser would go to another server.
            place = f"/{request.url.path.lstrip('/')}" + (f"?{urlencode(rest)}" if rest else "")
            response = RedirectResponse(place, HTTPStatus.SEE_OTHER)
            response.set_cookie(cookie, self._token, MONTH, httponly=True, samesite="lax")
            return response
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        by_bearer = scheme.casefold() == "bearer" and self._right(bearer.strip())
        if by_bearer or self._right(request.cookies.get(cookie, "")):
            return None
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(REFUSED_PAGE, HTTPStatus.UNAUTHORIZED)
        return refusal(HTTPStatus.UNAUTHORIZED, REFUSED, www_authenticate="Bearer")

    def _right(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._token.encode())


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
