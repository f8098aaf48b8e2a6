"""Splits the evidence of a name in the graph by a person's word, and puts it together again.

The evidence becomes what it would be if the split had been there before the documents were read,
and, when the split is undone, what it would be without the split.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Row, Transaction, mark_changed, sweep_entities, sweep_pairs
from graphrag_neo4j.ids import entity_id, identify
from graphrag_neo4j.indexing.evidence import pair_id
from graphrag_neo4j.indexing.resolution.regrouping import (
    Place,
    by_place,
    joined,
    replace_statements,
    write_targets,
)
from graphrag_neo4j.indexing.resolution.rows import (
    ChunkSourceRow,
    ClaimedRow,
    MentionRow,
    SplitRow,
    StatedRow,
)
from graphrag_neo4j.indexing.resolution.spelling_parts import Part, Parts, put_together
from graphrag_neo4j.indexing.resolution.spellings import read_spellings
from graphrag_neo4j.indexing.resolution.splits import (
    Divided,
    Split,
    divide,
    first_name,
    renamed_part,
)

__all__ = ["read_splits", "save_split", "sources_of", "split_evidence", "unsplit_evidence"]


async def read_splits(tx: Transaction) -> list[Split]:
    """All splits of names, the oldest first."""
    rows = await tx.run("resolve/splits", SplitRow)
    return [
        Split(row["ref"], row["name"], row["label"], tuple(row["types"]), row["documents"])
        for row in rows
    ]


async def save_split(tx: Transaction, decision: str, split: Split) -> None:
    """Saves by what mentions are told apart, with the decision that keeps the two names apart."""
    await tx.run(
        "resolve/save_split",
        id=decision,
        name=split.name,
        label=split.label,
        types=list(split.types),
        documents=split.documents,
    )


async def sources_of(tx: Transaction, chunks: Collection[str]) -> dict[str, str]:
    """The source of the document of each of these chunks."""
    rows = await tx.run("resolve/sources_of", ChunkSourceRow, chunks=sorted(chunks))
    return {row["chunk"]: row["source"] for row in rows}


async def split_evidence(tx: Transaction, split: Split, *, refuse: bool = True) -> None:
    """Gives the mentions that the split is about the name of the other thing.

    With `refuse`, raises InputError where it is about none of them, and where it is about all.
    """
    places, holders = await _places(tx, split.one)
    sources = await sources_of(tx, {chunk for chunk, _ in places})
    divided = {
        place: divide(split, parts[split.one], sources[place[0]])
        for place, parts in places.items()
        if split.one in parts
    }
    goes = {place: one for place, one in divided.items() if one.whole or one.goes.described}
    if refuse and not goes:
        raise InputError(_nothing(split, divided.values()))
    if refuse and all(one.whole for one in divided.values()):
        raise InputError(
            f"All mentions of {split.name!r} are of this kind, so nothing is left to split off."
        )
    move = _Renaming(split.one, split.other, split.renamed)
    await _rename(tx, move, places, goes, holders)


async def unsplit_evidence(tx: Transaction, split: Split) -> None:
    """Gives the mentions that a split has renamed their first name again."""
    places, holders = await _places(tx, split.other)
    goes = {
        place: Divided(parts[split.other], Part(), whole=True)
        for place, parts in places.items()
        if split.other in parts
    }
    move = _Renaming(split.other, split.one, lambda name: first_name(name, [split]) or name)
    await _rename(tx, move, places, goes, holders)


@dataclass(frozen=True, slots=True)
class _Renaming:
    """A move of evidence from one spelling to another, and the new name for each old one."""

    one: str
    other: str
    rename: Callable[[str], str]


async def _places(tx: Transaction, spelling: str) -> tuple[dict[Place, Parts], list[str]]:
    """The mentions of the entities that hold the evidence of a spelling, and these entities."""
    known = await read_spellings(tx, [spelling])
    holders = sorted(known[spelling].holders) if spelling in known else []
    return by_place(await tx.run("resolve/mentions", MentionRow, entities=holders)), holders


def _nothing(split: Split, divided: Collection[Divided]) -> str:
    types = sorted({one[1] for part in divided for one in part.stays.described if one[1]})
    if not divided:
        return f"No document in the graph uses the name {split.name!r}."
    which = f"of the type {' or '.join(split.types)}" if split.types else ""
    where = f"in a document that matches {split.documents!r}" if split.documents else ""
    said = f" Its types are: {', '.join(types)}." if types and split.types else ""
    return f"No mention of {split.name!r} is {' and '.join(filter(None, (which, where)))}.{said}"


async def _rename(
    tx: Transaction,
    move: _Renaming,
    places: dict[Place, Parts],
    goes: dict[Place, Divided],
    holders: Sequence[str],
) -> None:
    """Moves what goes from one spelling to the other, with the new names."""
    names = [*(n for one in goes.values() for n, _, _ in one.goes.described)]
    names += [name for one in goes.values() for name in one.goes.named]
    whole = {chunk for (chunk, _), one in goes.items() if one.whole}
    claims = await tx.run("resolve/claimed", ClaimedRow, entities=holders)
    moved = [row for row in claims if row["chunk"] in whole and entity_id(row["name"]) == move.one]
    names += [row["name"] for row in moved]
    if not names:
        return
    await write_targets(tx, [move.other], {move.other: move.rename(min(names))})
    await _rename_mentions(tx, move, places, goes)
    pairs = await _rename_statements(tx, move, whole, holders)
    rows: list[Row] = [
        {**row, "target": move.other, "name": move.rename(row["name"])} for row in moved
    ]
    await tx.run("resolve/move_subjects", rows=[row for row in rows if row["type"] == "SUBJECT"])
    await tx.run("resolve/move_objects", rows=[row for row in rows if row["type"] == "OBJECT"])
    await sweep_pairs(tx, pairs)
    await tx.run("resolve/touch", ids=[*holders, move.other])
    await sweep_entities(tx, holders)
    await mark_changed(tx)


async def _rename_mentions(
    tx: Transaction, move: _Renaming, places: dict[Place, Parts], goes: dict[Place, Divided]
) -> None:
    changed: dict[Place, Parts] = {}
    for place, one in goes.items():
        rest = {id_: part for id_, part in places[place].items() if id_ != move.one}
        changed[place] = rest if one.whole else {**rest, move.one: one.stays}
    new = sorted({(chunk, move.other) for chunk, _ in goes})
    asked = [{"chunk": chunk, "entity": entity} for chunk, entity in new]
    there = by_place(await tx.run("resolve/mentions_in", MentionRow, rows=asked))
    for (chunk, _), one in goes.items():
        parts = changed.get((chunk, move.other), there.get((chunk, move.other), {}))
        part = joined(parts.get(move.other, Part()), renamed_part(one.goes, move.rename))
        changed[chunk, move.other] = {**parts, move.other: part}
    empty: list[Row] = [{"chunk": p[0], "entity": p[1]} for p in sorted(changed) if not changed[p]]
    await tx.run("resolve/unmention", rows=empty)
    rows: list[Row] = [
        {"chunk": chunk, "entity": entity, **put_together(changed[chunk, entity])}
        for chunk, entity in sorted(changed)
        if changed[chunk, entity]
    ]
    await tx.run("extract/mentions", rows=rows)


async def _rename_statements(
    tx: Transaction, move: _Renaming, chunks: Collection[str], holders: Sequence[str]
) -> list[str]:
    """Moves the statements of these chunks; returns the ids of the pairs that they leave."""
    rows = await tx.run("resolve/stated", StatedRow, entities=holders)
    by_id = {row["id"]: row for row in rows}  # a statement between two holders is read twice
    moved = [
        (row, _restated(row, move))
        for _, row in sorted(by_id.items())
        if row["chunk"] in chunks and move.one in _spellings(row)
    ]
    return await replace_statements(tx, moved)


def _spellings(row: StatedRow) -> tuple[str, str]:
    return row["source_spelling"] or row["source"], row["target_spelling"] or row["target"]


def _restated(row: StatedRow, move: _Renaming) -> Row:
    """The row of a statement between other spellings; its id is made from them."""
    before = _spellings(row)
    after = [move.other if spelling == move.one else spelling for spelling in before]
    source, target = (
        move.other if spelling == move.one else holder
        for spelling, holder in zip(before, (row["source"], row["target"]), strict=True)
    )
    return {
        **row,
        "id": identify("stated", row["chunk"], *after),
        "source": source,
        "target": target,
        "pair": None if source == target else pair_id(source, target),
        "source_spelling": None if after[0] == source else after[0],
        "target_spelling": None if after[1] == target else after[1],
    }
