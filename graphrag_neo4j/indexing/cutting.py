"""The ways to cut documents into chunks, of which the stage ingest uses one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.chunking import cut
from graphrag_neo4j.model import Document, Span

__all__ = ["Cuts", "Cutting"]


class Cuts(Protocol):
    """A way to cut documents into chunks.

    `prepend` names the metadata that a model reads before each chunk. `signature` is a hash of
    everything besides the text that the places of chunks depend on. `ahead` gets the documents
    whose `spans` are asked for next, in case other machines cut them meanwhile. `spans` runs in a
    thread and reports its progress.
    """

    @property
    def prepend(self) -> tuple[str, ...]: ...

    @property
    def signature(self) -> str: ...

    def ahead(self, documents: Sequence[Document], /) -> None: ...

    def spans(self, document: Document, progress: Callable[[float], None], /) -> list[Span]: ...


@dataclass(frozen=True, slots=True)
class Cutting:
    """The settings for cutting documents: tokens, encoding, and metadata before each chunk."""

    max_tokens: int
    overlap: int
    encoding: str
    prepend: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """A hash of everything besides the text that the places of chunks depend on."""
        return identify("cutting", self.max_tokens, self.overlap, self.encoding)

    def ahead(self, documents: Sequence[Document]) -> None:
        """Does nothing: this process cuts one document after another."""

    def spans(self, document: Document, progress: Callable[[float], None]) -> list[Span]:
        """The places of a document's chunks. `progress` gets the finished share, 0 to 1."""
        return cut(
            document.text,
            max_tokens=self.max_tokens,
            overlap=self.overlap,
            encoding=self.encoding,
            progress=progress,
        )
