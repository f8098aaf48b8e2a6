"""Reads and cuts documents by tasks of Ray; the results come back in the order of the documents."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from graphrag_neo4j.loaders import ReadOptions, Unreadable, holds_rows, read
from graphrag_neo4j.model import Document, Span
from graphrag_neo4j.workers.ray_worker import ReadFile, Version, read_file, version_of

__all__ = ["Cuts", "Guessed", "Item", "RayCutting", "read_files"]

Item = Document | Unreadable
Guessed = Callable[[Path, str], None]
"""Receives a file and the encoding that was guessed for it."""
LARGE: Final = 32_000_000  # bytes of a file that this process reads itself, as its text is large


def read_files(
    ray: Any,  # noqa: ANN401 - the module
    ahead: int,
    files: Iterable[Path],
    options: ReadOptions,
    guessed: Guessed,
) -> Iterator[tuple[Path, Iterable[Item]]]:
    """Gives the items of each file in order; up to `ahead` files are read before they are needed.

    This process reads files of rows, large files, and files that the workers do not have.
    """
    remote = ray.remote(read_file)

    def items(path: Path, reading: Any) -> tuple[Path, Iterable[Item]]:  # noqa: ANN401
        found: ReadFile | None = ray.get(reading) if reading is not None else None
        if found is None:
            return path, read(path, options, partial(guessed, path))
        for encoding in found.encodings:
            guessed(path, encoding)
        return path, found.items

    waiting: deque[tuple[Path, Any]] = deque()
    for path in files:
        version = _to_send(path)
        waiting.append((path, version and remote.remote(path, version, options)))
        if len(waiting) > ahead:
            yield items(*waiting.popleft())
    while waiting:
        yield items(*waiting.popleft())


def _to_send(path: Path) -> Version | None:
    """The version of a file that a worker may read, None for one that this process reads."""
    try:
        version = version_of(path)
    except OSError:  # reading the file reports it
        return None
    return None if holds_rows(path) or version[0] > LARGE else version


class Cuts(Protocol):
    """A way to cut documents into chunks; `indexing.cutting` describes it."""

    @property
    def prepend(self) -> tuple[str, ...]: ...

    @property
    def signature(self) -> str: ...

    def spans(self, document: Document, progress: Callable[[float], None], /) -> list[Span]: ...


class RayCutting:
    """Cuts documents on the workers of a cluster, all those that are announced at the same time."""

    def __init__(self, ray: Any, cuts: Cuts) -> None:  # noqa: ANN401
        self.prepend, self.signature = cuts.prepend, cuts.signature
        self._ray, self._cuts = ray, cuts
        self._cut = ray.remote(_spans)
        self._cutting: dict[str, Any] = {}  # references of Ray by source

    def ahead(self, documents: Sequence[Document]) -> None:
        """Starts to cut documents."""
        for one in documents:
            self._cutting[one.source] = self._cut.remote(self._cuts, one)

    def spans(self, document: Document, _progress: Callable[[float], None]) -> list[Span]:
        """The places of a document's chunks, as soon as a worker has found them."""
        found: list[Span] = self._ray.get(self._cutting.pop(document.source))
        return found


def _spans(cuts: Cuts, document: Document) -> list[Span]:
    return cuts.spans(document, lambda _: None)
