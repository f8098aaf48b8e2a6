"""Spellings as the graph holds them: read from the evidence, or as they were saved."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict

from graphrag_neo4j.graph import Row, Transaction, give_refs
from graphrag_neo4j.graph.rows import SpellingRow
from graphrag_neo4j.ids import entity_id
from graphrag_neo4j.indexing.evidence import vote
from graphrag_neo4j.indexing.resolution.groups import Decision
from graphrag_neo4j.indexing.resolution.rows import AroundRow, SaidRow, SpelledRow
from graphrag_neo4j.indexing.resolution.rules import Spelling
from graphrag_neo4j.nlp.likely_names import name_properties

__all__ = [
    "Known",
    "descriptions_of",
    "read_spellings",
    "row_of",
    "save_decisions",
    "spellings_of",
    "stored",
]

Known = dict[str, Spelling]
"""Spellings by id."""


async def read_spellings(tx: Transaction, seeds: Sequence[str]) -> Known:
    """The spellings of these ids, and those that share an entity with them."""
    first = await tx.run("resolve/around", AroundRow, ids=seeds)
    holders = {*seeds, *(row["entity"] for row in first)}
    rows = await tx.run("resolve/around", AroundRow, ids=sorted(holders))
    entities = holders | {row["id"] for row in rows}
    without = {row["id"]: Spelling(row["id"], row["name"], None, 0) for row in rows}
    return without | await spellings_of(tx, entities)


async def spellings_of(tx: Transaction, entities: Collection[str]) -> Known:
    """The spellings that the evidence of these entities uses."""
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for row in await tx.run("resolve/spelled", SpelledRow, ids=sorted(entities)):
        id_ = entity_id(row["name"])
        names[id_][row["name"]] += row["n"]
        types[id_][row["type"] or ""] += row["n"]
        holders[id_].add(row["entity"])
    return {
        id_: Spelling(
            id_,
            vote(names[id_].items()) or "",
            vote(types[id_].items()),
            sum(n for name, n in names[id_].items() if name),
            frozenset(holders[id_]),
        )
        for id_ in names
    }


async def descriptions_of(
    tx: Transaction, spellings: Iterable[Spelling], most: int
) -> defaultdict[str, list[str]]:
    """What the documents say about these spellings: the shortest descriptions, at most `most`."""
    holders = {holder for one in spellings for holder in one.holders}
    said: defaultdict[str, list[str]] = defaultdict(list)
    if not holders:
        return said
    for row in await tx.run("resolve/said", SaidRow, entities=sorted(holders), most=most):
        texts = said[entity_id(row["name"])]
        if len(texts) < most:  # several names may be one spelling
            texts.append(row["text"])
    return said


def stored(row: AroundRow | SpellingRow) -> Spelling:
    """A spelling as it was saved, since its evidence has not changed."""
    holders = frozenset({row["entity"] or row["id"]} if row["n"] else ())
    return Spelling(row["id"], row["name"], row["type"], row["n"], holders)


async def save_decisions(tx: Transaction, known: Known, decisions: Sequence[Decision]) -> None:
    """Saves decisions, and the spellings that they are about; these must be `known`."""
    ends = sorted({end for one in decisions for end in (one.one, one.other)})
    await tx.run(
        "resolve/spellings",
        rows=[row_of(known[id_], min(known[id_].holders or {id_})) for id_ in ends],
    )
    refs = await give_refs(tx, "decision", [one.id for one in decisions])
    rows: list[Row] = [{**asdict(one), "ref": refs.get(one.id)} for one in decisions]
    await tx.run("resolve/decide", rows=rows)


def row_of(one: Spelling, entity: str) -> Row:
    """The properties of a spelling whose evidence `entity` holds."""
    return {
        "id": one.id,
        "name": one.name,
        "type": one.type,
        "n": one.n,
        "entity": entity,
        **name_properties(one.name),
    }
