"""Whether the server runs and can answer, and what it has done, for those who keep it running.

The first two need no token. So an answer holds words, and no address, name, version or count; and
however often somebody asks whether the server is ready, Neo4j is asked at most once in `REST`
seconds.
"""

import time
from contextlib import suppress
from typing import Final, Literal, TypedDict
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphRAGError
from graphrag_neo4j.extras.serve.questions import Asked

REST: Final = 2.0  # seconds between two looks
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"  # of Prometheus
LONGEST: Final = 3.0  # seconds of each part of a look
OPENAI: Final = "https://api.openai.com"  # where the model is if no address is set

router = APIRouter()
watched = APIRouter()  # by those who have the token


class ThereRow(TypedDict):
    """Whether something is there."""

    there: bool


class Readiness(BaseModel):
    """A word for each thing that an answer needs."""

    neo4j: Literal["ok", "failed"]
    graph: Literal["ok", "empty", "unknown"]
    model: Literal["ok", "unresolved", "unset"]


class Ready:
    """Looks whether a server is ready. An empty one may be, if documents `may_come`."""

    def __init__(self, rag: AsyncGraphRAG, may_come: bool) -> None:
        self._rag, self._may_come = rag, may_come
        self._looking, self._at = anyio.Lock(), -REST
        self._found: Readiness | None = None

    async def look(self) -> Readiness:
        """What was found within the last seconds."""
        async with self._looking:
            if self._found is None or time.monotonic() - self._at >= REST:
                words = (*await self._graph(), await self._model())
                names = Readiness.model_fields
                self._found = Readiness.model_validate(dict(zip(names, words, strict=True)))
                self._at = time.monotonic()
            return self._found

    async def _graph(self) -> tuple[str, str]:
        with anyio.move_on_after(LONGEST), suppress(GraphRAGError):
            [row] = await self._rag.graph.read("serve/has_documents", ThereRow)
            return "ok", "ok" if row["there"] or self._may_come else "empty"
        return "failed", "unknown"

    async def _model(self) -> str:
        if not self._rag.settings.has_model:
            return "unset"
        address = urlsplit(self._rag.settings.openai_base_url or OPENAI)
        proxy = getproxies().get(address.scheme)
        if proxy and not proxy_bypass(address.hostname or ""):
            address = urlsplit(proxy)  # which resolves the name of the model
        with anyio.move_on_after(LONGEST), suppress(OSError):
            await anyio.getaddrinfo(address.hostname or "", address.port or 443)
            return "ok"
        return "unresolved"


@router.get("/healthz", response_class=PlainTextResponse)
async def health() -> str:
    """Says that the server runs."""
    return "ok"


@router.get("/readyz", response_model=Readiness, responses={503: {"model": Readiness}})
async def readiness(request: Request) -> Response:
    """Tells whether the server can answer; what it is told is at most some seconds old."""
    looking: Ready = request.app.state.ready
    found = await looking.look()
    words = found.model_dump()
    return JSONResponse(words, 200 if {"ok", "unset"}.issuperset(words.values()) else 503)


@watched.get("/metrics", response_class=PlainTextResponse)
async def metrics(questions: Asked) -> Response:
    """Counts the requests and the questions, their costs and the runs, for Prometheus."""
    return Response(questions.metrics.text(), media_type=CONTENT_TYPE)
