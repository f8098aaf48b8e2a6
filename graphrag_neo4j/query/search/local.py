"""Local search: what the graph says of the entities that a question is about."""

from graphrag_neo4j.query.local_context import local_context
from graphrag_neo4j.query.query_context import QueryContext, SearchResult

__all__ = ["search_local"]


async def search_local(query: QueryContext) -> SearchResult:
    """One context around the entities nearest to the question, and the step that answers."""
    table = await local_context(query)
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult([table], answer if table.records else None)
