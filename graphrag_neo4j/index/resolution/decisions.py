"""What a person decides about names: which are one thing, and which are not.

A decision of a person stays until it is undone, also while no document uses the names.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph, Transaction, ensure_schema, hold_lease
from graphrag_neo4j.index.preparation import command_name, refuse_half_imported
from graphrag_neo4j.index.resolution.spellings import (
    DecisionOrigin,
    Verdict,
    decision,
    read_spellings,
    save_decisions,
)
from graphrag_neo4j.index.resolution.splits import (
    Split,
    read_splits,
    split_evidence,
    unsplit_evidence,
)
from graphrag_neo4j.index.stages.merge import merge
from graphrag_neo4j.index.stages.resolve import resolve, resolve_spellings
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.text import entity_id, entity_ids

__all__ = [
    "BY_SPLIT",
    "NameDecision",
    "compare_all",
    "decide",
    "read_decisions",
    "resolve_and_merge",
    "split",
    "undo",
]

BY_HAND = "A person said so."
BY_SPLIT = "A person split the name by"
Work = Callable[[Transaction], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class NameDecision:
    """A decision about two names: "same", "different" or "unsure", and who decided it.

    `ref` is its number for `undo`. `origin` is "person", "rule" or "model".
    """

    ref: int
    verdict: Verdict
    one: str
    other: str
    origin: DecisionOrigin
    reason: str


class ListedRow(TypedDict):
    """A NameDecision, and whether both names are one entity now."""

    ref: int
    verdict: Verdict
    one: str
    other: str
    origin: DecisionOrigin
    reason: str
    together: bool


async def resolve_and_merge(graph: Graph, listen: Listener, *, rules: bool) -> None:
    """Resolves names and merges in turns, until no evidence moves any more."""
    while await resolve(graph, listen, rules=rules):
        await merge(graph, listen)


async def read_decisions(graph: Graph) -> list[NameDecision]:
    """Returns all decisions about names, the newest first."""
    return [_named(row) for row in await graph.read("resolve/list", ListedRow)]


def _named(row: ListedRow) -> NameDecision:
    ends = row["one"], row["other"]
    return NameDecision(row["ref"], row["verdict"], *ends, row["origin"], row["reason"])


async def decide(
    graph: Graph, one: str, other: str, verdict: Verdict, listen: Listener, *, rules: bool
) -> None:
    """Saves that a person says "same" or "different" about two names, and acts on it.

    It replaces what a person said about these two before. Raises InputError where the graph does
    not know a name, where both are one spelling, and where it contradicts other decisions of a
    person.
    """
    one, other = await _as_known(graph, one), await _as_known(graph, other)
    ids = [entity_id(one), entity_id(other)]
    if ids[0] == ids[1]:
        raise InputError(f"{one!r} and {other!r} are one spelling in the graph.")

    async def work(tx: Transaction) -> None:
        await _refuse_split_names(tx, ids)
        known = await read_spellings(tx, ids)
        for id_, name in zip(ids, (one, other), strict=True):
            if id_ not in known:
                raise InputError(f"No document in the graph uses the name {name!r}.")
        made = decision(ids[0], ids[1], verdict, "person", BY_HAND)
        await save_decisions(tx, known, [made])
        await resolve_spellings(tx, ids, rules=rules)
        for row in reversed(await tx.run("resolve/list", ListedRow)):
            if row["origin"] == "person" and (row["verdict"] == "same") != row["together"]:
                raise InputError(
                    f"This contradicts other decisions of people: what they say of {one!r} and "
                    f"{other!r} can't hold together with {row['verdict']!r} for {row['one']!r} and "
                    f"{row['other']!r}. `kg-build resolve --list` shows the decisions, and "
                    "`--undo` takes one back."
                )

    await _change(graph, work, listen, rules=rules)


async def split(
    graph: Graph,
    name: str,
    listen: Listener,
    *,
    types: Sequence[str],
    documents: str | None,
    label: str | None,
    rules: bool,
) -> str:
    """Makes mentions of a name an entity of their own, and returns the name of this entity.

    These are the mentions with one of `types` (none: any) in documents whose source matches the
    glob `documents` (None: any). The new name is the name with `label` in brackets, by default with
    the types or the glob. It holds for all documents, also for those that are indexed later. Raises
    InputError where the graph does not know the name, where no mention or every mention is meant,
    and where the new name is in use.
    """
    kinds = tuple(sorted({one.strip().casefold() for one in types}))
    by = " and ".join(filter(None, (", ".join(kinds), documents)))
    made = Split(0, await _as_known(graph, name.strip()), label or by, kinds, documents)
    ends = made.one, made.other
    by_types = f"its type ({', '.join(kinds)})" if kinds else ""
    by_documents = f"its documents ({documents})" if documents else ""
    reason = f"{BY_SPLIT} {' and '.join(filter(None, (by_types, by_documents)))}."

    async def work(tx: Transaction) -> None:
        await _refuse_split_names(tx, ends)
        known = await read_spellings(tx, ends)
        if made.other in known and known[made.other].n:
            new = made.renamed(made.name)
            raise InputError(f"{new!r} is a name in the graph already: give another label.")
        await split_evidence(tx, made)
        apart = decision(*ends, "different", "person", reason)
        how = {
            "split_name": made.name,
            "split_label": made.label,
            "split_types": list(kinds),
            "split_documents": documents,
        }
        await save_decisions(tx, await read_spellings(tx, ends), [apart], more=how)
        await resolve_spellings(tx, ends, rules=rules)

    await _change(graph, work, listen, rules=rules)
    return made.renamed(made.name)


async def undo(graph: Graph, ref: int, listen: Listener, *, rules: bool) -> NameDecision:
    """Undoes a decision, acts on it, and returns the decision.

    A decision of a person is removed. Against "same" of a rule or a model, a person's "different"
    is saved, since they would decide the same again. Raises InputError for an unknown ref, and for
    a decision of a model that keeps two names apart.
    """
    found = [one for one in await read_decisions(graph) if one.ref == ref]
    if not found:
        raise InputError(f"There is no decision {ref}: `kg-build resolve --list` shows them all.")
    undone = found[0]
    if undone.origin != "person":
        if undone.verdict != "same":
            raise InputError(
                f"Decision {ref} keeps two names apart; if they are one thing, say so: "
                f"`kg-build resolve --same {undone.one!r} {undone.other!r}`."
            )
        await decide(graph, undone.one, undone.other, "different", listen, rules=rules)
        return undone
    ids = [entity_id(undone.one), entity_id(undone.other)]

    async def work(tx: Transaction) -> None:
        await _undo_split(tx, ref)
        dropped = decision(ids[0], ids[1], undone.verdict, "person", BY_HAND)
        await tx.run("resolve/drop", ids=[dropped.id], mark=False)
        await resolve_spellings(tx, ids, rules=rules)

    await _change(graph, work, listen, rules=rules)
    return undone


async def compare_all(graph: Graph, listen: Listener, *, rules: bool) -> None:
    """Compares all names of the graph again, also of a graph that was imported."""

    async def work(tx: Transaction) -> None:
        await tx.run("resolve/mark_all")

    await _change(graph, work, listen, rules=rules)


async def _as_known(graph: Graph, name: str) -> str:
    """The name as the graph has it, in upper or lower case; the name itself if it is unknown."""

    async def work(tx: Transaction) -> str:
        known = await read_spellings(tx, entity_ids(name))
        return next((known[id_].name for id_ in entity_ids(name) if id_ in known), name)

    return await graph.transact(work)


async def _undo_split(tx: Transaction, ref: int) -> None:
    """Puts a name together again if the decision has split it; its other splits stay.

    What goes with one split may depend on the others, so all are undone and the others made again.
    """
    splits = await read_splits(tx)
    undone = next((one for one in splits if one.ref == ref), None)
    same_name = [one for one in splits if undone and one.one == undone.one]
    for one in same_name:
        await unsplit_evidence(tx, one)
    for one in same_name:
        if one is not undone:
            await split_evidence(tx, one, refuse=False)


async def _refuse_split_names(tx: Transaction, ids: Sequence[str]) -> None:
    """Raises InputError where these two names come from a split."""
    for one in await read_splits(tx):
        if {one.one, one.other} == set(ids):
            raise InputError(
                f"{one.renamed(one.name)!r} was split from {one.name!r}: "
                f"`kg-build resolve --undo {one.ref}` puts them together again."
            )


async def _change(graph: Graph, work: Work, listen: Listener, *, rules: bool) -> None:
    """Runs a transaction under the lease, and brings names, types and weights up to date."""
    await ensure_schema(graph)
    async with hold_lease(graph, {"command": command_name()}, dict):
        await refuse_half_imported(graph)
        await graph.transact(work)
        await merge(graph, listen)
        await resolve_and_merge(graph, listen, rules=rules)
