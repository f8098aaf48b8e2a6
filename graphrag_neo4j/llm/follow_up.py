"""Makes a question of a conversation self-contained: "And where?" becomes "Where did Marley live?".

A small model often answers the question instead of rewriting it. Such a reply is refused.
"""

import re
from collections.abc import Generator, Sequence

from graphrag_neo4j.context.citations import cited
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.schemas import FollowUpSchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.model import Message, Reply, Request
from graphrag_neo4j.text import fold

__all__ = ["asks", "conversation_text", "self_contained"]

QUESTION_MARKS = frozenset("?؟;")  # the last two are those of Arabic and Greek
SENTENCE_END = re.compile(r"(?<![.!?؟])[.!?؟]++(?:\s|\Z)|。")
MOST_SENTENCES = 3  # more than the user's question has
ADDED = 300  # characters that names and places may add to a question


def self_contained(request: Request, question: str) -> Generator[Request, Reply, str]:
    """Requests the question in a form that can be understood without the conversation.

    Raises ReplyError if the reply is empty, too long, or an answer.
    """
    written = fold((yield from read_json(request, FollowUpSchema)).question)
    asked = fold(question)
    if not written:
        raise ReplyError("the reply holds no question")
    if len(written) > 2 * len(asked) + ADDED:
        raise ReplyError("the reply is too long for a question")
    if cited(written) or _has_more_to_say(asked, written):
        raise ReplyError("the reply is an answer instead of a question")
    return written


def conversation_text(history: Sequence[Message]) -> str:
    """The turns of a conversation as a text that a model reads."""
    return "\n\n".join(f"{message.role.capitalize()}: {message.content}" for message in history)


def _has_more_to_say(asked: str, written: str) -> bool:
    """Tells whether the reply asks nothing, or consists of many more sentences."""
    if asks(asked) and not asks(written):
        return True
    return len(SENTENCE_END.findall(written)) > len(SENTENCE_END.findall(asked)) + MOST_SENTENCES


def asks(text: str) -> bool:
    """Tells whether a question mark stands after the last word of a text."""
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    return not QUESTION_MARKS.isdisjoint(text[end:])
