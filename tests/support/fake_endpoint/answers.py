"""Answers to questions: what shares words with the question is said again, and cited.

Nothing but a citation depends on the numbers that records are cited by.
"""

import re
from collections.abc import Sequence

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.tables import CITATION, Row, read_tables

__all__ = ["prime", "rate", "rewrite", "say", "weigh", "weigh_whole"]

WORD = re.compile(r"\w{4,}")
NAME = re.compile(r"(?<=\s)[A-Z]\w+(?: [A-Z]\w+)*")
SAID = 160  # characters of a record that are said again
INVENTED = 999_999_999
MOST = 5


def say(chat: Chat) -> str:
    """A paragraph for each of the records that share most with the question."""
    if notes := re.findall(r"^Analyst \d+, helpfulness \d+:\n(.+)$", chat.text, re.MULTILINE):
        return "\n\n".join(notes[:MOST])
    told = [f"{row.said[:SAID]} [Data: {row.kind} ({row.ref})]." for row in _fitting(chat)]
    if "Invent " in chat.prompt:
        told.append(f"And more [Data: Claims ({INVENTED})].")
    return "\n\n".join(told) or "The material holds no answer."


def weigh(chat: Chat) -> object:
    """Points of a map call: none from a context that shares nothing with the question."""
    return {
        "points": [
            {
                "description": f"{row.said[:SAID]} [Data: {row.kind} ({row.ref})].",
                "score": _score(chat, row),
            }
            for row in _fitting(chat)
        ]
    }


def weigh_whole(chat: Chat) -> object:
    """One answer of a map call, and its score."""
    rows = _fitting(chat)
    return {"answer": say(chat) if rows else "", "score": _score(chat, rows[0]) if rows else 0}


def rate(chat: Chat) -> object:
    """The reports that share a word with the question."""
    return {"relevant": [row.ref for row in _rows(chat) if _score(chat, row)]}


def prime(chat: Chat) -> object:
    """A first answer; names in the records are asked about next."""
    rows = _fitting(chat)
    names = dict.fromkeys(CITATION.sub("", row.fields[0])[:60] for row in _rows(chat))
    return {
        "answer": say(chat),
        "score": _score(chat, rows[0]) if rows else 0,
        "follow_ups": [f"What is said of {name}?" for name in names][:3],
    }


def rewrite(chat: Chat) -> object:
    """The question with the first name of the last turn, unless it holds this name already."""
    history, question = chat.texts
    last = NAME.search(history.rpartition("User: ")[2])
    if last is None or last[0] in question:
        return {"question": question}
    return {"question": f"{question.rstrip('?')} (about {last[0]})?"}


def _rows(chat: Chat) -> list[Row]:
    return [row for rows in read_tables(chat.text).values() for row in rows]


def _fitting(chat: Chat) -> Sequence[Row]:
    scored = [(_score(chat, row), row) for row in _rows(chat)]
    return [row for n, row in sorted(scored, key=lambda one: -one[0]) if n][:MOST]


def _score(chat: Chat, row: Row) -> int:
    question = chat.prompt.rpartition(">")[2]  # what follows the marked text
    asked = {word.casefold() for word in WORD.findall(question)}
    text = CITATION.sub("", " ".join(row.fields)).casefold()
    return min(100, 25 * sum(1 for word in asked if word in text))
