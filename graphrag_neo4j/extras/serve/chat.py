"""The chat API of OpenAI, for chat clients: each search method is a model.

Citations are footnotes of Markdown, each with a link to its passage. The whole answer stands in
`graphrag`, a field of our own. Beside its own messages, Open WebUI asks the model for titles, tags
and follow-up questions of a conversation; such tasks are answered without a search.
"""

import json
import re
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from http import HTTPStatus
from itertools import pairwise
from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from graphrag_neo4j.errors import GraphRAGError, InputError, NotFoundError
from graphrag_neo4j.extras.serve.access import problem
from graphrag_neo4j.extras.serve.questions import Asked, Questions, as_events, while_there
from graphrag_neo4j.model.citations import CitationRef, cited, escaped, footnoted
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.query.answer import METHODS, Answer, Citation
from graphrag_neo4j.settings.checks import did_you_mean
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text.strings import excerpt

MODELS: Final = ("kg-auto", *(f"kg-{method}" for method in METHODS))
END: Final = "data: [DONE]\n\n"  # of a stream
TASK: Final = "### Task:"  # what Open WebUI begins such a request with
FIRST_ASKED: Final = re.compile(r"<chat_history>\s*USER:\s*(.+)")
WISH: Final = 2_000  # characters of a system message, at most, that say how to answer
TITLE: Final = 60  # characters
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


class ChatRequest(BaseModel):
    """A request for the next message. Options that a search method doesn't support are ignored.

    `where` and `level` are ours: conditions on documents, and the level of a global search.
    """

    model: str
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions | None = None
    where: str | list[str] = ()  # type: ignore[assignment] # an empty list would be shared
    level: int | None = None


router = APIRouter(prefix="/v1")


@router.get("/models")
async def models() -> dict[str, object]:
    """Lists the models: one for each search method."""
    data = [{"id": m, "object": "model", "created": 0, "owned_by": "graphrag"} for m in MODELS]
    return {"object": "list", "data": data}


@router.post("/chat/completions", response_model=None)
async def chat_completions(body: ChatRequest, questions: Asked, request: Request) -> Response:
    """Answers the last message of a conversation from the graph."""
    base = str(request.base_url).rstrip("/")
    if body.stream:
        return await as_events(request, streamed(body, questions, base), _failed)
    return JSONResponse(await while_there(request, whole_reply(body, questions, base)))


def asked(request: ChatRequest) -> tuple[str, QueryOptions]:
    """The question of a request, and how it is asked.

    Raises NotFoundError for an unknown model, and InputError if the last message isn't a question.
    """
    if request.model not in MODELS:
        hint = did_you_mean(request.model, MODELS)
        raise NotFoundError(f"There is no model {request.model}: {', '.join(MODELS)}.{hint}")
    said = [one for one in request.messages if one.text.strip()]
    wishes = [one.text for one in said if one.role in {"system", "developer"}]
    turns = [one for one in said if one.role in {"user", "assistant"}]
    if not turns or turns[-1].role != "user":
        raise InputError("The last message must be a question of the user.")
    history = [
        (one.text, two.text)
        for one, two in pairwise(turns)
        if (one.role, two.role) == ("user", "assistant")
    ]
    how: QueryOptions = {"history": history, "where": request.where, "level": request.level}
    how["method"] = request.model.removeprefix("kg-")  # type: ignore[typeddict-item] # checked
    if wishes:
        how["response_type"] = excerpt("\n".join(wishes), WISH)
    return turns[-1].text, how


def task_reply(text: str) -> str | None:
    """The reply to a task of a chat client about the conversation; None if it is a question."""
    if not text.lstrip().startswith(TASK):
        return None
    if '"title"' in text:
        first = FIRST_ASKED.search(text)
        return json.dumps({"title": excerpt(first[1], TITLE) if first else "Documents"})
    for name in ("tags", "follow_ups", "queries"):
        if f'"{name}"' in text:
            return json.dumps({name: []})
    return ""


