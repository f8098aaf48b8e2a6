"""Text files: their encoding, and those kinds that are taken as they stand."""

import logging
import re
from codecs import getincrementaldecoder
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model import Scalar

__all__ = ["Content", "encoding_of", "markdown", "plain", "read_text", "restructured_text"]

log = logging.getLogger(__name__)

BLOCK = 1 << 20
MARKDOWN_HEADING = re.compile(r"^#{1,6}[ \t]++(.+)$|^(\S.*)\n=+[ \t]*$", re.MULTILINE)
RST_HEADING = re.compile(r"^(\S.*)\n([=\-~^\"'`#*+.:_])\2{2,}[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a file, and what else it says about itself."""

    text: str
    title: str = ""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)


def plain(path: Path) -> Content:
    """A file whose text is all there is."""
    return Content(read_text(path))


def markdown(path: Path) -> Content:
    """Markdown as it stands; the title is its first heading."""
    text = read_text(path)
    heading = MARKDOWN_HEADING.search(text)
    title = (heading[1] or heading[2]).strip() if heading else ""
    closed = heading is not None and heading[1] is not None  # as in "# Title #"
    return Content(text, title.rstrip("# \t") or title if closed else title)


def restructured_text(path: Path) -> Content:
    """reStructuredText as it stands; the title is its first heading."""
    text = read_text(path)
    heading = RST_HEADING.search(text)
    return Content(text, heading[1].strip() if heading else "")


def read_text(path: Path) -> str:
    """The text of a file, each line ended by one line feed. Raises as encoding_of does."""
    return path.read_text(encoding=encoding_of(path))


def encoding_of(path: Path) -> str:
    """UTF-8 (a byte order mark is not text), else what charset-normalizer makes of the file.

    Raises InputError if it makes nothing of it, and OSError. Only a file that is not UTF-8 is
    held in memory.
    """
    if _is_utf8(path):
        return "utf-8-sig"
    from charset_normalizer import from_path  # noqa: PLC0415 - rarely needed

    best = from_path(path).best()
    if best is None:
        raise InputError("is not text in UTF-8 or any other encoding: save it as UTF-8")
    log.debug("%s is not UTF-8; read as %s", path, best.encoding)
    return best.encoding


def _is_utf8(path: Path) -> bool:
    decoder = getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while block := file.read(BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
