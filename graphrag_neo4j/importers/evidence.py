"""An index backend that gives for each chunk the rows of its text unit; it needs no model.

The tables have one description for all text units of an element: it becomes evidence of each.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.claim_records import claim_record
from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.context.material import ReportMaterial
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.ids import entity_id, identify
from graphrag_neo4j.importers.id_map import IdMap
from graphrag_neo4j.importers.rows import ClaimRow, EntityRow, RelationshipRow, Tables, UnitRow
from graphrag_neo4j.indexing.evidence import claim_id, link, pair_id
from graphrag_neo4j.model import (
    ChunkText,
    ClaimRecord,
    Claims,
    DescribedThing,
    EntityRecord,
    Extraction,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    RelationshipRecord,
    Step,
    T,
    WrittenReport,
)
from graphrag_neo4j.text import name_key

__all__ = ["EvidenceRows", "ImportedEvidence", "run"]


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
    """The records of the tables by chunk, and the entities, pairs and claims that the rows become.

    `implied` holds the entities that only relationships mention, and those that only claims
    mention.
    """

    def __init__(self, tables: Tables, chunks: Sequence[tuple[UnitRow, str]]) -> None:
        self.chunks: defaultdict[str, _Chunk] = defaultdict(_Chunk)
        self.units, self.entities, self.pairs, self.claims = (IdMap() for _ in range(4))
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
        self.implied = self._implied()

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
                self.claims.enter(row.number, claim_id(chunk, claim))

    def _implied(self) -> tuple[set[str], set[str]]:
        by_ends: set[str] = set()
        by_claims: set[str] = set()
        for chunk in self.chunks.values():
            named = chunk.named()
            by_ends |= named.keys()
            subjects = [link(name, named) for c in chunk.claims for name in (c.subject, c.object)]
            by_claims |= {one[0] for one in subjects if one}
        return by_ends - self.entities.nodes, by_claims - by_ends - self.entities.nodes


class EvidenceRows:
    """An IndexBackend of the rows of an import."""

    def __init__(self, evidence: ImportedEvidence) -> None:
        self._chunks = evidence.chunks

    @property
    def origin(self) -> Origin:
        """Not used: an import saves the reports of the tables."""
        raise NotImplementedError

    @property
    def quotes(self) -> bool:
        """False: reports of an import are not made of quotations."""
        return False

    def signature(self, step: Step) -> str:
        """The same for all imports: their chunks were not read by our index backends."""
        return identify("import", step)

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """The entities and relationships whose rows list the text unit."""
        yield from ()
        records = self._chunks[chunk.id]
        return Extraction(records.entities, records.relationships)

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """The claims whose rows list the text unit."""
        yield from ()
        records = self._chunks[chunk.id]
        return Claims(records.claims, unusable=records.unusable)

    @property
    def summary_batch(self) -> int:
        """Not used: an import joins descriptions without a model."""
        return 1

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Not used: an import joins descriptions without a model."""
        raise NotImplementedError

    def report(self, context: str, material: ReportMaterial) -> LLMTask[WrittenReport]:
        """Not used: an import saves the reports of the tables."""
        raise NotImplementedError

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Not used: an import compares no names."""
        raise NotImplementedError


async def run(task: LLMTask[T]) -> T:
    """Returns the result of a task that yields no request."""
    return result_without_requests(task)
