"""The corpus: documents that are given, or files that a thread reads a few at a time."""

import os
import re
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from graphrag_neo4j.documents import (
    SAVED_AS,
    DiscoveredFiles,
    ReadingProcess,
    ReadOptions,
    Remark,
    Unreadable,
    find_files,
    from_langchain,
    holds_rows,
    is_lost,
    place_of,
    read,
    source_of,
)
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.events import Advanced, Listener, Share, Started
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import READ_SECONDS, Settings
from graphrag_neo4j.settings.checks import check_path
from graphrag_neo4j.text.strings import is_indexable

if TYPE_CHECKING:
    from graphrag_neo4j.documents.chunking import Cutting
    from graphrag_neo4j.graph.connection import Graph
    from graphrag_neo4j.index.read.ingest import Ingested

Item = Document | Unreadable
Tell = Callable[[Path, Remark], None]
ReadFiles = Callable[[Iterable[Path], ReadOptions, Tell], Iterator[tuple[Path, Iterable[Item]]]]
AT_ONCE = 50
BEGINNING = 40  # characters of both ends of a source that is too long
ENOUGH = 1_000_000  # characters of documents that are read ahead
LONGEST_SOURCE = 6000  # bytes: an index of Neo4j takes 8,000, and the longest path has 4,096
TOO_LONG = f"has a source of more than {LONGEST_SOURCE:,} bytes: give it a shorter one"
NAMED = 5  # files that a notice names; it counts the rest
# What a caller rather means as a text than as a path: with a line break, with more characters than
# a name may have, a sentence, or three words without a separator and a suffix.
LIKE_A_TEXT = re.compile(
    r"\n|[^/\\]{256}|[。！？।]|(\S+\s+){2}.*[.!?…]\W*\Z|\A(?!.*\.\w{1,5}\Z)([^\s/\\*]+\s+){2}[^/\\*]+\Z"
)


class Nodes(Protocol):
    """Nodes of another Neo4j."""

    async def write(
        self, graph: "Graph", cutting: "Cutting", listen: Listener
    ) -> "tuple[Ingested, list[str]]":
        """Writes new and changed documents; also returns the sources of those that it deleted."""
        ...


