"""What `--json` prints: every command's output is what its schema in docs/json says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from graphrag_neo4j.query.answer import METHODS
from tests.cli.conftest import TALE
from tests.cli.test_command_line import EVERY_COMMAND
from tests.conftest import Ran, Run
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import DATA, ROOT

SCHEMAS = ROOT / "docs" / "json"
PAGE = ROOT / "docs" / "json.md"
CAROL = DATA / "christmas_carol" / "tables"
# The commands whose output the tests below hold against their schemas.
HELD = {"index", "estimate", "query", "status", "suggest", "import graphrag", "doctor"}
HELD |= {"eval ground", "delete"}  # these in tests/evaluate and tests/index/test_forgotten.py
FORMS = {"query --why": "query-why"}  # what an option of a command prints, and its schema
SAME = {"import neo4j": "index", "sample": "index"}  # commands whose output is that of another


def schema_of(command: str) -> dict[str, Any]:
    path = SCHEMAS / f"{FORMS.get(command, command.replace(' ', '-'))}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def held(command: str, ran: Ran) -> Any:  # noqa: ANN401 - any JSON
    """What a command printed, which is what its schema says."""
    printed = json.loads(ran.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    Draft202012Validator(schema_of(command)).validate(printed)
    return printed


def parts(schema: object) -> Iterator[dict[str, Any]]:
    """All schemas within a schema, itself among them."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else ():
        yield from parts(part)


def test_every_command_with_json_has_a_schema_and_is_held_against_it() -> None:
    found = {
        name
        for name, command in EVERY_COMMAND.items()
        if any("--json" in option.opts for option in command.params)
    }
    assert found == HELD | SAME.keys()
    files = {name.replace(" ", "-") for name in HELD} | {*FORMS.values()}
    assert {path.stem for path in SCHEMAS.iterdir()} == files
    text = PAGE.read_text("utf-8")
    for name in found | FORMS.keys():
        file = FORMS.get(name, SAME.get(name, name)).replace(" ", "-")
        assert f"`kg-build {name}`: [{file}.json](json/" in text


@pytest.mark.parametrize("command", sorted(HELD | FORMS.keys()))
def test_a_schema_allows_nothing_else_and_describes_each_field(command: str) -> None:
    schema = schema_of(command)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    for part in parts(schema):
        if isinstance(part.get("properties"), dict) and "type" in part:
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            for name, one in part["properties"].items():
                assert one.keys() & {"description", "$ref"}, name


@pytest.mark.one_release
@pytest.mark.usefixtures("graph", "environment")
def test_a_model_indexes_and_answers(kg: Run, tales: Path) -> None:
    (tales / "broken.json").write_text('{"text"')
    (tales / "empty.txt").write_text("")
    (tales / "x.bin").write_bytes(b"\0")
    built = held("index", kg("index", tales, "--json"))
    assert built["usage"]["extraction"]["calls"] == 3  # one tests the context window
    assert held("status", kg("status", "--json"))["counts"] == built["status"]["counts"]
    assert held("estimate", kg("estimate", tales, "--json"))["origin"] == "model"
    for method in METHODS:
        asked = ("query", "Who met Jacob Marley in London?", "--method", method, "--json")
        answer = held("query", kg(*asked))
        assert answer["method"] == method
        assert answer["citations"]
        assert answer["context"][0]["records"]
        shown = held("query", kg(*asked, "--context-only"))
        assert shown["text"] == ""
        assert shown["context"][0]["text"]
    suggested = held("suggest", kg("suggest", "4", "--json"))
    assert [one["method"] for one in suggested["questions"]] == ["global"] * 2 + ["local"] * 2
    assert suggested["left_out"] == ["What is said of Nobody Atall?"]
    assert suggested["usage"]["rating"]["calls"] == 1
    dynamic = kg("query", "Who is there?", "--method", "global", "--dynamic", "--json")
    assert held("query", dynamic)["method"] == "global"


@pytest.mark.one_release
@pytest.mark.usefixtures("graph", "environment")
def test_without_a_model(kg: Run, tales: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    assert held("index", kg("index", tales, "--json"))["usage"] == {}
    assert held("estimate", kg("estimate", tales, "--json"))["steps"] == []
    assert held("suggest", kg("suggest", "--json"))["usage"] == {}
    for method in METHODS:
        asked = ("query", "Where did Scrooge meet Marley?", "--method", method, "--json")
        answer = held("query", kg(*asked))
        assert answer["origin"] == "extractive"
        assert any(place["quote"] for one in answer["citations"] for place in one["sources"])
        held("query", kg(*asked, "--context-only"))
        assert not held("query", kg("query", "xyzzy plugh", "--method", method, "--json"))["found"]
        why = held("query --why", kg(*asked, "--why", "a.txt", "Marley was dead in London."))
        assert why["method"] == method


@pytest.mark.one_release
@pytest.mark.usefixtures("graph", "environment")
def test_what_failed_and_what_was_cut_off(kg: Run, tales: Path, endpoint: FakeEndpoint) -> None:
    endpoint.change(garbage=1.0, only=["claims"])
    built = held("index", kg("index", tales, "--json"))
    assert built["status"]["failures"]
    endpoint.change(garbage=0.0, output_tokens=20)
    (tales / "a.txt").write_text(f"{TALE} So be it.")
    held("index", kg("index", tales, "--json"))
    (tales / "c.txt").write_text(f"{TALE} That was new.")
    stopped = kg("index", tales, "--again", "extraction", "--max-cost", "0.0001", "--json")
    assert held("index", stopped)["stopped"]
    held("status", kg("status", "--json"))


@pytest.mark.one_release
@pytest.mark.usefixtures("graph", "environment")
def test_an_empty_graph_the_doctor_and_an_import(kg: Run, endpoint: FakeEndpoint) -> None:
    assert held("status", kg("status", "--json"))["levels"] == []
    assert held("doctor", kg("doctor", "--json"))["ok"]
    endpoint.change(key="sk-another")
    assert not held("doctor", kg("doctor", "--json"))["ok"]
    imported = held("import graphrag", kg("import", "graphrag", CAROL, "--json"))
    assert imported["tables"]["relationships"]["rows"] == 978
    assert imported["pending"]["embed"] > 0
    assert held("status", kg("status", "--json"))["pending"] == imported["pending"]
