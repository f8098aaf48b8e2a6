"""Deletes documents, with all evidence that comes from them alone."""

from collections.abc import Sequence

from graphrag_neo4j.events import Advanced, Listener, Started, silent
from graphrag_neo4j.graph import Graph, ensure_schema, hold_lease
from graphrag_neo4j.indexing.preparation import command_name, refuse_half_imported
from graphrag_neo4j.indexing.stages.ingest import delete_documents, document_id, known_sources
from graphrag_neo4j.indexing.stages.merge import merge

__all__ = ["remove"]


async def remove(
    graph: Graph,
    sources: Sequence[str],
    files: Sequence[str] = (),
    listen: Listener = silent,
) -> list[str]:
    """Deletes documents by their sources, and returns the sources that the graph held.

    `files` holds the sources of files; the documents that are rows of such a file are deleted, too.
    The next build makes new descriptions of the entities that the deleted documents mentioned.
    Raises GraphBusyError while another run writes to the graph.
    """
    await ensure_schema(graph)
    async with hold_lease(graph, {"command": command_name()}, dict):
        await refuse_half_imported(graph)
        known = await known_sources(graph, sources, files)
        listen(Started("deletion"))
        await delete_documents(graph, [document_id(source) for source in known])
        listen(Advanced(len(known)))
        await merge(graph, listen)
    return known
