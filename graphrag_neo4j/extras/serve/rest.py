"""What the page needs, as REST: questions, lookups, and what the graph holds.

Names of fields are those of the Python client.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

import anyio
from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from graphrag_neo4j.documents import name_of
from graphrag_neo4j.errors import GraphRAGError, NotFoundError
from graphrag_neo4j.extras.serve.access import problem
from graphrag_neo4j.extras.serve.lookup import (
    FIRST_KEY,
    KEY_PATTERN,
    DocumentText,
    ListedDocument,
    Order,
    ShownPassage,
    folder_of,
    list_documents,
    read_document,
    read_passage_around,
)
from graphrag_neo4j.extras.serve.questions import (
    Asked,
    Questions,
    Writing,
    as_events,
    while_there,
)
from graphrag_neo4j.extras.serve.runs import Progress, Runs, RunState
from graphrag_neo4j.index.entities.people import NameDecision
from graphrag_neo4j.query.answer import METHODS, Answer
from graphrag_neo4j.query.lookup import CommunityReport, Entity
from graphrag_neo4j.query.selection import CONDITION
from graphrag_neo4j.query.suggestions import Suggestion
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.web.collection import read_collection_name

router = APIRouter(prefix="/api")
Ref = Annotated[int, Path(ge=0, le=2**53)]
ANY_FILE: Final = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}
Name = Annotated[str, Query(json_schema_extra={"pattern": r"\S"})]
Condition = Annotated[str, Field(json_schema_extra={"pattern": f"^{CONDITION.pattern}$"})]
RUN_LOOK = 0.3  # seconds between two looks at a run


class Ask(BaseModel):
    """A question with its options, which are those of `query`."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(json_schema_extra={"pattern": r"\S"})
    method: str = Field("auto", json_schema_extra={"enum": ["auto", *METHODS]})
    level: StrictInt | None = None
    where: list[Condition] = Field(default_factory=list)
    as_of: str | None = Field(None, json_schema_extra={"pattern": r"^\d{4}(-\d\d(-\d\d)?)?$"})
    history: list[tuple[str, str]] = Field(default_factory=list)
    all_passages: StrictBool = False
    response_type: str | None = None
    stream: StrictBool = True
    progress: StrictBool = False


class SaidOfNames(BaseModel):
    """What a person says of two names."""

    model_config = ConfigDict(extra="forbid")

    one: str
    other: str
    verdict: Literal["same", "different"]


class GraphState(BaseModel):
    """What is served: the counts of the graph by kind, and the model that answers, if one does.

    `title` says what the documents are, and `name` where the graph is. `metadata` holds the fields
    by which documents can be selected, with their most frequent values.
    `running` says whether documents are being read that were uploaded, or that are followed.
    """

    title: str
    name: str
    counts: dict[str, int]
    levels: int
    pending: dict[str, int]
    failures: int
    model: str | None
    methods: list[str]
    metadata: dict[str, list[str]]
    write: bool
    running: bool


@router.post("/ask", response_model=None)
async def ask(body: Ask, questions: Asked, request: Request) -> Response:
    """Answers a question: as events `text`, then `answer`; or at once, without `stream`.

    With `progress`, events `progress` tell how far the search is.
    """
    given = body.model_dump(exclude={"question", "stream", "progress"}, exclude_none=True)
    how: QueryOptions = given  # type: ignore[assignment] # checked with the question
    if body.stream:
        return await as_events(request, _told(questions, body, how), _failed)
    answer = await while_there(request, questions.whole(body.question, how))
    return JSONResponse(answer.to_dict())


@router.get("/state")
async def state(questions: Asked) -> GraphState:
    """Tells what the graph holds, and what answers from it."""
    status, settings = await questions.rag.status(metadata=True), questions.rag.settings
    return GraphState(
        title=await read_collection_name(questions.rag.graph, settings),
        name=settings.graph_name,
        counts=dict(status.counts),
        levels=len(status.levels),
        pending=dict(status.pending),
        failures=len(status.failures),
        model=settings.model_for("answer") if settings.has_model else None,
        methods=["auto", *METHODS],
        metadata={one["field"]: [it["value"] for it in one["values"]] for one in status.metadata},
        write=questions.uploads is not None,
        running=questions.runs.state.running,
    )


@router.get("/suggestions")
async def suggestions(
    questions: Asked, n: Annotated[int, Query(ge=1, le=20)] = 6, after: int | None = None
) -> list[Suggestion]:
    """Suggests questions that the graph can answer, and that follow on the answer `after`."""
    return list((await questions.suggest(n, after)).questions)


@router.get("/contradictions")
async def contradictions(
    questions: Asked, limit: Annotated[int, Query(ge=1, le=100)] = 10
) -> list[dict[str, Any]]:
    """Reads statements of different documents that seem to contradict each other.

    Each pair is in the form of `kg-build status --contradictions --json`.
    """
    return [one.to_dict() for one in await questions.rag.contradictions(limit)]


