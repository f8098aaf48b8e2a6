"""Reads one text several times: the first list, then gleanings, with continuations of cut lists.

Gleanings follow arXiv 2404.16130, appendix A. After each reading but the last, the model says with
one token whether it missed something. If it did, it is asked for the missing records.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass, field

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tuples import Tuples, read_tuples
from graphrag_neo4j.model import Message, Reply, Request, Step
from graphrag_neo4j.text import storable

__all__ = ["Gleaning", "Wording", "read_with_gleanings"]

CONTINUATIONS = 2  # requests for the rest of a list that was cut off
YES_OR_NO = ("Yes", "No")


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of the messages after the first prompt.

    `missed` asks whether records are missing, `more` asks for them, and `go_on` asks for the rest
    of a list that was cut off.
    """

    missed: str
    more: str
    go_on: str


@dataclass(slots=True)
class Gleaning:
    """The records of the first reading and of all gleanings, in order.

    `cut` tells whether a list was still cut off after the continuations. `odd` holds descriptions
    of unusual replies, which are counted.
    """

    records: list[list[str]] = field(default_factory=list)
    cut: bool = False
    odd: list[str] = field(default_factory=list)


def read_with_gleanings(
    step: Step, prompt: str, wording: Wording, gleanings: int
) -> Generator[Request, Reply, Gleaning]:
    """Reads one text, and then asks at most `gleanings` times for records that were missed.

    It yields at most 2 * gleanings + 1 requests and their continuations. Each list is parsed
    separately. Raises ReplyError if a reply holds no list at all.
    """
    messages: tuple[Message, ...] = (Message("user", prompt),)
    found = Gleaning()
    for gleaning in range(gleanings + 1):
        text, tuples, cut = yield from _whole(step, messages, wording.go_on)
        _keep(found, text, tuples, cut=cut)
        if gleaning == gleanings:
            break
        messages = (*messages, Message("assistant", text), Message("user", wording.missed))
        reply = yield Request(step, messages, choices=YES_OR_NO)
        answer = _yes_or_no(reply.text)
        if answer is None:
            found.odd.append("neither yes nor no")
        if answer != "yes":
            break
        messages = (*messages, Message("assistant", "Yes"), Message("user", wording.more))
    return found


def _whole(
    step: Step, messages: tuple[Message, ...], go_on: str
) -> Generator[Request, Reply, tuple[str, Tuples, bool]]:
    """Returns a reply joined with its continuations, its records, and whether it is still cut."""
    text, asking = "", messages
    for _ in range(1 + CONTINUATIONS):
        reply = yield Request(step, asking)
        text += storable(reply.text)[0]
        tuples = read_tuples(text)
        cut = tuples.open or (reply.cut and not tuples.complete)
        if not (text and cut):
            break
        asking = (*messages, Message("assistant", text), Message("user", go_on))
    return text, tuples, cut


def _keep(found: Gleaning, text: str, tuples: Tuples, *, cut: bool) -> None:
    if not (tuples.records or tuples.complete):
        start = " ".join(text.split())[:60]
        raise ReplyError(f"the reply holds no record: {start!r}" if start else "the reply is empty")
    found.cut |= cut
    found.records += tuples.records[:-1] if tuples.open else tuples.records


def _yes_or_no(text: str) -> str | None:
    word = re.search(r"\w+", text)
    answer = word[0].casefold() if word else ""
    return {"yes": "yes", "y": "yes", "no": "no", "n": "no"}.get(answer)
