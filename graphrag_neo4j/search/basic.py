"""Basic search: the chunks nearest to the question, the paper's baseline SS (vector RAG)."""

from graphrag_neo4j.asking import Asking, Found, escaped, source_record
from graphrag_neo4j.graph import nearest

__all__ = ["search_basic"]

CANDIDATES = 100  # more chunks than a context of any usual size takes


async def search_basic(asking: Asking) -> Found:
    """Chunks in the order of their nearness until the budget is full."""
    ids = await _ranked(asking)
    chunks = {row["id"]: row for row in await asking.graph.read("search/chunks", ids=ids)}
    shown = asking.shown(asking.settings.max_context_tokens)
    for id_ in ids:
        if id_ in chunks and not shown.add([source_record(chunks[id_])]):
            break
    answer = asking.answerer.answer(asking.question, shown, asking.history)
    return Found([shown], answer if shown.records else None)


async def _ranked(asking: Asking) -> list[str]:
    vector = await asking.vector()
    if vector is not None:
        rows = await nearest(asking.graph, "chunk", vector, CANDIDATES)
    elif words := escaped(asking.question):
        rows = await asking.graph.read("search/worded_chunks", words=words, k=CANDIDATES)
    else:
        rows = []
    return [row["id"] for row in rows]
