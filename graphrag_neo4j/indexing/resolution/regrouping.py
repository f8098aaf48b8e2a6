"""Moves the evidence of spellings from one entity to another, in one transaction.

MENTIONS, STATED, SUBJECT and OBJECT of a spelling move; everything else is derived, and is marked
so that the stages after this one make it again. The spelling of a mention or a claim is known from
its name. A statement keeps the spellings at its ends where they are not the entities' own. So each
move can be reversed, and leaves nothing behind.
"""

from collections.abc import Iterable, Mapping, Sequence

from graphrag_neo4j.graph import (
    Row,
    Transaction,
    give_refs,
    mark_changed,
    sweep_entities,
    sweep_pairs,
)
from graphrag_neo4j.ids import entity_id
from graphrag_neo4j.indexing.evidence import pair_id, pair_rows
from graphrag_neo4j.indexing.resolution.rows import ClaimedRow, MentionRow, StatedRow
from graphrag_neo4j.indexing.resolution.spelling_parts import Part, Parts, parts_of, put_together

__all__ = [
    "Moves",
    "Place",
    "by_place",
    "joined",
    "move_evidence",
    "replace_statements",
    "write_targets",
]

Moves = Mapping[tuple[str, str], str]
"""Where the evidence of a spelling goes: (the entity that holds it, the spelling) to an entity."""
Place = tuple[str, str]
"""The place of a mention: chunk and entity."""


async def move_evidence(tx: Transaction, moves: Moves, names: Mapping[str, str]) -> None:
    """Moves evidence, creates the entities that it goes to, and removes those that become empty.

    `names` holds a name for each entity that evidence goes to.
    """
    holders = sorted({holder for holder, _ in moves})
    await write_targets(tx, sorted(set(moves.values())), names)
    # The statements and mentions are read first: how a mention is divided depends on the claims.
    await _move_mentions(tx, holders, moves)
    pairs = await _move_statements(tx, holders, moves)
    await _move_claims(tx, holders, moves)
    await sweep_pairs(tx, pairs)
    await tx.run("resolve/touch", ids=holders)
    await sweep_entities(tx, holders)
    await mark_changed(tx)


async def write_targets(tx: Transaction, ids: Sequence[str], names: Mapping[str, str]) -> None:
    """Creates the entities that evidence goes to, with a name each, where they are missing."""
    refs = await give_refs(tx, "entity", ids)
    rows: list[Row] = [{"id": id_, "name": names[id_], "ref": refs.get(id_)} for id_ in ids]
    await tx.run("extract/entities", rows=rows)


async def _move_mentions(tx: Transaction, holders: Sequence[str], moves: Moves) -> None:
    before = by_place(await tx.run("resolve/mentions", MentionRow, entities=holders))
    after: dict[Place, Parts] = {place: {} for place in before}
    for (chunk, holder), parts in before.items():
        for spelling, part in parts.items():
            target = moves.get((holder, spelling), holder)
            found = after.setdefault((chunk, target), {})
            found[spelling] = joined(found.get(spelling, Part()), part)
    new = [{"chunk": chunk, "entity": entity} for chunk, entity in after.keys() - before.keys()]
    for place, parts in by_place(await tx.run("resolve/mentions_in", MentionRow, rows=new)).items():
        for spelling, part in parts.items():
            after[place][spelling] = joined(after[place].get(spelling, Part()), part)
    changed = {place: parts for place, parts in after.items() if parts != before.get(place)}
    empty = [{"chunk": p[0], "entity": p[1]} for p in sorted(changed) if not changed[p]]
    await tx.run("resolve/unmention", rows=empty)
    rows: list[Row] = [
        {"chunk": place[0], "entity": place[1], **put_together(changed[place])}
        for place in sorted(changed)
        if changed[place]
    ]
    await tx.run("extract/mentions", rows=rows)


def by_place(rows: Iterable[MentionRow]) -> dict[Place, Parts]:
    """What mentions say about each spelling, by chunk and entity."""
    return {
        (row["chunk"], row["entity"]): parts_of(
            row["names"], row["types"], row["descriptions"], row["claimed"]
        )
        for row in rows
    }


def joined(one: Part, other: Part) -> Part:
    """What two mentions in one chunk say about one spelling; equal records count once."""
    described = tuple(sorted({*one.described, *other.described}))
    return Part(described, () if described else tuple(sorted({*one.named, *other.named})))


async def _move_statements(tx: Transaction, holders: Sequence[str], moves: Moves) -> list[str]:
    """Moves statements; returns the ids of the pairs that they leave."""
    rows = await tx.run("resolve/stated", StatedRow, entities=holders)
    by_id = {row["id"]: row for row in rows}  # a statement between two holders is read twice
    moved = [(row, _restated(row, moves)) for _, row in sorted(by_id.items())]
    moved = [(row, new) for row, new in moved if _ends(row) != (new["source"], new["target"])]
    return await replace_statements(tx, moved)


async def replace_statements(tx: Transaction, moved: Sequence[tuple[StatedRow, Row]]) -> list[str]:
    """Replaces statements by others; returns the ids of the pairs that they leave."""
    await tx.run("resolve/unstate", ids=[row["id"] for row, _ in moved])
    new_rows = [new for _, new in moved]
    await tx.run("resolve/restate", rows=new_rows)
    pairs = pair_rows(row for row in new_rows if row["pair"])
    refs = await give_refs(tx, "relationship", [str(row["id"]) for row in pairs])
    await tx.run("extract/pairs", rows=[{**row, "ref": refs.get(str(row["id"]))} for row in pairs])
    await tx.run(
        "resolve/touch",
        ids=sorted({str(row[end]) for row in new_rows for end in ("source", "target")}),
    )
    return sorted({row["pair"] for row, _ in moved if row["pair"]})


def _ends(row: StatedRow) -> tuple[str, str]:
    return row["source"], row["target"]


def _restated(row: StatedRow, moves: Moves) -> Row:
    """The row of a statement after the moves."""
    spellings = row["source_spelling"] or row["source"], row["target_spelling"] or row["target"]
    source = moves.get((row["source"], spellings[0]), row["source"])
    target = moves.get((row["target"], spellings[1]), row["target"])
    return {
        **row,
        "source": source,
        "target": target,
        "pair": None if source == target else pair_id(source, target),
        "source_spelling": None if spellings[0] == source else spellings[0],
        "target_spelling": None if spellings[1] == target else spellings[1],
    }


async def _move_claims(tx: Transaction, holders: Sequence[str], moves: Moves) -> None:
    rows = await tx.run("resolve/claimed", ClaimedRow, entities=holders)
    moved: list[Row] = [
        {**row, "target": target}
        for row in rows
        if (target := moves.get((row["entity"], entity_id(row["name"]))))
    ]
    await tx.run("resolve/move_subjects", rows=[row for row in moved if row["type"] == "SUBJECT"])
    await tx.run("resolve/move_objects", rows=[row for row in moved if row["type"] == "OBJECT"])
