"""A passage of a document, and the place where a person finds it.

report.pdf (Annual Report 2020), page 3
notes.md, Part 1 › Courts
Bill Gates, in EP-52.txt, line 812
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self
from urllib.parse import unquote

from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.text.sentences import SentencedText, read_passage, written
from graphrag_neo4j.text.strings import excerpt, flat

LONGEST_TITLE = 80  # characters
_read = lru_cache(1_000)(read_passage)


def called(name: str, title: str, about: str = "") -> str:
    """What people call a document: its file's name, with its title where that is another.

    >>> called("a.pdf", "Annual Report", "2020"), called("a.txt", "a.txt")
    ('a.pdf (Annual Report; 2020)', 'a.txt')
    """
    file = name.rpartition("/")[2]
    own = "" if title.startswith(file) else excerpt(title, LONGEST_TITLE)
    told = "; ".join(filter(None, (own, about)))
    return f"{name} ({told})" if told else name


@dataclass(frozen=True, slots=True)
class Passage:
    """The characters [start, end) of a document, which are `text`.

    `document` is the document's source (a path or a URL), `title` its title, and `chunk` the ref of
    the chunk. `name` is what the file is called, with folders where two files have one name.
    `parts` are the labels of the pages or headings that it stands in, and `part_starts` the
    characters of the document where these begin. `line` is the line of the file that it begins
    with, and `speaker` who goes on to speak there. `copies` names files with the
    same text. What is not known is None or empty.
    """

    document: str
    title: str
    chunk: int
    start: int
    end: int
    text: str
    name: str = ""
    line: int | None = None
    speaker: str | None = None
    parts: Sequence[str] = ()
    part_starts: Sequence[int] = ()
    copies: Sequence[str] = ()

    @classmethod
    def of(cls, found: Mapping[str, Any], **more: Any) -> Self:  # noqa: ANN401 - of a subclass
        """A passage as the graph holds it: its columns by name, of which any but these may be None.

        These are `document`, `chunk`, `start` and `text`.
        """
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in found.items()
            if value is not None
        }
        end = known["start"] + len(known["text"])
        title = neutralised(flat(known.get("title")))
        return cls(**{**known, "title": title, "end": end, **more})

    @property
    def sentences(self) -> SentencedText:
        """The sentences of its text, with who says them."""
        return _read(self.text, self.speaker)

    def speaker_at(self, character: int) -> str | None:
        """Who says what stands at a character of the document; None if nobody is named."""
        at = character - self.start
        said = (one for one in self.sentences.sentences if one.start <= at < one.end)
        speaker = next((one.speaker for one in said), None)
        return written(speaker) if speaker else None

    def part_at(self, character: int) -> str:
        """The page or the headings that a character of the document stands below, "" for none."""
        part = bisect_right(self.part_starts, character) - 1
        return self.parts[part] if part >= 0 else ""

    def place_of(self, start: int, end: int, about: str = "") -> str:
        """Where a person finds the characters [start, end) of the document, and who says them.

        `about` follows the title.
        """
        line = self.line and self.line + self.text.count("\n", 0, start - self.start)
        part = unquote(self.document.partition("#")[2])  # of a file of many: a row, a node
        name = f"{self.name}#{part}" if self.name and part else self.name or self.document
        pieces = [called(name, self.title, about)]
        pieces += filter(None, [self.part_at(start)])
        pieces += [f"line {line:,}"] if line else []
        speakers = filter(None, [self.speaker_at(start), self.speaker_at(end - 1)])
        speaker = " and ".join(dict.fromkeys(speakers))
        pieces += [f"also {', '.join(self.copies)}"] if self.copies else []
        place = f"{speaker}, in {', '.join(pieces)}" if speaker else ", ".join(pieces)
        return neutralised(flat(place))
