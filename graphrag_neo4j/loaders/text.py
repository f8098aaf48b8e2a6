"""Opens text files, and reads plain text, Markdown and reStructuredText."""

import io
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import psutil

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.loaders.encodings import UTF8, encoding_in
from graphrag_neo4j.loaders.sources import MEGABYTE, ReadOptions
from graphrag_neo4j.model import Scalar

__all__ = ["TAG_BYTES", "Content", "File", "markdown", "plain", "restructured_text"]

BLOCK = 1 << 20  # characters
LARGE = 100 * MEGABYTE  # bytes of a text for which the memory is checked
TIMES = 4  # the memory that a text takes while it is cut into chunks, beside its size
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

    def text(self) -> str:
        """The text with line feeds as line ends. Raises as `open` does, and UnicodeError.

        Raises InputError, too, for a text that is too large for the free memory.
        """
        self._refuse_too_large_for_memory(self.path.stat().st_size)
        text = io.StringIO()  # reading all at once would hold the bytes beside the text
        with self.open() as file:
            shutil.copyfileobj(file, text, BLOCK)
        return text.getvalue()

    def _refuse_too_large_for_memory(self, n_bytes: int) -> None:
        """Otherwise the system would end the process without a word."""
        free = psutil.virtual_memory().available
        if n_bytes > LARGE and n_bytes * TIMES > free:
            held, needed, left = (
                f"{n / MEGABYTE:,.0f} MB" for n in (n_bytes, n_bytes * TIMES, free)
            )
            raise InputError(
                f"holds {held} of text, which take {needed} of memory, and {left} are free: "
                "split it into several files"
            )

    def text_to_parse(self) -> str:
        """The text of a file that is parsed as a whole. Raises as `text` does.

        Raises InputError, too, if the file is larger than the limit.
        """
        self.options.refuse_larger(self.path.stat().st_size, "holds")
        return self.text()


def plain(file: File) -> Content:
    """Reads a file of plain text."""
    return Content(file.text())


def markdown(file: File) -> Content:
    """Reads Markdown without changing it; the title is its first heading."""
    text = file.text()
    heading = MARKDOWN_HEADING.search(text)
    title = (heading[1] or heading[2]).strip() if heading else ""
    closed = heading is not None and heading[1] is not None  # as in "# Title #"
    return Content(text, title.rstrip("# \t") or title if closed else title)


def restructured_text(file: File) -> Content:
    """Reads reStructuredText without changing it; the title is its first heading."""
    text = file.text()
    heading = RST_HEADING.search(text)
    return Content(text, heading[1].strip() if heading else "")
