"""The application: its routes, and one form for all errors.

/v1 ─▶ chat      /api ─▶ rest      /mcp ─▶ the tools of MCP, if mcp is installed      / ─▶ page
"""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final, cast

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import iter_route_contexts
from fastapi.security import HTTPBearer
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from graphrag_neo4j.errors import (
    BudgetSpentError,
    GraphBusyError,
    GraphError,
    GraphRAGError,
    InputError,
    NotFoundError,
)
from graphrag_neo4j.extras.serve import chat, page, probes, rest
from graphrag_neo4j.extras.serve.access import ErrorBody, problem
from graphrag_neo4j.extras.serve.logs import CURRENT, Logged, own_path
from graphrag_neo4j.extras.serve.questions import Questions, TooManyError
from graphrag_neo4j.settings import plain_problem
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.text.strings import excerpt

STATUS: Final[Sequence[tuple[type[GraphRAGError], HTTPStatus]]] = (
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (InputError, HTTPStatus.BAD_REQUEST),
    (TooManyError, HTTPStatus.TOO_MANY_REQUESTS),
    (BudgetSpentError, HTTPStatus.TOO_MANY_REQUESTS),
    (GraphBusyError, HTTPStatus.CONFLICT),
    (GraphError, HTTPStatus.SERVICE_UNAVAILABLE),
    (GraphRAGError, HTTPStatus.BAD_GATEWAY),
)
HERE: Final = (
    "let clients use chat completions (POST /v1/chat/completions, GET /v1/models); "
    "/openapi.json describes the rest"
)
# The path of a request whose client has another base address than ours.
ASTRAY: Final = re.compile(r"(?!/v1/chat/completions/[^/]*$).*/(chat/completions|models)(/[^/]*)?")


FAILURES: Final[dict[int | str, Any]] = {
    status: {"model": ErrorBody, "description": HTTPStatus(status).phrase}
    for status in (400, 401, 403, 404, 409, 413, 429, 500, 502, 503)
}
AS_FAILURE: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}
STREAMED: Final = {"/v1/chat/completions", "/api/ask", "/api/run"}
WRITING: Final = {"PUT", "DELETE"}


class _App(FastAPI):
    """An application that describes itself as it is."""

    def openapi(self) -> dict[str, Any]:
        """The description of what can be called, with its event streams and its errors."""
        described = super().openapi()
        for path, operations in described["paths"].items():
            for method in () if self.state.questions.uploads else WRITING:
                operations.pop(method.lower(), None)
            for operation in operations.values():
                responses = operation["responses"]
                if "security" not in operation:  # a probe
                    continue
                responses.pop("422", None)  # FastAPI adds it; ours is 400
                for status in FAILURES:  # in one form even where the route gives text
                    responses[str(status)]["content"] = AS_FAILURE
                if path in STREAMED and "200" in responses:
                    responses["200"].setdefault("content", {})["text/event-stream"] = {}
        described["paths"] = {path: one for path, one in described["paths"].items() if one}
        for unused in ("HTTPValidationError", "ValidationError"):  # of 422
            described["components"]["schemas"].pop(unused, None)
        return described


def make_app(questions: Questions) -> FastAPI:
    """Makes the application that asks an open graph."""
    tools = _tools(questions)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with tools.router.lifespan_context(tools):
            yield

    app = _App(
        title="graphrag-neo4j",
        version=version("graphrag-neo4j"),
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.questions = questions
    app.state.ready = probes.Ready(questions.rag, bool(questions.uploads or questions.followed))
    app.add_middleware(head_as_get)
    for kind, handler in ((GraphRAGError, _of_ours), (RequestValidationError, _of_request)):
        app.add_exception_handler(kind, handler)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_bug)
    for router in (chat.router, rest.router, probes.watched, page.router):
        # The token is checked by `Access`; this describes it.
        needed = [Depends(HTTPBearer(auto_error=False))]
        app.include_router(router, responses=FAILURES, dependencies=needed)
    app.include_router(probes.router)
    app.router.routes.extend(tools.routes)
    return app


def _tools(questions: Questions) -> Starlette:
    """The tools of MCP at /mcp; where the package is missing, the sentence that says so."""
    try:
        with needing("mcp", "MCP needs"):
            from graphrag_neo4j.extras.serve.mcp import mcp_app  # noqa: PLC0415 - another extra
    except InputError as error:
        missing = HTTPException(HTTPStatus.NOT_FOUND, str(error))

        def refuse(_: Request) -> Response:
            raise missing

        return Starlette(routes=[Route("/mcp", refuse, methods=["GET", "POST", "DELETE"])])
    return mcp_app(questions.rag, questions.asking)


def logged(app: ASGIApp, made: FastAPI, *, with_questions: bool) -> Logged:
    """Logs and counts the requests to `app`, which leads to the application that was `made`."""
    known = [(one.path_regex, one.path or "") for one in iter_route_contexts(made.routes)]
    return Logged(app, known, made.state.questions.metrics.count, questions=with_questions)


def head_as_get(app: ASGIApp) -> ASGIApp:
    """Lets `app` answer HEAD, by which clients try an address, as GET. uvicorn sends no body."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD" and scope["path"] != "/mcp":
            scope = {**scope, "method": "GET"}  # a copy: uvicorn reads the method in its own
        await app(scope, receive, send)

    return answer


async def _of_ours(_: Request, error: Exception) -> Response:
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and (exchange := CURRENT.get()):
        exchange.fail(error)
    again = {"Retry-After": "1"} if isinstance(error, TooManyError) else None
    return JSONResponse(problem(status, str(error)), status, again)


async def _of_request(request: Request, error: Exception) -> Response:
    wrong = "; ".join(
        f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {plain_problem(one)}"
        for one in cast("RequestValidationError", error).errors()
    )
    if request.method == "POST" and "json" not in request.headers.get("content-type", ""):
        wrong = "send it with the header Content-Type: application/json"
    return JSONResponse(problem(400, f"The request can't be used: {wrong}."), 400)


async def _of_bug(_: Request, _error: Exception) -> Response:
    return JSONResponse(problem(500, "This is an error of the server, whose log has more."), 500)


async def _of_http(request: Request, error: Exception) -> Response:
    wrong, path = cast("HTTPException", error), own_path(request.scope)
    says, headers = wrong.detail, dict(wrong.headers or {})
    if says == HTTPStatus.NOT_FOUND.phrase:
        found = ASTRAY.fullmatch(path)
        base = f"the base address for chat clients is {request.base_url}v1"
        says = f"There is nothing at {excerpt(path, 100)}: {base if found else HERE}."
    elif wrong.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        # The error is that of one route, and a path may have others with other methods.
        routes = [one for one in iter_route_contexts(request.app.routes) if one.methods]
        names = {it for one in routes if one.path_regex.fullmatch(path) for it in one.methods or ()}
        if not request.app.state.questions.uploads:
            names -= WRITING
        headers["Allow"] = ", ".join(sorted(names | ({"HEAD"} if "GET" in names else set())))
        says = f"{path} takes {headers['Allow']}, not {request.method}."
    return JSONResponse(problem(wrong.status_code, says), wrong.status_code, headers)
