"""A streamed reply: what has come of it, and its pieces in a form that can be stored."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import httpx2

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.calls import bodies
from graphrag_neo4j.llm.calls.options import Body
from graphrag_neo4j.llm.calls.reasoning_tags import remove_reasoning
from graphrag_neo4j.model import Usage
from graphrag_neo4j.text import storable, without_unseen


@dataclass(slots=True)
class StreamRecord:
    """The pieces of a reply, its tokens, and the reason why it ended (None if unknown).

    `sent` is the body that the endpoint accepted. `has_events` tells whether anything came that is
    an event of a stream. `flaw` is the reason why the stream may have ended too early, as a part of
    a sentence.
    """

    sent: Body = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    has_events: bool = False
    flaw: str | None = None
    used: bodies.Used | None = None
    end: str | None = None
    reasons: bool = False
    _refusal: str = ""
    _elsewhere: dict[str, object] = field(default_factory=dict)
    _length: int = 0

    def add(self, event: object) -> str:
        """Reads an event and returns its piece of the text, which may be "".

        Raises ReplyError if the reply becomes longer than any model writes.
        """
        self.has_events = True
        self.used = bodies.used_by(event) or self.used
        self.reasons = self.reasons or bodies.has_reasoning(event)
        choice = bodies.field_of(event, "choices", 0)
        end = bodies.field_of(choice, "finish_reason")
        self.end = (end if isinstance(end, str) else None) or self.end
        delta = bodies.field_of(choice, "delta")
        piece = bodies.text_in(bodies.field_of(delta, "content")) or ""
        self._length += len(piece)
        bodies.refuse_long(self._length)
        if piece:
            self.pieces.append(piece)
        else:
            self._refusal += bodies.text_in(bodies.field_of(delta, "refusal")) or ""
            self._elsewhere |= {
                one: said for one in bodies.ELSEWHERE if (said := bodies.field_of(delta, one))
            }
        return piece

    def close(self, response: httpx2.Response) -> None:
        """Notes how the stream has ended. Raises ReplyError if its body was cut off."""
        bodies.refuse_long(0, response)
        if not (self.end or bodies.has_done_mark(response)):
            self.flaw = "the endpoint's stream ended without a mark that the text ends there"

    @property
    def text(self) -> str:
        """The text that has come so far."""
        return "".join(self.pieces)

    @property
    def has_no_text(self) -> bool:
        """Whether the reply reached its limit, or ended, before its text began."""
        return bodies.has_no_text(self.text, self.end)

    def is_empty(self) -> bool:
        """Tells whether the reply has no text beside its reasoning.

        Raises ReplyError if it says why: a filter, a refusal, or something else than text.
        """
        if not self.pieces:
            if self.end == "content_filter":
                raise ReplyError(bodies.FILTERED)
            bodies.refuse_textless({"refusal": self._refusal, **self._elsewhere})
        return not remove_reasoning(self.text).strip()

    @property
    def incomplete(self) -> str | None:
        """The reason why the text is not complete, as a part of a sentence; None if it is."""
        return {
            "length": "it reached the limit of its length",
            "content_filter": "the endpoint's content filter stopped it",
        }.get(self.end or "", self.flaw)


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
            halves = text[: len(text) - len(held)].encode("utf-16-le", "surrogatepass")
            paired = halves.decode("utf-16-le", "surrogatepass")
            whole, replaced = storable(without_unseen(paired))
            used.replaced += replaced
            if whole:
                yield whole
    if held:
        used.replaced += 1
        yield storable(held)[0]
