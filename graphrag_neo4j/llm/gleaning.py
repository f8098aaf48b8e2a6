"""Reads one text several times: the first list, then gleanings, with continuations of cut lists.

Gleanings follow arXiv 2404.16130, appendix A: the model is asked for the records that it missed.
Before that, it can be asked with one token whether it missed any. The answer is no part of the
conversation. So a gleaning finds the same whether the question was asked or not.
"""

import re
from collections.abc import Collection, Generator
from dataclasses import dataclass, field
from typing import Final

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.replies.lists import ReadList, read_list
from graphrag_neo4j.model import Message, Reply, Request, Step
from graphrag_neo4j.text import excerpt, storable

__all__ = ["ASKED", "Gleaning", "MissedQuestion", "Wording", "read_with_gleanings"]

CONTINUATIONS = 2  # requests for the rest of a list that was cut off
YES_OR_NO = ("Yes", "No")
ASKED: Final = "later"  # than the first gleaning: a part of what makes two readings equal
ANSWERS = 20  # answers after which a model is judged by them
ALWAYS = 0.95  # share of answers with Yes from which on the question is not worth its tokens
BEGINNING = 60  # characters of an unread text that are kept


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
class MissedQuestion:
    """Decides whether a model is asked if it missed something, before it is asked for more.

    It is asked before each gleaning but the first. A model that answers Yes almost always is no
    longer asked, because its answer saves no gleaning.
    """

    answers: int = 0
    yes: int = 0

    def is_worth(self, gleaning: int) -> bool:
        """Tells whether to ask before a gleaning; the first one is number 1."""
        if self.answers >= ANSWERS and self.yes >= ALWAYS * self.answers:
            return False
        return gleaning > 1

    def note(self, *, yes: bool) -> None:
        """Counts an answer."""
        self.answers += 1
        self.yes += yes


@dataclass(slots=True)
class Gleaning:
    """The records of the first reading and of all gleanings, in order.

    `cut` tells whether a list was still cut off after the continuations. `odd` holds descriptions
    of unusual replies and of unread text, which are counted.
    """

    records: list[list[str]] = field(default_factory=list)
    cut: bool = False
    odd: list[str] = field(default_factory=list)


def read_with_gleanings(
    step: Step,
    prompt: str,
    wording: Wording,
    gleanings: int,
    question: MissedQuestion | None = None,
    *,
    types: Collection[str] = (),
) -> Generator[Request, Reply, Gleaning]:
    """Reads one text, and then asks at most `gleanings` times for records that were missed.

    `types` are the types of entities that the prompt asks for.
    It stops earlier at a gleaning that finds nothing new. Each list is parsed separately. It yields
    at most 2 * gleanings + 1 requests and their continuations. A request after the first that
    fails, for example since the conversation has become too long, ends the reading.
    Raises ReplyError if the first reply holds no list at all.
    """
    question = question or MissedQuestion()
    messages: tuple[Message, ...] = (Message("user", prompt),)
    found = Gleaning()
    for gleaning in range(gleanings + 1):
        try:
            if gleaning and question.is_worth(gleaning):
                says_more = yield from _asks(step, messages, wording.missed, found, question)
                if not says_more:
                    break
            if gleaning:
                messages = (*messages, Message("user", wording.more))
            text, read, cut = yield from _whole(step, messages, wording.go_on, types)
        except ReplyError as error:
            if not gleaning:
                raise
            found.odd.append(f"a gleaning that failed: {error}")
            break
        is_new = _keep(found, text, read, cut=cut, is_first=gleaning == 0)
        if gleaning and not is_new:
            break
        messages = (*messages, Message("assistant", text))
    return found


def _asks(
    step: Step,
    messages: tuple[Message, ...],
    missed: str,
    found: Gleaning,
    question: MissedQuestion,
) -> Generator[Request, Reply, bool]:
    """Asks the model whether it missed something; an unclear answer is counted, and means No."""
    asking = (*messages, Message("user", missed))
    reply = yield Request(step, asking, choices=YES_OR_NO)
    answer = _yes_or_no(reply.text)
    if answer is None:
        found.odd.append("neither yes nor no")
    else:
        question.note(yes=answer == "yes")
    return answer == "yes"


def _whole(
    step: Step, messages: tuple[Message, ...], go_on: str, types: Collection[str]
) -> Generator[Request, Reply, tuple[str, ReadList, bool]]:
    """Returns a reply joined with its continuations, its records, and whether it is still cut."""
    text, asking = "", messages
    for _ in range(1 + CONTINUATIONS):
        try:
            reply = yield Request(step, asking)
        except ReplyError:
            if not text:
                raise
            break  # the list stays cut off
        text += storable(reply.text)[0]
        read = read_list(text, claims=step == "claims", types=types)
        cut = read.open or (reply.cut and not read.complete)
        if not (text and cut):
            break
        asking = (*messages, Message("assistant", text), Message("user", go_on))
    return text, read, cut


def _keep(found: Gleaning, text: str, read: ReadList, *, cut: bool, is_first: bool) -> bool:
    """Adds what was read. Returns whether there is a record that was not there before."""
    if is_first and not (read.records or read.is_empty):
        start = " ".join(text.split())[:BEGINNING]
        raise ReplyError(f"the reply holds no record: {start!r}" if start else "the reply is empty")
    if not (is_first or read.records or (read.is_empty and read.complete)):
        found.odd.append("a gleaning without a list")
    records = read.records[:-1] if read.open else read.records
    known = set(map(tuple, found.records))
    found.cut |= cut
    found.odd += [f"text that is no record: '{excerpt(one, BEGINNING)}'" for one in read.unread]
    found.records += records
    return any(tuple(record) not in known for record in records)


def _yes_or_no(text: str) -> str | None:
    word = re.search(r"\w+", text)
    answer = word[0].casefold() if word else ""
    return {"yes": "yes", "y": "yes", "no": "no", "n": "no"}.get(answer)
