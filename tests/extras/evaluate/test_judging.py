"""Judges whose verdicts are known beforehand: what an evaluation finds of them, over real HTTP."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.folder import METRICS
from graphrag_neo4j.extras.evaluate.judging import Judged, blind_items, judge_step, judged_by
from graphrag_neo4j.extras.evaluate.statistics import (
    agreement_of_repeats,
    bias_of,
    pair_results,
    pair_tests,
    preferences,
    win_rates,
)
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric
from graphrag_neo4j.settings import load_settings
from tests.support.evaluations import evaluation
from tests.support.fake_endpoint import FakeEndpoint

QUALITY = {"good": 9, "fair": 5, "poor": 1}  # a better answer has a higher mark, and is shorter
TEXTS = {
    name: f"On port {{}}. {'Much. ' * (9 - mark)}Quality mark {mark}."
    for name, mark in QUALITY.items()
}
TWO: Sequence[Metric] = ("comprehensiveness", "diversity")


def study(fake: FakeEndpoint, path: Path, model: str = "judge") -> Evaluation:
    usual = {"openai_base_url": fake.url, "openai_api_key": "sk-test", "judge_model": model}
    return Evaluation(path, load_settings(**usual, input_price=1.0, output_price=2.0))


async def judged(fake: FakeEndpoint, path: Path, model: str = "judge") -> list[Judged]:
    """Judges the questions of a folder twice in both orders, and returns the verdicts."""
    ours = study(fake, path, model)
    await ours.judge(TWO, repeats=2)
    return ours.judged()[f"model {model}"]


async def test_a_fair_judge_finds_the_better_answer_in_both_orders(tmp_path: Path) -> None:
    evaluation(tmp_path, TEXTS, questions=8)
    with FakeEndpoint() as fake:
        estimate = await study(fake, tmp_path).estimate_judge(TWO)
        found = await judged(fake, tmp_path)
        assert (estimate.missing, estimate.there) == (8 * 3 * 2 * 2, 0)  # of one repeat
    results = pair_results(found)
    matrix = win_rates(results, ["good", "fair", "poor"], "diversity")
    assert matrix == [[50, 100, 100], [0, 50, 100], [0, 0, 50]]
    assert all(test.adjusted < 0.05 for test in pair_tests(results))
    diversity = [one for one in found if one.comparison.metric == "diversity"]
    bias = bias_of(diversity)
    assert (bias.first_share, bias.turned, bias.held, bias.missing) == (0.5, 0, 8 * 3 * 2, 0)
    assert agreement_of_repeats(diversity).share == 1
    assert preferences(found) == [
        "Nothing shows that this judge goes by the place or the length of the answers."
    ]
    assert preferences([]) == []


@pytest.mark.parametrize(("way", "told"), [("first", "goes by the place:"), ("random", "a coin")])
async def test_a_judge_by_place_or_by_chance_gives_no_significant_row_and_this_is_said(
    tmp_path: Path, way: str, told: str
) -> None:
    evaluation(tmp_path, TEXTS, questions=12)
    with FakeEndpoint(judge=way, seed=1) as fake:
        found = await judged(fake, tmp_path)
    assert told in preferences(found)[0]
    tests = pair_tests(pair_results(found))
    assert min(test.adjusted for test in tests) > 0.05
    bias = bias_of(found)
    if way == "first":
        assert (bias.first_share, bias.turned_share, bias.held) == (1, 1, 0)
        assert {test.result.win_rate for test in tests} == {50}
    else:
        assert len({test.result.win_rate for test in tests}) > 1


@pytest.mark.parametrize(("ties", "told"), [(9, 1), (8, 0)])
def test_a_judge_that_calls_nearly_all_a_tie_is_told(tmp_path: Path, ties: int, told: int) -> None:
    folder = evaluation(tmp_path, dict.fromkeys(("one", "other"), "Said of {}."), questions=5)
    step = judge_step(folder, load_settings(), metrics=["diversity"])
    given = [
        replace(one.record, winner="tie" if n < ties else "first")
        for n, one in enumerate(step.items)
    ]
    [found] = judged_by(given, folder.given_answers()).values()
    tied = [one for one in preferences(found) if one.startswith(f"The judge called {ties} of 10")]
    assert len(tied) == told


async def test_the_estimate_is_near_what_is_sent(tmp_path: Path) -> None:
    evaluation(tmp_path, dict.fromkeys("AB", "The clerk wrote long letters to {}. " * 15), 1)
    with FakeEndpoint() as fake:
        ours = study(fake, tmp_path)
        told = [await ours.estimate_judge(), await ours.estimate_claims()]
        await ours.judge()
        await ours.find_claims()
        sent, calls = [0.0, 0.0], len(fake.log)
        for call in fake.log:
            sent[int(call.kind != "json:judged_answers")] += call.prompt_tokens
    for estimate, tokens in zip(told, sent, strict=True):
        [step] = estimate.steps
        assert 0.6 < step.input_tokens / tokens < 1.6
        assert step.cost
    assert [step.calls for estimate in told for step in estimate.steps] == [8, calls - 8]


def test_a_comparison_needs_both_answers_and_the_last_verdict_counts(tmp_path: Path) -> None:
    folder = evaluation(tmp_path, TEXTS, questions=1)
    [answer] = [one for one in folder.given_answers() if one.condition == "poor"]
    folder.answers.add([replace(answer, failure="no reply")])
    first, second = judge_step(folder, load_settings(), metrics=["diversity"]).items
    shown = [(one.first.condition, one.second.condition) for one in (first, second)]
    assert shown == [("fair", "good"), ("good", "fair")]
    won = replace(first.record, winner="second")
    old = replace(first.record, key="made with an older prompt", winner="first")
    given = [old, won, replace(second.record, winner="tie")]
    [found] = judged_by(given, folder.given_answers()).values()
    assert [one.winner for one in found] == ["second", "tie"]
    assert judged_by(given, []) == {}


def test_a_person_sees_each_place_first_about_equally_often(tmp_path: Path) -> None:
    folder = evaluation(tmp_path, {"one": "Ann {}.", "other": "Bob {}."}, questions=2)
    items = [one for n in range(20) for one in blind_items(folder, f"person {n}", METRICS)]
    assert len(items) == 160
    first = [one.first.condition for one in items]
    assert 50 < first.count("one") < 110
    assert [one.record.first for one in items] == [one.first.key for one in items]
