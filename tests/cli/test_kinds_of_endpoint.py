"""An index and its questions with the endpoints that people have, from the command line."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from graphrag_neo4j.llm import local_servers
from tests.conftest import Run
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.options import MODES
from tests.support.odd_endpoint import odd_endpoint

pytestmark = [pytest.mark.one_release, pytest.mark.usefixtures("graph", "environment")]

TALE = "Ebenezer Scrooge met Jacob Marley in London in {}. Marley was dead in London."
QUESTION = "Who met Jacob Marley in London?"


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    path = tmp_path / "tales" / "1843.txt"
    path.parent.mkdir()
    path.write_text(TALE.format(1843))
    return path


@pytest.mark.parametrize("mode", ["reasoning model", "old server", "strict proxy"])
def test_an_index_can_be_asked(kg: Run, tale: Path, endpoint: FakeEndpoint, mode: str) -> None:
    endpoint.change(**MODES[mode])
    built = kg("index", tale)
    assert built.code == 0, built.err
    for method in ("local", "global"):
        asked = kg("query", QUESTION, "--method", method, "--json")
        assert asked.code == 0, asked.err
        assert asked.json["text"]
        assert asked.json["incomplete"] is None


def test_an_endpoint_without_embeddings_is_found_before_the_first_paid_call(
    kg: Run, tale: Path, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.change(embeds=False)
    built = kg("index", tale)
    assert built.code != 0
    assert "KG_EMBEDDING_MODEL=static" in built.err
    assert {call.kind for call in endpoint.log} <= {"embeddings", ""}
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    assert kg("index", tale).code == 0
    asked = kg("query", QUESTION, "--method", "local", "--json")
    assert asked.json["text"]
    assert "full-text" not in asked.err
    assert endpoint.count("embeddings") <= 3


@pytest.mark.parametrize("option", ["window", "context_tokens"])
def test_a_window_that_is_too_small_is_found_before_the_index_begins(
    kg: Run, tale: Path, endpoint: FakeEndpoint, option: str
) -> None:
    for year in range(1844, 1863):
        (tale.parent / f"{year}.txt").write_text(TALE.format(year))
    endpoint.change(**{option: 4096})
    built = kg("index", tale.parent)
    assert built.code != 0
    assert "OLLAMA_CONTEXT_LENGTH" in built.err
    assert {call.kind for call in endpoint.log} == {"embeddings", "recall"}
    endpoint.change(**{option: 0})
    assert kg("index", tale.parent).code == 0
    recalls = endpoint.count("recall")
    (tale.parent / "more.txt").write_text("Tiny Tim lived in Camden Town with Bob Cratchit.")
    assert kg("index", tale.parent).code == 0
    assert endpoint.count("recall") == recalls  # it was whole before
    assert kg("status", "--json").json["failures"] == []


@pytest.fixture
def local_server() -> Iterator[str]:
    """The address of a model server at one of the usual ports."""
    models = {"data": [{"id": "nomic-embed-text"}, {"id": "llama3.1:8b"}]}
    for port in (1234, 8080, 8000, 11434):
        with suppress(OSError), odd_endpoint(models, port=port) as (url, _):
            yield url
            return
    pytest.skip("all the usual ports are taken")


@pytest.mark.usefixtures("no_model")
def test_without_a_model_the_servers_of_this_machine_are_named(
    kg: Run, local_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_servers, "SECONDS", 30.0)  # a busy machine may be late
    lines = {
        f"export OPENAI_BASE_URL={local_server}",
        "export KG_MODEL=llama3.1:8b",
        "export KG_EMBEDDING_MODEL=nomic-embed-text",
    }
    ran = kg("doctor")
    assert ran.code == 0, ran.err
    assert f"A model server answers at {local_server}" in ran.out
    assert lines <= {line.strip() for line in ran.out.splitlines()}


@pytest.mark.usefixtures("no_model")
def test_the_first_index_without_a_model_names_the_servers_of_this_machine(
    kg: Run, tale: Path, local_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_servers, "SECONDS", 30.0)
    use = f"OPENAI_BASE_URL={local_server} KG_MODEL=llama3.1:8b KG_EMBEDDING_MODEL=nomic-embed-text"
    quiet = kg("index", tale, "--model", "extractive")
    assert (quiet.code, use in quiet.err) == (0, False)
    assert kg("delete", tale).code == 0
    first = kg("index", tale)
    assert first.code == 0
    [line] = [line for line in first.err.splitlines() if use in line]
    assert f"answers at {local_server}" in line
    assert use not in kg("index", tale).err
