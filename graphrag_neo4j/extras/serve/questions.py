"""Asks an open graph for many people: limits on questions at once and on money a day."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final, TypeVar

import anyio
from fastapi import Depends, Request
from fastapi.responses import Response, StreamingResponse
from starlette.exceptions import HTTPException

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import BudgetSpentError, EmptyGraphError, GraphRAGError, InputError
from graphrag_neo4j.extras.serve.logs import CURRENT, GONE
from graphrag_neo4j.extras.serve.metrics import Metrics
from graphrag_neo4j.extras.serve.runs import Progress, Runs
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.index.watch import DayMeter
from graphrag_neo4j.model.events import Event, Listener, silent
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.suggestions import Suggestions
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text.strings import flat

AT_ONCE: Final = 64  # questions; more are refused
KEPT: Final = 100  # answers
LOOK: Final = 0.3  # seconds between two looks whether a client is still there

T = TypeVar("T")


class TooManyError(GraphRAGError):
    """More questions at once than the server answers."""


REFUSING: Final = (InputError, TooManyError, BudgetSpentError)


class Questions:
    """The questions to a graph. What they cost counts in `day`, as builds do.

    `followed` are the paths that are read into it; `uploads` takes files, if people may write.
    """

    def __init__(
        self,
        rag: AsyncGraphRAG,
        day: DayMeter,
        followed: Sequence[Path],
        uploads: Uploads | None,
    ) -> None:
        self.rag, self.day, self.followed, self.uploads = rag, day, followed, uploads
        self.runs = Runs()
        self.metrics = Metrics(day, self.runs)
        self._running = 0
        self._answers: OrderedDict[int, tuple[Answer, list[str]]] = OrderedDict()
        self._first: tuple[object, Suggestions] | None = None

    async def answer(
        self, question: str, how: QueryOptions, listen: Listener = silent
    ) -> AsyncGenerator[str | Answer, None]:
        """Yields the text of an answer piece by piece, and at last the answer.

        `listen` gets the events of the search.
        Raises the errors of `asking` and of `AsyncGraphRAG.query`.
        """
        asking = self.asking(how.get("method", "auto"), question)
        async with asking, self.rag.stream(question, listen=listen, **how) as stream:
            async for piece in stream:
                yield piece
            answer = stream.answer
        yield answer  # whoever takes it asks for no more, and the question has been answered

    async def answer_with_progress(
        self, question: str, how: QueryOptions
    ) -> AsyncGenerator[str | Answer | Progress, None]:
        """Yields what `answer` does, and between it how far the search is. Raises its errors."""
        came, progress = asyncio.Queue[str | Answer | Progress | None](), Progress()

        def listen(event: Event) -> None:
            nonlocal progress
            if (now := progress.after(event)) is not progress:
                progress = now
                came.put_nowait(now)

        async def pump() -> None:
            try:
                async with aclosing(self.answer(question, how, listen)) as pieces:
                    async for piece in pieces:
                        came.put_nowait(piece)
            finally:
                came.put_nowait(None)

        pumping = asyncio.create_task(pump())
        try:
            while (one := await came.get()) is not None:
                yield one
            await pumping  # for its error
        finally:
            pumping.cancel()

    async def whole(self, question: str, how: QueryOptions) -> Answer:
        """Returns an answer. Raises the errors of `answer`."""
        async with aclosing(self.answer(question, how)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    return piece
        raise AssertionError("the last piece is the answer")

    def keep(self, answer: Answer, history: Sequence[tuple[str, str]]) -> int:
        """Keeps an answer for questions that follow on it, and returns its number."""
        number = next(reversed(self._answers), 0) + 1
        self._answers[number] = (answer, [asked for asked, _ in history])
        if len(self._answers) > KEPT:
            self._answers.popitem(last=False)
        return number

    async def suggest(self, n: int, after: int | None) -> Suggestions:
        """Suggests `n` questions, which follow on a kept answer if `after` is its number.

        Those to begin with are kept while the graph stays as it is, since a model may make them.
        Raises the errors of `asking` and of `AsyncGraphRAG.suggest`.
        """
        answer, history = self._answers.get(after or 0, (None, []))
        graph = None if answer else (n, (await self.rag.status()).counts)
        if graph and self._first and self._first[0] == graph:
            return self._first[1]
        async with self.asking("suggest"):
            found = await self.rag.suggest(n, after=answer, history=history)
        if graph:
            self._first = (graph, found)
        return found

    @asynccontextmanager
    async def asking(self, search: str, question: str = "") -> AsyncGenerator[None]:
        """Counts a question by its search method, and among those at once.

        Raises TooManyError, and BudgetSpentError if the day's limit is reached.
        """
        if exchange := CURRENT.get():
            exchange.search, exchange.question = search, flat(question)
        outcome = "left"  # by the client
        try:
            with self.metrics.running.track_inprogress():
                async with self._one_of_few():
                    yield
            outcome = "answered"
        except Exception as error:
            outcome = "refused" if isinstance(error, REFUSING) else "failed"
            raise
        finally:
            self.metrics.count_question(search, outcome)

    @asynccontextmanager
    async def _one_of_few(self) -> AsyncGenerator[None]:
        if self._running >= AT_ONCE:
            raise TooManyError(f"{AT_ONCE} questions are being answered: ask again in a moment.")
        self._running += 1
        try:
            await self.left_today()
            yield
        except EmptyGraphError as error:
            if self.runs.state.running:
                raise InputError(
                    f"The documents are still being read ({self.runs.progress}): ask again soon."
                ) from error
            if self.uploads:
                raise InputError("There are no documents yet: add some first.") from error
            raise
        finally:
            self._running -= 1

    async def left_today(self) -> None:
        """Raises BudgetSpentError if the day's limit is reached."""
        await self.day.look(self.rag.graph)


def _questions(request: Request) -> Questions:
    questions: Questions = request.app.state.questions
    return questions


def _uploads(questions: Annotated[Questions, Depends(_questions)]) -> Uploads:
    if questions.uploads is None:
        raise HTTPException(HTTPStatus.FORBIDDEN, "The server only reads: start it with --write.")
    return questions.uploads


Asked = Annotated[Questions, Depends(_questions)]
Writing = Annotated[Uploads, Depends(_uploads)]
"""The questions and the uploads of the application, as arguments of a route."""


async def while_there(request: Request, work: Awaitable[T]) -> T:
    """Awaits what a client asks for, and ends it if the client goes away."""

    async def watch() -> None:
        while not await request.is_disconnected():  # noqa: ASYNC110 - there is no event
            await anyio.sleep(LOOK)
        scope.cancel()

    with anyio.CancelScope() as scope:
        watching = asyncio.create_task(watch())
        try:
            return await work
        finally:
            watching.cancel()
    raise HTTPException(GONE)


async def as_events(
    request: Request, events: AsyncGenerator[str, None], failed: Callable[[GraphRAGError], str]
) -> Response:
    """Streams server-sent events. An error before the first one has its own status.

    A later error is the event that `failed` makes of it.
    """
    first = await while_there(request, anext(events))

    async def all_events() -> AsyncGenerator[str, None]:
        async with aclosing(events):
            yield first
            try:
                async for event in events:
                    yield event
            except GraphRAGError as error:
                if exchange := CURRENT.get():
                    exchange.fail(error)
                yield failed(error)

    return StreamingResponse(all_events(), media_type="text/event-stream")
