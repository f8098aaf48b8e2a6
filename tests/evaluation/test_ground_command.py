"""`kg-build eval ground`: what it asks, prints and keeps. It needs no Neo4j for answers."""

import json
from pathlib import Path

import pytest

from graphrag_neo4j.evaluation import Evaluation
from graphrag_neo4j.settings import load_settings
from tests.cli.test_json import held
from tests.conftest import KEY, Run
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

PASSAGE = "In June 1833 Ada met Charles. They wrote letters for years."
GOOD = "Ada met Charles [1]. They wrote letters [1]."
BAD = "The mill burnt down [1]. Ada met Charles in June 1833 [1]. Nobody was hurt by that."


def with_answers(folder: Path, **given: object) -> Evaluation:
    """An evaluation with a question, and the answers of two other systems to it."""
    ours = Evaluation(folder / "e", load_settings(**given))
    ours.add_questions(["Who met whom?"])
    sources = [{"source": "letters.txt", "text": PASSAGE, "citation": "[1]"}]
    for name, text in (("good", GOOD), ("bad", BAD)):
        path = folder / f"{name}.jsonl"
        row = {"question": "Who met whom?", "answer": text, "sources": sources}
        path.write_text(json.dumps(row))
        ours.import_answers(path, name)
    return ours


@pytest.fixture
def model(endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> FakeEndpoint:
    """The fake endpoint in the environment, with a price."""
    for name, value in {
        "OPENAI_BASE_URL": endpoint.url,
        "OPENAI_API_KEY": KEY,
        "KG_INPUT_PRICE": "1000",
        "KG_OUTPUT_PRICE": "1000",
        "KG_CONCURRENCY": "1",
        "KG_JUDGE_MODEL": "a-judge",
    }.items():
        monkeypatch.setenv(name, value)
    return endpoint


def test_a_model_is_asked_once_for_each_sentence(
    kg: Run, tmp_path: Path, model: FakeEndpoint
) -> None:
    folder = with_answers(tmp_path).folder.path
    refused = kg("eval", "ground", folder)
    assert (refused.code, model.log) == (1, [])
    assert "add --yes" in refused.err
    model.change(misjudged=("prose", "empty"))
    failed = kg("eval", "ground", folder, "--yes")
    assert failed.code == 1
    assert "4 cited sentences will take about 4 calls with" in failed.out
    assert "4 sentences got no usable verdict. Run the same command again" in failed.out
    model.change(misjudged=())
    model.reset()
    ran = kg("eval", "ground", folder, "--yes")
    assert (ran.code, len(model.log)) == (0, 4)
    assert "judged by model a-judge" in ran.out
    again = held("eval ground", kg("eval", "ground", folder, "--json"))
    assert len(model.log) == 4
    assert [(one["name"], one["supported_share"]) for one in again["groups"]] == [
        ("good", 1),
        ("bad", 0.5),
    ]
    words = kg("eval", "ground", folder, "--words")
    assert len(model.log) == 4
    assert "judged by words and vectors" in words.out


def test_at_the_cost_limit_it_says_what_is_saved(
    kg: Run, tmp_path: Path, model: FakeEndpoint
) -> None:
    folder = with_answers(tmp_path).folder.path
    stopped = kg("eval", "ground", folder, "--yes", "--max-cost", "1")
    assert stopped.code == 1
    assert "The cost limit of 1.00 US dollars is reached." in stopped.err
    done = len(model.log)
    assert 0 < done < 4
    assert "on sentences" in stopped.err
    assert kg("eval", "ground", folder, "--yes").code == 0
    assert len(model.log) == 4