@router.get("/entity")
async def entity(questions: Asked, name: Name) -> Entity:
    """Reads an entity with its relationships, claims and communities."""
    return await questions.rag.entity(name)


@router.get("/names")
async def decisions_on_names(
    questions: Asked, name: Annotated[list[str], Query()]
) -> list[NameDecision]:
    """Reads what was decided about names, such as all those of an entity, and why."""
    decisions = await questions.rag.name_decisions()
    return [one for one in decisions if not {one.one, one.other}.isdisjoint(name)]


@router.put("/names")
async def say_of_names(said: SaidOfNames, questions: Asked, _: Writing) -> Entity:
    """Says that two names are one thing, or two, and reads the entity of the first one."""
    pair = (said.one, said.other)
    if said.verdict == "same":
        await questions.rag.resolve(same=pair)
    else:
        await questions.rag.resolve(different=pair)
    return await questions.rag.entity(said.one)


@router.get("/reports/{ref}")
async def report(questions: Asked, ref: Ref) -> CommunityReport:
    """Reads the report on a community."""
    return await questions.rag.report(ref)


@router.get("/sources/{ref}")
async def source(questions: Asked, ref: Ref, at: int | None = None) -> ShownPassage:
    """Reads a passage with what stands around it, and the entities that it mentions.

    Its place is that of the character `at` of its document, by default of its beginning.
    """
    if (passage := await read_passage_around(questions.rag.graph, ref, at)) is None:
        raise NotFoundError(f"There is no source {ref} in the graph.")
    return passage


@router.get("/text")
async def text(
    questions: Asked, source: str, at: Annotated[int, Query(ge=0, le=2**53)] = 0
) -> DocumentText:
    """Reads a document from the character `at` on, in parts of some pages."""
    if (found := await read_document(questions.rag.graph, source, at)) is None:
        raise NotFoundError(f"There is no document {source} in the graph.")
    return found


@router.get("/documents")
async def documents(
    questions: Asked,
    after: Annotated[str, Query(pattern=KEY_PATTERN)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    sort: Order = "name",
    find: str = "",
) -> list[ListedDocument]:
    """Lists documents after the one with the key `after`, and what became of them.

    `sort` puts the newest, the largest, or failures first, and `find` is a part of a name or title.
    Before the documents come the files that were uploaded and could not be read.
    """
    failed = {} if after else questions.runs.failed
    unread = [
        ListedDocument(
            source=source, name=name, title=name, folder=folder_of(source), date=None, chunks=0,
            characters=0, key=FIRST_KEY, state="failed", reasons=[why],
        )
        for source, why in failed.items()
        if find.lower() in (name := name_of(source)).lower()
    ]  # fmt: skip
    return unread + await list_documents(questions.rag.graph, after, limit, sort, find)


@router.put("/documents/{name}", status_code=HTTPStatus.ACCEPTED, openapi_extra=ANY_FILE)
async def upload(name: str, request: Request, questions: Asked, uploads: Writing) -> RunState:
    """Keeps a file, which the next run reads into the graph."""
    await uploads.keep(name, request.stream())
    return questions.runs.expect()


@router.delete("/documents", status_code=HTTPStatus.ACCEPTED)
async def delete(source: str, questions: Asked, uploads: Writing) -> RunState:
    """Marks a document to be deleted by the next run, which brings reports up to date."""
    await uploads.delete(questions.rag.graph, source, questions.followed)
    return questions.runs.expect()


@router.get("/run", response_class=StreamingResponse)
async def run(questions: Asked, request: Request) -> Response:
    """Tells what a run of this server does, as events `run`, until it ends."""
    return await as_events(request, _running(questions.runs), _failed)


@router.delete("/run", status_code=HTTPStatus.ACCEPTED)
async def stop_run(questions: Asked, _: Writing) -> RunState:
    """Stops the run of this server, as Ctrl-C does. The next change of files goes on with it."""
    return questions.runs.stop()


async def _running(runs: Runs) -> AsyncGenerator[str, None]:
    told: RunState | None = None
    while told is None or told.running:
        if runs.state != told:
            told = runs.state
            yield _event("run", told.model_dump())
        else:
            await anyio.sleep(RUN_LOOK)


async def _told(questions: Questions, asked: Ask, how: QueryOptions) -> AsyncGenerator[str, None]:
    """Yields the events of an answer: `text`, perhaps `progress`, and at last `answer`."""
    answer = questions.answer_with_progress if asked.progress else questions.answer
    async with aclosing(answer(asked.question, how)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                number = questions.keep(piece, how.get("history", ()))
                yield _event("answer", {"id": number, **piece.to_dict()})
            elif isinstance(piece, Progress):
                yield _event("progress", piece.model_dump())
            else:
                yield _event("text", piece)


def _failed(error: GraphRAGError) -> str:
    return _event("error", problem(HTTPStatus.BAD_GATEWAY, str(error)))


def _event(kind: str, value: Any) -> str:  # noqa: ANN401 - any JSON
    return f"event: {kind}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