@dataclass(slots=True)
class Corpus:
    """The documents to index.

    They are read once, and reading fills `unreadable`, `remarks` and the sizes.
    `skipped` counts the files whose kind can't be read, by suffix. `links` holds symbolic links
    that lead out of a folder and are not followed. `remarks` holds by sentence the files that it
    is said of, each with its number. `n_bytes` is the size of all files, None where there
    aren't files. `paths` holds the paths that were given, and `places` how the sources of
    documents under or beside them begin (unknown with a source root or links). `tables` holds the
    files of rows, by source: the number of rows, or None where some rows could not be read.
    `gone` holds the given paths that no longer exist, and `lost` is a sentence about files that the
    graph knows and the disk no longer has, which `find_lost` finds when the documents are written.
    `is_lost` tells whether the file of a source is one of these. `nodes` is an import from another
    Neo4j, instead of documents. `read_files` reads the files in their order, where something else
    than this process and `_process` is to read them.
    """

    items: Iterable[Item] = ()
    skipped: dict[str, int] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    links: Sequence[Path] = ()
    remarks: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    n_bytes: int | None = None
    _sizes: dict[str, int] = field(default_factory=dict)
    _left: int = 0
    paths: Sequence[str | Path] = ()
    places: Sequence[str] = ()
    tables: dict[str, int | None] = field(default_factory=dict)
    gone: Sequence[Path] = ()
    lost: str = ""
    find_lost: Callable[[], Awaitable[str]] | None = None
    is_lost: Callable[[str], bool] = lambda _: False
    nodes: "Nodes | None" = None
    read_files: ReadFiles | None = None
    _process: ReadingProcess = field(default_factory=lambda: ReadingProcess(READ_SECONDS))

    @classmethod
    def of(
        cls,
        given: object,
        options: ReadOptions,
        settings: Settings | None = None,
        *,
        may_be_gone: bool = False,
    ) -> "Corpus":
        """The corpus of a path, of several paths or of documents; a corpus is returned as it is.

        Raises InputError for any other value.
        """
        if isinstance(given, Corpus):
            return given
        if isinstance(given, str | Path):
            given = [given]
        if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray | Mapping):
            raise InputError(
                "index takes a path, a list of paths, or a list of documents; the given value is "
                f"none of these but of type {type(given).__name__}."
            )
        if isinstance(given, Sequence) and all(isinstance(one, str | Path) for one in given):
            paths = [_path(one) for one in given]
            return cls.of_paths(paths, options, settings, may_be_gone=may_be_gone)
        return cls.of_documents(given)

    @classmethod
    def of_paths(
        cls,
        paths: Sequence[str | Path],
        options: ReadOptions,
        settings: Settings | None = None,
        leave_out: Collection[Path] = (),
        *,
        may_be_gone: bool = False,
    ) -> "Corpus":
        """The documents in folders, globs and files.

        The limits of reading are those of `settings`, where the options have none. The files
        `leave_out` are not read. Raises InputError as `find_files` does.
        """
        if settings:
            limit = options.max_file_mb or settings.max_file_mb
            options = replaced(options, max_file_mb=limit)
        follow = options.follow_links
        found = find_files(paths, follow_links=follow, may_be_gone=may_be_gone)
        files = tuple(file for file in found.files if file not in leave_out)
        found = replaced(found, files=files)
        if options.source_root:  # refuses a file outside it before anything is read
            for path in found.files:
                source_of(path, options)
        skipped = dict(found.skipped)
        corpus = cls(skipped=skipped, links=found.links, paths=paths, gone=found.gone)
        if not (options.source_root or options.follow_links):
            corpus.places = [place_of(path) for path in paths]
        if settings:
            corpus._process = ReadingProcess(settings.read_seconds)
            # Documents of another computer can't be looked for.
            if options.source_root or settings.neo4j_is_here:
                corpus.is_lost = partial(is_lost, root=options.source_root)
        corpus.n_bytes = sum(map(_size, found.files))
        corpus.items = corpus._read_all(found, options)
        corpus.unreadable += found.unreadable
        return corpus

    @classmethod
    def of_documents(cls, documents: Iterable[object]) -> "Corpus":
        """A corpus of our documents or those of LangChain, in their order."""
        return cls(_numbered(documents))

    async def documents(self) -> AsyncIterator[Document]:
        """The documents in order; the reasons for unreadable files are added to `unreadable`."""
        try:
            iterator = iter(self.items)
            while some := await anyio.to_thread.run_sync(_some, iterator, abandon_on_cancel=True):
                for item in some:
                    if isinstance(item, Unreadable):
                        self.unreadable.append(item)
                    elif not is_indexable(item.source, LONGEST_SOURCE):
                        beginning = f"{item.source[:BEGINNING]} … {item.source[-BEGINNING:]}"
                        self.unreadable.append(Unreadable(beginning, TOO_LONG))
                    else:
                        yield item
        finally:
            self._process.stop()

    async def read(self, stage: str, listen: Listener) -> AsyncIterator[tuple[Document, Share]]:
        """The documents in order for a stage, each with its share of the progress.

        Progress is in bytes of files; without files each document is 1.
        """
        in_bytes = self.n_bytes is not None
        listen(Started(stage, self.n_bytes, "bytes") if in_bytes else Started(stage))
        async for document in self.documents():
            yield document, Share(self._sizes.pop(document.source, 0) if in_bytes else 1, listen)
        # What no document accounts for.
        if rest := self._left + sum(self._sizes.values()):
            listen(Advanced(rest))
        self._left, self._sizes = 0, {}

    def reasons(self) -> dict[str, str]:
        """The reasons why a source was not read, or not as a whole, by source."""
        found: dict[str, list[str]] = {}
        for one in self.unreadable:
            found.setdefault(one.source, []).append(one.reason)
        return {source: "; ".join(reasons) for source, reasons in found.items()}

    def notices(self) -> list[str]:
        """Notices about how the files were read, each of a sentence or two."""
        found = [self.lost] if self.lost else []
        if self.paths and not self.n_bytes and not self.links and not self.gone:
            found.append("There is no file with text that can be read.")
        if self.skipped:
            kinds = (_kind(suffix, n) for suffix, n in sorted(self.skipped.items()))
            found.append(f"Skipped, since they can't be read: {', '.join(kinds)}.")
        if unread := self.reasons():
            n = len(unread)
            what = "1 source" if n == 1 else f"{n:,} sources"
            found.append(f"{what} can't be read, for reasons that follow: {_listed(unread, n)}.")
        if n := len(self.links):
            links, verb = ("link leads", "was") if n == 1 else ("links lead", "were")
            found.append(
                f"{n:,} symbolic {links} out of the folder and {verb} not followed: "
                f"{_listed(map(str, self.links), n)}. --follow-links follows such links."
            )
        for sentence, files in sorted(self.remarks.items()):
            n, names = len(files), [name for name, _ in files]
            said = sentence.replace("{n}", f"{sum(number for _, number in files):,}")
            found.append(f"{n:,} file{'s' * (n > 1)} ({_listed(names, n)}): {said}.")
        return found

    def _read_all(self, found: DiscoveredFiles, options: ReadOptions) -> Iterator[Item]:
        """The items of all files; each accounts for its text, and for what files before had left.

        Once all rows of a file are read, `tables` says how many there are.
        """

        def tell(path: Path, remark: Remark) -> None:
            self.remarks.setdefault(remark.sentence, []).append((str(path), remark.n))

        read_files = self.read_files or self._one_by_one
        left = 0
        for path, items in read_files(found.files, options, tell):
            unread, rows, unreadable = _size(path), 0, False
            for item in items:
                n_bytes = min(unread, len(item.text) if isinstance(item, Document) else 0)
                unread -= n_bytes
                self._sizes[item.source] = self._sizes.get(item.source, 0) + n_bytes + left
                left = 0
                unreadable |= isinstance(item, Unreadable)
                rows += 1
                yield item
            left += unread
            if holds_rows(path):
                self.tables[source_of(path, options)] = None if unreadable else rows
        self._left = left

    def _one_by_one(
        self, files: Iterable[Path], options: ReadOptions, tell: Tell
    ) -> Iterator[tuple[Path, Iterable[Item]]]:
        for path in files:
            yield path, read(path, options, partial(tell, path), self._process)


