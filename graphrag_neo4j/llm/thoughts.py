"""What some servers of reasoning models put before a reply: left out, also while it streams."""

import re
from collections.abc import AsyncIterator

__all__ = ["without_thoughts", "without_thoughts_streamed"]

OPENING, CLOSING = "<think>", "</think>"
THOUGHTS = re.compile(rf"\A\s*{OPENING}.*?{CLOSING}\s*", re.DOTALL)


def without_thoughts(text: str) -> str:
    """A whole reply without them."""
    return THOUGHTS.sub("", text)


async def without_thoughts_streamed(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """The pieces of a reply without them; what may be a beginning of them is held back."""
    held: str | None = ""
    async for piece in pieces:
        if held is None:
            yield piece
            continue
        held += piece
        start = held.lstrip()
        thinking = start.startswith(OPENING) and CLOSING not in start
        if not (thinking or OPENING.startswith(start)):
            if text := without_thoughts(held):
                yield text
            held = None
    if held:
        yield held
