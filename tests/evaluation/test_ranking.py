"""Retrieval: the sample of questions of several steps without a model, and a small set with one."""

import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph import connect
from graphrag_neo4j.settings import Settings, load_settings
from tests.cli.test_json import held
from tests.conftest import Run
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import ROOT
from tests.support.servers import TestServer
from tests.support.wiping import wipe

pytestmark = pytest.mark.one_release
MULTIHOP = ROOT / "tests" / "data" / "multihop"
SAMPLE = MULTIHOP / "sample.jsonl"
FORMATS = [MULTIHOP / "formats" / name for name in ("musique.jsonl", "hotpotqa.json")]


@dataclass(frozen=True, slots=True)
class Ran:
    """What the command printed, and the settings for the graph that it made."""

    result: dict[str, Any]
    settings: Settings

    @property
    def recalls(self) -> dict[str, list[float]]:
        """Of each way: at 2, 5 and 10."""
        return {one["way"]: one["at"] for one in self.result["recalls"]}


@pytest.fixture(scope="module")
async def bench(checked_server: TestServer) -> AsyncIterator[Ran]:
    server = checked_server
    environment = {
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database or "",
    }
    given = {name.lower(): value or None for name, value in environment.items()}
    async with connect(server.uri, server.username, server.password, server.database) as graph:
        await wipe(graph)
        ran = await anyio.run_process(
            [sys.executable, "-m", "graphrag_neo4j", "eval", "retrieval", str(SAMPLE), "--json"],
            env=os.environ | environment,
        )
        yield Ran(json.loads(ran.stdout), load_settings(**given, model="extractive"))
        await wipe(graph)


@pytest.mark.parametrize(("name", "questions", "smallest"), [("sample", 20, 8), ("podcast", 42, 6)])
def test_each_question_takes_several_passages_that_it_does_not_all_name(
    name: str, questions: int, smallest: int
) -> None:
    lines = (MULTIHOP / f"{name}.jsonl").read_text("utf-8").splitlines()
    asked = [json.loads(line) for line in lines]
    assert len(asked) == questions
    for question in asked:
        paragraphs = question["paragraphs"]
        wanted = [p["title"] for p in paragraphs if p["is_supporting"]]
        assert 2 <= len(wanted) <= 4
        assert smallest <= len(paragraphs) <= 20
        assert sum(title in question["question"] for title in wanted) < len(wanted)
        assert [p["idx"] for p in paragraphs] == list(range(len(paragraphs)))


@pytest.mark.slow
async def test_the_walk_finds_more_of_what_several_steps_need(bench: Ran) -> None:
    assert (bench.result["questions"], bench.result["passages"]) == (20, 145)
    recalls = bench.recalls
    assert recalls.keys() == {"BM25", "basic", "local:hop", "local:ppr"}
    assert all(0 < two < five < ten <= 1 for two, five, ten in recalls.values())
    ppr, bm25 = recalls["local:ppr"], recalls["BM25"]
    # What was deleted before still counts a little in Neo4j's scores, so not to the last digit.
    assert ppr[1] > bm25[1]
    assert ppr[2] > bm25[2] + 0.05
    assert ppr[2] > recalls["local:hop"][2]


@pytest.mark.slow
async def test_the_walk_finds_a_passage_that_one_hop_does_not(bench: Ran) -> None:
    question = "When was the county formed whose seat is the birthplace of the director of The "
    question += "Glass Orchard?"
    titles = {}
    async with AsyncGraphRAG(bench.settings) as rag:
        for expand in ("hop", "ppr"):
            how: dict[str, Any] = {
                "expand": expand,
                "top_k_entities": 5,
                "max_context_tokens": 2000,
            }
            answer = await rag.local_search(question, context_only=True, **how)
            sources = answer.context[0].by_kind()["Sources"]
            places = await rag.sources(*(record.ref for record in sources))
            titles[expand] = [place.title for place in places]
    wanted = {"The Glass Orchard", "Ilse Brandvold", "Harnes", "Sundmark County"}
    assert wanted <= set(titles["ppr"])
    assert not wanted <= set(titles["hop"])


@pytest.mark.slow
@pytest.mark.usefixtures("environment", "graph")
def test_a_run_with_a_model_stops_at_its_limit_goes_on_and_is_never_paid_for_twice(
    kg: Run, endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"INPUT_PRICE": "1000", "OUTPUT_PRICE": "1000", "GLEANINGS": "0"}.items():
        monkeypatch.setenv(f"KG_{name}", value)
    command = ["eval", "retrieval", *FORMATS, "-o", tmp_path / "out"]
    refused = kg(*command)
    assert refused.code == 1
    assert "add --yes" in refused.err
    assert endpoint.log == []
    ranked = kg(*command, "--yes")
    assert ranked.code == 0, ranked.err
    assert "1 question that the passages can't answer was left out." in ranked.out
    assert "3 passages will take about" in ranked.out
    endpoint.reset()
    stopped = kg(*command, "--answers", "--yes", "--max-cost", "0.5")
    assert stopped.code == 1
    assert "The cost limit of 0.50 US dollars is reached." in stopped.err
    assert "Run the same command again to continue." in stopped.err
    assert 0 < endpoint.count("answer") < 9
    ran = kg(*command, "--answers", "--yes")
    assert ran.code == 0, ran.err
    assert "exact match" in ran.out
    assert endpoint.count("answer") == 9
    calls = len(endpoint.log)
    again = held("eval retrieval", kg(*command, "--answers", "--json"))
    assert len(endpoint.log) == calls
    assert [one["way"] for one in again["answers"]] == ["basic", "local:hop", "local:ppr"]
    for one in again["recalls"]:
        assert one["questions"] == 3
        assert one["at"][1:] == [1, 1]  # there are only three passages


def test_a_file_without_a_question_is_refused(tmp_path: Path, kg: Run) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    refused = kg("eval", "retrieval", tmp_path / "empty.jsonl")
    assert refused.code == 1
    assert "hold no question that their passages can answer" in refused.err
