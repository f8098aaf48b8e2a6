"""`scripts/bench/retrieval.py`: the formats that it reads, its scores, and the sample."""

import json
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import anyio
import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.driver import connect
from tests.support.paths import ROOT
from tests.support.servers import TestServer
from tests.support.wiping import wipe

SCRIPT = ROOT / "scripts" / "bench" / "retrieval.py"
MULTIHOP = ROOT / "tests" / "data" / "multihop"
FORMATS = MULTIHOP / "formats"


@pytest.fixture(scope="module")
def retrieval() -> ModuleType:
    """The script as a module."""
    spec = spec_from_file_location("retrieval", SCRIPT)
    assert spec
    assert spec.loader
    module = sys.modules["retrieval"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_three_formats_are_read(retrieval: ModuleType, tmp_path: Path) -> None:
    questions, unanswerable = retrieval.read_questions(
        [FORMATS / "musique.jsonl", FORMATS / "hotpotqa.json"]
    )
    musique, hotpot, yes = questions
    assert (musique.answers, hotpot.answers, yes.answers) == (
        ("Tomas Reyle", "Reyle"),
        ("Tomas Reyle",),
        ("yes",),
    )
    assert musique.needed == hotpot.needed
    assert {one.partition("\n")[0] for one in musique.needed} == {
        "The Glass Orchard",
        "Ilse Brandvold",
    }
    assert (len(musique.passages), unanswerable) == (3, 1)
    [wiki], _ = retrieval.read_questions([FORMATS / "2wikimultihopqa.json"])
    assert wiki.answers == ("Tomas Reyle", "T. Reyle", "Reyle the composer")
    (tmp_path / "bad.jsonl").write_text('{"question": "Who?"}\n')
    with pytest.raises(InputError, match=r"Question 1 of .* it has no 'context'"):
        retrieval.read_questions([tmp_path / "bad.jsonl"])


@pytest.mark.parametrize(
    ("answer", "right", "exact", "f1s"),
    [
        ("the composer Tomas Reyle", "Tomas Reyle", 0, (0.8, 0.8)),
        ("U.S. court", "The US Court", 1, (1, 1)),
        ("a", "the", 1, (1, 0)),
        ("yes it was", "yes", 0, (0.5, 0)),
    ],
)
def test_scores_are_those_of_the_data_sets(
    retrieval: ModuleType, answer: str, right: str, exact: float, f1s: tuple[float, float]
) -> None:
    for rule, f1 in zip((False, True), f1s, strict=True):
        one = retrieval.Question("q", "?", ("Somebody else", right), (), frozenset(), rule)
        assert retrieval.score(answer, one) == (exact, pytest.approx(f1))


@pytest.mark.slow
async def test_the_walk_finds_more_of_what_several_steps_need(
    checked_server: TestServer, tmp_path: Path
) -> None:
    server = checked_server
    environment = {
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database or "",
    }
    async with connect(server.uri, server.username, server.password, server.database) as graph:
        await wipe(graph)
        command = [sys.executable, str(SCRIPT)]
        arguments = [str(MULTIHOP / "sample.jsonl"), "-o", str(tmp_path / "out"), "--json"]
        ran = await anyio.run_process([*command, *arguments], env=os.environ | environment)
        await wipe(graph)
    found = json.loads(ran.stdout)
    assert (found["questions"], found["passages"]) == (20, 145)
    recalls = {one["way"]: one["at"] for one in found["recalls"]}
    assert recalls.keys() == {"BM25", "basic", "local"}
    assert all(0 < two < five < ten <= 1 for two, five, ten in recalls.values())
    assert recalls["local"][2] > recalls["BM25"][2] + 0.05
