"""Makes the pieces of a streamed reply storable, as it is done for whole replies."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from graphrag_neo4j.model import Usage
from graphrag_neo4j.text import storable, without_unseen

__all__ = ["storable_pieces"]


async def storable_pieces(
    pieces: AsyncGenerator[str, None], used: Usage
) -> AsyncGenerator[str, None]:
    """Yields the pieces with U+FFFD for characters that can't be stored; closes `pieces`.

    What a terminal would leave out is left out here, before citations are looked for.

    `used.replaced` is the count. A character may arrive in two halves (a surrogate pair). Then the
    first half is held back until the second arrives.
    """
    held = ""
    async with aclosing(pieces):
        async for piece in pieces:
            text = held + piece
            held = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
            paired = _paired(text[: len(text) - len(held)])
            whole, replaced = storable(without_unseen(paired))
            used.replaced += replaced
            if whole:
                yield whole
    if held:
        used.replaced += 1
        yield storable(held)[0]


def _paired(text: str) -> str:
    """Returns the text with each surrogate pair replaced by the character that it encodes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
