"""Removes the reasoning of a model from the beginning of a reply.

Some servers of reasoning models send it as a part of the reply. It is removed from whole replies
and from streamed ones:

    <think>…</think>Yes.      also <thinking>, [THINK]
    …</think>Yes.             the opening mark stood at the end of the prompt
    <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>
"""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

OPENING = re.compile(
    r"<think(?:ing)?>|\[THINK\]|(?:<\|start\|>assistant)?<\|channel\|>(?!final)[a-z]+<\|message\|>"
)
# A mark in quotation marks is one that the reply speaks of.
CLOSED = r"(?<![`'\"“])(?:</think(?:ing)?>|\[/THINK\])(?![`'\"”])"
CLOSING = re.compile(rf"{CLOSED}|<\|channel\|>final[^<]*<\|message\|>")
ANY_TAG = re.compile(rf"(?P<opening>{OPENING.pattern})|(?P<closed>{CLOSED})|{CLOSING.pattern}")
END_TOKEN = re.compile(r"<\|(?:end|return)\|>")
SIGNS = ("think>", "thinking>", "THINK]", "<|channel|>")  # each mark holds one of them
LONGEST_TAG = 64  # characters; no mark is longer


def remove_reasoning(text: str) -> str:
    """Returns a whole reply without its reasoning: "" if the reasoning does not end."""
    if is_unfinished_reasoning(text):
        return ""
    mark = _first_mark(text)
    if mark and mark["opening"]:
        mark = CLOSING.search(text, mark.end()) if OPENING.match(text.lstrip()) else None
    return END_TOKEN.sub("", text[mark.end() :]).lstrip() if mark else text


def is_unfinished_reasoning(text: str) -> bool:
    """Returns whether a text begins with a reasoning that does not end."""
    return OPENING.match(text.lstrip()) is not None and CLOSING.search(text) is None


def hides_opening(text: str) -> bool:
    """Returns whether a text begins with a reasoning that ends, but has no opening mark."""
    mark = _first_mark(text)
    return mark is not None and mark["closed"] is not None


def _first_mark(text: str) -> re.Match[str] | None:
    # Nearly all replies have none, which a search for texts finds out quickest.
    return ANY_TAG.search(text) if any(sign in text for sign in SIGNS) else None


def shows_reasoning(text: str) -> bool:
    """Returns whether a text begins with a reasoning."""
    return OPENING.match(text.lstrip()) is not None or hides_opening(text)


async def remove_reasoning_streamed(
    pieces: AsyncGenerator[str, None],
    *,
    hidden: bool = False,
    restart: Callable[[], None] = lambda: None,
) -> AsyncGenerator[str, None]:
    """Yields the pieces of a reply without its reasoning.

    Pieces that may belong to the reasoning are held back until this is clear. If the reply begins
    with a reasoning without its opening mark, this is not clear before the closing mark: what was
    yielded is the reasoning, and `restart` is called. With `hidden`, all is held back until the
    closing mark.
    """
    held: list[str] = []
    start, tail, reasons, done = "", "", hidden, False
    async with aclosing(pieces):
        async for piece in pieces:
            # Only the first and the last characters are examined. To examine the whole text at
            # each piece would take quadratic time.
            start = (start + piece[:LONGEST_TAG]).lstrip()[:LONGEST_TAG]
            tail = tail[-LONGEST_TAG:] + piece
            reasons = not done and (reasons or OPENING.match(start) is not None)
            mark = None if done else (CLOSING if reasons else ANY_TAG).search(tail)
            held.append(END_TOKEN.sub("", piece) if done else piece)
            done = done or mark is not None
            if mark and mark.lastgroup != "opening":  # an opening mark here: the text speaks of it
                if not reasons:
                    restart()
                held, reasons = [END_TOKEN.sub("", tail[mark.end() :]).lstrip()], False
            may_open = len(start) < LONGEST_TAG and start[:1] in {"", "<", "["}
            if not reasons and (done or not may_open):
                yield "".join(held)
                held = []
    if held and OPENING.match(start) is None:
        yield "".join(held)
