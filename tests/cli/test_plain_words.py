"""What a stranger reads on the command line: plurals, numbers, errors, what to do next."""

from pathlib import Path

import pytest

from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.model.events import Advanced, Notice, Started
from tests.conftest import Run

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
NOBODY = "http://127.0.0.1:1/v1"


def test_a_server_that_has_started_draws_no_steps(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(quiet=False) as listen:
        listen(Started("ingest", 1))
        listen(Advanced(1))
        listen.hush()
    listen(Started("answer", 2))
    listen(Advanced(2))
    listen(Notice("Answering by global search."))
    listen(Notice("This needs to be done.", warning=True))
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith("ingest: 1 of 1, ")
    assert rest == ["This needs to be done."]


@pytest.mark.one_release
@pytest.mark.usefixtures("graph", "environment")
class TestCommands:
    """What commands say."""

    def test_an_address_without_a_server_is_one_sentence(
        self, kg: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NEO4J_URI", "neo4j://127.0.0.1:1")
        ran = kg("status")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == (
            "Error: Neo4j at neo4j://127.0.0.1:1 does not answer: start it, or set NEO4J_URI to "
            "one that runs.\n"
        )

    def test_an_index_says_what_to_do_next_and_a_query_its_steps(
        self, kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a.txt").write_text(TALE)
        (tmp_path / "Makefile").write_text("all:")
        ran = kg("index", tmp_path)
        assert "Skipped: 1 file without a file extension, which can't be read." in ran.out
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
        assert (
            f"Error: There is no answer, since the call failed: the model endpoint at {NOBODY}"
            in (ran.err)
        )
        assert "OPENAI_BASE_URL and the network are right" in ran.err
