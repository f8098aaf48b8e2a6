"""Local search: answers from the entities that a question is about and the graph around them."""

from graphrag_neo4j.query.local_context import local_context
from graphrag_neo4j.query.passages import near_passages
from graphrag_neo4j.query.query_context import QueryContext, SearchResult

__all__ = ["search_local"]


async def search_local(query: QueryContext) -> SearchResult:
    """Returns the local context of the question, and the task that answers from it.

    An answer of quotations has no budget of tokens: it is also made from more passages near the
    question, which are a context of their own. The backend gets these first.
    """
    table = await local_context(query)
    contexts = [table]
    if query.backend.quotes and not query.context_only:
        near = await near_passages(query)
        contexts.append(near)
        table = query.table(float("inf"))
        table.records |= near.records | contexts[0].records
    answer = query.backend.answer(query.question, table, query.history)
    return SearchResult(contexts, answer if table.records else None)
