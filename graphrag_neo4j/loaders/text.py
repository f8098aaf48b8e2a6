"""Opens text files, and reads plain text, Markdown and reStructuredText."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import psutil

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.loaders.encodings import UTF8, encoding_in
from graphrag_neo4j.loaders.sources import MEGABYTE, ReadOptions, part_of
from graphrag_neo4j.model import Document, Scalar

__all__ = ["TAG_BYTES", "TEXTS", "Content", "File", "read_text"]

LARGEST_PART = 10_000_000  # characters of a document of a text file; no usual book has so many
LARGE = 100 * MEGABYTE  # bytes of a file to parse for which the memory is checked
TIMES = 8  # the memory that short rows of json take with their text, as a multiple of its bytes
# The bytes of a file's limit that a tag of HTML or XML counts for. In memory it takes several times
# as much, but so does a value of json.
TAG_BYTES = 100
MARKDOWN_HEADING = re.compile(r"^#{1,6}[ \t]++(.+)$|^(\S.*)\n=+[ \t]*$", re.MULTILINE)
RST_HEADING = re.compile(r"^(\S.*)\n([=\-~^\"'`#*+.:_])\2{2,}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a file, with its title and metadata."""

    text: str
    title: str = ""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `guessed` gets the encoding of a file that is not UTF-8."""

    path: Path
    options: ReadOptions
    guessed: Callable[[str], None]

    def open(self, newline: str | None = None) -> TextIO:
        """Opens the file as text; `newline` is that of Python's `open`.

        Raises InputError if no encoding fits, and OSError.
        """
        encoding = encoding_in(self.path, self.options.encoding)
        if encoding is None:
            raise InputError(
                "is not text in UTF-8, nor in an encoding that can be recognised: save it as "
                "UTF-8, or name its encoding by --encoding"
            )
        if encoding not in (UTF8, self.options.encoding):
            self.guessed(encoding)
        return self.path.open(encoding=encoding, newline=newline)

    def parts(self) -> Iterator[str]:
        """The text with line feeds as line ends, in parts of at most LARGEST_PART characters.

        A part ends after a paragraph, or else after a line or a word, or anywhere. White space
        after the last part is left out. Raises as `open` does, and UnicodeError; both before the
        first part is given, so that a text is read as a whole or not at all.
        """
        with self.open() as file:
            held = file.read(LARGEST_PART + 1)
            long = len(held) > LARGEST_PART
            if long:
                self._check_rest(file.encoding)
            while len(held) > LARGEST_PART:
                end = _end_of_part(held)
                yield held[:end]
                held = held[end:] + file.read(LARGEST_PART + 1 - len(held) + end)
            if not long or held.strip():
                yield held

    def _check_rest(self, encoding: str) -> None:
        """Raises UnicodeError if a long text is not in this encoding to its end."""
        with self.path.open(encoding=encoding) as file:
            while file.read(MEGABYTE):
                pass

    def text_to_parse(self) -> str:
        """The text of a file that is parsed as a whole. Raises as `parts` does.

        Raises InputError, too, if the file is larger than the limit or than the memory allows.
        """
        n_bytes = self.path.stat().st_size
        self.options.refuse_larger(n_bytes, "holds")
        _refuse_too_large_for_memory(n_bytes)
        return "".join(self.parts())


def read_text(file: File, source: str) -> Iterator[Document]:
    """Gives the text as it is, in one document or, if it is very long, in one for each part.

    The first part has the source of the file, so a text that grows beyond one part keeps it.
    Raises InputError if no encoding fits, OSError and UnicodeError.
    """
    title = ""
    for number, text in enumerate(file.parts(), 1):
        if number == 1:
            title = TEXTS[file.path.suffix.lower()](text) or file.path.name
            yield Document(text, source, title)
        else:
            named = f"{title}, part {number}"
            yield Document(text, part_of(source, number), named, {"part": number})


def _refuse_too_large_for_memory(n_bytes: int) -> None:
    """Otherwise the system would end the process without a word."""
    free = psutil.virtual_memory().available
    if n_bytes > LARGE and n_bytes * TIMES > free:
        held, needed, left = (f"{n / MEGABYTE:,.0f} MB" for n in (n_bytes, n_bytes * TIMES, free))
        raise InputError(
            f"holds {held} of text, which take {needed} of memory, and {left} are free: "
            "split it into several files"
        )


def _end_of_part(text: str) -> int:
    for border in ("\n\n", "\n", " "):
        if (place := text.rfind(border, LARGEST_PART // 2, LARGEST_PART)) >= 0:
            return place + len(border)
    return LARGEST_PART


def _no_title(_: str) -> str:
    return ""


def _markdown_title(text: str) -> str:
    """The first heading."""
    heading = MARKDOWN_HEADING.search(text)
    title = (heading[1] or heading[2]).strip() if heading else ""
    closed = heading is not None and heading[1] is not None  # as in "# Title #"
    return title.rstrip("# \t") or title if closed else title


def _restructured_title(text: str) -> str:
    """The first heading."""
    heading = RST_HEADING.search(text)
    return heading[1].strip() if heading else ""


TEXTS: Mapping[str, Callable[[str], str]] = {
    ".txt": _no_title,
    ".md": _markdown_title,
    ".rst": _restructured_title,
}
"""By suffix: a function that finds the title of a text."""
