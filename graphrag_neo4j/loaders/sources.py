"""The source of a document, which identifies it in later runs."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_from_bytes

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.loaders.encodings import is_encoding
from graphrag_neo4j.settings import MAX_FILE_MB

__all__ = [
    "MEGABYTE",
    "ReadOptions",
    "Unreadable",
    "file_of",
    "part_of",
    "resolve",
    "source_of",
    "whole_of",
]

MEGABYTE = 1_000_000
LATER_PART = re.compile(r"#part-\d+\Z")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options for reading files.

    The columns are those of csv and json files. Without `title_column`, a column "title" is used if
    it exists; without `id_column`, a row is identified by its content. Sources are relative to
    `source_root` if it is given. Symbolic links that lead out of a folder are followed only with
    `follow_links`. `encoding` is that of text files that are not UTF-8; without it, it is guessed.
    `max_file_mb`, in megabytes, replaces the setting KG_MAX_FILE_MB. Raises InputError if there is
    no such encoding.
    """

    text_column: str = "text"
    title_column: str | None = None
    id_column: str | None = None
    source_root: Path | None = None
    follow_links: bool = False
    encoding: str | None = None
    max_file_mb: int | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None and not is_encoding(self.encoding):
            raise InputError(f"There is no encoding {self.encoding!r}: cp1252 is one, for example.")

    @property
    def max_bytes(self) -> int:
        """The largest number of bytes of a file that is read as a whole, unpacked if packed."""
        return (self.max_file_mb or MAX_FILE_MB) * MEGABYTE

    def refuse_larger(self, n_bytes: int, does: str) -> None:
        """Raises InputError for a file of more bytes than the limit; `does` is the verb."""
        if n_bytes > self.max_bytes:
            raise InputError(
                f"{does} {n_bytes / MEGABYTE:,.0f} MB, more than the limit of "
                f"{self.max_bytes // MEGABYTE:,} MB: KG_MAX_FILE_MB sets another"
            )


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A source that gave no document, and the reason.

    `source` is that of a file, or the path of a folder. `reason` is the end of a sentence that
    follows the source; it names the row if it concerns one row alone.
    """

    source: str
    reason: str


def source_of(path: Path, options: ReadOptions) -> str:
    """The resolved path as a file URI, or relative to the source root if there is one.

    It never contains a "#", which separates the name of a row. Raises InputError for a path
    outside the root.
    """
    resolved = resolve(path)
    if options.source_root is None:
        return resolved.as_uri()
    root = resolve(options.source_root)
    if not resolved.is_relative_to(root):
        raise InputError(f"{path} lies outside the source root {root}: name one that holds it.")
    return _readable(resolved.relative_to(root).as_posix())


def file_of(source: str) -> str:
    """The source of the file that a row belongs to; the source of a file is returned as it is."""
    return source.partition("#")[0]


def part_of(source: str, number: int) -> str:
    """The source of the second or a later part of a long text with this source."""
    return f"{source}#part-{number}"


def whole_of(source: str) -> str:
    """The source of the long text that a part belongs to; any other source as it is."""
    return LATER_PART.sub("", source)


def resolve(path: Path) -> Path:
    """The absolute path without symlinks.

    Path.resolve() does the same, but raises RuntimeError at a loop before Python 3.13.
    """
    return Path(os.path.realpath(path))


def _readable(name: str) -> str:
    """A readable name; only characters that would make it ambiguous are percent-encoded."""
    return re.sub(r"[%#\udc80-\udcff]", lambda found: quote_from_bytes(os.fsencode(found[0])), name)
