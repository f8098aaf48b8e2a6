"""Makes the rows of the tables into documents with chunks, and into evidence of these chunks.

A text unit becomes a chunk at its place in its document. It may begin with lines of metadata
("title: book.txt.") that were put before its text, and its ends may be half a character, because it
was cut between two tokens. If a document has no text, or if one of its units is not found in it,
its text is made of its units, joined in order.

The tables have one description for all text units of an element: it becomes evidence of each.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from graphrag_neo4j.extras.importing.tables import (
    WEIGHTLESS,
    ImportedDocumentRow,
    Stated,
    Tables,
    UnitRow,
)
from graphrag_neo4j.graph.schema import import_signature
from graphrag_neo4j.index.evidence import claim_id, link
from graphrag_neo4j.llm.tasks.extraction import claim_record
from graphrag_neo4j.model.types import (
    ChunkText,
    ClaimRecord,
    Claims,
    Document,
    EntityRecord,
    Extraction,
    LLMTask,
    Origin,
    RelationshipRecord,
    Span,
    Step,
)
from graphrag_neo4j.text.strings import entity_id, identify, is_indexable, name_key, pair_id
from graphrag_neo4j.text.tokens import CountTokens

METADATA_LINE = re.compile(r"[^\s:][^:]*: .*")
BROKEN = "\ufffd\ufeff"
PREFIX = "graphrag:"


@dataclass(frozen=True, slots=True)
class Placed:
    """A document and its units in order, with the characters [start, end) of each.

    `found` is True if all units were found in its own text, `listed` if it has a row.
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
    unlisted = [ImportedDocumentRow(id_, "", "", {}) for id_ in units if id_ not in listed]
    rows = [*listed.values(), *unlisted]
    made = []
    for row, source in zip(rows, _sources(rows), strict=True):
        own = units[row.id]
        text, places = row.text, _places(row.text, own)
        found = places is not None
        if places is None:
            ends, text = [0], ""
            for unit in own:
                text += unit.text + "\n"
                ends.append(len(text))
            places = [(start, end - 1) for start, end in itertools.pairwise(ends)]
        document = Document(text, source, row.title, row.metadata)
        made.append(Placed(document, tuple(own), tuple(places), found, row.id in listed))
    return made


def _sources(rows: Sequence[ImportedDocumentRow]) -> Iterator[str]:
    """The source of each document: its title, mostly a file name, with its id if not unique.

    In place of a title or an id that can't be indexed stands the hash of the id.
    """
    titles = Counter(row.title for row in rows)
    given: set[str] = set()
    for row in rows:
        source = row.title or f"{PREFIX}{row.id or 'text_units'}"
        while source in given or titles[source] > 1:
            source += f"#{row.id}"
        if not is_indexable(source):
            source = f"{PREFIX}{identify('document', row.id)}"
        given.add(source)
        yield source


def _places(text: str, units: Iterable[UnitRow]) -> list[tuple[int, int]] | None:
    """The place of each unit: the first one after the place of the unit before; None if missing."""
    places = []
    start, end = -1, 0
    for unit in units:
        body = unit.text
        while True:
            inner = body.strip(BROKEN)
            at = text.find(inner, max(start + 1, end - len(inner))) if inner else -1
            if at >= 0:
                break
            line, newline, body = body.partition("\n")
            if not (newline and METADATA_LINE.fullmatch(line)):
                return None
        start, end = at, at + len(inner)
        places.append((start, end))
    return places


@dataclass(frozen=True, slots=True)
class Counted:
    """The result for the rows of one table.

    `rows` is the number of all rows, and `made` the number of nodes that they became (pairs, in the
    case of relationships). `merged` counts the rows whose node another row had already made.
    `implied` counts nodes without a row, `unmapped` rows that became no node.
    """

    rows: int
    made: int
    merged: int
    implied: int
    unmapped: int


