"""Local search: what the graph says of the entities that a question is about."""

from graphrag_neo4j.asking import Asking, Found
from graphrag_neo4j.neighbourhood import local_context

__all__ = ["search_local"]


async def search_local(asking: Asking) -> Found:
    """One context around the entities nearest to the question, and the step that answers."""
    shown = await local_context(asking)
    answer = asking.answerer.answer(asking.question, shown, asking.history)
    return Found([shown], answer if shown.records else None)