def _path(given: str | Path) -> str | Path:
    """A path of a caller. Raises InputError for a text, which is hardly a path and matches none."""
    path = str(check_path(given, "A path"))
    if LIKE_A_TEXT.search(path) and not (os.path.exists(path) or glob(path)):  # noqa: PTH110, PTH207 - pathlib takes no long text
        said = f"{path!r:.50} isn't a path, and looks like a text: give [Document(text, source)]."
        raise InputError(said)
    return given


def _numbered(documents: Iterable[object]) -> Iterator[Document]:
    """The documents of a caller. An error about one names its place in the list."""
    for number, one in enumerate(documents, start=1):
        try:
            yield one if isinstance(one, Document) else from_langchain(one)
        except InputError as error:
            raise InputError(f"Document {number} of the list: {error}") from None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # reading the file reports it
        return 0


def _kind(suffix: str, n: int) -> str:
    """A number of files of a kind that can't be read, and what helps."""
    kind = f"of type {suffix}" if suffix else "without a file extension"
    hint = f" (save as {SAVED_AS[suffix]})" if suffix in SAVED_AS else ""
    return f"{n:,} file{'s' * (n > 1)} {kind}{hint}"


def _listed(names: Iterable[str], n: int) -> str:
    """The first names, and the number of the others."""
    first = [name for name, _ in zip(names, range(NAMED), strict=False)]
    return ", ".join(first) + (f" and {n - NAMED:,} more" if n > NAMED else "")


def _some(iterator: Iterator[Item]) -> list[Item]:
    """The next items: at most AT_ONCE, fewer where they are large."""
    some: list[Item] = []
    characters = 0
    for item in iterator:
        some.append(item)
        characters += len(item.text) if isinstance(item, Document) else 0
        if len(some) == AT_ONCE or characters >= ENOUGH:
            break
    return some