class Footnotes:
    """Makes the pieces of an answer into Markdown with footnotes.

    A piece is held back from the last white space on where a citation may have begun.
    """

    def __init__(self, *, quotes: bool) -> None:
        self._quotes, self._held = quotes, ""
        self._numbers: dict[CitationRef, int] = {}

    def add(self, piece: str) -> str:
        """The text that can be shown with a further piece."""
        self._held += piece
        end = len(self._held) if len(self._held) > HELD else 0
        for space in re.finditer(r"\s+", self._held):
            before = self._held[: space.start()]
            if before.count("[") <= before.count("]") and before.count("`") % 2 == 0:
                end = max(end, space.start())
        # White space goes with what follows: a citation takes that before it away.
        shown, self._held = self._held[:end], self._held[end:]
        return self._marked(shown)

    def end(self, citations: Sequence[Citation], base: str) -> str:
        """The rest of the text, and the notes. `base` is the address of this server."""
        rest = self._marked(self._held)
        by_ref = {(one.kind, one.ref): one for one in citations}
        notes = [
            f"[^{n}]: {_note(by_ref[ref], base) if ref in by_ref else f'{ref[0]} ({ref[1]})'}"
            for ref, n in self._numbers.items()
        ]
        return "\n\n".join([rest, *notes])

    def _marked(self, text: str) -> str:
        for ref in cited(text):
            self._numbers.setdefault(ref, len(self._numbers) + 1)
        return footnoted(text, self._numbers, quotes=self._quotes)


def _note(citation: Citation, base: str) -> str:
    places = []
    for one in dict.fromkeys(citation.sources):
        start, end = one.span
        label = escaped(one.place)
        quote = f": “{escaped(excerpt(one.quoted, QUOTED))}”" if one.quote else ""
        places.append(f"[{label}]({base}/source/{one.chunk}-{start}-{end}){quote}")
    if citation.kind != "Sources" or not places:  # a place has the title of the document
        places.insert(0, escaped(str(citation)))
    if not citation.supported:
        places.append("not in the context of this answer")
    return " ".join("; ".join(places).split())


async def whole_reply(request: ChatRequest, questions: Questions, base: str) -> dict[str, object]:
    """The reply to a request, as one object. Raises the errors of `Questions.answer`."""
    question, how = asked(request)
    if (reply := task_reply(question)) is not None:
        return _completion(request, reply, None)
    answer = await questions.whole(question, how)
    notes = Footnotes(quotes=answer.origin == "extractive")
    text = notes.add(answer.text) + notes.end(answer.citations, base)
    return _completion(request, text, answer)


async def streamed(
    request: ChatRequest, questions: Questions, base: str
) -> AsyncGenerator[str, None]:
    """Yields the reply to a request as server-sent events.

    Raises the errors of `Questions.answer`, before the first event if nothing has come yet.
    """
    question, how = asked(request)
    id_, created = _id(), int(time.time())

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

    if (reply := task_reply(question)) is not None:
        yield event({"role": "assistant", "content": reply})
        yield event({}, "stop")
        yield END
        return
    notes = Footnotes(quotes=not questions.rag.settings.has_model)
    began = False
    async with aclosing(questions.answer(question, how)) as pieces:
        async for piece in pieces:
            if not began:  # only now, so that an error before has its own status
                yield event({"role": "assistant", "content": ""})
                began = True
            if isinstance(piece, str):
                if shown := notes.add(piece):
                    yield event({"content": shown})
                continue
            yield event({"content": notes.end(piece.citations, base)})
            finish = "length" if piece.incomplete else "stop"
            yield event({}, finish, graphrag=piece.to_dict())
            if request.stream_options and request.stream_options.include_usage:
                yield event({}, choices=[], usage=_usage(piece))
    yield END


def _failed(error: GraphRAGError) -> str:
    return _event(problem(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))) + END


def _completion(request: ChatRequest, text: str, answer: Answer | None) -> dict[str, object]:
    incomplete = answer is not None and answer.incomplete
    return {
        "id": _id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "length" if incomplete else "stop",
            }
        ],
        "usage": _usage(answer),
        **({"graphrag": answer.to_dict()} if answer else {}),
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
