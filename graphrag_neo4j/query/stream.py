"""The stream of an answer, for asynchronous code."""

from collections.abc import AsyncGenerator
from typing import Self

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.query.answer import Answer

__all__ = ["AsyncStream"]


class AsyncStream:
    """The text of an answer, piece by piece; when all have come, `.answer` is the answer.

    The call to the model and its connection end when the loop is left early, at the end of `async
    with`, and with `aclose`. After that the rest of the text can't be read.
    """

    def __init__(self, pieces: AsyncGenerator[str | Answer, None]) -> None:
        self._pieces = pieces
        self._answer: Answer | None = None
        self._closed = False

    async def aclose(self) -> None:
        """Ends the call to the model if it still runs. A second call does nothing."""
        self._closed = True
        await self._pieces.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def __aiter__(self) -> AsyncGenerator[str, None]:
        """Yields the pieces. Leaving the loop drops this generator, which closes the stream."""
        try:
            while (piece := await anext(self, None)) is not None:
                yield piece
        finally:
            await self.aclose()

    async def __anext__(self) -> str:
        if self._closed and self._answer is None:
            raise InputError("This stream is closed, and its answer is not whole: ask again.")
        piece = await anext(self._pieces)
        if isinstance(piece, str):
            return piece
        self._answer = piece
        return await anext(self)

    @property
    def answer(self) -> Answer:
        """The answer. Raises InputError while its text is still coming."""
        if self._answer is None:
            raise InputError("The answer is not whole yet: read the stream to its end.")
        return self._answer
