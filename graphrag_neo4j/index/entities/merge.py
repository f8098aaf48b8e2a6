"""Derives entities and pairs from their evidence: names, types, degrees, weights, predicates.

Types are decided by vote, and names by `shown_name`. The order of the evidence makes no difference:
of texts with equally many votes, the first by code point wins.

A RELATED relationship starts at the smaller id. The direction in which it is shown is that of most
of its statements: `reversed` says that these go from its end to its start, and `opposite` counts
the statements that go against the shown direction. `predicates` lead in the shown direction and
`opposite_predicates` in the other, each list with the most frequent first; `predicate` is the first
of the shown direction.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypedDict

from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.entities.rules import name_properties, shown_name
from graphrag_neo4j.index.evidence import mark_changed, vote
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.text.strings import entity_id, is_indexable, name_key

PAGE_OF_STALE = 1000
# An entity with more relationships, mentions or claims than HUB is a hub. It keeps the ids of those
# that count most, KEPT of each, so that no question reads all of them.
HUB = 1000
KEPT = 200
MOST_PREDICATES = 20  # of a pair, in each direction
UNSURE = "concept"  # the type of a described entity that no chunk gives a type


class StaleEntityRow(TypedDict):
    """A marked entity: its spellings and types, as (text, count), and its degree."""

    id: str
    mentioned: list[tuple[str, int]]
    claimed: list[tuple[str, int]]
    types: list[tuple[str, int]]
    degree: int


class StalePairRow(TypedDict):
    """A marked pair. `stated` holds for each chunk the direction (True: forward) and its lists.

    These are the strengths of its statements and, if any has one, their predicates, "" for none.
    """

    id: str
    stated: list[tuple[bool, list[float], list[str] | None]]


async def merge(graph: Graph, listen: Listener, stage: str = "merge") -> None:
    """Brings all marked entities and pairs up to date, and marks them for the stage summarize."""
    listen(Started(stage, int((await graph.read("merge/count", CountRow))[0]["n"])))
    # Pairs come first: what a hub keeps depends on their weights.
    while pairs := await graph.read("merge/pairs", StalePairRow, limit=PAGE_OF_STALE):
        await graph.transact(partial(_save_pairs, [_pair(pair) for pair in pairs]))
        listen(Advanced(len(pairs)))
    while rows := await graph.read("merge/entities", StaleEntityRow, limit=PAGE_OF_STALE):
        await graph.transact(partial(_save_entities, [_entity(row) for row in rows]))
        listen(Advanced(len(rows)))


async def _save_pairs(rows: Sequence[Row], tx: Transaction) -> None:
    await tx.run("merge/save_pairs", rows=rows)
    await mark_changed(tx)


async def _save_entities(rows: Sequence[Row], tx: Transaction) -> None:
    await tx.run("merge/save_entities", rows=rows)
    await tx.run("merge/hubs", ids=[row["id"] for row in rows], hub=HUB, kept=KEPT)
    await mark_changed(tx)


def _entity(row: StaleEntityRow) -> Row:
    names = [*row["mentioned"], *row["claimed"]]
    own = vote(one for one in names if entity_id(one[0]) == row["id"])
    spellings: dict[str, list[tuple[str, int]]] = {}  # each has its most frequent form
    for name, n in names:
        spellings.setdefault(name_key(name), []).append((name, n))
    shown = shown_name(names)
    # What a model gave at length before its replies were held to a limit can't be indexed.
    types = [one for one in row["types"] if is_indexable(one[0])]
    spellings.pop(name_key(shown or ""), None)
    return {
        "id": row["id"],
        "name": shown,
        "aliases": sorted(vote(same) or "" for same in spellings.values()) or None,
        **name_properties(own or ""),
        "type": _form(types) or (UNSURE if row["types"] else None),
        "degree": row["degree"],
    }


def _form(counts: Iterable[tuple[str, int]]) -> str | None:
    """The most frequent text without regard to case, in its most frequent form."""
    counts = list(counts)
    winner = vote((text.casefold(), n) for text, n in counts)
    return vote((text, n) for text, n in counts if text.casefold() == winner)


def _pair(row: StalePairRow) -> Row:
    strengths = [strength for _, stated, _ in row["stated"] for strength in stated]
    forward = sum(len(stated) for goes_forward, stated, _ in row["stated"] if goes_forward)
    backward = len(strengths) - forward
    shown = _predicates(row, forward=backward <= forward)
    # fsum: the mean of the same numbers is the same in any order.
    return {
        "id": row["id"],
        "weight": len(strengths),
        "strength": math.fsum(strengths) / len(strengths),
        "reversed": backward > forward,
        "opposite": min(forward, backward),
        "predicate": shown[0] if shown else None,
        "predicates": shown or None,
        "opposite_predicates": _predicates(row, forward=backward > forward) or None,
    }


def _predicates(row: StalePairRow, *, forward: bool) -> list[str]:
    """The predicates of one direction: the most frequent first, then the strongest."""
    strengths = defaultdict[str, list[float]](list)
    forms = defaultdict[str, list[tuple[str, int]]](list)
    for goes_forward, stated, predicates in row["stated"]:
        if goes_forward is forward:
            for predicate, strength in zip(predicates or (), stated, strict=False):
                key = predicate.casefold()
                strengths[key].append(strength)
                forms[key].append((predicate, 1))
    strengths.pop("", None)
    votes = [(-len(said), -math.fsum(said), key) for key, said in strengths.items()]
    return [vote(forms[key]) or key for _, _, key in sorted(votes)[:MOST_PREDICATES]]
