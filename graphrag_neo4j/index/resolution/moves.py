"""Moves the evidence of spellings from one entity to another, in one transaction.

MENTIONS, STATED, SUBJECT and OBJECT of a spelling move; everything else is derived, and is marked
so that later stages make it again. The spelling of a mention or a claim is known from its name. A
statement keeps the spellings at its ends where they are not the entities' own. So each move can be
reversed, and leaves nothing behind.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from graphrag_neo4j.graph import (
    Row,
    Transaction,
    give_refs,
    mark_changed,
    sweep_entities,
    sweep_pairs,
)
from graphrag_neo4j.index.evidence import pair_id, pair_rows
from graphrag_neo4j.text import entity_id, identify

__all__ = ["Move", "Part", "Parts", "Place", "move_evidence", "read_mentions"]

Place = tuple[str, str]
"""The place of a mention: chunk and entity."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a chunk says about one spelling: (name, type, description) triples, or names alone.

    Both are empty for a spelling that only a claim of the chunk names.
    """

    described: tuple[tuple[str, str, str], ...] = ()
    named: tuple[str, ...] = ()


Parts = dict[str, Part]
"""The parts of a mention by spelling id."""


@dataclass(frozen=True, slots=True)
class Move:
    """Says where evidence goes: spellings as they are, to other entities.

    `targets` gives an entity by (entity that holds the evidence, spelling).
    """

    targets: Mapping[tuple[str, str], str]

    def parts(self, place: Place, spelling: str, part: Part) -> Iterable[tuple[str, str, Part]]:
        """The entities and spellings to which a part of a mention goes, with what goes there."""
        return [(*self.end(place[0], place[1], spelling), part)]

    def end(self, _chunk: str, holder: str, spelling: str) -> tuple[str, str]:
        """The entity and the spelling at an end of a statement or claim of a chunk."""
        return self.targets.get((holder, spelling), holder), spelling

    def name(self, name: str) -> str:
        """The new name of a claim whose subject or object moves."""
        return name


class MentionRow(TypedDict):
    """A mention, with the names that the claims of its chunk use for its entity."""

    chunk: str
    entity: str
    names: list[str]
    types: list[str]
    descriptions: list[str]
    claimed: list[str]


class StatedRow(TypedDict):
    """A statement; the spellings are None where they are those of the entities at its ends."""

    id: str
    chunk: str
    source: str
    target: str
    pair: str | None
    source_spelling: str | None
    target_spelling: str | None


class ClaimedRow(TypedDict):
    """The link of a claim to an entity; `type` is SUBJECT or OBJECT."""

    claim: str
    chunk: str
    type: str
    entity: str
    name: str


async def move_evidence(
    tx: Transaction, holders: Iterable[str], move: Move, names: Mapping[str, str]
) -> None:
    """Moves evidence of these entities, and removes those of them that become empty.

    `names` holds the ids of the entities that evidence goes to, with a name for each that is new.
    """
    holders = sorted(holders)
    # All is read first: how a mention is divided depends on the claims.
    mentions = await read_mentions(tx, holders)
    stated = await tx.run("resolve/stated", StatedRow, entities=holders)
    claimed = await tx.run("resolve/claimed", ClaimedRow, entities=holders)
    refs = await give_refs(tx, "entity", sorted(names))
    touched = {**dict.fromkeys(holders, ""), **names}
    rows: list[Row] = [{"id": x, "name": touched[x], "ref": refs.get(x)} for x in sorted(touched)]
    await tx.run("extract/entities", rows=rows)
    await _move_mentions(tx, mentions, move)
    by_id = {row["id"]: row for row in stated}  # a statement between two holders is read twice
    moved = [(row, _restated(row, move)) for _, row in sorted(by_id.items())]
    moved = [(row, new) for row, new in moved if _ends(row, "id") != _ends(new, "new")]
    await tx.run("resolve/restate", rows=[new for _, new in moved])
    pairs = pair_rows(new for _, new in moved if new["pair"])
    refs = await give_refs(tx, "relationship", [str(row["id"]) for row in pairs])
    await tx.run("extract/pairs", rows=[{**row, "ref": refs.get(str(row["id"]))} for row in pairs])
    claims: list[Row] = []
    for row in claimed:
        own = entity_id(row["name"])
        target, spelling = move.end(row["chunk"], row["entity"], own)
        if (target, spelling) != (row["entity"], own):
            claims.append({**row, "target": target, "new": move.name(row["name"])})
    await tx.run("resolve/reclaim", rows=claims)
    await sweep_pairs(tx, sorted({row["pair"] for row, _ in moved if row["pair"]}))
    await sweep_entities(tx, holders)
    await mark_changed(tx)


async def read_mentions(
    tx: Transaction, entities: Iterable[str] = (), places: Iterable[Place] = ()
) -> dict[Place, Parts]:
    """What the mentions of these entities, and those at these places, say about each spelling."""
    rows = await tx.run(
        "resolve/mentions",
        MentionRow,
        entities=sorted(entities),
        rows=[{"chunk": chunk, "entity": entity} for chunk, entity in sorted(places)],
    )
    return {(row["chunk"], row["entity"]): _parts(row) for row in rows}


def _parts(row: MentionRow) -> Parts:
    """A mention by spelling: first come the described names, then those without a description."""
    triples = list(zip(row["names"], row["types"], row["descriptions"], strict=False))
    named = row["names"][len(triples) :]
    return {
        spelling: Part(
            tuple(one for one in triples if entity_id(one[0]) == spelling),
            tuple(name for name in named if entity_id(name) == spelling),
        )
        for spelling in sorted({entity_id(name) for name in (*row["names"], *row["claimed"])})
    }


async def _move_mentions(tx: Transaction, before: Mapping[Place, Parts], move: Move) -> None:
    after: dict[Place, Parts] = {place: {} for place in before}

    def add(place: Place, spelling: str, part: Part) -> None:
        parts = after.setdefault(place, {})
        other = parts.get(spelling, Part())
        described = tuple(sorted({*part.described, *other.described}))
        named = () if described else tuple(sorted({*part.named, *other.named}))
        parts[spelling] = Part(described, named)

    for place, parts in before.items():
        for old, whole in parts.items():
            for entity, spelling, part in move.parts(place, old, whole):
                add((place[0], entity), spelling, part)
    for place, parts in (await read_mentions(tx, places=after.keys() - before.keys())).items():
        for spelling, part in parts.items():
            add(place, spelling, part)
    changed = {place: after[place] for place in sorted(after) if after[place] != before.get(place)}
    await tx.run(
        "resolve/unmention",
        rows=[{"chunk": p[0], "entity": p[1]} for p, parts in changed.items() if not parts],
    )
    rows = [_mention_row(place, parts) for place, parts in changed.items() if parts]
    await tx.run("extract/mentions", rows=rows)


def _mention_row(place: Place, parts: Parts) -> Row:
    described = sorted(one for part in parts.values() for one in part.described)
    named = sorted(name for part in parts.values() if not part.described for name in part.named)
    return {
        "chunk": place[0],
        "entity": place[1],
        "names": [*(name for name, _, _ in described), *named],
        "types": [type_ for _, type_, _ in described],
        "descriptions": [text for _, _, text in described],
    }


def _ends(row: Mapping[str, object], id_: str) -> tuple[object, ...]:
    return row[id_], row["source"], row["target"]


def _restated(row: StatedRow, move: Move) -> Row:
    """The statement after the move; its new id is made from the spellings at its ends."""
    source, one = move.end(row["chunk"], row["source"], row["source_spelling"] or row["source"])
    target, other = move.end(row["chunk"], row["target"], row["target_spelling"] or row["target"])
    return {
        "id": row["id"],
        "new": identify("stated", row["chunk"], one, other),
        "source": source,
        "target": target,
        "pair": None if source == target else pair_id(source, target),
        "source_spelling": None if one == source else one,
        "target_spelling": None if other == target else other,
    }
