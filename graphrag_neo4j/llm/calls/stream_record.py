"""What an endpoint has sent of one streamed reply."""

from dataclasses import dataclass, field

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.calls.reasoning_tags import is_unfinished_reasoning
from graphrag_neo4j.llm.calls.response_bodies import (
    FILTERED,
    Used,
    end_of,
    has_reasoning,
    piece_of,
    refuse_long,
    refuse_refusal,
    used_by,
)

__all__ = ["StreamRecord"]


@dataclass(slots=True)
class StreamRecord:
    """The pieces of a reply, its tokens, and the reason why it ended (None if unknown)."""

    pieces: list[str] = field(default_factory=list)
    used: Used | None = None
    end: str | None = None
    reasons: bool = False
    _refusal: list[str] = field(default_factory=list)
    _length: int = 0

    def add(self, event: object) -> str:
        """Reads an event and returns its piece of the text, which may be "".

        Raises ReplyError if the reply becomes longer than any model writes.
        """
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
        return piece

    @property
    def text(self) -> str:
        """The text that has come so far."""
        return "".join(self.pieces)

    @property
    def has_no_text(self) -> bool:
        """Whether the reply reached its limit before its text began, during the reasoning."""
        return self.end == "length" and (not self.pieces or is_unfinished_reasoning(self.text))

    @property
    def incomplete(self) -> str | None:
        """The reason why the text is not complete, as a part of a sentence; None if it is."""
        return {
            "length": "it reached the limit of its length",
            "content_filter": "the endpoint's content filter stopped it",
        }.get(self.end or "")

    def refuse_empty(self) -> None:
        """Raises ReplyError if a filter or the model withheld the whole reply."""
        if self.pieces:
            return
        if self.end == "content_filter":
            raise ReplyError(FILTERED)
        refuse_refusal("".join(self._refusal))
