"""Local search: answers from the entities that a question is about and the graph around them."""

from graphrag_neo4j.query.local_context import local_context
from graphrag_neo4j.query.query_context import QueryContext, SearchResult

__all__ = ["search_local"]


async def search_local(query: QueryContext) -> SearchResult:
    """Returns the local context of the question, and the task that answers from it."""
    table = await local_context(query)
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult([table], answer if table.records else None)
