"""Reports and answers on the records of a context: what they say is said again, and cited.

An answer says what shares words with the question; of a report, the sentences nearest to it.
Nothing but a citation depends on the numbers that records are cited by, since these differ between
two graphs of the same content.
"""

import re

from tests.support.fake_endpoint.chat import Chat, Row
from tests.support.fake_endpoint.words import sentences, shorten

INVENTED = 999_999_999
"""The number of a record that is cited although it is not there."""
CITATION = re.compile(r"\s*\[Data: [^\]]*\]")
NAME = re.compile(r"(?<=\s)[A-Z]\w+(?: [A-Z]\w+)*")
NOTE = re.compile(
    r"^Analyst \d+, helpfulness \d+:\n(.+?)(?=\n\nAnalyst \d|\Z)", re.MULTILINE | re.DOTALL
)
HEADING = re.compile(r"(?:^|\s)#+(?:\s|$)")
MOST = 5  # records, findings, notes


def write_report(chat: Chat) -> dict[str, object]:
    """A report whose n-th finding is on the n-th record of each kind."""
    rows = chat.rows
    names = [row.fields[0] for row in rows if row.kind == "Entities"] or [r.fields[0] for r in rows]
    title = CITATION.sub("", ", ".join(names[:3]))[:80] or "Nothing"
    return {
        "title": title,
        "summary": f"{title} belong together. " + (_said(rows[0])[:200] if rows else ""),
        "rating": min(9, 1 + len(rows) / 4),
        "rating_explanation": f"It concerns {len(rows)} things.",
        "findings": [_finding(n, rows) for n in range(min(MOST, max(1, len(rows))))],
    }


def _finding(n: int, rows: list[Row]) -> dict[str, str]:
    """The first finding cites what is not there, too; all take over what the records cite."""
    of_kinds = [[row for row in rows if row.kind == kind] for kind in {r.kind: 0 for r in rows}]
    told = [few[n] for few in of_kinds if n < len(few)]
    parts = [f"{row.kind} ({row.ref})" for row in told] + [f"Claims ({INVENTED})"] * (n == 0)
    said = " ".join(_said(row)[:150] for row in told) or "So it is"
    cited = f" [Data: {'; '.join(parts)}]" if parts else ""
    taken_over = [found[0] for row in told if (found := CITATION.search(row.fields[-1]))]
    also = "".join(f" As reported{one}." for one in taken_over)
    return {"summary": f"Finding {n + 1}", "explanation": f"{said}{cited}.{also}"}


def say(chat: Chat) -> str:
    """A paragraph for each of the records nearest to the question; notes stand under headings."""
    if notes := NOTE.findall(chat.text)[:MOST]:
        return "\n\n".join(f"## {shorten(one, 4).rstrip(' .,:;…')}\n\n{one}" for one in notes)
    told = [point for point, _ in _points(chat)]
    if "Invent " in chat.prompt:
        told.append(f"And more [Data: Claims ({INVENTED})].")
    return "\n\n".join(told) or "The material holds no answer."


def weigh(chat: Chat) -> object:
    """Points of a map call: none from a context that shares nothing with the question."""
    return {"points": [{"description": said, "score": score} for said, score in _points(chat)]}


def weigh_whole(chat: Chat) -> dict[str, object]:
    """One answer of a map call, and its score."""
    best = max((score for _, score in _points(chat)), default=0)
    return {"answer": say(chat) if best else "", "score": best}


def rate(chat: Chat) -> object:
    """The reports that share a word with the question."""
    return {"relevant": [row.ref for row in chat.rows if _score(chat, row)]}


def prime(chat: Chat) -> object:
    """A first answer; names in the records are asked about next."""
    names = list(dict.fromkeys(CITATION.sub("", row.fields[0])[:60] for row in chat.rows))
    follow_ups = [f"What is said of {name}?" for name in names[:3]]
    return weigh_whole(chat) | {"answer": say(chat), "follow_ups": follow_ups}


def rewrite(chat: Chat) -> object:
    """The question with the first name of the last turn, unless it holds this name already."""
    history, question = chat.texts
    last = NAME.search(history.rpartition("User: ")[2])
    if last is None or last[0] in question:
        return {"question": question}
    return {"question": f"{question.rstrip('?')} (about {last[0]})?"}


def _said(row: Row) -> str:
    return CITATION.sub("", row.fields[-1])


def _points(chat: Chat) -> list[tuple[str, int]]:
    """What is said again of the records that share most with the question, and their scores."""
    scored = sorted(((_score(chat, row), row) for row in chat.rows), key=lambda one: -one[0])
    return [(_told(chat, row), score) for score, row in scored[:MOST] if score]


def _score(chat: Chat, row: Row) -> int:
    return min(100, 25 * _shared(chat, CITATION.sub("", " ".join(row.fields))))


def _shared(chat: Chat, text: str) -> int:
    """How many words of the question a text has."""
    asked = {word.casefold() for word in re.findall(r"\w{4,}", chat.question)}
    return sum(word in text.casefold() for word in asked)


def _told(chat: Chat, row: Row) -> str:
    parts = HEADING.split(_said(row))[2::2]  # of a report: title, text, title, text …
    found = [one for part in parts for one in sentences(part) if len(one.split()) > 2]
    nearest = sorted(dict.fromkeys(found), key=lambda one: -_shared(chat, one))[:2]
    said = " ".join(shorten(one, 30) for one in nearest).rstrip(".")
    said = said or HEADING.sub(" ", _said(row)).strip()[:160]
    return f"{said} [Data: {row.kind} ({row.ref})]."
