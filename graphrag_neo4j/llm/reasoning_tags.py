"""What some servers of reasoning models put before a reply: left out, also while it streams."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

__all__ = ["without_thoughts", "without_thoughts_streamed"]

OPENING, CLOSING = "<think>", "</think>"
THOUGHTS = re.compile(rf"\A\s*+{OPENING}.*?{CLOSING}\s*+", re.DOTALL)


def without_thoughts(text: str) -> str:
    """A whole reply without them."""
    return THOUGHTS.sub("", text, count=1)


async def without_thoughts_streamed(
    pieces: AsyncGenerator[str, None],
) -> AsyncGenerator[str, None]:
    """The pieces of a reply without them; what may be a beginning of them is held back.

    Closes `pieces`.
    """
    held: list[str] = []
    start, end, done = "", "", False
    async with aclosing(pieces):
        async for piece in pieces:
            if done:
                yield piece
                continue
            held.append(piece)
            # Its first and its last characters tell: all of it, at each piece, would take long.
            start += piece.lstrip()[: len(OPENING)] if not start else piece[: len(OPENING)]
            start = start[: len(OPENING)]
            end = (end + piece)[-len(piece) - len(CLOSING) :]
            thinking = start == OPENING and CLOSING not in end
            if not (thinking or (start != OPENING and OPENING.startswith(start))):
                done = True
                if text := without_thoughts("".join(held)):
                    yield text
    if held and not done:
        yield "".join(held)
