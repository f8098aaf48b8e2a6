"""Evidence: what one chunk said, as rows for the graph, and the removal of what no chunk says.

Each row depends on its chunk alone. The order and the repetition of records make no difference:
parallel lists are sorted, and equal records of a chunk count once.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypedDict, TypeVar

from graphrag_neo4j.graph.connection import Row, Transaction
from graphrag_neo4j.graph.rows import IdsRow
from graphrag_neo4j.model.types import ChunkText, ClaimRecord, Extraction
from graphrag_neo4j.text.strings import (
    clean_name,
    entity_id,
    entity_ids,
    find_quote,
    identify,
    is_indexable,
    looks_like_name,
    pair_id,
)

T = TypeVar("T")
NameAndType = tuple[str, str | None]
"""A name that a chunk uses, and the type that it gives with it; None where it gives none."""
Uses = Sequence[tuple[Sequence[tuple[Sequence[NameAndType], int]], int]]
"""The names and types that documents use for an entity.

For each number of documents that use the same: what their chunks use, and in how many chunks of a
document each.
"""
Votes = tuple[int, int]
"""How many documents use something, and how many chunks of them: compared in this order."""
RefKind = Literal["chunk", "entity", "claim", "relationship", "community", "decision"]
REFS: Final[Mapping[RefKind, str]] = {
    "chunk": "evidence/refs_chunk",
    "entity": "evidence/refs_entity",
    "claim": "evidence/refs_claim",
    "relationship": "evidence/refs_relationship",
    "community": "evidence/refs_community",
    "decision": "evidence/refs_decision",
}
"""The statements that reserve refs."""
UNLISTED: Final = frozenset({"bytes", "Vector"})
"""The types of values that Neo4j keeps no list of."""


def claim_id(chunk: str, claim: ClaimRecord) -> str:
    """The id of a claim that a chunk makes."""
    parts = [
        claim.subject, claim.object, claim.type, claim.status, claim.start_date, claim.end_date,
        claim.description, claim.source_text,
    ]  # fmt: skip
    return identify("claim", chunk, *(f"{part}" if part else "" for part in parts))


def mention_rows(chunk: str, extraction: Extraction, speaker: str | None = None) -> list[Row]:
    """A row for each entity that a chunk mentions, also as an end of a relationship.

    It also mentions the speaker of its header.
    """
    described: defaultdict[str, set[tuple[str, str, str]]] = defaultdict(set)
    properties: defaultdict[str, list[Mapping[str, object]]] = defaultdict(list)
    spelled: defaultdict[str, set[str]] = defaultdict(set)
    for entity in extraction.entities:
        described[entity_id(entity.name)].add((entity.name, entity.type, entity.description))
        properties[entity_id(entity.name)].append(entity.properties)
    for relationship in extraction.relationships:
        for name in (relationship.source, relationship.target):
            spelled[entity_id(name)].add(name)
    if speaker and is_indexable(name := clean_name(speaker)):
        spelled[entity_id(name)].add(name)
    rows: list[Row] = []
    for entity_ in sorted(described.keys() | spelled.keys()):
        triples = sorted(described[entity_])
        rows.append(
            {
                "chunk": chunk,
                "entity": entity_,
                "names": [name for name, _, _ in triples] or sorted(spelled[entity_]),
                "types": [type_ for _, type_, _ in triples],
                "descriptions": [description for _, _, description in triples],
                "held": held(combined(properties[entity_])),
            }
        )
    return rows


def stated_rows(chunk: str, extraction: Extraction) -> list[Row]:
    """A row for each ordered pair of entities that a chunk states a relationship between."""
    statements: defaultdict[tuple[str, str], set[tuple[str, float, str]]] = defaultdict(set)
    properties: defaultdict[tuple[str, str], list[Mapping[str, object]]] = defaultdict(list)
    for one in extraction.relationships:
        ends = entity_id(one.source), entity_id(one.target)
        statements[ends].add((one.description, one.strength, one.predicate))
        properties[ends].append(one.properties)
    rows: list[Row] = []
    for (source, target), said in sorted(statements.items()):
        triples = sorted(said)
        predicates = [predicate for _, _, predicate in triples]
        rows.append(
            {
                "id": identify("stated", chunk, source, target),
                "chunk": chunk,
                "source": source,
                "target": target,
                "pair": pair_id(source, target),
                "descriptions": [description for description, _, _ in triples],
                "strengths": [strength for _, strength, _ in triples],
                "predicates": predicates if any(predicates) else None,
                "held": held(combined(properties[source, target])),
            }
        )
    return rows


def combined(places: Iterable[Mapping[str, object]]) -> dict[str, object]:
    """The properties that several places give: one value where they agree, else a sorted list.

    The list holds each value once, also those of lists. Values of several kinds become texts, as
    Neo4j keeps no list of them; but integers beside other numbers become such numbers.
    """
    given: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for properties in places:
        for name, value in properties.items():
            given[name][repr(value)] = value
    return {
        name: next(iter(values.values())) if len(values) == 1 else _listed(values.values())
        for name, values in sorted(given.items())
    }


def _listed(values: Iterable[Any]) -> list[object]:
    members = [one for value in values for one in (value if isinstance(value, list) else [value])]
    kinds = {
        # Points of one system, and times with or without a zone, are kinds of their own.
        (type(one), getattr(one, "srid", None), getattr(one, "tzinfo", None) is None)
        for one in members
    }
    types = {kind for kind, _, _ in kinds}
    if types == {int, float}:
        members = [float(one) for one in members]
    elif len(kinds) > 1 or any(kind.__name__ in UNLISTED for kind in types):
        members = [f"{one}".casefold() if isinstance(one, bool) else f"{one}" for one in members]
    by_text = sorted({repr(one): one for one in members}.items())
    return sorted(one for _, one in by_text)


def held(properties: Mapping[str, object]) -> Row:
    """The properties as a mention or a statement holds them: also their names, in one list."""
    return {**properties, "properties": [*properties]} if properties else {}


def properties_of(there: Mapping[str, Any]) -> dict[str, object]:
    """The properties among all that a mention or a statement holds."""
    return {name: there[name] for name in there.get("properties") or ()}


def pair_rows(stated: Iterable[Row]) -> list[Row]:
    """A row for each unordered pair of `stated_rows`; it starts at the smaller id."""
    pairs = {str(row["pair"]): sorted((str(row["source"]), str(row["target"]))) for row in stated}
    return [{"id": id_, "start": ends[0], "end": ends[1]} for id_, ends in sorted(pairs.items())]


def claim_rows(
    chunk: ChunkText, claims: Iterable[ClaimRecord], named: Mapping[str, str]
) -> list[Row]:
    """A row for each distinct claim of a chunk.

    `named` holds the names of the entities that the chunk mentions by id. In a row, `subject` and
    `object` are (entity id, spelling), or None where the text is not a name; then the text is a
    property.
    """
    rows = {}
    for claim in claims:
        row = _claim_row(chunk, claim, named)
        rows[str(row["id"])] = row
    return [rows[id_] for id_ in sorted(rows)]


def _claim_row(chunk: ChunkText, claim: ClaimRecord, named: Mapping[str, str]) -> Row:
    id_ = claim_id(chunk.id, claim)
    subject, object_ = link(claim.subject, named), link(claim.object, named)
    place = find_quote(claim.source_text, chunk.text)
    return {
        "id": id_,
        "chunk": chunk.id,
        "subject": subject,
        "object": object_,
        "properties": {
            "id": id_,
            "type": claim.type,
            "status": claim.status,
            "start_date": claim.start_date,
            "end_date": claim.end_date,
            "description": claim.description,
            "source_text": claim.source_text,
            "start": place[0] if place else None,
            "end": place[1] if place else None,
            "subject_text": None if subject else claim.subject,
            "object_text": None if object_ else claim.object,
        },
    }


def link(name: str | None, named: Mapping[str, str]) -> tuple[str, str] | None:
    """The entity of a claim's subject or object, as (id, spelling); None if it is not an entity.

    A name that the chunk mentions in another case only is the name that it mentions.
    """
    if name is None:
        return None
    own, other = entity_ids(name)
    if own not in named and other in named:
        return other, named[other]
    return (own, name) if own in named or looks_like_name(name) else None


def votes_for(uses: Uses, of: Callable[[NameAndType], T]) -> dict[T, Votes]:
    """The votes for all that `of` gives for a use.

    Each document has one vote for it, and each chunk: what one of them repeats counts no more.
    """
    votes: defaultdict[T, Votes] = defaultdict(lambda: (0, 0))
    for document, documents in uses:
        chunks = Counter[T]()
        for said, n in document:
            chunks.update(dict.fromkeys(map(of, said), n))
        for one, n in chunks.items():
            votes[one] = (votes[one][0] + documents, votes[one][1] + documents * n)
    return votes


def elected(votes: Mapping[str, Votes]) -> str | None:
    """The text with the most documents, then chunks; an empty text does not count.

    Of texts with equally many votes, the first by code point wins. None if there is no text.
    """
    best = min(((-n, -chunks, text) for text, (n, chunks) in votes.items() if text), default=None)
    return best[2] if best else None


class NewRefsRow(TypedDict):
    """The ids that have no ref yet, and the last ref that was given before theirs."""

    missing: list[str]
    before: int


async def give_refs(tx: Transaction, kind: RefKind, ids: Sequence[str]) -> dict[str, int]:
    """Gives a new ref to each of `ids` that the graph does not hold yet, in the order given."""
    rows = await tx.run(REFS[kind], NewRefsRow, ids=list(dict.fromkeys(ids)))
    return {id_: rows[0]["before"] + n for n, id_ in enumerate(rows[0]["missing"], start=1)}


async def with_refs(tx: Transaction, kind: RefKind, rows: Iterable[Row]) -> list[Row]:
    """The rows with new refs, in their order; None for an id that the graph already holds."""
    given = list(rows)
    refs = await give_refs(tx, kind, [str(row["id"]) for row in given])
    return [{**row, "ref": refs.get(str(row["id"]))} for row in given]


async def save_entities(tx: Transaction, names: Mapping[str, object]) -> None:
    """Saves entities by their ids, and marks them for the stage merge. New ones get these names."""
    rows = await with_refs(tx, "entity", ({"id": id_, "name": names[id_]} for id_ in names))
    await tx.run("extract/entities", rows=sorted(rows, key=lambda row: str(row["id"])))


async def save_pairs(tx: Transaction, stated: Iterable[Row]) -> None:
    """Saves the pairs of `stated_rows`, and marks them for the stage merge."""
    rows = await with_refs(tx, "relationship", pair_rows(stated))
    await tx.run("extract/pairs", rows=rows)


async def forget_extraction(tx: Transaction, chunks: Sequence[str]) -> tuple[list[str], list[str]]:
    """Removes STATED and MENTIONS of chunks; returns the ids of the pairs and entities to sweep."""
    pairs = await tx.run("evidence/forget_stated", IdsRow, chunks=chunks)
    entities = await tx.run("evidence/forget_mentions", IdsRow, chunks=chunks)
    return pairs[0]["ids"], entities[0]["ids"]


async def forget_claims(tx: Transaction, chunks: Sequence[str]) -> list[str]:
    """Removes the claims of chunks; returns the ids of the entities to sweep."""
    await tx.run("evidence/forget_claims", chunks=chunks)
    return (await tx.run("evidence/forget_claimed", IdsRow, chunks=chunks))[0]["ids"]


async def forget_chunks(tx: Transaction, chunks: Sequence[str]) -> None:
    """Removes chunks with all their evidence, and entities and pairs without other evidence."""
    if not chunks:
        return
    claimed = await forget_claims(tx, chunks)
    pairs, entities = await forget_extraction(tx, chunks)
    await tx.run("evidence/forget_chunks", chunks=chunks)
    await sweep_pairs(tx, pairs)
    await sweep_entities(tx, [*entities, *claimed])
    await mark_changed(tx)


async def mark_changed(tx: Transaction) -> None:
    """Marks the graph of entities as changed, so that its communities are made again."""
    await tx.run("graph/changed")


async def sweep_pairs(tx: Transaction, pairs: Sequence[str]) -> None:
    """Removes pairs that no chunk states."""
    await tx.run("evidence/sweep_related", pairs=pairs)


async def sweep_entities(tx: Transaction, entities: Sequence[str]) -> None:
    """Removes entities that no chunk mentions."""
    await tx.run("evidence/sweep_entities", entities=entities)
