"""Prompts that are sent many times: providers can cache them, and their examples stay in them."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.copies import INVENTED
from graphrag_neo4j.llm.endpoint.server_checks import INSTRUCTIONS
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.context import ContextTable, record_of
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import ChunkText, DescribedThing, LLMTask
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text import tokens
from tests.support.by_hand import drive

CACHED_FROM = 1024  # tokens; shorter prompts are not cached by providers
Task = LLMTask[Any]


def table(text: str) -> ContextTable:
    context = ContextTable(float("inf"), len)
    context.add([record_of("Sources", 7, text, text)])
    return context


index, query = LLMIndexBackend, LLMQueryBackend


# The prompts that are sent many times, each about a text.
SENT: Mapping[str, Callable[[Settings, str], Task]] = {
    "extract": lambda given, text: index(given).extract(ChunkText("c", text)),
    "claims": lambda given, text: index(given).claims(ChunkText("c", text)),
    "summarize": lambda given, text: index(given).summarize([DescribedThing(text, [text])]),
    "summarize_several": lambda given, text: index(given).summarize(
        [DescribedThing(text, [text])] * 2
    ),
    "report": lambda given, text: index(given).report(text, ReportMaterial({}, [], [])),
    "map": lambda given, text: query(given).points("Who?", table(text)),
    "map_answer": lambda given, text: query(given.changed(map_style="answer")).points(
        "Who?", table(text)
    ),
    "rate": lambda given, text: query(given).rate("Who?", table(text)),
    "prime": lambda given, text: query(given).prime("Who?", table(text)),
}
WORKED = [name for name in SENT if name not in {"extract", "claims"}]
EXAMPLES = {"summarize_several": "summarize_examples"}  # those with another name than their prompt


def prompt(name: str, text: str = "Ann sails.", **given: object) -> str:
    """The first message, which holds the instructions and the material."""
    return next(SENT[name](load_settings(**given), text)).messages[0].content


@pytest.mark.parametrize("name", SENT)
def test_what_is_the_same_in_every_call_comes_first_and_is_long_enough_to_be_cached(
    name: str,
) -> None:
    one, other = prompt(name, "Ann sails."), prompt(name, "Bob rows.")
    same = next(n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    assert tokens.count(one[:same]) >= CACHED_FROM
    assert tokens.count(one) <= INSTRUCTIONS + (500 if name in {"extract", "claims"} else 0)


@pytest.mark.parametrize("name", WORKED)
def test_small_contexts_leave_the_examples_out_and_a_prompt_of_the_user_may_have_them(
    name: str, tmp_path: Path
) -> None:
    """A model with a window of 2,304 tokens has room for a context and a reply."""
    small: dict[str, Any] = {f"{of}_context_tokens": 1000 for of in ("report", "map", "max")}
    short = prompt(name, **small)
    assert tokens.count(short) < 450
    assert not INVENTED.intersection(re.findall(r"\w+", short.casefold()))
    assert "$examples" not in short
    own = tmp_path / f"{name}.md"
    material = "$context_data $input_text $description_list"
    own.write_text(f"Do it. {material}", "utf-8")
    assert "Quillmere" not in prompt(name, prompts=tmp_path)
    own.write_text(f"Do it. $examples {material}", "utf-8")
    assert "Do it. # " in prompt(name, prompts=tmp_path)
    examples = EXAMPLES.get(name, f"{name}_examples")
    (tmp_path / f"{examples}.md").write_text("Like this: Elin sails.", "utf-8")
    assert "Do it. Like this: Elin sails. " in prompt(name, prompts=tmp_path)


STORY = "Her decision was right, says Idra Vessany."
TOLD = {
    "title": "Ann and Bob",
    "summary": "They sail.",
    "rating": 5,
    "rating_explanation": "It matters.",
    "findings": [{"summary": "Ann", "explanation": "Ann sails."}],
}
COPIES: Mapping[str, object] = {
    "report": {**TOLD, "title": "Quillmere and others"},
    "map": {"points": [{"description": STORY, "score": 90}]},
    "map_answer": {"answer": "It is said that Arkwell bred a barley.", "score": 90},
    "prime": {"answer": STORY, "score": 90, "follow_ups": []},
}


@pytest.mark.parametrize("name", COPIES)
def test_a_reply_that_tells_the_example_is_asked_for_again(name: str) -> None:
    copy = json.dumps(COPIES[name])
    with pytest.raises(ReplyError, match="the instructions instead of following them"):
        drive(SENT[name](load_settings(), "Ann sails."), [copy, copy])


def test_a_description_that_tells_the_example_is_asked_for_without_it() -> None:
    copy = "Ann is the director of the Quillmere Seed Bank."
    task = SENT["summarize"]
    [text], requests = drive(task(load_settings(), "Ann"), [copy, "Ann sails."])
    assert text == "Ann sails."
    assert "Quillmere" in requests[0].messages[0].content
    assert "Quillmere" not in requests[1].messages[0].content
    [found], _ = drive(task(load_settings(), "Ann"), [copy, copy])
    assert str(found).startswith("the description repeats the instructions")
    assert isinstance(found, ReplyError)


def test_a_record_of_the_examples_is_left_out_of_a_list_and_counted() -> None:
    backend = index(load_settings(gleanings=0))
    chunk = ChunkText("c", "Ann sails.")
    copied = prompt("extract").partition("List:\n")[2].partition("Passage:")[0]
    assert "Agnes Thorsby" in copied
    own = f'("entity"<|>Ann<|>person<|>Ann sails.)\n##\n{copied.strip()}'
    found, _ = drive(backend.extract(chunk), [own])
    assert [entity.name for entity in found.entities] == ["Ann"]
    assert found.relationships == []
    assert found.unusable == ["a record of the examples"] * 6
    told = ChunkText("c", "Agnes Thorsby sails.")
    found, _ = drive(backend.extract(told), [own])
    assert [entity.name for entity in found.entities] == ["Ann", "Agnes Thorsby"]
    assert found.relationships == []
    claimed = prompt("claims").partition("List:\n")[2].partition("Passage:")[0]
    claims, _ = drive(backend.claims(chunk), [claimed.strip()])
    assert claims.claims == []
    assert claims.unusable == ["a record of the examples"] * 2
