"""What is replied to a chat request: a function of the request alone.

A conversation over one text goes in passes: the first reading holds back a part of what is
known, a gleaning brings the rest. A pass that was cut off is continued where it ended.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from typing import Literal

from tests.support.fake_endpoint import (
    answers,
    asking,
    names,
    peers,
    sentence_claims,
    suggestions,
    tuning,
)
from tests.support.fake_endpoint.book import recall
from tests.support.fake_endpoint.chat import Chat, answers_plainly, asks_for_more, asks_yes_or_no
from tests.support.fake_endpoint.dice import dice
from tests.support.fake_endpoint.faults import make_messy, make_messy_json
from tests.support.fake_endpoint.invented import invent, sentences, shorten
from tests.support.fake_endpoint.judging import judge, judge_support
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.records import (
    COMPLETE,
    Knowledge,
    Record,
    Relationship,
    to_rows,
    to_tuples,
)
from tests.support.fake_endpoint.reports import write_report
from tests.support.fake_endpoint.schemas import fill, find_schema

__all__ = ["SCHEMAS", "Task", "garbage", "read_task", "reply"]

Phase = Literal["", "missed", "gleaning", "continuation"]
REPEATED = re.compile(
    r"(?:The code word is |JSON object and nothing else: )(\S+?|\{.*\})\.?$", re.MULTILINE
)
JUDGES = {"judged_answers": judge, "sentence_support": judge_support}
"""Who replies to a schema of verdicts, by the schema's name."""
LISTS = ("extraction", "extraction_rows", "claims")
"""The kinds of requests that may take several passes over one text."""
REFUSAL = "I am sorry, but there is nothing here that I could help you with."


def _summaries(chat: Chat) -> object:
    """A description of each thing, as it would be if this thing were asked about alone."""
    limit = (chat.max_tokens or 1000) // max(1, len(chat.texts))
    each = (replace(chat, texts=(text,), max_tokens=limit) for text in chat.texts)
    listed = [{"thing": n, "description": _summarize(one)} for n, one in enumerate(each, start=1)]
    return {"descriptions": listed}


SCHEMAS: Mapping[str, Callable[[Chat], object]] = {
    "community_report": write_report,
    "name_pairs": names.compare,
    "points": answers.weigh,
    "rated_answer": answers.weigh_whole,
    "relevant_reports": answers.rate,
    "primer": answers.prime,
    "self_contained_question": answers.rewrite,
    "collection_profile": tuning.profile,
    "entity_types": tuning.entity_types,
    "summaries": _summaries,
    "suggested_questions": suggestions.suggest,
    "next_questions": suggestions.follow,
    "collection_description": asking.describe,
    "evaluation_personas": asking.personas,
    "evaluation_tasks": asking.tasks,
    "evaluation_questions": asking.questions,
    "selected_sentences": sentence_claims.select,
    "resolved_sentences": sentence_claims.disambiguate,
    "sentence_claims": sentence_claims.decompose,
    "CommunityReportResponse": peers.write_report,
    "graphrag_points": peers.points,
    "query_keywords": peers.keywords,
    "Neo4jGraph": peers.write_graph,
    "GraphSchemaExtractionOutput": peers.write_schema,
}
"""Replies for schemas that want more than to be filled, by the schema's name."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a chat request wants next: of which pass, what was said of that pass already, or by
    which schema."""

    kind: str
    phase: Phase = ""
    number: int = 0
    said: str = ""
    schema: str = ""

    @property
    def name(self) -> str:
        """As the log has it: "extraction", "extraction:gleaning", …"""
        return ":".join(part for part in (self.kind, self.phase, self.schema) if part)


def read_task(chat: Chat, options: Options) -> Task:
    """What the request wants next: follows the conversation from its beginning."""
    task = Task(chat.kind, schema=chat.response_format.get("json_schema", {}).get("name", ""))
    if task.kind in LISTS:
        for answer, then in chat.turns:
            task = _next_task(task, answer, then, chat, options)
        if chat.words:
            task = Task(task.kind, "missed", task.number, task.said)
    return task


def _next_task(task: Task, answer: str, then: str, chat: Chat, options: Options) -> Task:
    if answers_plainly(answer):
        return Task(task.kind, "gleaning", task.number + 1)
    said = task.said + answer
    if asks_yes_or_no(then):
        return Task(task.kind, "missed", task.number, said)
    whole = _whole_pass(task, chat, options)
    was_cut = whole.startswith(said) and said.rstrip() != whole
    if asks_for_more(then) and not was_cut:
        return Task(task.kind, "gleaning", task.number + 1)
    return Task(task.kind, "continuation", task.number, said)


