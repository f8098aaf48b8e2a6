"""Replies in JSON as real models give them: each is read, and what was repaired is counted."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import LLMTask, Reply
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import cut, drive
from tests.support.mutations import mutated

RECORDED = sorted((Path(__file__).parents[2] / "data" / "replies" / "objects").glob("*.json"))
MATERIAL = ReportMaterial({}, [], [])


INDEX = LLMIndexBackend(load_settings())
QUERY = LLMQueryBackend(load_settings())


TASKS: Mapping[str, Callable[[], LLMTask[Any]]] = {
    "map": lambda: QUERY.points("Who?", ContextTable(float("inf"), len)),
    "rating": lambda: QUERY.rate("Who?", ContextTable(float("inf"), len)),
    "primer": lambda: QUERY.prime("Who?", ContextTable(float("inf"), len)),
    "report": lambda: INDEX.report("", MATERIAL),
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
    told = [f'{word} sails to "Elin", and rows [Data: Entities (5, 7)].' for word in words]
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


SENTENCE = "Ann is the captain of the schooner and sails from Port Elin every spring. "
COPIED = "the instructions instead of following them"
LOOPING = "one sentence again and again"
GOOD, _ = good_reply("report")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"title": "a short name for the community"}, COPIED),
        (
            {"summary": "What the community is, how its members belong together, and what matters"},
            COPIED,
        ),
        (
            {
                "findings": [
                    {"summary": "a one-sentence summary", "explanation": "one or more paragraphs"}
                ]
            },
            COPIED,
        ),
        ({"summary": SENTENCE * 12}, LOOPING),
        ({"findings": [{"summary": "Ann sails", "explanation": SENTENCE}] * 20}, LOOPING),
    ],
)
def test_a_report_that_repeats_the_instructions_or_itself_is_asked_for_again(
    changed: Mapping[str, object], problem: str
) -> None:
    bad = json.dumps({**json.loads(GOOD), **changed})
    written, requests = drive(TASKS["report"](), [bad, GOOD])
    assert written.title == "Ann and Bob"
    assert problem in requests[1].messages[-1].content
    with pytest.raises(ReplyError, match=problem):
        drive(TASKS["report"](), [bad, bad])
    title = "things that belong together in a larger collection"
    named = json.dumps({**json.loads(GOOD), "title": title})
    written, _ = drive(INDEX.report(f"5 | {title} | A club.", MATERIAL), [named])
    assert written.title == title, "the material has these words, too"


SENTENCE = "Ann is the captain of the schooner and sails from Port Elin every spring. "


@pytest.mark.parametrize(
    ("number", "score"),
    [("1e999", 100), ("-1e999", 0), ("9" * 400, 100), ("9" * 5000, 100), ("-" + "9" * 400, 0)],
)
def test_a_number_of_any_size_is_a_score(number: str, score: int) -> None:
    read_points, _ = read("map", f'{{"points": [{{"description": "a", "score": {number}}}]}}')
    assert read_points == [["a", score]]


@pytest.mark.parametrize("depth", [30, 900, 100_000])
@pytest.mark.parametrize("beginning", ['{"points":', "[", '{"a":', '{"points":[{"description":'])
def test_a_reply_of_any_depth_is_read_or_refused(depth: int, beginning: str) -> None:
    nested = beginning * depth
    closing = {"{": "}", "[": "]"}
    ends = "".join(closing[mark] for mark in reversed(nested) if mark in closing)
    for text in (nested, f"{nested}1{ends}", f"[{nested}1{ends}, {nested}1{ends}]"):
        with pytest.raises(ReplyError):
            drive(TASKS["map"](), [text, text])


@pytest.mark.parametrize("step", TASKS)
def test_the_second_request_shows_the_error_and_the_beginning_of_the_reply(step: str) -> None:
    task = TASKS[step]()
    first = next(task)
    second = task.send(Reply("Once upon a time. " * 10_000))
    assert second.messages[: len(first.messages)] == first.messages
    shown, asked = second.messages[len(first.messages) :]
    assert shown.role == "assistant"
    assert shown.content.startswith("Once upon a time.")
    assert len(shown.content) <= 500
    assert "it holds no JSON object" in asked.content
    assert (second.schema, second.max_tokens) == (first.schema, first.max_tokens)


def test_a_report_that_is_cut_off_is_asked_for_again_and_then_used_as_far_as_it_goes() -> None:
    beginning = GOOD[: GOOD.index("Person2x")]
    written, requests = drive(TASKS["report"](), [cut(beginning), second := cut(beginning)])
    assert "the reply is cut off" in requests[1].messages[-1].content
    assert [one.explanation[:8] for one in written.findings] == ["Person0x", "Person1x", "One sail"]
    assert second.odd
    whole, _ = drive(TASKS["report"](), [cut(beginning), GOOD])
    assert len(whole.findings) == 4


@pytest.mark.parametrize("step", TASKS)
def test_a_schema_limits_each_list_and_each_text(step: str) -> None:
    """Strict endpoints know these keywords alone. Some releases of llama.cpp refuse 2,000."""
    known = {"type", "title", "description", "properties", "required", "items", "$ref", "$defs"}
    known |= {"additionalProperties", "minimum", "maximum", "minItems", "maxItems"}
    known |= {"minLength", "maxLength"}
    prose = {"Answer"}  # of any length, as the limit of the reply allows

    def check(schema: Mapping[str, Any]) -> None:
        assert schema.keys() <= known
        if schema.get("type") == "array":
            assert schema["maxItems"] <= 100
        elif schema.get("type") == "string" and schema.get("title") not in prose:
            assert schema["maxLength"] < 2000
        elif schema.get("type") == "object":
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
        parts = (*schema.get("properties", {}).values(), *schema.get("$defs", {}).values())
        for part in (*parts, *([schema["items"]] if "items" in schema else ())):
            check(part)

    schema = next(TASKS[step]()).schema
    assert schema is not None
    check(schema)
