"""The text of an answer: yielded piece by piece as it comes, and collected."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from graphrag_neo4j.model import ComposedTask, FinalTask, StreamedTask
from graphrag_neo4j.model.citations import CitationKind, cited, made_explicit
from graphrag_neo4j.model.context_table import ContextTable
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.query.verification import composed

if TYPE_CHECKING:
    from graphrag_neo4j.llm import Endpoint

__all__ = ["NOTHING", "TRY_LOCAL", "AnswerText"]

RESTARTED: Final = (
    "The model's reasoning was shown before the answer, because the endpoint did not mark where it "
    "begins. It is no part of the answer."
)
NO_SOURCES: Final = (
    "The answer has no sources, because the model cites none of the records that it read in a form "
    "that can be read: use a model that follows instructions better, or ask again."
)
UNREAD: Final = (
    "Citations of the answer that can't be read: {:,}. It is not clear which records they mean."
)
NOTHING: Final = "No answer to this question was found."
TRY_LOCAL: Final = (
    "Local search may find an answer, because it begins with what the question names: use the "
    "method local for it."
)
INCOMPLETE: Final = (
    "The answer is not complete, because {}. Ask again, ask a narrower question, or ask for a "
    "shorter answer with the response type."
)


class AnswerText:
    """The text that a task writes: a model, whose reply is streamed, or the rules.

    `text` is what was yielded so far. `found` tells whether it is an answer, and not the sentence
    that there is none. `incomplete` is a sentence with the reason if a model's text does not come
    to its end, else None. `notices` holds what a reader of the pieces must know. Nothing is yielded
    if no text is `wanted`.
    """

    def __init__(
        self,
        query: QueryContext,
        task: FinalTask | None,
        endpoint: "Endpoint | None",
        *,
        wanted: bool,
    ) -> None:
        self._query, self._task, self._endpoint, self._wanted = query, task, endpoint, wanted
        self.text = ""
        self.found = False
        self.incomplete: str | None = None
        self.notices: list[str] = []

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Yields the text piece by piece. If there is no answer, it says so.

        Raises ReplyError if the model's text is not an answer.
        """
        if not self._wanted:
            return
        async with aclosing(self._written()) as pieces:
            async for piece in pieces:
                self.text += piece
                yield piece
        self.found = bool(self.text)
        if not self.found:
            self.text = NOTHING
            yield NOTHING

    def read_citations(self, contexts: Iterable[ContextTable]) -> None:
        """Brings citations that a model wrote in another form into the usual one, or says so."""
        if not (self.found and isinstance(self._task, StreamedTask)):
            return
        known: dict[CitationKind, set[int]] = {}
        tables = list(contexts)
        for record in (record for table in tables for record in table.records.values()):
            known.setdefault(record.kind, set()).add(record.ref)
        material = "\n".join(table.text for table in tables)
        self.text, unread = made_explicit(self.text, known, material)
        if not cited(self.text):
            self.notices.append(NO_SOURCES)
        elif unread:
            self.notices.append(UNREAD.format(unread))

    async def _written(self) -> AsyncGenerator[str, None]:
        match self._task:
            case None:
                return
            case ComposedTask() as composing:
                if text := await composed(self._query, composing):
                    yield text
            case StreamedTask() as task:
                async with aclosing(self._streamed(task)) as pieces:
                    async for piece in pieces:
                        yield piece

    async def _streamed(self, task: StreamedTask) -> AsyncGenerator[str, None]:
        if self._endpoint is None:
            raise AssertionError("A backend without a model has given a request.")
        async with aclosing(
            self._endpoint.stream(task.request, self._cut, self._restart)
        ) as pieces:
            async for piece in pieces:
                yield piece
        task.check(self.text)

    def _restart(self) -> None:
        if self.text:
            self.text = ""
            self.notices.append(RESTARTED)

    def _cut(self, reason: str) -> None:
        self.incomplete = INCOMPLETE.format(reason)
