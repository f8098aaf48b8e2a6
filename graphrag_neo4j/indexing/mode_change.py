"""What happens when a graph that was indexed in one mode is indexed in the other.

The modes are extractive and with a model. What was read without a model is read by a model that is
set later, without being asked for. What a model has read was paid for, so an extractive run refuses
to replace it.
"""

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extractive import SIGNATURE_PREFIX
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.indexing.rows import FoundRow

__all__ = ["mark_read_without_model", "refuse_to_lose_model"]

READ_BY_MODEL = (
    "A model has read this graph: set its key and endpoint again, or run `kg-build index PATHS "
    "--reread` to give up what it found for an extractive index."
)
# All strings that begin with the prefix and a space, as a range that an index can serve.
EXTRACTIVE_RANGE = {"extractive": f"{SIGNATURE_PREFIX} ", "beyond": f"{SIGNATURE_PREFIX}!"}


async def refuse_to_lose_model(graph: Graph) -> None:
    """Raises InputError where a chunk was read by a model."""
    if (await graph.read("mode_change/by_model", FoundRow, **EXTRACTIVE_RANGE))[0]["found"]:
        raise InputError(READ_BY_MODEL)


async def mark_read_without_model(graph: Graph) -> int:
    """Makes pending what was read without a model, and gives the number of chunks.

    What these chunks say stands until it is replaced.
    """
    rows = await graph.write("mode_change/extraction", CountRow, **EXTRACTIVE_RANGE)
    await graph.write("mode_change/claims", CountRow, **EXTRACTIVE_RANGE)
    return int(rows[0]["n"])
