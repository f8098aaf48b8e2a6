"""The conversation before a question: how much of it counts, and what the question means in it."""

from collections.abc import Sequence
from dataclasses import replace

from graphrag_neo4j.context.citations import rewrite
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.events import Notice, Started
from graphrag_neo4j.model import Message
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.text import fold, shortened
from graphrag_neo4j.tokens import CountTokens

__all__ = ["made_self_contained", "messages_of"]


def messages_of(
    history: Sequence[tuple[str, str]], turns: int, room: int, count: CountTokens
) -> list[Message]:
    """Returns the latest turns as messages: at most `turns` of them, with at most `room` tokens.

    A turn is a (question, answer) pair. The oldest answer that counts is shortened if it does not
    fit. Citations are left out, because their records are not in the context of the new question.
    """
    messages: list[Message] = []
    for question, answer in reversed(history[len(history) - min(turns, len(history)) :]):
        asked = shortened(question, room, count)
        room -= count(asked)
        said = shortened(rewrite(answer, lambda *_: None), room, count)
        room -= count(said)
        if not asked.strip() or not said.strip():
            break
        messages = [Message("user", asked), Message("assistant", said), *messages]
    return messages


async def made_self_contained(query: QueryContext) -> QueryContext:
    """Returns the query with a question that can be understood without the conversation.

    A model rewrites the question, and the listener is told how. If there is no conversation, no
    model, or no usable reply, the question stays as it is.
    """
    if not query.history:
        return query
    query.listen(Started("question"))
    try:
        asked = await query.run(query.backend.self_contained(query.question, query.history))
    except ReplyError as error:
        query.listen(
            Notice(
                f"The question is asked as it stands, without what was said before, since {error}.",
                warning=True,
            )
        )
        return query
    if asked is None:
        return query
    if asked != fold(query.question):
        query.listen(Notice(f"The question is understood as: {asked}"))
    return replace(query, question=asked, stands_alone=True)
