"""Changes of evidence that several stages share: new refs, and the removal of evidence."""

from collections.abc import Sequence
from typing import Literal

from graphrag_neo4j.graph.connection import Transaction
from graphrag_neo4j.graph.rows import IdsRow, NewRefsRow

__all__ = [
    "RefKind",
    "forget_chunks",
    "forget_claims",
    "forget_extraction",
    "give_refs",
    "mark_changed",
    "sweep_entities",
    "sweep_pairs",
]

RefKind = Literal["chunk", "entity", "claim", "relationship", "community", "decision"]


async def give_refs(tx: Transaction, kind: RefKind, ids: Sequence[str]) -> dict[str, int]:
    """Gives a new ref to each of `ids` that the graph does not hold yet, in the order given."""
    rows = await tx.run(f"evidence/refs_{kind}", NewRefsRow, ids=list(dict.fromkeys(ids)))
    return {id_: rows[0]["before"] + n for n, id_ in enumerate(rows[0]["missing"], start=1)}


async def forget_extraction(tx: Transaction, chunks: Sequence[str]) -> tuple[list[str], list[str]]:
    """Removes STATED and MENTIONS of chunks; returns the ids of the pairs and entities to sweep."""
    pairs = await tx.run("evidence/forget_stated", IdsRow, chunks=chunks)
    entities = await tx.run("evidence/forget_mentions", IdsRow, chunks=chunks)
    return pairs[0]["ids"], entities[0]["ids"]


async def forget_claims(tx: Transaction, chunks: Sequence[str]) -> list[str]:
    """Removes the claims of chunks; returns the ids of the entities to sweep."""
    await tx.run("evidence/forget_claims", chunks=chunks)
    return (await tx.run("evidence/forget_claimed", IdsRow, chunks=chunks))[0]["ids"]


async def forget_chunks(tx: Transaction, chunks: Sequence[str]) -> None:
    """Removes chunks with all their evidence, and entities and pairs without other evidence."""
    if not chunks:
        return
    claimed = await forget_claims(tx, chunks)
    pairs, entities = await forget_extraction(tx, chunks)
    await tx.run("evidence/forget_chunks", chunks=chunks)
    await sweep_pairs(tx, pairs)
    await sweep_entities(tx, [*entities, *claimed])
    await mark_changed(tx)


async def mark_changed(tx: Transaction) -> None:
    """Marks the graph of entities as changed, so that its communities are made again."""
    await tx.run("graph/changed")


async def sweep_pairs(tx: Transaction, pairs: Sequence[str]) -> None:
    """Removes those of these pairs that no chunk states any more."""
    await tx.run("evidence/sweep_related", pairs=pairs)


async def sweep_entities(tx: Transaction, entities: Sequence[str]) -> None:
    """Removes those of these entities that no chunk mentions any more."""
    await tx.run("evidence/sweep_entities", entities=entities)
