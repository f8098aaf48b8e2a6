"""Small communities share a request, and a report that can't be used is asked for by itself."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.context import ContextTable, record_of
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import WrittenReport
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

NOTHING = ReportMaterial({}, [], [])
Told = dict[str, object]


def context(ref: int, name: str, said: str) -> tuple[ContextTable, ReportMaterial]:
    table = ContextTable(500, lambda text: len(text.split()))
    table.add([record_of("Entities", ref, name, name, "person", said)])
    return table, NOTHING


CONTEXTS = [
    context(5, "Ann", "Ann sails a red boat and lives in Oslo."),
    context(7, "Bob", "Bob bakes bread in Turin for the market."),
]


def told(community: int, name: str, said: str, ref: int) -> Told:
    finding = {"summary": said, "explanation": f"{said} [Data: Entities ({ref})]."}
    return {
        "community": community,
        "title": f"{name} and others",
        "summary": said,
        "rating": 4,
        "rating_explanation": f"{name} is told of once.",
        "findings": [finding],
    }


ANN = told(1, "Ann", "Ann sails a red boat", 5)
BOB = told(2, "Bob", "Bob bakes bread in Turin", 7)


def titles(reports: list[WrittenReport | ReplyError]) -> list[str]:
    return [one.title if isinstance(one, WrittenReport) else str(one) for one in reports]


def test_several_communities_share_a_request() -> None:
    backend = LLMIndexBackend(load_settings())
    found, [request] = drive(backend.reports(CONTEXTS), [json.dumps({"reports": [BOB, ANN]})])
    assert titles(found) == ["Ann and others", "Bob and others"]
    [message] = request.messages
    assert all(f"Community {n}\n\n<text " in message.content for n in (1, 2))
    assert message.content.count("At most 200 words.") == 2


def test_titles_and_summaries_keep_their_quotation_marks() -> None:
    backend = LLMIndexBackend(load_settings())
    quoted = {**ANN, "title": "Ann\nund „Das rote Boot“", "summary": "Ann sagt: «Oui»."}
    [found, _], _ = drive(backend.reports(CONTEXTS), [json.dumps({"reports": [quoted, BOB]})])
    assert isinstance(found, WrittenReport)
    assert found.title == "Ann und „Das rote Boot“"
    assert "«Oui»" in found.summary


@pytest.mark.parametrize(
    "reports",
    [
        [ANN],
        [ANN, {**BOB, "community": 9}],
        [ANN, {**BOB, "findings": []}],
        [ANN, told(2, "Bob", "Bob bakes bread in Turin", 5)],
        [ANN, told(2, "Ann", "Ann sails a red boat", 7)],
        [ANN, {**BOB, "title": "Quillmere Seed Bank"}],
    ],
    ids=["missing", "unknown", "empty", "cites another", "tells of another", "copied"],
)
def test_what_cannot_be_used_is_asked_for_alone(reports: list[Told]) -> None:
    backend = LLMIndexBackend(load_settings())
    alone = {name: value for name, value in BOB.items() if name != "community"}
    replies = [json.dumps({"reports": reports}), json.dumps(alone)]
    found, requests = drive(backend.reports(CONTEXTS), replies)
    assert titles(found) == ["Ann and others", "Bob and others"]
    assert "Ann" not in requests[1].messages[0].content


def test_one_that_stays_unusable_fails_alone() -> None:
    backend = LLMIndexBackend(load_settings())
    found, _ = drive(backend.reports(CONTEXTS), [json.dumps({"reports": [ANN]}), "No.", "No."])
    assert titles(found)[0] == "Ann and others"
    assert isinstance(found[1], ReplyError)


def test_an_endpoint_that_is_not_reached_is_asked_once() -> None:
    backend = LLMIndexBackend(load_settings())
    with pytest.raises(ReplyError, match="gone"):
        drive(backend.reports(CONTEXTS), [ReplyError("gone", reached=False)])


def test_a_prompt_of_the_user_shares_if_it_says_how(tmp_path: Path) -> None:
    own = tmp_path / "report.md"
    backend = LLMIndexBackend(load_settings(report_context_tokens=2000))
    assert backend.shared_tokens == 2000
    own.write_text("Tell of it: $input_text", "utf-8")
    assert LLMIndexBackend(load_settings(prompts=tmp_path)).shared_tokens == 0
    own.write_text("Tell of $each_community: $input_text $reply_form", "utf-8")
    assert LLMIndexBackend(load_settings(prompts=tmp_path)).shared_tokens == 3000
