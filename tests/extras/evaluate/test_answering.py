"""Questions to answers, from a real graph: all conditions, kills, limits, and what changes."""

from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, BudgetSpentError, Document, InputError, Settings
from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.answers import WORKERS
from graphrag_neo4j.extras.evaluate.statements import statements_in
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import load_settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

TALES = [
    Document("Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was a miser.", "a"),
    Document("Bob Cratchit worked for Ebenezer Scrooge in London, until Tiny Tim fell ill.", "b"),
    Document("Tiny Tim sang to Bob Cratchit in London. Jacob Marley heard it as a ghost.", "c"),
]
QUESTIONS = ["What is told of Jacob Marley and of London?", "Who met Ebenezer Scrooge in London?"]
CONDITIONS = ["C0", "TS", "SS", "local", "global:dynamic", "drift,drift_calls=2"]


async def indexed(settings: Settings, folder: Path, conditions: list[str]) -> Evaluation:
    """An evaluation of the tales with two questions."""
    async with AsyncGraphRAG(settings) as rag:
        assert (await rag.index(TALES)).complete
    evaluation = Evaluation(folder, settings)
    evaluation.add_questions(QUESTIONS)
    evaluation.choose(conditions)
    return evaluation


def chats(endpoint: FakeEndpoint) -> int:
    return sum(call.path.endswith("/chat/completions") for call in endpoint.log)


