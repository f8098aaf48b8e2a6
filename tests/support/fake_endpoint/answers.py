"""Answers to questions: what shares words with the question is said again, and cited.

Of a report, the sentences nearest to the question are said, without titles. An answer from the
notes of several analysts has a few paragraphs, each with a heading and with cited sentences.
Nothing but a citation depends on the numbers that records are cited by.
"""

import re
from collections.abc import Iterator, Sequence

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.invented import sentences, shorten
from tests.support.fake_endpoint.tables import CITATION, Row, read_tables

__all__ = ["prime", "rate", "rewrite", "say", "weigh", "weigh_whole"]

WORD = re.compile(r"\w{4,}")
NAME = re.compile(r"(?<=\s)[A-Z]\w+(?: [A-Z]\w+)*")
SAID = 160  # characters of a record that are said again
INVENTED = 999_999_999
MOST = 5
NOTE = re.compile(
    r"^Analyst \d+, helpfulness \d+:\n(.+?)(?=\n\nAnalyst \d+, helpfulness \d+:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
CITED = re.compile(r"(.+?)[\s.]*(\[Data: [^\]]*\])[\s.]*", re.DOTALL)
HEADING = re.compile(r"(?:^|\s)#+(?:\s|$)")
IN_A_PARAGRAPH = 3  # sentences with their citations; so many are also taken from a note
SENTENCES = 2  # of a report
FEWEST_WORDS = 2  # a sentence has more
WORDS_OF_A_SENTENCE = 30
WORDS_OF_A_HEADING = 4


def say(chat: Chat) -> str:
    """A paragraph for each of the records that share most with the question.

    From the notes of analysts it makes paragraphs with headings.
    """
    if notes := NOTE.findall(chat.text):
        return "\n\n".join(_paragraphs(notes[:MOST]))
    told = [_told(chat, row) for row in _fitting(chat)]
    if "Invent " in chat.prompt:
        told.append(f"And more [Data: Claims ({INVENTED})].")
    return "\n\n".join(told) or "The material holds no answer."


def weigh(chat: Chat) -> object:
    """Points of a map call: none from a context that shares nothing with the question."""
    return {
        "points": [
            {
                "description": _told(chat, row),
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
    return min(100, 25 * _shared(chat, CITATION.sub("", " ".join(row.fields))))


def _shared(chat: Chat, text: str) -> int:
    """How many words of the question a text has."""
    question = chat.prompt.rpartition(">")[2]  # what follows the marked text
    asked = {word.casefold() for word in WORD.findall(question)}
    folded = text.casefold()
    return sum(1 for word in asked if word in folded)


def _told(chat: Chat, row: Row) -> str:
    """What is said again of a record, and its citation."""
    parts = HEADING.split(row.said)[1:]  # of a report: title, text, title, text …
    said = _nearest(chat, parts[1::2]) or HEADING.sub(" ", row.said).strip()[:SAID]
    return f"{said} [Data: {row.kind} ({row.ref})]."


def _nearest(chat: Chat, parts: Sequence[str]) -> str:
    """The sentences of a report that share most words with the question, in their order."""
    found = (one for part in parts for one in sentences(part) if len(one.split()) > FEWEST_WORDS)
    all_of_it = list(dict.fromkeys(found))
    most = sorted(all_of_it, key=lambda one: -_shared(chat, one))[:SENTENCES]
    chosen = [shorten(one, WORDS_OF_A_SENTENCE) for one in all_of_it if one in most]
    return " ".join(chosen).rstrip(".")


def _paragraphs(notes: Sequence[str]) -> Iterator[str]:
    """Paragraphs of the cited sentences of notes; a note without a citation is said as it is."""
    found = [CITED.findall(note)[:IN_A_PARAGRAPH] or [(note, "")] for note in notes]
    once = list(dict.fromkeys(one for note in found for one in note))
    for start in range(0, len(once), IN_A_PARAGRAPH):
        few = once[start : start + IN_A_PARAGRAPH]
        heading = shorten(few[0][0], WORDS_OF_A_HEADING).rstrip(" .,:;…")
        told = (f"{said.strip()} {citation}".strip().rstrip(".") + "." for said, citation in few)
        yield f"## {heading}\n\n{' '.join(told)}"
