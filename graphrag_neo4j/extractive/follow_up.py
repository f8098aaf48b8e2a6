"""Makes a question that follows on another one name what both are about, by rules for English."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from graphrag_neo4j.model import Message
from graphrag_neo4j.nlp.question_forms import names_in
from graphrag_neo4j.nlp.sentence_ranking import content_words

__all__ = ["with_subject"]

MOST: Final = 4  # words of a subject that has no name
WORD: Final = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# "This" and "these" are left out: "these documents" are not the subject of the question before.
REFERS_BACK: Final = re.compile(
    r"\b(it|its|they|them|their|he|him|his|she|her|hers)\b", re.IGNORECASE
)


def with_subject(question: str, history: Sequence[Message]) -> str | None:
    """Returns the question with the subject of the last question that has one.

    Returns None for a question that names its subject, or has no pronoun that could stand for it.
    """
    if not REFERS_BACK.search(question) or names_in(question):
        return None
    asked = (one.content for one in reversed(history) if one.role == "user")
    subject = next(filter(None, map(_subject, asked)), None)
    return f"{question.rstrip(' ?.!')} ({subject})?" if subject else None


def _subject(question: str) -> str:
    """The names in a question, or else the first words that tell something."""
    return ", ".join(name for name, _ in names_in(question)) or " ".join(_telling(question))


def _telling(question: str) -> Iterable[str]:
    words = content_words(question)
    return [word for word in WORD.findall(question) if word.lower() in words][:MOST]
