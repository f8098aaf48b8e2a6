"""Makes one entity of several spellings of one thing, and several of what is not one thing.

    marked entities ──▶ blocks ──▶ decisions between spellings ──▶ groups ──▶ evidence moves

A decision (COMPARED) is about two spellings, and is kept with its reason and its origin. The
spellings that decisions join are a group. The entity of a group has the id of its most frequent
spelling, and holds the evidence of all of them.

Each page of marked entities is one transaction. It compares these entities with those of the same
blocks only, and moves only evidence of spellings whose group has changed. What it decides is a
function of the evidence and of the decisions, and not of the order in which the evidence came.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TypedDict

from graphrag_neo4j.graph import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import CountRow, IdRow, SpellingRow
from graphrag_neo4j.index.resolution.evidence_moves import Move, move_evidence
from graphrag_neo4j.index.resolution.names import Spelling, block_key
from graphrag_neo4j.index.resolution.spellings import (
    Decision,
    Known,
    by_acronym,
    by_form,
    foremost,
    groups,
    means_another,
    read_decisions_about,
    read_spellings,
    row_of,
    save_decisions,
    spellings_of,
    stored,
)
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.text import entity_id
from graphrag_neo4j.text.acronyms import definition_forms, expansions, initials, looks_like_acronym

PAGE = 500


class AcronymTextRow(TypedDict):
    """The text of a chunk that may say what an acronym stands for."""

    spelling: str
    names: list[str]
    text: str


async def resolve(graph: Graph, listen: Listener, *, rules: bool) -> bool:
    """Compares the spellings of all marked entities; returns whether evidence has moved.

    Where it has, the stage merge must run again. With `rules` False, only the decisions of people
    and models count, and those of rules are removed.
    """
    listen(Started("resolve", (await graph.read("resolve/count", CountRow))[0]["n"]))
    moved = False
    while rows := await graph.read("resolve/seeds", IdRow, limit=PAGE):
        seeds = [row["id"] for row in rows]

        async def work(tx: Transaction, seeds: Sequence[str] = seeds) -> bool:
            return await resolve_spellings(tx, seeds, rules=rules)

        moved |= await graph.transact(work)
        listen(Advanced(len(seeds)))
    return moved


async def resolve_spellings(tx: Transaction, seeds: Sequence[str], *, rules: bool) -> bool:
    """Decides about these spellings and entities again; returns whether evidence has moved."""
    known = await read_spellings(tx, seeds)
    changed = await _apply_rules(tx, known, rules=rules)
    moved = await _regroup(tx, known, changed)
    await tx.run("resolve/resolved", ids=seeds)
    return moved


async def _apply_rules(tx: Transaction, known: Known, *, rules: bool) -> set[str]:
    """Brings the decisions of the rules up to date; returns the spellings that they are about.

    The spellings that share a block with known ones become known.
    """
    keys = {block_key(one.name) for one in known.values()}
    letters = {block_key(part) for one in known.values() for part in initials(one.name) or ()}
    members = await _blocks(tx, known, keys | letters)
    wanted: set[Decision] = set()
    if rules:
        stand_for = await _expansions(tx, known)
        for key in keys:
            block = [s for s in members[key] if not means_another(s, stand_for.get(s.id, ()))]
            wanted |= set(by_form(key, block))
        meant = {block_key(name) for names in stand_for.values() for name in names if name}
        members = await _blocks(tx, known, meant)
        for id_, names in stand_for.items():
            fitting = [s for name in sorted(names) if name for s in members[block_key(name)]]
            wanted |= set(by_acronym(known[id_], names, fitting))
    blocks = {f"form {key}" for key in keys} | {f"acronym {key}" for key in keys | letters}
    before = await read_decisions_about(tx, blocks=blocks)
    await tx.run("resolve/drop", ids=sorted(one.id for one in before - wanted), mark=False)
    await save_decisions(tx, known, sorted(wanted - before, key=lambda one: one.id))
    return {end for one in before ^ wanted for end in (one.one, one.other)}


async def _blocks(
    tx: Transaction, known: Known, keys: Collection[str]
) -> defaultdict[str, list[Spelling]]:
    """The spellings of blocks by key; those that are not known yet become known."""
    rows = await tx.run("resolve/block", SpellingRow, keys=sorted(keys))
    decided = {row["id"]: stored(row) for row in rows if row["decided"]}
    unread = {row["id"] for row in rows} - known.keys() - decided.keys()
    read = {id_: one for id_, one in (await spellings_of(tx, unread)).items() if id_ in unread}
    known |= {id_: one for id_, one in (decided | read).items() if id_ not in known}
    found: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in known.values():
        found[block_key(one.name)].append(one)
    return found


async def _expansions(tx: Transaction, known: Known) -> defaultdict[str, set[str]]:
    """What documents say that the acronyms among these spellings stand for, by id."""
    asked = [
        {"spelling": one.id, "entity": holder, "forms": definition_forms(one.name)}
        for one in known.values()
        if one.n and looks_like_acronym(one.name)
        for holder in sorted(one.holders)
    ]
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in await tx.run("resolve/acronym_texts", AcronymTextRow, rows=asked):
        if row["spelling"] in map(entity_id, row["names"]):
            found[row["spelling"]] |= expansions(row["text"], known[row["spelling"]].name)
    return found


async def _regroup(tx: Transaction, known: Known, changed: Collection[str]) -> bool:
    """Moves evidence to the entities of the groups; returns whether any has moved.

    A decision of a rule or a model goes with the evidence of one of its spellings.
    """
    decisions = await _decisions(tx, known, {*known, *changed})
    gone = {one.id for one in known.values() if not one.n}
    void = {one for one in decisions if one.origin != "person" and not gone.isdisjoint(one.ends)}
    await tx.run("resolve/drop", ids=sorted(one.id for one in void), mark=False)
    kept = decisions - void
    decided = {end for one in kept for end in one.ends}
    targets: dict[tuple[str, str], str] = {}
    rows: list[Row] = []
    for group in groups(known, [one for one in kept if known.keys() >= set(one.ends)]):
        members = [known[id_] for id_ in group]
        target = foremost(members).id
        rows += [row_of(one, target) for one in members if one.id in decided]
        targets |= {(h, s.id): target for s in members for h in s.holders if h != target}
    await tx.run("resolve/spellings", rows=sorted(rows, key=lambda row: str(row["id"])))
    ends = {end for one in void for end in one.ends}
    await tx.run("resolve/sweep", ids=sorted({*known, *changed, *ends} - decided))
    if targets:
        names = {id_: known[id_].name for id_ in targets.values()}
        await move_evidence(tx, {holder for holder, _ in targets}, Move(targets), names)
    return bool(targets)


async def _decisions(tx: Transaction, known: Known, ids: Collection[str]) -> set[Decision]:
    """The decisions about these spellings and those that they share a group with."""
    found: set[Decision] = set()
    seen: set[str] = set()
    while new := set(ids) - seen:
        seen |= new
        decisions = await read_decisions_about(tx, new)
        found |= decisions
        ids = {end for one in decisions if one.verdict == "same" for end in one.ends}
        if unread := sorted(ids - known.keys()):
            around = await tx.run("resolve/around", SpellingRow, ids=unread)
            known |= {row["id"]: stored(row) for row in around if row["id"] not in known}
            ids |= {row["id"] for row in around}
    return found
