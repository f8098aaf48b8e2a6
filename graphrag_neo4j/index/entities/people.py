"""What a person decides about names: which are one thing, and which are not.

A decision of a person stays until it is undone, also while no document uses the names.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.lease import command_name, refuse_half_imported
from graphrag_neo4j.index.entities.joining import resolve_and_merge
from graphrag_neo4j.index.entities.label import label_entities
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.entities.moves import (
    Split,
    read_spellings,
    read_splits,
    split_evidence,
    unsplit_evidence,
)
from graphrag_neo4j.index.entities.resolve import (
    Decision,
    DecisionOrigin,
    Verdict,
    resolve_spellings,
    save_decisions,
)
from graphrag_neo4j.index.upgrade import hold_graph
from graphrag_neo4j.model.events import Listener
from graphrag_neo4j.text.strings import entity_id, entity_ids

BY_HAND = "A person said so."
BY_SPLIT = "A person split the name by"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NameDecision:
    """A decision about two names: "same", "different" or "unsure", and who decided it.

    `ref` is its number for `undo`. `origin` is "person", "rule" or "model". `together` says
    whether both names are one entity now.
    """

    ref: int
    verdict: Verdict
    one: str
    other: str
    origin: DecisionOrigin
    reason: str
    together: bool


async def read_decisions(graph: Graph) -> list[NameDecision]:
    """Returns all decisions about names, the newest first."""
    return await graph.read("resolve/list", NameDecision)


async def decide(
    graph: Graph, one: str, other: str, verdict: Verdict, listen: Listener, *, rules: bool
) -> None:
    """Saves that a person says "same" or "different" about two names, and acts on it.

    It replaces what a person said about these two before. Raises InputError where the graph does
    not know a name, where both are one spelling, and where it contradicts other decisions of a
    person.
    """

    async def work(tx: Transaction) -> None:
        names = [await _as_known(tx, one), await _as_known(tx, other)]
        ids = [entity_id(name) for name in names]
        if ids[0] == ids[1]:
            raise InputError(f"{names[0]!r} and {names[1]!r} are one spelling in the graph.")
        await _refuse_split_names(tx, ids)
        known = await read_spellings(tx, ids)
        for id_, name in zip(ids, names, strict=True):
            if id_ not in known:
                raise InputError(f"No document in the graph uses the name {name!r}.")
        made = Decision(ids[0], ids[1], verdict, "person", BY_HAND)
        await save_decisions(tx, known, [made])
        await resolve_spellings(tx, ids, rules=rules)
        for row in reversed(await tx.run("resolve/list", NameDecision)):
            if row.origin == "person" and (row.verdict == "same") != row.together:
                raise InputError(
                    f"This contradicts other decisions of people: what they say of {names[0]!r} "
                    f"and {names[1]!r} can't hold together with {row.verdict!r} for "
                    f"{row.one!r} and {row.other!r}. `kg-build resolve --list` shows the "
                    "decisions, and `--undo` takes one back."
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
    """Makes mentions of a name a separate entity, and returns the name of this entity.

    These are the mentions with one of `types` (none: any) in documents whose source matches the
    glob `documents` (None: any). The new name is the name with `label` in brackets, by default with
    the types or the glob. It holds for all documents, also for those that are indexed later. Raises
    InputError where the graph does not know the name, where no mention or every mention is meant,
    and where the new name is in use.
    """
    kinds = tuple(sorted({one.strip().casefold() for one in types}))
    by = {f"its type ({', '.join(kinds)})": kinds, f"its documents ({documents})": documents}
    reason = f"{BY_SPLIT} {' and '.join(text for text, given in by.items() if given)}."
    usual_label = " and ".join(filter(None, (", ".join(kinds), documents)))

    async def work(tx: Transaction) -> str:
        made = Split(0, await _as_known(tx, name.strip()), label or usual_label, kinds, documents)
        ends = made.one, made.other
        await _refuse_split_names(tx, ends)
        known = await read_spellings(tx, ends)
        if made.other in known and known[made.other].n:
            new = made.renamed(made.name)
            raise InputError(f"{new!r} is a name in the graph already: give another label.")
        await split_evidence(tx, made, refuse=True)
        how = {
            "split_name": made.name,
            "split_label": made.label,
            "split_types": list(kinds),
            "split_documents": documents,
        }
        apart = Decision(*ends, "different", "person", reason)
        await save_decisions(tx, await read_spellings(tx, ends), [apart], more=how)
        await resolve_spellings(tx, ends, rules=rules)
        return made.renamed(made.name)

    return await _change(graph, work, listen, rules=rules)


async def undo(graph: Graph, ref: int, listen: Listener, *, rules: bool) -> NameDecision:
    """Undoes a decision, acts on it, and returns the decision.

    A decision of a person is removed. Against "same" of a rule or a model, a person's "different"
    is saved, since they would decide the same again. Raises InputError for an unknown ref, and for
    a decision of a model that keeps two names apart.
    """
    undone = next((one for one in await read_decisions(graph) if one.ref == ref), None)
    if not undone:
        raise InputError(f"There is no decision {ref}: `kg-build resolve --list` shows them all.")
    if undone.origin != "person" and undone.verdict != "same":
        raise InputError(
            f"Decision {ref} keeps two names apart; if they are one thing, say so: "
            f"`kg-build resolve --same {undone.one!r} {undone.other!r}`."
        )
    if undone.origin != "person":
        await decide(graph, undone.one, undone.other, "different", listen, rules=rules)
        return undone
    ids = [entity_id(undone.one), entity_id(undone.other)]

    async def work(tx: Transaction) -> None:
        # What goes with one split of a name may depend on its others: all are undone, and the
        # others made again.
        splits = await read_splits(tx)
        split_name = next((one.one for one in splits if one.ref == ref), None)
        of_name = [one for one in splits if one.one == split_name]
        for one in of_name:
            await unsplit_evidence(tx, one)
        for one in of_name:
            if one.ref != ref:
                await split_evidence(tx, one)
        dropped = Decision(ids[0], ids[1], undone.verdict, "person", BY_HAND)
        await tx.run("resolve/drop", ids=[dropped.id], mark=False)
        await resolve_spellings(tx, ids, rules=rules)

    await _change(graph, work, listen, rules=rules)
    return undone


async def compare_all(graph: Graph, listen: Listener, *, rules: bool) -> None:
    """Compares all names of the graph again, also of a graph that was imported."""

    async def work(tx: Transaction) -> None:
        await tx.run("resolve/mark_all")

    await _change(graph, work, listen, rules=rules)


async def _as_known(tx: Transaction, name: str) -> str:
    """The name as the graph has it, in upper or lower case; the name itself if it is unknown."""
    known = await read_spellings(tx, entity_ids(name))
    return next((known[id_].name for id_ in entity_ids(name) if id_ in known), name)


async def _refuse_split_names(tx: Transaction, ids: Collection[str]) -> None:
    """Raises InputError where these two names come from a split."""
    for one in await read_splits(tx):
        if {one.one, one.other} == set(ids):
            raise InputError(
                f"{one.renamed(one.name)!r} was split from {one.name!r}: "
                f"`kg-build resolve --undo {one.ref}` puts them together again."
            )


async def _change(
    graph: Graph, work: Callable[[Transaction], Awaitable[T]], listen: Listener, *, rules: bool
) -> T:
    """Runs a transaction under the lease, and brings names, types and weights up to date."""
    async with hold_graph(graph, {"command": command_name()}, dict, listen):
        await refuse_half_imported(graph)
        result = await graph.transact(work)
        await merge(graph, listen)
        await resolve_and_merge(graph, listen, rules=rules)
        await label_entities(graph, listen)
        return result
