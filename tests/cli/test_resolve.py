"""`kg-build resolve`: what was decided about names, and what a person says."""

import re
from pathlib import Path

import pytest

from graphrag_neo4j.index.entities import compare
from tests.conftest import Run
from tests.index.test_pipeline import CRATCHIT, SCROOGE
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.families import write_families


@pytest.mark.usefixtures("graph", "environment")
def test_a_person_joins_two_names_sees_it_and_undoes_it(kg: Run, tmp_path: Path) -> None:
    (tmp_path / "tale.txt").write_text(SCROOGE + CRATCHIT)
    assert kg("index", tmp_path / "tale.txt").code == 0
    said = kg("resolve", "--same", "Bob Cratchit", "ebenezer scrooge")
    assert said.err.count("Error") == 0, said.err
    assert (said.code, said.out.splitlines()[0]) == (
        0,
        "Bob Cratchit and ebenezer scrooge are one thing now.",
    )
    listed = kg("resolve", "--list").out
    rows = [line.split() for line in listed.splitlines() if "person" in line]
    assert len(rows) == 1
    assert "A person said so." in listed
    assert kg("resolve", "--undo", rows[0][0]).code == 0
    assert "A person said so." not in kg("resolve", "--list").out


@pytest.mark.usefixtures("graph", "environment")
def test_what_it_can_not_do_is_said_in_a_sentence(kg: Run) -> None:
    assert "Nothing has been decided about names." in kg("resolve", "--list").out
    unknown = kg("resolve", "--different", "Ada", "Babbage")
    assert (unknown.code, unknown.err.strip().splitlines()[-1]) == (
        1,
        "Error: No document in the graph uses the name 'Ada'.",
    )
    assert kg("resolve", "--list", "--undo", "1").code == 2


@pytest.mark.usefixtures("graph", "environment")
def test_a_person_splits_a_name_by_document_and_undoes_it(kg: Run, tmp_path: Path) -> None:
    (tmp_path / "tale.txt").write_text(SCROOGE)
    (tmp_path / "other.txt").write_text(SCROOGE + CRATCHIT)
    assert kg("index", tmp_path / "tale.txt", tmp_path / "other.txt").code == 0
    assert kg("resolve", "--split", "Scrooge").code == 2
    assert kg("resolve", "--type", "person").code == 2
    said = kg(
        "resolve", "--split", "Ebenezer Scrooge", "--documents", "other*", "--label", "other tale"
    )
    assert said.code == 0, said.err
    assert "Ebenezer Scrooge (other tale)" in said.out.splitlines()[0]
    assert said.out.splitlines()[0].endswith(" are two things now.")
    row = next(line for line in kg("resolve", "--list").out.splitlines() if "other tale" in line)
    assert kg("resolve", "--undo", row.split()[0]).code == 0
    assert "other tale" not in kg("resolve", "--list").out


@pytest.mark.slow
@pytest.mark.usefixtures("graph", "environment")
def test_the_cost_limit_ends_a_comparison_of_names_and_the_next_run_goes_on(
    kg: Run, tmp_path: Path, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "PAIRS", 1)
    given = {"CONCURRENCY": "1", "CLAIMS": "no", "GLEANINGS": "0", "CHUNK_TOKENS": "100"}
    for name, value in (given | {"CHUNK_OVERLAP": "0"}).items():
        monkeypatch.setenv(f"KG_{name}", value)
    paths = write_families(tmp_path)
    monkeypatch.setenv("KG_RESOLVE", "off")  # what reading costs
    usage = kg("index", tmp_path, "--json").json["usage"]
    reading = usage["extraction"]["cost"] + usage["embedding"]["cost"]
    assert kg("delete", *paths).code == 0
    monkeypatch.setenv("KG_RESOLVE", "auto")
    # A comparison may cost 0.0035 US dollars, and costs much less.
    stopped = kg("index", tmp_path, "--max-cost", f"{reading + 0.0036:.6f}")
    assert stopped.code == 1
    asked = endpoint.count("json:name_pairs")
    assert "The cost limit of" in stopped.out
    assert re.search(r"Pending: \d+ names to compare", stopped.out)
    decided = kg("resolve", "--list").out.count("model")
    assert 0 < decided == asked
    assert kg("status", "--json").json["pending"]["resolve"] > 0
    assert kg("index", tmp_path).code == 0
    assert endpoint.count("json:name_pairs") > asked
    assert kg("resolve", "--list").out.count("model") == endpoint.count("json:name_pairs")
    assert kg("status", "--json").json["pending"]["resolve"] == 0
