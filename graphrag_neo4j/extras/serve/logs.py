"""One line in the log for each request, and what is known of a request until it has ended.

A line has the template of the path (`/api/entity`), since paths and queries hold the names of
files and what people ask. The id of a request is in its line, in the header X-Request-Id of its
response and in its error, so that an operator finds the line of an error that somebody reports.
"""

import json
import logging
import re
import secrets
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGGER: Final = logging.getLogger("graphrag_neo4j.serve")
HARMLESS: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")  # an id that a client or a proxy gives
VERBS: Final = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}
OTHER: Final = "other"  # of a method or a path that the server doesn't know
PROBES: Final = {"/healthz", "/readyz"}
FIELDS: Final = ("method", "route", "status", "ms", "id", "ended", "error")  # of a line
GONE: Final = 499  # the status, which nobody reads, of a request whose client has gone


@dataclass
class Exchange:
    """A request with its response.

    `ended` is done, failed, or left (by the client). `error` is the class of the error by which it
    failed. `question`, as one line, and `search`, its method, are those of a question.
    """

    id: str
    method: str
    route: str
    began: float = field(default_factory=time.monotonic)
    status: int = 0
    ended: str = "left"
    error: str = ""
    question: str = ""
    search: str = ""

    def fail(self, error: Exception) -> None:
        """Says that the response, whatever its status is, doesn't hold what was asked for."""
        self.error = type(error).__name__

    def end(self, *, whole: bool) -> None:
        """Says that the response is sent: the `whole` one, or as far as the client took it."""
        if self.error or self.status >= 500:
            self.ended = "failed"
        elif whole and self.status != GONE:
            self.ended = "done"

    @property
    def ms(self) -> int:
        """How long it has taken, in milliseconds."""
        return round((time.monotonic() - self.began) * 1000)


CURRENT: Final[ContextVar[Exchange | None]] = ContextVar("CURRENT", default=None)


def with_request(message: str) -> str:
    """The sentence of an error of this server, with the id of its request."""
    exchange = CURRENT.get()
    return f"{message} (request {exchange.id})" if exchange else message


def own_path(scope: Scope) -> str:
    """The path of a request without the prefix under which the server is reached."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


class Logged:
    """Logs the requests to `app`, and gives each to `count` when it has ended.

    `templates` are the paths of the routes. With `questions` a line also has the question.
    """

    def __init__(
        self,
        app: ASGIApp,
        templates: Sequence[tuple[re.Pattern[str], str]],
        count: Callable[[Exchange], None],
        *,
        questions: bool,
    ) -> None:
        self._app, self._templates, self._count = app, templates, count
        self._questions = questions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        number = given if HARMLESS.fullmatch(given) else secrets.token_hex(8)
        method = scope["method"] if scope["method"] in VERBS else OTHER
        exchange, whole = Exchange(number, method, self._template(own_path(scope))), False
        CURRENT.set(exchange)

        async def send_with_id(message: Message) -> None:
            nonlocal whole
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = number
                if headers.get("content-type", "").startswith("text/event-stream"):
                    headers["x-accel-buffering"] = "no"  # nginx would keep the events back
            await send(message)
            whole = message["type"] == "http.response.body" and not message.get("more_body")

        try:
            await self._app({**scope, "exchange": exchange}, receive, send_with_id)
        except Exception as error:
            exchange.fail(error)
            LOGGER.exception("An error of this program in the request %s:", number)
        finally:
            exchange.end(whole=whole)
            self._log(exchange)
            self._count(exchange)

    def _template(self, path: str) -> str:
        return next((name for known, name in self._templates if known.fullmatch(path)), OTHER)

    def _log(self, one: Exchange) -> None:
        level = logging.DEBUG if one.route in PROBES else logging.INFO
        names = [*FIELDS, *(("search", "question") if self._questions else ())]
        fields = {name: value for name in names if (value := getattr(one, name)) != ""}
        said = " ".join(f"{name}={value}" for name, value in fields.items())
        LOGGER.log(level, "%s", said, extra={"fields": fields})


class _Lines(logging.Formatter):
    """Records as lines of text, in UTC."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"


class _JsonLines(_Lines):
    """Records as lines of JSON. A request has its fields, anything else a message."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line, whose characters are all in ASCII."""
        line: dict[str, Any] = {"time": self.formatTime(record), "level": record.levelname}
        line |= getattr(record, "fields", None) or {"message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_format(form: str) -> logging.Formatter:
    """The format of the records of a log: "json", or else text. "off" is that of warnings.

    With "off", the requests are not logged from now on.
    """
    LOGGER.setLevel(logging.WARNING if form == "off" else logging.INFO)
    return _JsonLines() if form == "json" else _Lines("%(asctime)s %(levelname)s %(message)s")
