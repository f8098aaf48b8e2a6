"""Where a chunk stands in its document, and what went before it.

    The Law, 2021-03-04 – Part 1 › Courts     the title, the date, the headings above the chunk
    Ada Lovelace:                             who goes on to speak

The header of a chunk tells what its text does not: a model, the sentence encoder and full-text
search read it before the text. It is no part of the text, nor of the id of the chunk.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from graphrag_neo4j.documents import name_of
from graphrag_neo4j.graph.connection import Row
from graphrag_neo4j.model.types import Document, Span
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.sentences import turns, written
from graphrag_neo4j.text.strings import flat, identify, shortened

# Tokens of the pieces of a header, at most: with what stands between them, 30 together.
OF_TITLE, OF_DATE, OF_HEADINGS, OF_SPEAKER = 8, 6, 8, 5
VERSION: Final = 1  # increase it with every change of the places or headers of a document
ISO_TIME = re.compile(r"(?<=^\d{4}-\d\d-\d\d)[T ].*")
BELOW: Final = " › "


class _Place(NamedTuple):
    """Where a part begins, its label with the headings above it, and these headings alone.

    `heading` is where the last of them begins.
    """

    start: int
    label: str
    headings: tuple[str, ...]
    heading: int


NOWHERE: Final = _Place(0, "", (), 0)


def own_title(document: Document) -> str:
    """The title that a document states; "" where it is only the name of its file."""
    name = name_of(document.source)
    of_file = "." in name and document.title.startswith(name)
    return "" if of_file else flat(document.title)


def places_hash(document: Document, fields: Iterable[str]) -> str:
    """A hash of what decides the places and headers of chunks, beside text and title."""
    named = [f"{name}: {document.metadata.get(name)}" for name in ("date", *fields)]
    parts = [f"{part.start} {part.level} {part.label}" for part in document.parts]
    return identify("places", VERSION, str(document.first_line), *named, *parts)


def places_and_headers(
    document: Document, fields: Collection[str], spans: Iterable[Span]
) -> Iterator[Row]:
    """For each chunk, what its node holds of its place, and its header; None for what is not there.

    `parts` are labels such as "page 3" or "Part 1 › Courts", and `part_starts` the characters of
    the document where these begin; the first is the one that the chunk begins in. `line` is the
    line of the file that the chunk begins in, and `speaker` who goes on to speak. `fields` names
    the metadata that the header also tells.
    """
    known = {"title": document.title, **document.metadata}
    told = [f"{name}: {known[name]}" for name in fields if known.get(name) is not None]
    own = {
        "title": shortened(own_title(document), OF_TITLE, tokens.count),
        "date": shortened(ISO_TIME.sub("", flat(known.get("date"))), OF_DATE, tokens.count),
    }
    about = ", ".join(one for name, one in own.items() if one and name not in fields)
    places, speeches = list(_places(document)), turns(document.text)
    starts, begun = [place.start for place in places], [start for start, _ in speeches]
    # Nobody knows where the last turn ends: it counts for as long as the longest one before it.
    longest = max((end - start for start, end in pairwise(begun)), default=0)
    line, counted = document.first_line, 0
    for span in spans:
        if line is not None:
            line += document.text.count("\n", counted, span.start)
            counted = span.start
        first = span.end - len(document.text[span.start : span.end].lstrip())
        before = bisect_right(starts, first)
        held = places[max(before - 1, 0) : bisect_left(starts, span.end)]
        above = places[before - 1] if before else NOWHERE
        turn = bisect_right(begun, first) - 1
        # A turn that begins with the chunk needs no header, and a heading ends a turn.
        goes_on = turn >= 0 and above.heading <= begun[turn] < first <= begun[turn] + longest
        speaker = written(speeches[turn][1]) if goes_on else ""
        speaks = f"{shortened(speaker, OF_SPEAKER, tokens.count)}:" if speaker else ""
        stands = " – ".join(filter(None, (about, _shortened_path(above.headings))))
        yield {
            "header": "\n".join(filter(None, (*told, stands, speaks))) or None,
            "speaker": speaker or None,
            "line": line,
            "parts": [place.label for place in held] or None,
            "part_starts": [place.start for place in held] or None,
        }


def _places(document: Document) -> Iterator[_Place]:
    page, headings, heading = "", dict[int, str](), 0
    for part in document.parts:
        if part.level:
            headings = {level: one for level, one in headings.items() if level < part.level}
            headings[part.level] = part.label
            heading = part.start
        else:
            page = part.label
        # The title is told before the headings, so it isn't told again.
        path = tuple(one for one in headings.values() if one != document.title)
        label = ", ".join(filter(None, (page, BELOW.join(path))))
        yield _Place(part.start, label, path, heading)


def _shortened_path(headings: Sequence[str]) -> str:
    """The headings above a chunk, the innermost first to be kept."""
    for first in range(len(headings)):
        path = BELOW.join(headings[first:])
        if tokens.count(path) <= OF_HEADINGS:
            return path
    return shortened(headings[-1], OF_HEADINGS, tokens.count) if headings else ""
