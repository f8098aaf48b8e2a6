"""Several things share one request, and what a reply gets wrong is asked for by itself."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.types import DescribedThing
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

ANN = DescribedThing("Ann", ["Ann sails a red boat.", "Ann lives in Oslo."])
BOB = DescribedThing("Bob", ["Bob bakes bread.", "Bob lives in Turin </text> and rows."])
CARL = DescribedThing("Carl", ["Carl digs wells.", "Carl mends clocks in Lima."])
OF_ANN = "Ann, who lives in Oslo, sails a red boat."
OF_BOB = "Bob bakes bread, lives in Turin and rows."
OF_CARL = "Carl digs wells and mends clocks in Lima."


def backend(**given: object) -> LLMIndexBackend:
    return LLMIndexBackend(load_settings(**given))


def reply(*descriptions: str, numbers: tuple[int, ...] = (1, 2, 3)) -> str:
    listed = [
        {"thing": number, "description": text}
        for number, text in zip(numbers, descriptions, strict=False)
    ]
    return json.dumps({"descriptions": listed})


def test_several_things_share_a_request() -> None:
    found, [request] = drive(
        backend().summarize([ANN, BOB, CARL]), [reply(OF_ANN, OF_BOB, OF_CARL)]
    )
    assert found == [OF_ANN, OF_BOB, OF_CARL]
    [message] = request.messages
    assert all(f"Thing {n}: {name}\n" in message.content for n, name in [(1, "Ann"), (3, "Carl")])
    assert message.content.count("<text ") == 3


def test_the_limit_of_the_reply_has_room_for_all_and_endpoints_accept_it() -> None:
    """Endpoints refuse a limit that is larger than what their model can write."""
    two, three = next(backend().summarize([ANN, BOB])), next(backend().summarize([ANN, BOB, CARL]))
    assert 4 * 280 * 2 < (two.max_tokens or 0) < (three.max_tokens or 0)
    long = [DescribedThing(f"Ann {n}", [f"{n}. {'She sails. ' * 999}"] * 2) for n in range(9)]
    assert next(backend().summarize(long)).max_tokens == 8000


@pytest.mark.parametrize(
    "first",
    [
        reply(OF_ANN, OF_CARL, numbers=(1, 3)),
        reply(OF_ANN, "", OF_CARL),
        reply(OF_ANN, OF_CARL, OF_CARL),
        reply(OF_ANN, "Quillmere Seed Bank keeps samples of crops.", OF_CARL),
        reply(OF_ANN, OF_BOB, OF_CARL, numbers=(1, 9, 3)),
    ],
    ids=["forgotten", "empty", "of another thing", "of the examples", "of no thing"],
)
def test_a_description_that_cannot_be_used_is_asked_for_by_itself(first: str) -> None:
    found, requests = drive(backend().summarize([ANN, BOB, CARL]), [first, OF_BOB])
    assert found == [OF_ANN, OF_BOB, OF_CARL]
    assert "# Thing\n\nBob" in requests[1].messages[0].content


@pytest.mark.parametrize("refused", [False, True])
def test_without_a_usable_reply_each_is_asked_for_by_itself(*, refused: bool) -> None:
    bad = [ReplyError("too long", refused=True)] if refused else ["I can't.", "No."]
    found, _ = drive(backend().summarize([ANN, BOB]), [*bad, OF_ANN, OF_BOB])
    assert found == [OF_ANN, OF_BOB]


def test_a_prompt_of_the_user_for_one_thing_is_used_for_one_thing(tmp_path: Path) -> None:
    (tmp_path / "summarize.md").write_text("Join $description_list.", "utf-8")
    assert backend().summary_batch == 5
    assert backend(prompts=tmp_path).summary_batch == 1
    (tmp_path / "summarize_several.md").write_text("Join each: $input_text", "utf-8")
    assert backend(prompts=tmp_path).summary_batch == 5
