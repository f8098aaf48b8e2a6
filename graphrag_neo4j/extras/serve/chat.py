"""The chat API of OpenAI, for chat clients: each search method is a model.

Citations are footnotes of Markdown, each with a link to its passage. Before them stands in italics
what a reader must know of the answer. The whole answer comes in `graphrag`, a field of our own, if
a request asks for it.
"""

import json
import re
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from http import HTTPStatus
from itertools import pairwise
from math import inf
from typing import Any, Final, Literal, Self

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from graphrag_neo4j.errors import GraphRAGError, InputError, NotFoundError
from graphrag_neo4j.extras.serve import content
from graphrag_neo4j.extras.serve.access import problem
from graphrag_neo4j.extras.serve.questions import Asked, Questions, as_events, while_there
from graphrag_neo4j.extras.serve.tasks import task_reply
from graphrag_neo4j.model.citations import CitationRef, cited, escaped, footnoted
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import METHODS, Answer, Citation
from graphrag_neo4j.settings.checks import did_you_mean
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text.strings import excerpt

MODELS: Final = ("kg-auto", *(f"kg-{method}" for method in METHODS))
END: Final = "data: [DONE]\n\n"  # of a stream
WISH: Final = 2_000  # characters of a system message, at most, that say how to answer
HELD: Final = 2_000  # characters of a text that is held back until its bracket is closed
QUOTED: Final = 200  # characters of a quote in a footnote


