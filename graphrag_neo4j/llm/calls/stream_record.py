"""What an endpoint has sent of one streamed reply."""

from dataclasses import dataclass, field

import httpx2

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.calls.reasoning_tags import is_unfinished_reasoning, remove_reasoning
from graphrag_neo4j.llm.calls.response_bodies import (
    FILTERED,
    Used,
    elsewhere_in,
    end_of,
    has_done_mark,
    has_reasoning,
    piece_of,
    refuse_long,
    refuse_textless,
    used_by,
)

__all__ = ["StreamRecord"]


@dataclass(slots=True)
class StreamRecord:
    """The pieces of a reply, its tokens, and the reason why it ended (None if unknown).

    `has_events` tells whether anything came that is an event of a stream. `flaw` is the reason why
    the stream may have ended too early, as a part of a sentence.
    """

    pieces: list[str] = field(default_factory=list)
    has_events: bool = False
    flaw: str | None = None
    used: Used | None = None
    end: str | None = None
    reasons: bool = False
    _refusal: list[str] = field(default_factory=list)
    _elsewhere: dict[str, object] = field(default_factory=dict)
    _length: int = 0

    def add(self, event: object) -> str:
        """Reads an event and returns its piece of the text, which may be "".

        Raises ReplyError if the reply becomes longer than any model writes.
        """
        self.has_events = True
        self.used = used_by(event) or self.used
        self.end = end_of(event) or self.end
        self.reasons = self.reasons or has_reasoning(event)
        piece = piece_of(event)
        self._length += len(piece)
        refuse_long(self._length)
        if piece:
            self.pieces.append(piece)
        else:
            self._refusal.append(piece_of(event, "refusal"))
            self._elsewhere |= elsewhere_in(event)
        return piece

    def close(self, response: httpx2.Response) -> None:
        """Notes how the stream has ended. Raises ReplyError if its body was cut off."""
        refuse_long(0, response)
        if not (self.end or has_done_mark(response)):
            self.flaw = "the endpoint's stream ended without a mark that the text ends there"

    @property
    def text(self) -> str:
        """The text that has come so far."""
        return "".join(self.pieces)

    @property
    def has_no_text(self) -> bool:
        """Whether the reply reached its limit, or ended, before its text began."""
        return is_unfinished_reasoning(self.text) or (self.end == "length" and not self.pieces)

    @property
    def is_empty(self) -> bool:
        """Whether the reply has no text beside its reasoning."""
        return not remove_reasoning(self.text).strip()

    @property
    def incomplete(self) -> str | None:
        """The reason why the text is not complete, as a part of a sentence; None if it is."""
        return {
            "length": "it reached the limit of its length",
            "content_filter": "the endpoint's content filter stopped it",
        }.get(self.end or "", self.flaw)

    def refuse_empty(self) -> None:
        """Raises ReplyError if the reply has no text, and the endpoint shows why."""
        if self.pieces:
            return
        if self.end == "content_filter":
            raise ReplyError(FILTERED)
        refuse_textless({"refusal": "".join(self._refusal), **self._elsewhere})
