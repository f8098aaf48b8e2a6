"""The application: its routes, and one form for all errors.

/v1 ─▶ chat      /api ─▶ rest      /mcp ─▶ the tools of MCP      / ─▶ page
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Final, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from graphrag_neo4j.errors import (
    BudgetSpentError,
    GraphBusyError,
    GraphError,
    GraphRAGError,
    InputError,
    NotFoundError,
)
from graphrag_neo4j.extras.serve import chat, page, rest
from graphrag_neo4j.extras.serve.access import problem
from graphrag_neo4j.extras.serve.mcp import mcp_app
from graphrag_neo4j.extras.serve.questions import Questions, TooManyError
from graphrag_neo4j.settings import plain_problem

STATUS: Final[Sequence[tuple[type[GraphRAGError], HTTPStatus]]] = (
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (InputError, HTTPStatus.BAD_REQUEST),
    (TooManyError, HTTPStatus.TOO_MANY_REQUESTS),
    (BudgetSpentError, HTTPStatus.TOO_MANY_REQUESTS),
    (GraphBusyError, HTTPStatus.CONFLICT),
    (GraphError, HTTPStatus.SERVICE_UNAVAILABLE),
    (GraphRAGError, HTTPStatus.BAD_GATEWAY),
)


def make_app(questions: Questions) -> FastAPI:
    """Makes the application that asks an open graph."""
    tools = mcp_app(questions.rag, questions.asking)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with tools.router.lifespan_context(tools):
            yield

    app = FastAPI(
        title="graphrag-neo4j",
        version=version("graphrag-neo4j"),
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.questions = questions
    for kind, handler in ((GraphRAGError, _of_ours), (RequestValidationError, _of_request)):
        app.add_exception_handler(kind, handler)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_bug)
    for router in (chat.router, rest.router, page.router):
        app.include_router(router)
    app.router.routes.extend(tools.routes)
    return app


async def _of_ours(_: Request, error: Exception) -> Response:
    status = next(status for kind, status in STATUS if isinstance(error, kind))
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
    return JSONResponse(
        problem(500, "This is an error of the server, whose terminal has more."), 500
    )


async def _of_http(_: Request, error: Exception) -> Response:
    wrong = cast("HTTPException", error)
    return JSONResponse(problem(wrong.status_code, wrong.detail), wrong.status_code)
