"""The benchmark of retrieval, on the sample of questions of several steps: no model, no key."""

import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph import connect
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.paths import ROOT
from tests.support.servers import TestServer
from tests.support.wiping import wipe

pytestmark = [pytest.mark.slow, pytest.mark.one_release]
MULTIHOP = ROOT / "tests" / "data" / "multihop"
SAMPLE = MULTIHOP / "sample.jsonl"


@dataclass(frozen=True, slots=True)
class Ran:
    """What the benchmark printed, and the settings for the graph that it made."""

    printed: str
    settings: Settings

    @property
    def recalls(self) -> dict[str, list[float]]:
        """Of each way: at 2, 5 and 10."""
        lines = self.printed.splitlines()[2:]
        return {line[:16].strip(): [float(n) for n in line[16:].split()[:3]] for line in lines}


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
            [sys.executable, str(ROOT / "scripts" / "bench" / "retrieval.py"), str(SAMPLE)],
            env=os.environ | environment,
        )
        yield Ran(ran.stdout.decode(), load_settings(**given, model="extractive"))
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


async def test_the_walk_finds_more_of_what_several_steps_need(bench: Ran) -> None:
    assert bench.printed.startswith("20 questions, 145 paragraphs")
    recalls = bench.recalls
    assert recalls.keys() == {"BM25", "basic", "local, one hop", "local, ppr"}
    assert all(0 < two < five < ten <= 1 for two, five, ten in recalls.values())
    ppr, bm25 = recalls["local, ppr"], recalls["BM25"]
    # What was deleted before still counts a little in Neo4j's scores, so not to the last digit.
    assert ppr[1] > bm25[1]
    assert ppr[2] > bm25[2] + 0.05
    assert ppr[2] > recalls["local, one hop"][2]


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