def reply(task: Task, chat: Chat, options: Options) -> str:
    """The reply, before any cut."""
    if task.phase == "missed":
        return _say_whether_missed(task, chat, options)
    match task.kind:
        case "extraction" | "extraction_rows" | "claims":
            return _go_on(task.said, _whole_pass(task, chat, options))
        case "json":
            return _write_json(chat, options)
        case "answer":
            return answers.say(chat)
        case "recall" | "choice":
            return _one_word(chat)
        case _:
            return _summarize(chat)


def _write_json(chat: Chat, options: Options) -> str:
    if judging := JUDGES.get(chat.response_format.get("json_schema", {}).get("name", "")):
        return judging(chat, options.judge, options.misjudged, options.seed)
    written = json.dumps(_structured(chat), ensure_ascii=False)
    if not options.messy:
        return written
    chance = dice("mess", options.seed, written)
    return make_messy_json(written, chance) if chance.random() < options.messy else written


def _one_word(chat: Chat) -> str:
    """A forced word, or what is to be repeated where the prompt still holds it."""
    if chat.kind == "choice":
        return dice(chat.prompt).choice(chat.words)
    said = REPEATED.search(chat.prompt)
    return said[1] if said else "There is no such word here."


def garbage(task: Task) -> str:
    """A reply that can't be used, and can be seen to be so."""
    match task.kind:
        case "extraction" | "extraction_rows" | "claims" | "json":
            return REFUSAL
        case _:
            return ""


def _go_on(said: str, whole: str) -> str:
    """What is missing after what was said; the mark alone if that is nothing."""
    return (whole[len(said) :] if whole.startswith(said) else "") or COMPLETE


def _whole_pass(task: Task, chat: Chat, options: Options) -> str:
    """All that is said in the task's pass."""
    return _write_pass(task.kind, chat.text, task.number, options)


@lru_cache(maxsize=5_000)
def _write_pass(kind: str, text: str, number: int, options: Options) -> str:
    rows = kind == "extraction_rows"
    passes = _passes("extraction" if rows else kind, text, options.held_back)
    write = to_rows if rows else to_tuples
    written = write(passes[number] if number < len(passes) else ())
    if not options.messy:
        return written
    chance = dice("mess", options.seed, kind, number, text)
    return make_messy(written, chance) if chance.random() < options.messy else written


def _say_whether_missed(task: Task, chat: Chat, options: Options) -> str:
    """Yes or no, by a forced word where there are such."""
    more = any(_passes(task.kind, chat.text, options.held_back)[task.number + 1 :])
    wanted = "yes" if more else "no"
    if chat.words:
        fitting = [word for word in chat.words if word.casefold() == wanted]
        return fitting[0] if fitting else dice(chat.prompt).choice(chat.words)
    return "Yes, some were missed." if more else "No, nothing was missed."


@lru_cache(maxsize=5_000)
def _passes(kind: str, text: str, held_back: float) -> tuple[tuple[Record, ...], ...]:
    """The records of the first reading, and those of the gleaning."""
    known = _know(text)
    records: Sequence[Record] = known.claims
    named: Sequence[Record] = known.claims
    if kind == "extraction":
        records, named = (*known.entities, *known.relationships), known.entities
    subjects = list(dict.fromkeys(record[0] for record in named))
    chance = dice("held back", kind, text)
    missed = set(chance.sample(subjects, round(len(subjects) * held_back)))
    late = [not missed.isdisjoint(_names(record)) for record in records]
    return (
        tuple(record for record, is_late in zip(records, late, strict=True) if not is_late),
        tuple(compress(records, late)),
    )


def _names(record: Record) -> tuple[str, ...]:
    return record[:2] if isinstance(record, Relationship) else record[:1]


@lru_cache(maxsize=5_000)
def _know(text: str) -> Knowledge:
    return recall(text) or invent(text)


def _summarize(chat: Chat) -> str:
    """The beginnings of what the prompt gives, each heard, in a hundred words at most."""
    given = list(dict.fromkeys(_given(chat)))
    words = min(100, (chat.max_tokens or 1000) // 2)
    each = max(5, words // max(1, len(given)))
    return shorten(" ".join(shorten(line, each) for line in given), words)


def _structured(chat: Chat) -> object:
    """An answer that fits the schema in the request or, in JSON mode, in the prompt."""
    wanted = chat.response_format.get("json_schema", {})
    if special := SCHEMAS.get(wanted.get("name", "")):
        return special(chat)
    schema = wanted.get("schema") or find_schema(chat.prompt)
    return fill(schema, _given(chat), dice(chat.prompt))


def _given(chat: Chat) -> list[str]:
    """The sentences of the marked texts, else of the whole prompt."""
    return [sentence for text in chat.texts or (chat.prompt,) for sentence in sentences(text)]
