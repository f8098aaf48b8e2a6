"""Finds pairs of names that are related to the same others, and not to each other.

Whether a pair is likely depends on what is stated about spellings, and not on which spellings are
one thing. So no decision makes another pair likely, and the order of documents makes no difference.
A spelling with many neighbours, a hub, says nothing about two that it is related to. When one
becomes a hub, or none any more, the spellings around it are compared again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.graph import Row, Transaction
from graphrag_neo4j.graph.rows import IdRow, SpellingRow
from graphrag_neo4j.indexing.resolution.rows import NeighbourRow
from graphrag_neo4j.indexing.resolution.rules import Spelling
from graphrag_neo4j.indexing.resolution.spellings import read_spellings, stored
from graphrag_neo4j.nlp.likely_names import may_mean_the_same
from graphrag_neo4j.nlp.name_variants import type_class

__all__ = ["NEIGHBOURS", "find_same_neighbours", "mark_around_hubs"]

NEIGHBOURS: Final = "neighbours"
"""The block of the decisions about names with the same neighbours."""
LEAST_COMMON: Final = 3
LEAST_SHARE: Final = 0.5  # of all neighbours of both
MOST_AROUND_COMMON: Final = 20  # neighbours of a common neighbour; with more it is a hub
MOST_NEIGHBOURS: Final = 50  # of a name that is compared; so the work for each is bounded

Near = Mapping[str, str]
"""The neighbours of a spelling, each with the entity that holds its evidence."""
Around = Mapping[str, Near]
"""The neighbours by spelling."""


async def mark_around_hubs(tx: Transaction, ids: Sequence[str]) -> list[str]:
    """Marks the entities around those of these that have become hubs, or are none any more.

    Returns the ids of those that were not marked. Nothing else tells that their pairs may have
    changed.
    """
    seeds = {id_: one for id_, one in (await read_spellings(tx, ids)).items() if one.n}
    few = await _read(tx, _holders(seeds.values()), MOST_AROUND_COMMON)
    rows: list[Row] = [{"id": id_, "hub": id_ not in few} for id_ in sorted(seeds)]
    turned = await tx.run("resolve/turned", IdRow, rows=rows)
    if not turned:
        return []
    holders = _holders(seeds[row["id"]] for row in turned)
    marked = await tx.run("resolve/mark_around", IdRow, entities=holders)
    return sorted(row["id"] for row in marked)


async def find_same_neighbours(
    tx: Transaction, seeds: Mapping[str, Spelling]
) -> list[tuple[Spelling, Spelling]]:
    """The likely pairs of these spellings with any others, by their neighbours."""
    few = await _read(tx, _holders(seeds.values()), MOST_NEIGHBOURS)
    own = {id_: few[id_] for id_ in seeds if len(few.get(id_, ())) >= LEAST_COMMON}
    common = await _near(tx, own.values(), MOST_AROUND_COMMON)
    others = {id_: _sharing(id_, near, common) for id_, near in own.items()}
    holders = {other: holder for near in common.values() for other, holder in near.items()}
    met = {other: holders[other] for found in others.values() for other in found}
    theirs = await _near(tx, [met], MOST_NEIGHBOURS)
    alike = {
        (min(id_, other), max(id_, other))
        for id_, found in others.items()
        for other, n in found.items()
        if other in theirs and n >= LEAST_SHARE * len(own[id_].keys() | theirs[other].keys())
    }
    return await _pairs(tx, seeds, sorted(alike))


def _sharing(id_: str, near: Near, common: Around) -> dict[str, int]:
    """The spellings that share enough neighbours with this one, and how many."""
    counted = Counter(other for one in near if one in common for other in common[one])
    return {
        other: n
        for other, n in counted.items()
        if n >= LEAST_COMMON and other != id_ and other not in near
    }


async def _pairs(
    tx: Transaction, seeds: Mapping[str, Spelling], ends: Sequence[tuple[str, str]]
) -> list[tuple[Spelling, Spelling]]:
    if not ends:
        return []
    ids = sorted({id_ for pair in ends for id_ in pair} - seeds.keys())
    rows = await tx.run("resolve/by_id", SpellingRow, ids=ids)
    known = {**seeds, **{row["id"]: stored(row) for row in rows}}
    found = [(known[one], known[other]) for one, other in ends if {one, other} <= known.keys()]
    return [(one, other) for one, other in found if _agree(one, other)]


def _agree(one: Spelling, other: Spelling) -> bool:
    """Whether the types agree, and nothing else speaks against one thing."""
    class_ = type_class(one.type)
    alike = class_ == type_class(other.type) and class_ is not None
    return alike and may_mean_the_same(one.named, other.named)


def _holders(spellings: Iterable[Spelling]) -> list[str]:
    return sorted({holder for one in spellings for holder in one.holders})


async def _near(tx: Transaction, neighbours: Iterable[Near], most: int) -> Around:
    """The neighbours of those of these neighbours that have at most `most`."""
    holders = {id_: holder for near in neighbours for id_, holder in near.items()}
    few = await _read(tx, sorted(set(holders.values())), most)
    return {id_: few[id_] for id_ in sorted(holders.keys() & few.keys())}


async def _read(tx: Transaction, entities: Sequence[str], most: int) -> Around:
    """The neighbours of the spellings that these entities hold; those with more are left out."""
    if not entities:
        return {}
    around: defaultdict[str, dict[str, str]] = defaultdict(dict)
    many: set[str] = set()
    for row in await tx.run("resolve/neighbours", NeighbourRow, entities=entities, most=most):
        entity = row["entity"]
        around[entity].update({})
        if row["many"]:
            many.add(entity)
        for source, target, source_holder, target_holder in row["statements"]:
            if source != target and source_holder == entity:
                around[source][target] = target_holder
            if source != target and target_holder == entity:
                around[target][source] = source_holder
    return {id_: near for id_, near in around.items() if id_ not in many and len(near) <= most}