class TextPart(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """Whether the last piece of a stream holds the numbers of tokens."""

    include_usage: bool = False


class TextFormat(BaseModel):
    """The only form of an answer."""

    type: Literal["text"] = "text"


class ChatRequest(BaseModel):
    """A request for the next message. Options that a search method doesn't support are ignored.

    A form of the reply that a client relies on is refused where an answer can't have it.
    `where`, `level` and `graphrag` are ours: conditions on documents, the level of a global search,
    and whether the whole answer is sent.
    """

    model: str = Field(json_schema_extra={"enum": list(MODELS)})
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: str | list[str] | None = None
    n: Literal[1] | None = None
    response_format: TextFormat | None = None
    tool_choice: Literal["auto", "none"] | None = None
    function_call: Literal["auto", "none"] | None = None
    logprobs: Literal[False] | None = None
    where: str | list[str] = ()  # type: ignore[assignment] # an empty list would be shared
    level: int | None = None
    graphrag: bool = False


router = APIRouter(prefix="/v1")


@router.get("/models")
async def models() -> dict[str, object]:
    """Lists the models: one for each search method."""
    return {"object": "list", "data": [_model(one) for one in MODELS]}


@router.get("/models/{model}")
async def model(model: str) -> dict[str, object]:
    """Describes a model."""
    return _model(_known(model))


@router.post("/chat/completions", response_model=None)
async def chat_completions(body: ChatRequest, questions: Asked, request: Request) -> Response:
    """Answers the last message of a conversation from the graph."""
    base = str(request.base_url).rstrip("/")
    if body.stream:
        return await as_events(request, streamed(body, questions, base), _failed)
    return JSONResponse(await while_there(request, whole_reply(body, questions, base)))


def asked(request: ChatRequest) -> tuple[str, QueryOptions] | str:
    """The question of a request and how it is asked; or the reply, if it is a task of the client.

    Raises NotFoundError for an unknown model, and InputError if the last message isn't a question.
    """
    method = _known(request.model).removeprefix("kg-")
    said = [one for one in request.messages if one.text.strip()]
    wishes = "\n".join(one.text for one in said if one.role in {"system", "developer"})
    first = next((one.text for one in said if one.role == "user"), "")
    last = said[-1].text if said else ""
    if (reply := task_reply(wishes, last, first)) is not None:
        return reply
    turns = [one for one in said if one.role in {"user", "assistant"}]
    if not turns or turns[-1].role != "user":
        raise InputError("The last message must be a question of the user.")
    history = [
        (one.text, content.without_notes(two.text))
        for one, two in pairwise(turns)
        if (one.role, two.role) == ("user", "assistant")
    ]
    how: QueryOptions = {"history": history, "where": request.where, "level": request.level}
    how["method"] = method  # type: ignore[typeddict-item] # checked
    if wishes:
        how["response_type"] = excerpt(wishes, WISH)
    return turns[-1].text, how


class Footnotes:
    """Makes the pieces of an answer into Markdown with footnotes.

    A piece is held back from the last white space on where a citation may have begun. `stops` and
    `most` (tokens) say how much of the text is wanted. `finish` is the reason why the text ends.
    """

    def __init__(self, *, quotes: bool, stops: Sequence[str] = (), most: float = inf) -> None:
        self._quotes, self._held = quotes, ""
        self._numbers: dict[CitationRef, int] = {}
        self._kept = content.Kept(stops, most)
        self.finish: Literal["stop", "length"] = "stop"

    @classmethod
    def of(cls, request: ChatRequest, *, quotes: bool) -> Self:
        """Those of the reply to a request. Clients mean no limit by a number below 1."""
        stops = [request.stop] if isinstance(request.stop, str) else request.stop or []
        most = request.max_completion_tokens or request.max_tokens or 0
        return cls(quotes=quotes, stops=stops, most=most if most > 0 else inf)

    def add(self, piece: str) -> str:
        """The text that can be shown with a further piece."""
        self._held += piece
        end = len(self._held) if len(self._held) > HELD else 0
        for space in re.finditer(r"\s+", self._held):
            before = self._held[: space.start()]
            if "\n" not in space[0] and content.IMITATED_NOTE.search(before):
                continue
            if before.count("[") <= before.count("]") and before.count("`") % 2 == 0:
                end = max(end, space.start())
        # White space goes with what follows: a citation takes that before it away.
        shown, self._held = self._held[:end], self._held[end:]
        return self._kept.add(self._marked(shown))

    def end(self, answer: Answer, base: str) -> str:
        """The rest of the text, what must be known of it, and the notes.

        `base` is the address of this server.
        """
        rest = self._kept.add(self._marked(self._held), last=True)
        text, ended = self._kept.text, self._kept.ended
        cut = {"length": content.CUT, "stop": None, None: answer.incomplete}[ended]
        self.finish = "length" if cut else "stop"
        fence, *said = content.said_below(text, [*([cut] if cut else []), *answer.notices])
        by_ref = {(one.kind, one.ref): one for one in answer.citations}
        marks = set(content.MARK.findall(text))
        full = not self._quotes  # with what is quoted
        notes = [
            f"[^{n}]: {_note(by_ref[ref], base, full) if ref in by_ref else f'{ref[0]} ({ref[1]})'}"
            for ref, n in self._numbers.items()
            if str(n) in marks
        ]
        return "\n\n".join([rest + fence, *said, *notes])

    def _marked(self, text: str) -> str:
        text = text if self._quotes else content.IMITATED.sub(r"\1", text)
        for ref in cited(text):
            self._numbers.setdefault(ref, len(self._numbers) + 1)
        return footnoted(text, self._numbers, quotes=self._quotes)


def _note(citation: Citation, base: str, quotes: bool) -> str:
    """A note with each place once. `quotes` that are the text itself are left out."""
    shown: dict[tuple[str, str], str] = {}
    for one in citation.sources:
        start, end = one.span
        label = escaped(one.place)
        quote = f": “{escaped(excerpt(one.quoted, QUOTED))}”" if quotes and one.quote else ""
        link = f"[{label}]({base}/source/{one.chunk}-{start}-{end})"
        if quote or label not in {known for known, _ in shown}:
            shown.setdefault((label, quote), f"{link}{quote}")
    places = list(shown.values())
    if citation.kind != "Sources" or not places:  # a place has the title of the document
        places.insert(0, escaped(str(citation)))
    places += map(escaped, citation.flaws)
    return " ".join("; ".join(places).split())


async def whole_reply(request: ChatRequest, questions: Questions, base: str) -> dict[str, object]:
    """The reply to a request, as one object. Raises the errors of `Questions.answer`."""
    wanted = asked(request)
    if isinstance(wanted, str):
        return _completion(request, wanted, "stop", None)
    answer = await questions.whole(*wanted)
    notes = Footnotes.of(request, quotes=answer.origin == "extractive")
    text = notes.add(answer.text) + notes.end(answer, base)
    return _completion(request, text, notes.finish, answer)


async def streamed(
    request: ChatRequest, questions: Questions, base: str
) -> AsyncGenerator[str, None]:
    """Yields the reply to a request as server-sent events.

    Raises the errors of `Questions.answer`, before the first event if nothing has come yet.
    """
    wanted, id_, created = asked(request), _id(), int(time.time())
    notes = Footnotes.of(request, quotes=not questions.rag.settings.has_model)

    def event(delta: dict[str, str], finish: str | None = None, **more: object) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event(
            {
                "id": id_,
                "object": "chat.completion.chunk",
                "created": created,
                "model": request.model,
                "choices": [choice],
                **more,
            }
        )

    answer, role = None, {"role": "assistant"}
    async with aclosing(_contents(wanted, questions, notes, base)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                answer = piece
            elif piece or role:
                yield event({**role, "content": piece})
                role = {}
    yield event({}, notes.finish)
    if request.graphrag and answer:
        yield event({}, choices=[], graphrag=answer.to_dict())
    if request.stream_options and request.stream_options.include_usage:
        yield event({}, choices=[], usage=_usage(answer))
    yield END


async def _contents(
    wanted: tuple[str, QueryOptions] | str, questions: Questions, notes: Footnotes, base: str
) -> AsyncGenerator[str | Answer, None]:
    """Yields the content of a reply piece by piece, and at last the answer, if there is one."""
    if isinstance(wanted, str):
        yield wanted
        return
    async with aclosing(questions.answer(*wanted)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield notes.add(piece)  # also without text: the reply has begun
            else:
                yield notes.end(piece, base)
                yield piece


def _failed(error: GraphRAGError) -> str:
    return _event(problem(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))) + END


def _known(model: str) -> str:
    if model not in MODELS:
        hint = did_you_mean(model, MODELS)
        raise NotFoundError(f"There is no model {model}: {', '.join(MODELS)}.{hint}")
    return model


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "graphrag"}


def _completion(
    request: ChatRequest, text: str, finish: str, answer: Answer | None
) -> dict[str, object]:
    return {
        "id": _id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
        "usage": _usage(answer),
        **({"graphrag": answer.to_dict()} if answer and request.graphrag else {}),
    }


def _usage(answer: Answer | None) -> dict[str, int]:
    used = Usage.total(answer.usage.values()) if answer else Usage()
    return {
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.input_tokens + used.output_tokens,
    }


def _id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"


def _event(value: Any) -> str:  # noqa: ANN401 - any JSON
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
