"""Unit alignment: finds the places of text units in their document, so that they become chunks.

A unit may begin with lines of metadata ("title: book.txt.") that were put before its text, and its
ends may be half a character, because it was cut between two tokens. If a document has no text, or
if one of its units is not found in it, its text is made of its units, joined in order.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphrag_neo4j.ids import identify
from graphrag_neo4j.importers.rows import DocumentRow, Tables, UnitRow
from graphrag_neo4j.model import Document, Span
from graphrag_neo4j.tokens import CountTokens

__all__ = ["Placed", "UnitCuts", "place"]

METADATA_LINE = re.compile(r"[^\s:][^:]*: .*")
BROKEN = "\ufffd\ufeff"
PREFIX = "graphrag:"


@dataclass(frozen=True, slots=True)
class Placed:
    """A document and its units in order, with the characters [start, end) of each.

    `found` is True if all units were found in its own text, `listed` if it has a row of its own.
    """

    document: Document
    units: tuple[UnitRow, ...]
    places: tuple[tuple[int, int], ...]
    found: bool
    listed: bool


class UnitCuts:
    """Cuts each document into its units; `count` counts the tokens of a text."""

    prepend = ()
    signature = identify("cutting", "import")

    def __init__(self, placed: Iterable[Placed], count: CountTokens) -> None:
        self._places = {one.document.source: one.places for one in placed}
        self._count = count

    def ahead(self, documents: Sequence[Document], /) -> None:
        """Does nothing: the units are known."""

    def spans(self, document: Document, _progress: object = None, /) -> list[Span]:
        """The places of the units of a document."""
        places = self._places[document.source]
        before = [0, *(end for _, end in places)]
        return [
            Span(start, min(max(start, last), end), end, self._count(document.text[start:end]))
            for (start, end), last in zip(places, before, strict=False)
        ]


def place(tables: Tables) -> list[Placed]:
    """All documents with their units; a document without a row is made of its units."""
    units: defaultdict[str, list[UnitRow]] = defaultdict(list)
    for unit in tables.units:
        if unit.text:
            units[unit.document].append(unit)
    listed = {row.id: row for row in tables.documents}
    rows = [*listed.values(), *(_unlisted(id_) for id_ in units if id_ not in listed)]
    return [
        _placed(row, source, units[row.id], listed=row.id in listed)
        for row, source in zip(rows, _sources(rows), strict=True)
    ]


def _unlisted(id_: str) -> DocumentRow:
    return DocumentRow(id_, "", "", {})


def _sources(rows: Sequence[DocumentRow]) -> Iterator[str]:
    """The source of each document: its title, mostly a file name, with its id if not unique."""
    titles = Counter(row.title for row in rows)
    given: set[str] = set()
    for row in rows:
        source = row.title or f"{PREFIX}{row.id or 'text_units'}"
        while source in given or titles[source] > 1:
            source += f"#{row.id}"
        given.add(source)
        yield source


def _placed(row: DocumentRow, source: str, units: Sequence[UnitRow], *, listed: bool) -> Placed:
    text, places = row.text, _places(row.text, units)
    found = places is not None
    if places is None:
        text, places = _joined(units)
    document = Document(text, source, row.title, row.metadata)
    return Placed(document, tuple(units), tuple(places), found, listed)


def _places(text: str, units: Iterable[UnitRow]) -> list[tuple[int, int]] | None:
    """The place of each unit: the first one after the place of the unit before; None if missing."""
    places = []
    start, end = -1, 0
    for unit in units:
        found = _find(unit.text, text, start + 1, end)
        if found is None:
            return None
        places.append(found)
        start, end = found
    return places


def _find(unit: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    """The first place of a unit from `start` on that ends at or after `end`, without metadata."""
    body = unit
    while True:
        inner = body.strip(BROKEN)
        at = text.find(inner, max(start, end - len(inner))) if inner else -1
        if at >= 0:
            return at, at + len(inner)
        line, newline, body = body.partition("\n")
        if not (newline and METADATA_LINE.fullmatch(line)):
            return None


def _joined(units: Iterable[UnitRow]) -> tuple[str, list[tuple[int, int]]]:
    text, places = "", []
    for unit in units:
        places.append((len(text), len(text) + len(unit.text)))
        text += unit.text + "\n"
    return text, places
