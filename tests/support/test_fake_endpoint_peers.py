"""The fake endpoint's replies to the prompts of other programs, in the forms that these read."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.peers import MOST
from tests.support.test_fake_endpoint import TALK

ROWS = (
    "Write `entity<|#|>entity_name<|#|>entity_type<|#|>entity_description` and relations, all from"
    " the `---Input Text---`.\n\n---Input Text---\n```\n{0}\n```\n\n---Output---\n"
)
MORE = "Extract any missed entities and relationships."
KEYWORDS = (
    "Exactly two keys: 1. **high_level_keywords**: themes. 2. **low_level_keywords**: names.\n\n"
    "User Query: What did Grace Okafor say of telescopes?\n\n---Output---"
)
POINTS = (
    'The response should be JSON formatted as follows:\n{\n    "points": [\n    ]\n}\n'
    "---Data tables---\n\nid,title,content\n1,Helio Labs,They built a compiler for telescopes.\n"
    "\n---Goal---\nGenerate points."
)
REPORT = (
    "Write a report.\n\nText:\n-----Entities-----\nid,entity,description\n"
    '3,HELIO LABS,A company of San Francisco\n4,PETER LIND,"He met Grace, and founded it"\n'
    "\nOutput:"
)


@pytest.fixture
def client() -> Iterator[openai.OpenAI]:
    with (
        FakeEndpoint() as endpoint,
        openai.OpenAI(base_url=endpoint.url, api_key="any", max_retries=0) as client,
    ):
        yield client


def _ask(client: openai.OpenAI, *said: str, **options: Any) -> str:  # noqa: ANN401 - the client's own
    roles = ("user", "assistant")
    messages: Any = [{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]
    answer = client.chat.completions.create(model="gpt-4.1-mini", messages=messages, **options)
    return str(answer.choices[0].message.content)


def _schema(name: str) -> dict[str, Any]:
    form = {"name": name, "schema": {"type": "object", "properties": {}}}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def test_rows_of_lightrag_have_the_fields_of_their_kind(client: openai.OpenAI) -> None:
    *rows, last = _ask(client, ROWS.format(TALK)).splitlines()
    assert last == "<|COMPLETE|>"
    lengths = {row.partition("<|#|>")[0]: len(row.split("<|#|>")) for row in rows}
    assert lengths == {"entity": 4, "relation": 5}
    names = {row.split("<|#|>")[1] for row in rows if row.startswith("entity")}
    assert "Peter Lind" in names
    assert all(name in " ".join(TALK.split()) for name in names)


def test_a_second_pass_over_rows_brings_other_rows(client: openai.OpenAI) -> None:
    prompt = ROWS.format(TALK)
    first = _ask(client, prompt)
    rest = _ask(client, prompt, first, MORE)
    assert "entity<|#|>" in rest
    assert not set(first.splitlines()[:-1]) & set(rest.splitlines())


def test_keywords_of_a_question_are_its_own_words(client: openai.OpenAI) -> None:
    found = json.loads(_ask(client, KEYWORDS, response_format={"type": "json_object"}))
    assert found["low_level_keywords"] == ["Grace", "Okafor"]
    assert "telescopes" in found["high_level_keywords"]


def test_points_repeat_what_the_tables_say(client: openai.OpenAI) -> None:
    [point, *_] = json.loads(_ask(client, POINTS))["points"]
    assert "compiler for telescopes" in point["description"]
    assert point["score"] > 0


def test_a_report_of_graphrag_tells_of_the_rows_and_cites_them(client: openai.OpenAI) -> None:
    report = json.loads(_ask(client, REPORT, **_schema("CommunityReportResponse")))
    assert report["title"] == "HELIO LABS, PETER LIND"
    assert 0 < len(report["findings"]) <= MOST
    told = [finding["explanation"] for finding in report["findings"]]
    assert told[1] == "He met Grace, and founded it [Data: 4]"


def test_the_ends_of_a_graph_are_nodes_of_types_in_the_schema(client: openai.OpenAI) -> None:
    prompt = f"Extract the entities.\n\nInput text:\n\n{TALK}"
    graph = json.loads(_ask(client, prompt, **_schema("Neo4jGraph")))
    schema = json.loads(_ask(client, prompt, **_schema("GraphSchemaExtractionOutput")))
    ids = {node["id"] for node in graph["nodes"]}
    ends = {one[end] for one in graph["relationships"] for end in ("start_node_id", "end_node_id")}
    assert ends
    assert ends <= ids
    labels = {one["label"] for one in schema["node_types"]}
    assert {node["label"] for node in graph["nodes"]} <= labels
    linked = {(one["source"], one["target"]) for one in schema["patterns"]}
    assert len(linked) == len(labels) ** 2
