"""What is replied to a chat request: a function of the request alone, chosen by its kind.

A conversation over one text goes in passes: the first reading holds back a part of what is
known, a gleaning brings the rest. A pass that was cut off is continued where it ended.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tests.support.fake_endpoint import answers
from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.invented import know
from tests.support.fake_endpoint.json_replies import schema_of, summarize, write_json
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.records import COMPLETE, Record, Relationship, to_tuples
from tests.support.fake_endpoint.words import dice

KINDS = {
    "recall": re.compile(r"(?i)reply with (?:the code word alone|this JSON object)"),
    "json": None,
    "extraction": re.compile(r'\("entity"<\|>'),
    "claims": re.compile(r"(?i)status\W{0,3}<\|>|<\|>\W{0,3}(?:claim_)?status"),
    "choice": None,
    "answer": re.compile(r"(?m)^# \w+\nid \||\nAnalyst 1, help"),
    "summary": re.compile(r"(?i)description"),
    "prose": re.compile(""),
}
"""What the prompts of a kind hold; the first one fits. JSON has a schema, a choice has words."""
LISTS = {"extraction": to_tuples, "claims": to_tuples}
"""How the lists are written that may take several passes over one text."""
REPEATED = re.compile(r"(?m)(?:The code word is |JSON object and nothing else: )(\S+?|\{.*\})\.?$")
PLAIN_ANSWER = re.compile(r"(?i)\s*(yes|no)\b[^<]{0,80}")
YES_OR_NO = re.compile(r"(?is)\byes\b.*\bno\b")
MISSED = re.compile(r"(?i)\bmiss(?:ed|ing)\b")


class Task(NamedTuple):
    """What a chat request wants next; of a list, in which pass, and what was said of it already.

    `phase` is "missed", "gleaning", "continuation" or none.
    """

    kind: str
    phase: str = ""
    number: int = 0
    said: str = ""
    schema: str = ""

    @property
    def name(self) -> str:
        """As the log has it: "extraction", "extraction:gleaning", "json:points" …"""
        return ":".join(part for part in (self.kind, self.phase, self.schema) if part)


def read_task(chat: Chat, options: Options) -> Task:
    """What the request wants next: follows the conversation from its beginning."""
    schema = schema_of(chat)
    has = {"json": schema or chat.response_format, "choice": chat.words}
    kind = next(k for k, mark in KINDS.items() if (mark.search(chat.prompt) if mark else has[k]))
    task = Task(kind, schema=schema)
    if kind not in LISTS:
        return task
    for answer, then in chat.turns:
        said = task.said + answer
        whole = _write_pass(kind, chat.text, task.number, options.held_back)
        was_cut = whole.startswith(said) and said.rstrip() != whole
        if PLAIN_ANSWER.fullmatch(answer):
            task = Task(kind, "gleaning", task.number + 1)
        elif YES_OR_NO.search(then):
            task = Task(kind, "missed", task.number, said)
        elif MISSED.search(then) and not was_cut:
            task = Task(kind, "gleaning", task.number + 1)
        else:
            task = Task(kind, "continuation", task.number, said)
    return task._replace(phase="missed") if chat.words else task


def reply(task: Task, chat: Chat, options: Options) -> str:
    """The reply, before any cut."""
    if task.kind in LISTS:
        return _go_on(task, chat, options)
    if task.kind == "json":
        written = write_json(task.schema, chat, options)
        return written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
    if task.kind == "answer":
        return answers.say(chat)
    if task.kind == "recall":
        said = REPEATED.search(chat.prompt)
        return said[1] if said else "There is no such word here."
    if task.kind == "choice":
        return dice(chat.prompt).choice(chat.words)
    return summarize(chat.texts or (chat.prompt,), chat.max_tokens)


def garbage(task: Task) -> str:
    """A reply that can't be used, and can be seen to be so."""
    refusal = "I am sorry, but there is nothing here that I could help you with."
    return refusal if task.kind in LISTS or task.kind == "json" else ""


def _go_on(task: Task, chat: Chat, options: Options) -> str:
    """The rest of a pass; the mark alone if that is nothing; or whether anything was missed."""
    if task.phase != "missed":
        whole = _write_pass(task.kind, chat.text, task.number, options.held_back)
        return (whole[len(task.said) :] if whole.startswith(task.said) else "") or COMPLETE
    more = any(_passes(task.kind, chat.text, options.held_back)[task.number + 1 :])
    word = "Yes" if more else "No"
    return next((one for one in chat.words if one.casefold() == word.casefold()), f"{word}.")


@lru_cache(maxsize=5_000)
def _write_pass(kind: str, text: str, number: int, held_back: float) -> str:
    """All that is said in a pass over a text."""
    passes = _passes(kind, text, held_back)
    return LISTS[kind](passes[number] if number < len(passes) else ())


@lru_cache(maxsize=5_000)
def _passes(kind: str, text: str, held_back: float) -> tuple[Sequence[Record], Sequence[Record]]:
    """The records of the first reading, and those of the gleaning."""
    known = know(text)
    records: Sequence[Record] = known.claims
    if kind != "claims":
        records = [*known.entities, *known.relationships]
    subjects = list(dict.fromkeys(one[0] for one in records if not isinstance(one, Relationship)))
    label = "claims" if kind == "claims" else "extraction"
    missed = set(dice("held back", label, text).sample(subjects, round(len(subjects) * held_back)))
    first: list[Record] = []
    late: list[Record] = []
    for record in records:
        names = record[:2] if isinstance(record, Relationship) else record[:1]
        (first if missed.isdisjoint(names) else late).append(record)
    return first, late
