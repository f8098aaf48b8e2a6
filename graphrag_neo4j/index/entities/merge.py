"""Derives entities and pairs from their evidence: names, types, degrees, weights, predicates.

Types and predicates are decided by vote, and names by `shown_name`. Documents vote, and their
chunks where documents are equally many: what one of them repeats counts no more. The order of the
evidence makes no difference: of texts with equally many votes, the first by code point wins.

A RELATED relationship starts at the smaller id. The direction in which it is shown is that of most
of its statements: `reversed` says that these go from its end to its start, and `opposite` counts
the statements that go against the shown direction. `predicates` lead in the shown direction and
`opposite_predicates` in the other, each list with the most frequent first; `predicate` is the first
of the shown direction, or "leads; leads (former)" where one of the first has a mark.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypedDict, cast

from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.entities.rules import name_properties, shown_name
from graphrag_neo4j.index.evidence import (
    Uses,
    Votes,
    combined,
    elected,
    held,
    mark_changed,
    properties_of,
    votes_for,
)
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.model.types import MARKS
from graphrag_neo4j.text.strings import entity_id, is_indexable, name_key

PAGE_OF_STALE = 1000
# An entity with more relationships, mentions or claims than HUB is a hub. It keeps the ids of those
# that count most, KEPT of each, so that no question reads all of them.
HUB = 1000
KEPT = 200
MOST_PREDICATES = 20  # of a pair, in each direction
MARKED = 3  # predicates that are shown, if one of them has a mark
UNSURE = "concept"  # the type of a described entity that no chunk gives a type
Place = tuple[str, str]
"""The document and the chunk of a statement."""


class StaleEntityRow(TypedDict):
    """A marked entity: the names and types that documents use for it, and its degree.

    `properties` names those that its evidence gave it, and `held` is all that the mentions with
    properties hold.
    """

    id: str
    uses: Uses
    degree: int
    properties: list[str] | None
    held: list[dict[str, object]]


class StalePairRow(TypedDict):
    """A marked pair. `stated` holds documents, chunks, directions (True: forward) and lists.

    These are the strengths of the statements and, if any has one, their predicates, "" for none.
    Last comes all that a statement with properties holds. `properties` names those of the pair.
    """

    id: str
    stated: list[tuple[str, str, bool, list[float], list[str] | None, dict[str, object]]]
    properties: list[str] | None


async def merge(graph: Graph, listen: Listener, stage: str = "merge") -> None:
    """Brings all marked entities and pairs up to date, and marks them for the stage summarize."""
    listen(Started(stage, int((await graph.read("merge/count", CountRow))[0]["n"])))
    # Pairs come first: what a hub keeps depends on their weights.
    while pairs := await graph.read_bulk("merge/pairs", StalePairRow, limit=PAGE_OF_STALE):
        await graph.transact(partial(_save_pairs, [_pair(pair) for pair in pairs]))
        listen(Advanced(len(pairs)))
    while rows := await graph.read_bulk("merge/entities", StaleEntityRow, limit=PAGE_OF_STALE):
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
    names = votes_for(row["uses"], lambda use: use[0])
    own = elected({name: votes for name, votes in names.items() if entity_id(name) == row["id"]})
    spellings: defaultdict[str, dict[str, Votes]] = defaultdict(dict)  # in their forms
    for name, votes in names.items():
        spellings[name_key(name)][name] = votes
    shown = shown_name(row["uses"])
    types = votes_for(row["uses"], lambda use: use[1])
    given = combined(map(properties_of, row["held"]))
    for alias in cast("list[str]", given.get("aliases", [])):
        spellings[name_key(alias)].setdefault(alias, (0, 0))
    spellings.pop(name_key(shown or ""), None)
    return {
        "id": row["id"],
        "name": shown,
        "aliases": sorted(elected(same) or "" for same in spellings.values()) or None,
        **name_properties(own or ""),
        "type": _type(row["uses"], types) or (UNSURE if {*types} - {None} else None),
        "degree": row["degree"],
        "properties": _properties(given, row["properties"]),
    }


def _properties(given: Mapping[str, object], before: Sequence[str] | None) -> Row:
    """The properties that evidence gives, with their names; null for those that it gave before."""
    return {**dict.fromkeys(before or ()), "properties": None, **held(given)}


def _type(uses: Uses, types: Mapping[str | None, Votes]) -> str | None:
    """The most frequent type without regard to case, in its most frequent form."""
    # What a model gave at length before its replies were held to a limit can't be indexed.
    kept = {type_: votes for type_, votes in types.items() if type_ and is_indexable(type_)}
    winner = elected(votes_for(uses, lambda use: use[1].casefold() if use[1] in kept else ""))
    return elected({type_: votes for type_, votes in kept.items() if type_.casefold() == winner})


def _pair(row: StalePairRow) -> Row:
    strengths = [strength for _, _, _, stated, *_ in row["stated"] for strength in stated]
    forward = sum(len(stated) for _, _, goes_forward, stated, *_ in row["stated"] if goes_forward)
    backward = len(strengths) - forward
    shown = _predicates(row, forward=backward <= forward)
    given = combined(properties_of(one[-1]) for one in row["stated"])
    # fsum: the mean of the same numbers is the same in any order.
    return {
        "id": row["id"],
        "weight": len(strengths),
        "strength": math.fsum(strengths) / len(strengths),
        "reversed": backward > forward,
        "opposite": min(forward, backward),
        "predicate": _shown(shown),
        "predicates": shown or None,
        "opposite_predicates": _predicates(row, forward=backward > forward) or None,
        "properties": _properties(given, row["properties"]),
    }


def _shown(predicates: Sequence[str]) -> str | None:
    """The first predicate, or the first ones if one of them is denied, planned or former."""
    first = predicates[:MARKED]
    marked = any(one.endswith(MARKS) for one in first)
    return "; ".join(first) if marked else first[0] if first else None


def _weight(places: Sequence[Place]) -> tuple[int, int, int]:
    """How much statements at these places count: their documents, then chunks, then themselves."""
    return len({document for document, _ in places}), len({*places}), len(places)


def _predicates(row: StalePairRow, *, forward: bool) -> list[str]:
    """The predicates of one direction: the most frequent first, then the strongest."""
    strengths = defaultdict[str, list[float]](list)
    forms = defaultdict[str, defaultdict[str, list[Place]]](lambda: defaultdict(list))
    for document, chunk, goes_forward, stated, predicates, _ in row["stated"]:
        if goes_forward is forward:
            for predicate, strength in zip(predicates or (), stated, strict=False):
                strengths[predicate.casefold()].append(strength)
                forms[predicate.casefold()][predicate].append((document, chunk))
    forms.pop("", None)

    def rank(key: str) -> tuple[tuple[int, int, int], float]:
        places = [place for same in forms[key].values() for place in same]
        return _weight(places), math.fsum(strengths[key])

    first = sorted(sorted(forms), key=rank, reverse=True)[:MOST_PREDICATES]
    return [max(sorted(forms[key]), key=lambda form: _weight(forms[key][form])) for key in first]