@pytest.mark.slow  # it plans the statements of all searches
async def test_all_conditions_answer_and_only_what_a_change_concerns_is_asked_again(
    graph: Graph, settings: Make, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    own, folder = settings(claims=False), tmp_path / "e"
    evaluation = await indexed(own, folder, CONDITIONS)
    estimate = await evaluation.estimate_answers()
    assert (estimate.there, estimate.missing) == (0, 12)
    assert {step.step for step in estimate.steps} == set(CONDITIONS)
    endpoint.reset()
    done = await evaluation.answer()
    assert (done.made, done.failed) == (12, 0)
    answers = evaluation.folder.current_answers()
    assert len(answers) == 12
    assert sum(one.calls or 0 for one in answers.values()) == len(endpoint.log)
    for one in answers.values():
        assert one.text
        assert one.context_tokens
        assert one.units
        assert one.cost is not None
        assert one.seconds is not None
        assert one.made_with["graph"]
        assert all(source.text and source.citation in one.text for source in one.sources)
        assert statements_in(one.text), "an evaluation has nothing to judge"
        assert all(made.citations for made in statements_in(one.text))
    assert any(one.sources for one in answers.values())
    assert not (folder / "unfinished.jsonl").exists()
    assert [one.condition for one in evaluation.costs()] == CONDITIONS

    async with AsyncGraphRAG(own) as rag:
        await rag.index(TALES)  # finds nothing to do
    endpoint.reset()
    assert (await Evaluation(folder, own).answer()).there == 12
    assert endpoint.log == []

    small = tmp_path / "small"
    evaluation = Evaluation(small, own)
    evaluation.add_questions(QUESTIONS)
    evaluation.choose(["C0", "SS"])
    assert (await evaluation.answer()).made == 4
    report = "MATCH (c:Community {level: 0}) WITH c LIMIT 1 SET c.report = c.report + ' More.'"
    await graph.run_plain(report)
    changed = await Evaluation(small, own).answer()
    assert (changed.there, changed.made) == (2, 2)
    other = settings(claims=False, response_type="one word")
    assert (await Evaluation(small, other).answer()).made == 4
    endpoint.reset()
    back = Evaluation(small, own)
    await back.answer()
    assert endpoint.log == []
    asked = back.folder.current_answers().values()
    assert {one.made_with["response_type"] for one in asked} == {own.response_type}


@pytest.mark.usefixtures("graph")
@pytest.mark.slow
async def test_after_a_kill_no_reply_is_paid_for_twice(
    settings: Make, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    """The answer of a map-reduce is not there yet, but its map calls were answered."""
    own = settings(claims=False)
    await indexed(own, tmp_path / "e", ["TS,map_context_tokens=500"])
    endpoint.reset()
    endpoint.change(server_error=1.0, only=("answer",))  # the last call of each answer
    failed = await Evaluation(tmp_path / "e", own.changed(max_retries=0)).answer()
    assert (failed.made, failed.failed) == (0, 2)
    mapped = endpoint.count("json:rated_answer")
    assert mapped >= 2
    with (tmp_path / "e" / "unfinished.jsonl").open("ab") as file:
        file.write(b'{"key": "cut o')
    endpoint.change(server_error=0.0)
    endpoint.reset()
    done = await Evaluation(tmp_path / "e", own).answer()
    assert (done.made, done.failed) == (2, 0)
    assert endpoint.count("json:rated_answer") == 0
    assert endpoint.count("answer") == 2
    answers = Evaluation(tmp_path / "e", own).folder.current_answers().values()
    assert sum(one.calls or 0 for one in answers) == mapped + 2


@pytest.mark.usefixtures("graph")
async def test_the_cost_limit_is_that_of_the_whole_run(
    settings: Make, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    # Four answers are asked for at the same time, and those under way at the limit may finish.
    own = settings(claims=False, input_price=1000, output_price=1000)
    evaluation = await indexed(own, tmp_path / "e", ["SS", "again=SS"])
    evaluation.add_questions(["Who fell ill?", "Who sang?", "Who heard Tiny Tim?"])
    endpoint.reset()
    limited = own.changed(max_cost=0.5)
    with pytest.raises(BudgetSpentError, match=r"The cost limit of \$0.5000 is reached"):
        await Evaluation(tmp_path / "e", limited).answer()
    asked = chats(endpoint)
    assert asked < 2 + WORKERS, "two answers cost more than the limit"
    there = len(Evaluation(tmp_path / "e", own).folder.current_answers())
    assert there == asked
    done = await Evaluation(tmp_path / "e", own).answer()
    assert (done.there, done.made) == (there, 10 - there)
    assert chats(endpoint) == 10


@pytest.mark.usefixtures("graph")
async def test_a_condition_may_have_a_client_of_its_own_and_a_level_must_be_there(
    settings: Make, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    own = settings(claims=False, embedding_model="static")
    conditions = ["SS", "large=SS,answer_model=large", "quoted=SS,model=extractive", "C9"]
    await indexed(own, tmp_path / "e", conditions)
    told: list[Event] = []
    evaluation = Evaluation(tmp_path / "e", own, told.append)
    endpoint.reset()
    assert {step.step for step in (await evaluation.estimate_answers()).steps} == {"SS", "large"}
    assert (await evaluation.answer()).made == 6
    assert [one.text for one in told if isinstance(one, Notice) and "C9" in one.text]
    assert sorted(call.model for call in endpoint.log) == ["gpt-4.1-mini"] * 2 + ["large"] * 2
    quoted = [one for one in evaluation.costs() if one.condition == "quoted"]
    assert [(one.calls, one.cost) for one in quoted] == [(0, 0)]
    evaluation.choose(["global:9"])
    with pytest.raises(InputError, match="so there is nothing for the condition global:9"):
        await evaluation.estimate_answers()


@pytest.mark.usefixtures("graph")
async def test_questions_are_made_from_a_description_and_each_call_once(
    settings: Make, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    own = settings(claims=False)
    evaluation = Evaluation(tmp_path / "e", own)
    with pytest.raises(InputError, match="The graph has no reports"):
        await evaluation.make_questions()
    async with AsyncGraphRAG(own) as rag:
        await rag.index(TALES)
    endpoint.reset()
    endpoint.change(server_error=1.0, only=("json:evaluation_questions",), spared=2)
    made = await Evaluation(tmp_path / "e", own.changed(max_retries=0)).make_questions(
        personas=2, tasks=2, questions=3
    )
    assert (len(made.new), made.repeated, len(made.failures)) == (5, 1, 2)
    endpoint.change(server_error=0.0)
    endpoint.reset()
    made = await Evaluation(tmp_path / "e", own).make_questions()
    assert [call.kind for call in endpoint.log] == ["json:evaluation_questions"] * 2
    found = Evaluation(tmp_path / "e", own).folder
    assert len(found.questions) == 9
    assert {one.persona for one in found.questions} == {
        f"a reader of kind {n}, who wants to learn" for n in (1, 2)
    }
    assert found.plan.description.startswith("Stories and conversations")
    endpoint.reset()
    assert (await Evaluation(tmp_path / "e", own).make_questions()).new == []
    assert endpoint.log == []


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ('{"widow": 3}', "is not what it should be: it has no field widow"),
        ('{"window": "wide"}', "window: Input should be a valid integer"),
    ],
)
def test_a_plan_with_a_wrong_field_is_one_sentence(tmp_path: Path, plan: str, said: str) -> None:
    (tmp_path / "evaluation.json").write_text(plan)
    with pytest.raises(InputError, match=said):
        Evaluation(tmp_path, load_settings())
