"""`kg-build` as people use it: what it prints and where, its exit codes, what it never shows."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from graphrag_neo4j.settings import load_settings
from tests.cli.conftest import TALE
from tests.cli.test_command_line import imported
from tests.cli.test_hostile_text import on_a_terminal
from tests.conftest import Ran, Run
from tests.support.fake_endpoint import FakeEndpoint

NOBODY = "http://127.0.0.1:1/v1"


pytestmark = [pytest.mark.one_release, pytest.mark.usefixtures("graph", "environment")]


def test_index_says_what_it_did_and_status_what_there_is(kg: Run, tales: Path) -> None:
    ran = kg("index", tales)
    assert ran.code == 0
    assert "Documents: 2 new, 0 changed, 0 unchanged; 2 chunks written." in ran.out
    # Two lists, since so short texts are not gleaned, and the test of the context window.
    assert ["extraction", "3", "0"] in [line.split()[:3] for line in ran.out.splitlines()]
    # On a busy machine a stage has several lines.
    first, *stages = dict.fromkeys(line.partition(":")[0] for line in ran.err.splitlines())
    assert first == "Testing the context window with one long prompt."
    assert stages[:4] == ["ingest", "extraction", "claims", "merge"]
    shown = kg("status")
    assert shown.code == 0
    assert f"Graph: {load_settings().graph_name}." in shown.out
    assert "documents      2" in shown.out
    assert "done" in shown.out
    again = kg("index", tales)
    assert again.code == 0
    assert "0 new, 0 changed, 2 unchanged; 0 chunks written." in again.out
    assert "calls" not in again.out


def test_quiet_prints_nothing_where_nothing_is_wrong(
    kg: Run, tales: Path, endpoint: FakeEndpoint
) -> None:
    assert kg("index", tales, "--quiet") == Ran(0, "", "")
    (tales / "a.txt").unlink()
    pruned = kg("index", tales, "--quiet", "--prune")
    assert (pruned.code, pruned.out) == (0, "")
    assert "a.txt is gone and is dropped from the graph." in pruned.err
    (tales / "c.json").write_text("[")
    broken = kg("index", tales, "--quiet")
    assert (broken.code, broken.out) == (1, "")
    assert "c.json: is not JSON" in broken.err
    endpoint.change(garbage=1.0, only=["extraction"])
    (tales / "b.txt").write_text(f"{TALE} So be it.")
    failed = kg("index", tales / "b.txt", "--quiet")
    assert (failed.code, failed.out) == (1, "")
    assert "Failed (extraction): chunk 0 of " in failed.err


def test_an_unreadable_file_is_named_and_the_rest_goes_on(kg: Run, tales: Path) -> None:
    (tales / "bad.txt").write_bytes(b"\x81\x00\x8d\xff" * 40)
    (tales / "empty.txt").write_text("")
    (tales / "x.bin").write_bytes(b"\0")
    ran = kg("index", tales)
    assert ran.code == 1
    assert "Documents: 3 new" in ran.out
    assert f"{(tales / 'bad.txt').as_uri()}: is not text" in ran.out
    assert f"{(tales / 'empty.txt').as_uri()}: it holds no text" in ran.out
    assert "Skipped, since they can't be read: 1 file of type .bin." in ran.err
    assert "Not everything was done." in ran.out


@pytest.mark.usefixtures("no_model")
def test_without_a_model_the_index_is_extractive_and_says_so(
    kg: Run, tales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = kg("index", tales)
    assert ran.code == 0
    assert ran.out.count("This index is extractive: it was made without a model") == 1
    assert "set OPENAI_API_KEY" in ran.out
    assert "Pending" not in ran.out
    assert "extractive" in kg("status").out
    monkeypatch.setenv("KG_MODEL", "gpt-4.1-mini")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    said = "KG_MODEL is gpt-4.1-mini, but it was not asked: no key is set."
    assert said in kg("index", tales).out
    monkeypatch.setenv("KG_MODEL", "extractive")
    ran = kg("index", tales)
    assert "This index is extractive" in ran.out
    assert "OPENAI_API_KEY" not in ran.out
    (tales / "c.json").write_text("[")
    assert kg("index", tales).code == 1


def test_what_failed_is_named_with_its_reason(
    kg: Run, tales: Path, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MAX_RETRIES", "0")
    endpoint.change(garbage=1.0, only=["extraction"])
    ran = kg("index", tales / "a.txt")
    assert ran.code == 1
    uri = (tales / "a.txt").as_uri()
    failed = f"Failed (extraction): chunk 0 of {uri}: the reply holds no record: "
    assert failed in ran.out
    assert "Run the same command again to retry the rest." in ran.out
    shown = kg("status")
    assert shown.code == 0
    assert failed in shown.out
    assert "incomplete" in shown.out


def test_a_key_that_is_refused_is_an_error_of_one_sentence(
    kg: Run, tales: Path, endpoint: FakeEndpoint
) -> None:
    endpoint.change(key="sk-another")
    ran = kg("index", tales)
    assert (ran.code, ran.out) == (1, "")
    error = ran.err.splitlines()[-1]
    assert error.startswith("Error: The model endpoint refuses the key: set OPENAI_API_KEY")
    assert kg("status", "--json").json["builds"][0]["outcome"] == "failed"


def test_delete_names_what_it_deleted_and_what_was_not_there(kg: Run, tales: Path) -> None:
    kg("index", tales, "--gleanings", "0", "--no-claims")
    ran = kg("delete", tales / "a.txt", "nothing.txt", "b\udcff.txt")
    assert ran.code == 1
    deleted, renewed = ran.out.splitlines()
    assert deleted == f"Deleted {(tales / 'a.txt').as_uri()}."
    assert "until the next `kg-build index` renews them" in renewed
    hint = f"Did you mean {(tales / 'b.txt').as_uri()}?"
    [told] = [line for line in ran.err.splitlines() if "not in the graph" in line]
    assert told == f"nothing.txt, b\ufffd.txt are not in the graph. {hint}"
    assert kg("status", "--json").json["counts"]["documents"] == 1


def test_a_folder_that_was_moved_is_told_of_deleted_and_pruned(kg: Run, tales: Path) -> None:
    folder, moved = tales / "old", tales.with_name("new")
    cheap = ("--gleanings", "0", "--no-claims", "--quiet")
    write = ("a.txt", "b.txt")
    for place in (folder, folder / "sub"):
        place.mkdir()
        for name in write:
            (place / name).write_text(f"{TALE} It is in {place.name}/{name}.")
    (tales / "a.txt").unlink()
    kg("index", folder, *cheap)
    folder.rename(moved)
    for path in moved.rglob("*.txt"):  # else nothing of them would be gone
        path.write_text(f"{path.read_text()} It was edited.")
    told = kg("index", moved, *cheap)
    assert (told.code, told.out) == (0, "")
    assert f"4 elsewhere (`kg-build delete {folder}` drops them)." in told.err
    assert kg("status", "--json").json["counts"]["documents"] == 8
    deleted = kg("delete", f"{folder / 'sub'}/")
    uris = [f"Deleted {(folder / 'sub' / name).as_uri()}." for name in write]
    assert (deleted.code, deleted.out.splitlines()[:-1]) == (0, uris)
    pruned = kg("index", folder, tales, "--prune", *cheap)
    assert (pruned.code, pruned.out) == (0, "")
    [first, *each] = pruned.err.splitlines()
    assert first == "2 files are gone. Their documents are dropped from the graph: 2."
    assert each == [
        f"{(folder / name).as_uri()} is gone and is dropped from the graph." for name in write
    ]
    assert kg("status", "--json").json["counts"]["documents"] == 5
    again = kg("index", folder, tales, "--prune", *cheap)
    assert (again.code, f"{folder} matches no file" in again.err) == (0, True)
    none = kg("delete", folder)
    assert (none.code, f"{folder} is not in the graph." in none.err) == (1, True)


def test_estimate_needs_no_neo4j_and_asks_no_model(
    kg: Run, tales: Path, monkeypatch: pytest.MonkeyPatch, endpoint: FakeEndpoint
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    ran = kg("estimate", tales)
    assert ran.code == 0
    assert "2 documents, 2 chunks" in ran.out
    assert "total" in ran.out
    assert endpoint.log == []


def test_an_unknown_price_is_not_shown_as_nothing(
    kg: Run, tales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "my-own-vectors")
    ran = kg("index", tales, "--model", "my-own")
    assert [line.split()[-2:] for line in ran.out.splitlines() if line.startswith("total")] == [
        ["unknown", "cost"]
    ]
    assert "$" not in ran.out + ran.err
    assert "unknown cost" in kg("status").out


def test_a_command_imports_only_what_it_needs(
    kg: Run, tales: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kg("index", tales, "--quiet")
    model = {"openai", "genai_prices"}
    rules = {"simplemma", "graphrag_neo4j.rules.index_backend"}
    rest = {"mcp", "uvicorn", "graphrag_neo4j.index.pipeline"}
    rest |= {"numpy", "pandas", "rich.markdown"}
    asked = ("query", "Who is Marley?", "--method", "local")
    assert imported("--home", str(tmp_path), "neo4j", "status").isdisjoint({"neo4j", "tiktoken"})
    assert imported("status").isdisjoint({*model, *rules, *rest})
    assert imported(*asked).isdisjoint({*rules, "graphrag_neo4j.rules.query_backend", *rest})
    request.getfixturevalue("no_model")
    assert imported(*asked, "--context-only").isdisjoint({*model, *rules, *rest})


def test_browse_lists_and_saves_the_queries(kg: Run, tales: Path, tmp_path: Path) -> None:
    kg("index", tales, "--quiet")
    listed = kg("browse", "--list")
    assert (listed.code, listed.err) == (0, "")
    assert "Two communities\n" in listed.out
    assert "MATCH (entity:Entity {name: '" in listed.out
    assert "$" not in listed.out
    saved = kg("browse", "--save", tmp_path / "queries.cypher")
    assert saved.code == 0
    assert "Saved Cypher" in saved.out
    assert (tmp_path / "queries.cypher").read_text().startswith("// Draws the largest communities")
    unwritable = kg("browse", "--save", tmp_path / "no" / "queries.zip")
    assert unwritable.code == 1
    assert "can't be written" in unwritable.err


def test_map_writes_one_page(kg: Run, tales: Path, tmp_path: Path) -> None:
    empty = kg("map", "-o", tmp_path / "map.html")
    assert empty.code == 1
    assert "kg-build index" in empty.err
    kg("index", tales, "--quiet")
    ran = kg("map", "-o", tmp_path / "map.html")
    assert ran.code == 0
    assert f"The map is in {tmp_path / 'map.html'} (" in ran.out
    page = (tmp_path / "map.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>tales – Map of communities</title>" in page
    assert f"<p>Map of communities · {load_settings().graph_name}</p>" in page


def test_on_a_terminal_bars_are_drawn(kg: Run, tales: Path, endpoint: FakeEndpoint) -> None:
    (tales / "c[").mkdir()
    (tales / "c[" / "red].txt").write_text(TALE)
    kg("index", tales, "--source-root", tales)
    (tales / "c[" / "red].txt").unlink()
    (tales / "a.txt").write_text(f"{TALE} [bold]So[/] be it.")
    (tales / "b.txt").write_text(f"{TALE} [/] Twice.")
    endpoint.change(garbage=1.0, only=["claims"])
    shown = on_a_terminal(["index", tales, "--prune", "--source-root", tales])
    assert "\x1b[" in shown
    assert "c[/red].txt is gone" in shown
    assert all(stage in shown for stage in ("ingest", "extraction", "claims", "tokens"))
    assert "2 failed" in shown
    assert "The graph has " in shown
    assert "Traceback" not in shown


QUOTED = (
    "Marley was dead, says <http://evil.example/a> and <a href='http://evil.example'>here</a>.",
    "Marley was dead, ![as](http://evil.example/b.png) all of London knew very well.",
    "Marley was dead, [click](http://evil.example/c) and [^1] and `Scrooge signed the register`.",
    "# Marley was dead, and his old partner kept the counting house.",
    "Marley was dead, as a door nail is \\[here](http://evil.example/d) beside the chimney\\",
)


@pytest.mark.usefixtures("no_model")
def test_markdown_shows_what_a_document_quotes_as_text(
    kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    for n, text in enumerate(QUOTED):
        (tmp_path / f"{n} <b> [x](mailto:evil).txt").write_text(text)
    kg("index", *tmp_path.glob("*.txt"))
    shown = kg("query", "Was Marley dead?", "--method", "basic", "--markdown").out
    assert shown.count("Marley was dead") >= 3
    tokens = MarkdownIt("commonmark").parse(shown)
    kinds = {one.type for token in tokens for one in (token, *(token.children or ()))}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "code_inline"}
    assert "heading_open" not in kinds
    notes = re.findall(r"^\[\^(\d+)\]:", shown, re.MULTILINE)
    text = "".join(token.content for token in tokens if token.type == "inline")
    assert notes
    assert all(re.search(rf"(?<!\\)(?:\\\\)*\[\^{n}\]", text) for n in notes)


def test_an_address_without_a_server_is_one_sentence(
    kg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j://127.0.0.1:1")
    ran = kg("status")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "Error: Neo4j at neo4j://127.0.0.1:1 does not answer: start it, or set NEO4J_URI to "
        "one that runs.\n"
    )


def test_an_index_says_what_to_do_next_and_a_query_its_steps(
    kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text(TALE)
    ran = kg("index", tmp_path)
    assert 'kg-build query "What are the main themes?"' in ran.out
    assert "Neo4j keeps running" not in ran.out  # it is not one that we started
    asked = kg("query", "Which themes come back?", "--method", "global")
    assert "Answering from level 0: " in asked.err
    assert "reading: 1 of 1, " in asked.err
    assert " s, 1 call, " in asked.out
    monkeypatch.setenv("OPENAI_BASE_URL", NOBODY)
    monkeypatch.setenv("KG_MAX_RETRIES", "0")
    ran = kg("query", "Who is Marley?", "--method", "basic")
    assert ran.code == 1
    assert f"Error: There is no answer, since the call failed: the model endpoint at {NOBODY}" in (
        ran.err
    )
    assert "OPENAI_BASE_URL and the network are right" in ran.err


TIM = "Tiny Tim was the son of Bob Cratchit. Bob Cratchit lived in Camden Town with Tiny Tim. {n}"


def test_status_says_what_is_behind_and_fresh_brings_it_up_to_date(
    kg: Run,
    endpoint: FakeEndpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {"CLAIMS": "no", "GLEANINGS": "0", "REPORT_TOLERANCE": "0.5"}.items():
        monkeypatch.setenv(f"KG_{name}", value)
    for n in range(4):
        (tmp_path / f"{n}.txt").write_text(TIM.format(n=f"This is tale number {n}."))
    assert "behind" not in kg("index", tmp_path).out
    (tmp_path / "new.txt").write_text("Tiny Tim sang a song in Camden Town.")
    endpoint.reset()
    out = kg("index", tmp_path).out
    assert "1 report is behind: " in out
    assert "`kg-build index PATHS --fresh` brings it up to date." in out
    assert endpoint.count("json:community_report") == 0
    assert 0 < kg("status", "--json").json["behind"]["largest"] <= 0.5
    fresh = kg("index", tmp_path, "--fresh")
    assert "behind" not in fresh.out
    assert endpoint.count("json:community_report") == 1
    endpoint.reset()
    assert kg("index", tmp_path, "--fresh").code == 0
    assert endpoint.log == []


@pytest.mark.usefixtures("graph", "no_model")
def test_a_question_is_answered_as_of_a_day(kg: Run, tmp_path: Path) -> None:
    for day, chair in (("2021-03-04", "Ada Lovelace"), ("2023-05-06", "Grace Hopper")):
        text = f"{chair} is the chair of the harbour board. {chair} lives in Port Elin."
        (tmp_path / f"{day} minutes.txt").write_text(text)
    assert kg("index", tmp_path).code == 0
    then = kg("query", "Who is the chair of the board?", "--as-of", "2021-06")
    assert "Ada Lovelace is the chair" in then.out
    assert "Grace" not in then.out
    assert "Read: 1 of 2 documents, dated up to 2021-06." in then.err
    now = kg("query", "Who is the chair of the board now?")
    assert now.out.index("Grace Hopper is") < now.out.index("Ada Lovelace is")
    wrong = kg("query", "Who is the chair?", "--as-of", "2021-13")
    assert (wrong.code, "write a date such as 2024-03-31" in wrong.err) == (2, True)
