"""What is to be indexed: Documents, or paths whose files are read in a thread, a few at a time."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from graphrag_neo4j.arguments import check_path
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Document
from graphrag_neo4j.reading import (
    Found,
    ReadOptions,
    Unreadable,
    find,
    from_langchain,
    read,
    source_of,
)

__all__ = ["Corpus"]

T = TypeVar("T")
AT_ONCE = 50


@dataclass(slots=True)
class Corpus:
    """Documents to come; `unreadable` fills while they are read.

    `skipped` counts files of kinds that can't be read, by suffix. `paths`: those that were given.
    """

    items: Iterable[Document | Unreadable]
    skipped: dict[str, int] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    paths: Sequence[str | Path] = ()

    @classmethod
    def of(cls, what: object, options: ReadOptions) -> "Corpus":
        """Of a path, of several paths, of documents, or a corpus as it is; raises InputError."""
        if isinstance(what, Corpus):
            return what
        if isinstance(what, str | Path):
            return cls.of_paths([check_path(what, "A path")], options)
        if not isinstance(what, Iterable) or isinstance(what, bytes | bytearray | Mapping):
            raise InputError(
                "index takes a path, a list of paths, or a list of documents; what was given is "
                f"none of these but of type {type(what).__name__}."
            )
        if isinstance(what, Sequence) and all(isinstance(one, str | Path) for one in what):
            return cls.of_paths([check_path(one, "A path") for one in what], options)
        return cls.of_documents(what)

    @classmethod
    def of_paths(cls, paths: Sequence[str | Path], options: ReadOptions) -> "Corpus":
        """The documents in folders, globs and files; raises InputError as `find` does."""
        found = find(paths)
        for path in found.files:
            source_of(path, options)  # outside the source root: better said before than midway
        corpus = cls(_read_all(found, options), dict(found.skipped), paths=paths)
        corpus.unreadable += found.unreadable
        return corpus

    @classmethod
    def of_documents(cls, documents: Iterable[object]) -> "Corpus":
        """Documents of ours or of LangChain's, as they come."""
        return cls(d if isinstance(d, Document) else from_langchain(d) for d in documents)

    async def documents(self) -> AsyncIterator[Document]:
        """The documents in order; what can't be read is kept in `unreadable`."""
        async for item in _in_thread(self.items):
            if isinstance(item, Unreadable):
                self.unreadable.append(item)
            else:
                yield item

    def reasons(self) -> dict[str, str]:
        """Why nothing, or not all, came of a source: a file may have several unusable rows."""
        found: dict[str, str] = {}
        for one in self.unreadable:
            found[one.source] = "; ".join(filter(None, (found.get(one.source), one.reason)))
        return found


def _read_all(found: Found, options: ReadOptions) -> Iterator[Document | Unreadable]:
    for path in found.files:
        yield from read(path, options)


async def _in_thread(items: Iterable[T]) -> AsyncIterator[T]:
    iterator = iter(items)
    while some := await anyio.to_thread.run_sync(lambda: list(islice(iterator, AT_ONCE))):
        for item in some:
            yield item
