"""Handles a change of the mode: a graph was indexed in one mode and is indexed in the other now.

The modes are extractive and with a model. A run with a model reads all chunks again that were read
extractively. An extractive run refuses to replace the evidence that a model has read, because that
was paid for.
"""

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extractive import SIGNATURE_PREFIX
from graphrag_neo4j.graph import Graph, Transaction, forget_claims, mark_changed, sweep_entities
from graphrag_neo4j.graph.rows import CountRow, IdRow
from graphrag_neo4j.indexing.rows import FoundRow

__all__ = ["forget_claims_without_model", "mark_read_without_model", "refuse_to_lose_model"]

PAGE = 500

READ_BY_MODEL = (
    "A model has read this graph: set its key and endpoint again, or run `kg-build index PATHS "
    "--reread` to replace what it found by an extractive index."
)
# All strings that begin with the prefix and a space, as a range that an index can serve.
EXTRACTIVE_RANGE = {"extractive": f"{SIGNATURE_PREFIX} ", "beyond": f"{SIGNATURE_PREFIX}!"}


async def refuse_to_lose_model(graph: Graph) -> None:
    """Raises InputError where a model has read a chunk of the graph."""
    if (await graph.read("mode_change/by_model", FoundRow, **EXTRACTIVE_RANGE))[0]["found"]:
        raise InputError(READ_BY_MODEL)


async def mark_read_without_model(graph: Graph) -> int:
    """Makes the chunks pending that were read extractively, and returns their number.

    Their evidence stays until it is replaced.
    """
    rows = await graph.write("mode_change/extraction", CountRow, **EXTRACTIVE_RANGE)
    await graph.write("mode_change/claims", CountRow, **EXTRACTIVE_RANGE)
    return int(rows[0]["n"])


async def forget_claims_without_model(graph: Graph) -> None:
    """Removes the claims that were extracted without a model.

    A model that extracts no claims replaces the other evidence of these chunks, but not these.
    """
    while rows := await graph.read("mode_change/claimed", IdRow, limit=PAGE, **EXTRACTIVE_RANGE):
        await _forget_claims(graph, [row["id"] for row in rows])


async def _forget_claims(graph: Graph, chunks: list[str]) -> None:
    async def work(tx: Transaction) -> None:
        entities = await forget_claims(tx, chunks)
        await tx.run("mode_change/unread_claims", chunks=chunks)
        await sweep_entities(tx, entities)
        await mark_changed(tx)

    await graph.transact(work)
