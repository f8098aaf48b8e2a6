"""From an extractive index to a model's, and back: the first for the asking, the other refused.

What was read offline was never read by a model, so a model reads it without being told to. What
a model has read cost something, and is not given up by accident.
"""

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph

__all__ = ["mark_read_offline", "refuse_to_go_offline"]

READ_BY_MODEL = (
    "A model has read this graph: set its key and endpoint again, or run `kg-build index PATHS "
    "--reread` to give up what it found for an extractive index."
)


async def refuse_to_go_offline(graph: Graph, kind: str) -> None:
    """Raises InputError where chunks were read otherwise than offline.

    `kind`: what the signatures of all that is done offline begin with.
    """
    if (await graph.read("switching/by_model", **_range(kind)))[0]["found"]:
        raise InputError(READ_BY_MODEL)


async def mark_read_offline(graph: Graph, kind: str) -> int:
    """Makes pending what was read offline; how many chunks. What they say stands until then."""
    rows = await graph.write("switching/extraction", **_range(kind))
    await graph.write("switching/claims", **_range(kind))
    return int(rows[0]["n"])


def _range(kind: str) -> dict[str, str]:
    """All strings that begin with the kind and a space."""
    return {"offline": f"{kind} ", "beyond": f"{kind}!"}
