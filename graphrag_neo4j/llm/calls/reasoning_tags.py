"""Removes the reasoning of a model, `<think>…</think>`, from the beginning of a reply.

Some servers of reasoning models send it as a part of the reply. It is removed from whole replies
and from streamed ones.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

__all__ = [
    "OPENING",
    "is_unfinished_reasoning",
    "remove_reasoning",
    "remove_reasoning_streamed",
]

OPENING, CLOSING = "<think>", "</think>"
REASONING = re.compile(rf"\A\s*+{OPENING}.*?{CLOSING}\s*+", re.DOTALL)


def remove_reasoning(text: str) -> str:
    """Returns a whole reply without its reasoning."""
    return REASONING.sub("", text, count=1)


def is_unfinished_reasoning(text: str) -> bool:
    """Tells whether a text begins with a reasoning that does not end."""
    return text.lstrip().startswith(OPENING) and CLOSING not in text


async def remove_reasoning_streamed(
    pieces: AsyncGenerator[str, None],
) -> AsyncGenerator[str, None]:
    """Yields the pieces of a reply without its reasoning.

    Pieces that may belong to the reasoning are held back until this is clear.
    """
    held: list[str] = []
    start, end, done = "", "", False
    async with aclosing(pieces):
        async for piece in pieces:
            if done:
                yield piece
                continue
            held.append(piece)
            # Only the first and the last characters are examined. To examine the whole text at
            # each piece would take quadratic time.
            start += piece.lstrip()[: len(OPENING)] if not start else piece[: len(OPENING)]
            start = start[: len(OPENING)]
            end = (end + piece)[-len(piece) - len(CLOSING) :]
            reasoning = start == OPENING and CLOSING not in end
            if not (reasoning or (start != OPENING and OPENING.startswith(start))):
                done = True
                if text := remove_reasoning("".join(held)):
                    yield text
    if held and not done:
        yield "".join(held)
