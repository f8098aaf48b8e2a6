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
from dataclasses import dataclass, field

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.index.evidence import claim_id, link, pair_id
from graphrag_neo4j.index.importing.tables import (
    ClaimRow,
    DocumentRow,
    EntityRow,
    RelationshipRow,
    Tables,
    UnitRow,
)
from graphrag_neo4j.llm.extraction import claim_record
from graphrag_neo4j.model import (
    ChunkText,
    ClaimRecord,
    Claims,
    DescribedThing,
    Document,
    EntityRecord,
    Extraction,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    RelationshipRecord,
    Span,
    Step,
    WrittenReport,
)
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.text import entity_id, identify, name_key
from graphrag_neo4j.text.tokens import CountTokens

__all__ = ["Counted", "IdMap", "ImportedEvidence", "Placed", "UnitCuts", "place"]

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
    unlisted = [DocumentRow(id_, "", "", {}) for id_ in units if id_ not in listed]
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
    `implied` counts nodes without a row of their own, `unmapped` rows that became no node.
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


@dataclass(slots=True)
class _Chunk:
    """The records of one chunk, collected row by row."""

    entities: list[EntityRecord] = field(default_factory=list)
    relationships: list[RelationshipRecord] = field(default_factory=list)
    claims: list[ClaimRecord] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)

    def named(self) -> dict[str, str]:
        """The names of the entities that the chunk mentions by id."""
        ends = [name for one in self.relationships for name in (one.source, one.target)]
        return {entity_id(name): name for name in (*ends, *(one.name for one in self.entities))}


class ImportedEvidence:
    """The records of the tables by chunk, as an IndexBackend that needs no model.

    `units`, `entities`, `pairs` and `claims` say what the rows become. `implied` holds the entities
    that only relationships mention, and those that only claims mention.
    """

    origin: Origin = "model"
    quotes = False
    summary_batch = 1

    def __init__(self, tables: Tables, chunks: Sequence[tuple[UnitRow, str]]) -> None:
        self.chunks: defaultdict[str, _Chunk] = defaultdict(_Chunk)
        self.units, self.entities, self.pairs, self.claimed = (IdMap() for _ in range(4))
        self.entity_of: dict[str, str] = {}
        self._chunks_of: defaultdict[str, list[str]] = defaultdict(list)
        for unit, chunk in chunks:
            self._chunks_of[unit.id].append(chunk)
            self.units.enter(unit.number, chunk)
        for entity in tables.entities:
            self._add_entity(entity)
        for relationship in tables.relationships:
            self._add_relationship(relationship)
        for claim in tables.claims:
            self._add_claim(claim)
        by_ends: set[str] = set()
        by_claims: set[str] = set()
        for records in self.chunks.values():
            named = records.named()
            by_ends |= named.keys()
            subjects = [link(n, named) for c in records.claims for n in (c.subject, c.object)]
            by_claims |= {one[0] for one in subjects if one}
        own = self.entities.nodes
        self.implied = by_ends - own, by_claims - by_ends - own

    def _chunks(self, units: Sequence[str]) -> list[str]:
        return [chunk for unit in units for chunk in self._chunks_of.get(unit, ())]

    def _add_entity(self, row: EntityRow) -> None:
        chunks = self._chunks(row.units)
        if not (name_key(row.name) and chunks):
            return
        id_ = entity_id(row.name)
        self.entities.enter(row.number, id_)
        self.entity_of[row.id] = id_
        for chunk in chunks:
            record = EntityRecord(row.name, row.type, row.description)
            self.chunks[chunk].entities.append(record)

    def _add_relationship(self, row: RelationshipRow) -> None:
        chunks = self._chunks(row.units)
        ends = {name_key(row.source), name_key(row.target)} - {""}
        if len(ends) < 2 or not chunks:
            return
        self.pairs.enter(row.number, pair_id(entity_id(row.source), entity_id(row.target)))
        strength = max(0.0, (len(chunks) if row.weight is None else row.weight) / len(chunks))
        record = RelationshipRecord(row.source, row.target, row.description, strength)
        for chunk in chunks:
            self.chunks[chunk].relationships.append(record)

    def _add_claim(self, row: ClaimRow) -> None:
        for chunk in self._chunks([row.unit])[:1]:
            records = self.chunks[chunk]
            claim = claim_record(row.fields, records.unusable)
            if claim:
                records.claims.append(claim)
                self.claimed.enter(row.number, claim_id(chunk, claim))

    def signature(self, step: Step) -> str:
        """The same for all imports: their chunks were not read by our index backends."""
        return identify("import", step)

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """The entities and relationships whose rows list the text unit."""
        yield from ()
        records = self.chunks[chunk.id]
        return Extraction(records.entities, records.relationships)

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """The claims whose rows list the text unit."""
        yield from ()
        records = self.chunks[chunk.id]
        return Claims(records.claims, unusable=records.unusable)

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Not used: an import joins descriptions without a model."""
        raise NotImplementedError

    def report(self, context: str, material: ReportMaterial) -> LLMTask[WrittenReport]:
        """Not used: an import saves the reports of the tables."""
        raise NotImplementedError

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Not used: an import compares no names."""
        raise NotImplementedError