@dataclass(slots=True)
class IdMap:
    """The nodes that the rows of one table became, by the number of each row.

    Reports of the tables cite rows by their numbers. Where several rows became one node, the
    smallest number is its ref.
    """

    ids: dict[int, str] = field(default_factory=dict)
    refs: dict[str, int] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    entered: int = 0

    def enter(self, number: int | None, node: str) -> None:
        """Adds the node of a row; a number that another row already has keeps that row's node."""
        self.entered += 1
        self.nodes.add(node)
        if number is not None and self.ids.setdefault(number, node) == node:
            self.refs[node] = min(number, self.refs.get(node, number))

    def counted(self, rows: int, implied: Iterable[str] = ()) -> Counted:
        """The counts of the table; `rows` is the number of all its rows, `implied` other nodes."""
        made = len(self.nodes)
        return Counted(
            rows, made, self.entered - made, len({*implied} - self.nodes), rows - self.entered
        )


class ImportedEvidence:
    """The records of the tables by chunk, and what the rows become.

    It extracts as an IndexBackend does, without a model. `implied` holds the entities that only
    relationships mention, and those that only claims mention.
    """

    origin: Origin = "model"
    quotes = False
    summary_batch = 1

    def __init__(self, tables: Tables, chunks: Sequence[tuple[UnitRow, str]]) -> None:
        self._entities: defaultdict[str, list[EntityRecord]] = defaultdict(list)
        self._relationships: defaultdict[str, list[RelationshipRecord]] = defaultdict(list)
        self._claims: defaultdict[str, list[ClaimRecord]] = defaultdict(list)
        self._unusable: defaultdict[str, list[str]] = defaultdict(list)
        self.units, self.entities, self.pairs, self.claimed = (IdMap() for _ in range(4))
        self.entity_of: dict[str, str] = {}
        chunks_of: defaultdict[str, list[str]] = defaultdict(list)
        for unit, chunk in chunks:
            chunks_of[unit.id].append(chunk)
            self.units.enter(unit.number, chunk)

        def where(units: Iterable[str]) -> list[str]:
            return [chunk for unit in units for chunk in chunks_of[unit]]

        for entity in tables.entities:
            named_in = where(entity.units)
            if name_key(entity.what.name) and named_in:
                id_ = self.entity_of[entity.id] = entity_id(entity.what.name)
                self.entities.enter(entity.number, id_)
                for chunk in named_in:
                    self._entities[chunk].append(entity.what)
        for stated in tables.relationships:
            named_in = where(stated.units)
            one, other, weight = stated.what.source, stated.what.target, stated.what.strength
            if len({name_key(one), name_key(other)} - {""}) == 2 and named_in:
                self.pairs.enter(stated.number, pair_id(entity_id(one), entity_id(other)))
                strength = 1.0 if weight == WEIGHTLESS else weight / len(named_in)
                record = replace(stated.what, strength=strength)
                for chunk in named_in:
                    self._relationships[chunk].append(record)
        for row in tables.claims:
            self._add_claim(row, where(row.units)[:1])
        self.implied = self._implied(chunk for _, chunk in chunks)

    def _add_claim(self, row: Stated[tuple[str, ...]], chunks: Iterable[str]) -> None:
        for chunk in chunks:
            if claim := claim_record(row.what, self._unusable[chunk]):
                self._claims[chunk].append(claim)
                self.claimed.enter(row.number, claim_id(chunk, claim))

    def _implied(self, chunks: Iterable[str]) -> tuple[set[str], set[str]]:
        by_ends: set[str] = set()
        by_claims: set[str] = set()
        for chunk in chunks:
            ends = [x for one in self._relationships[chunk] for x in (one.source, one.target)]
            named = {entity_id(x): x for x in (*ends, *(one.name for one in self._entities[chunk]))}
            by_ends |= named.keys()
            about = [x for one in self._claims[chunk] for x in (one.subject, one.object)]
            by_claims |= {one[0] for name in about if (one := link(name, named))}
        own = self.entities.nodes
        return by_ends - own, by_claims - by_ends - own

    def signature(self, step: Step) -> str:
        """The same for all imports: their chunks were not read by our index backends."""
        return import_signature(step)

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """The entities and relationships whose rows list the text unit."""
        yield from ()
        return Extraction(self._entities[chunk.id], self._relationships[chunk.id])

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """The claims whose rows list the text unit."""
        yield from ()
        return Claims(self._claims[chunk.id], unusable=self._unusable[chunk.id])
