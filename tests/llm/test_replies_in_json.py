"""Replies in JSON as real models give them: each is read, and what was repaired is counted."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.context.report_material import ReportMaterial
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm import LLMIndexBackend, LLMQueryBackend
from graphrag_neo4j.model import LLMTask, Reply
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive
from tests.support.mutations import mutated

RECORDED = sorted((Path(__file__).parents[1] / "data" / "replies" / "objects").glob("*.json"))
MATERIAL = ReportMaterial({}, [], [])


def context() -> ContextTable:
    return ContextTable(float("inf"), len)


def points(**given: object) -> LLMTask[Any]:
    return LLMQueryBackend.from_settings(load_settings(**given)).points("Who?", context())


def rating() -> LLMTask[Any]:
    return LLMQueryBackend.from_settings(load_settings()).rate("Who?", context())


def primer() -> LLMTask[Any]:
    return LLMQueryBackend.from_settings(load_settings()).prime("Who?", context())


def report(material: str = "", **given: object) -> LLMTask[Any]:
    return LLMIndexBackend.from_settings(load_settings(**given)).report(material, MATERIAL)


TASKS: Mapping[str, Callable[[], LLMTask[Any]]] = {
    "map": points,
    "rating": rating,
    "primer": primer,
    "report": report,
}


def plain(step: str, result: Any) -> object:  # noqa: ANN401 - one of four types
    """The result of a task as plain values."""
    match step:
        case "map":
            return [[point.description, point.helpfulness] for point in result]
        case "rating":
            return list(result)
        case "primer":
            return [result.answer, result.score, list(result.follow_ups)]
        case _:
            findings = [[finding.summary, finding.explanation] for finding in result.findings]
            explained = [result.rating, result.rating_explanation]
            return [result.title, result.summary, *explained, findings]


def read(step: str, text: str) -> tuple[object, int]:
    """The result of a step that gets this reply, and the number of repaired parts."""
    reply = Reply(text)
    result, _ = drive(TASKS[step](), [reply])
    return plain(step, result), len(reply.odd)


@pytest.mark.parametrize("case", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_reply_is_read_and_its_repairs_are_counted(case: Path) -> None:
    recorded = json.loads(case.read_text("utf-8"))
    assert read(recorded["step"], recorded["reply"]) == (recorded["read"], recorded["repaired"])


def good_reply(step: str) -> tuple[str, list[str]]:
    """A valid reply, and a word of each of its items that stands nowhere else."""
    words = [f"Person{n}x" for n in range(4)]
    told = [f'{word} sails to "Elin", and rows [Data: Entities ({5}, 7)].' for word in words]
    follow_ups = [f"What does {word} do?" for word in words]
    replies: Mapping[str, object] = {
        "map": {"points": [{"description": text, "score": 80} for text in told]},
        "rating": {"relevant": [4001, 4002, 4003]},
        "primer": {"answer": "They sail.", "score": 40, "follow_ups": follow_ups},
        "report": {
            "title": "Ann and Bob",
            "summary": "They sail.",
            "rating": 7.5,
            "rating_explanation": "They matter.",
            "findings": [{"summary": "One sails", "explanation": text} for text in told],
        },
    }
    kept = ["4001", "4002", "4003"] if step == "rating" else words
    return json.dumps(replies[step], indent=1 if step == "report" else None), kept


@pytest.mark.parametrize("step", TASKS)
@given(st.data())
def test_each_item_of_a_mutated_reply_is_used_or_counted(step: str, data: st.DataObject) -> None:
    whole, words = good_reply(step)
    reply = Reply(data.draw(mutated(whole)), cut=data.draw(st.booleans()))
    try:
        result, _ = drive(TASKS[step](), [reply, reply])
    except ReplyError:
        return
    except AssertionError:  # the second reply was not asked for
        result, _ = drive(TASKS[step](), [reply])
    used = json.dumps(plain(step, result))
    lost = [word for word in words if word in reply.text and word not in used]
    assert not lost or reply.odd
