"""Checks, without a model, whether the graph holds something to answer a question with."""

import re
from collections.abc import Awaitable, Callable

from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.model.material import DraftQuestion
from graphrag_neo4j.query.graph_expansion import names
from graphrag_neo4j.query.local import local_context
from graphrag_neo4j.query.query_context import QueryContext, lucene_query
from graphrag_neo4j.query.rows import NamedRow, WordRow

__all__ = ["is_answerable"]

CANDIDATES = 50  # entities whose name shares a word with the question


async def is_answerable(
    query: QueryContext, draft: DraftQuestion, answers: Callable[[str], Awaitable[bool]]
) -> bool:
    """Tells whether the graph holds what a question names, and material for its answer.

    A question on a particular thing must have the full name of an entity, and its local context
    must hold this entity. A question on the whole must share words with the reports. Without a
    model, a question for the themes of all reports shares none, and `answers` decides: it tells
    whether a question has an answer.
    """
    if await _names_nothing_known(query, draft.text):
        return False
    entities = set(draft.about) or await _entities_in(query, draft.text)
    if entities:
        table = await local_context(query, draft.text)
        return any(record.id in entities for record in table.records.values())
    if draft.whole and query.backend.quotes:
        return await answers(draft.text)
    return draft.whole and await _touches_reports(query, draft.text)


async def _names_nothing_known(query: QueryContext, text: str) -> bool:
    """Tells whether a name in the question has a word that occurs nowhere in the graph."""
    from graphrag_neo4j.text.sentence_ranking import names_in  # noqa: PLC0415 - it reads word lists

    said = " ".join(names_in(text))
    words = list(dict.fromkeys(word.casefold() for word in re.findall(r"\w+", said)))
    if not words:
        return False
    return bool(await query.graph.read("search/words_nowhere", WordRow, words=words))


async def _entities_in(query: QueryContext, text: str) -> set[str]:
    """Returns the ids of the entities whose full names the question has."""
    words = lucene_query(text, "name")
    if not words:
        return set()
    rows = await query.graph.read("search/named", NamedRow, words=words, k=CANDIDATES)
    return set(names(text, rows))


async def _touches_reports(query: QueryContext, text: str) -> bool:
    from graphrag_neo4j.text.sentence_ranking import content_words  # noqa: PLC0415 - as above

    words = lucene_query(" ".join(sorted(content_words(text))))
    if not words:
        return False
    return bool(await query.graph.read("search/fulltext_communities", ScoredRow, words=words, k=1))
