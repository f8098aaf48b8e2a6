"""Judges whose verdicts are known beforehand: what an evaluation finds of them, over real HTTP."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from graphrag_neo4j.evaluation.judge.comparisons import comparisons, win_rates
from graphrag_neo4j.evaluation.judge.judging import (
    Answers,
    JudgeSummary,
    agreement_of_judges,
    judge_items,
    judge_step,
    judged_by,
    summarised,
)
from graphrag_neo4j.evaluation.judge.statistics import pair_tests, suspicions
from graphrag_neo4j.evaluation.model import AnswerRecord, Metric, VerdictRecord, question_key
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import make_missing
from graphrag_neo4j.events import silent
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.llm.evaluation import Judge
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint

QUALITY = {"good": 9, "fair": 5, "poor": 1}
METRICS: Sequence[Metric] = ("comprehensiveness", "diversity")


def settings_for(fake: FakeEndpoint, model: str = "judge") -> Settings:
    return load_settings(openai_base_url=fake.url, openai_api_key="sk-test", judge_model=model)


def questions(n: int) -> dict[str, str]:
    return {question_key(text): text for text in (f"What about {k}?" for k in range(n))}


def answers_to(asked: dict[str, str]) -> Answers:
    """One answer of each condition; a better one has a higher quality mark and is shorter."""
    return {
        (key, name): AnswerRecord(
            f"{name} {key}", key, name, f"On {text} {'Much. ' * (9 - mark)}Quality mark {mark}."
        )
        for key, text in asked.items()
        for name, mark in QUALITY.items()
    }


async def judge_all(
    fake: FakeEndpoint, file: RecordFile[VerdictRecord], n: int, *, model: str = "judge"
) -> JudgeSummary:
    """Judges n questions twice in both orders, and returns the summary."""
    asked = questions(n)
    answers, settings = answers_to(asked), settings_for(fake, model)
    judge = Judge.from_settings(settings)
    wanted = comparisons(list(QUALITY), list(asked), METRICS, repeats=2)
    items = judge_items(wanted, asked, answers, judge)
    async with Endpoint(settings) as endpoint:
        step = judge_step(file, judge, endpoint.run)
        await make_missing(step, items, workers=8, listen=silent)
    judged = judged_by(file, answers.values())
    return summarised(judge.name, judged[judge.name])


def records(folder: Path) -> RecordFile[VerdictRecord]:
    return RecordFile(folder / "verdicts.jsonl", VerdictRecord)


async def test_a_fair_judge_finds_the_better_answer_in_both_orders(tmp_path: Path) -> None:
    with FakeEndpoint() as fake:
        found = await judge_all(fake, records(tmp_path), 8)
    matrix = win_rates(found.results, ["good", "fair", "poor"], "diversity")
    assert matrix == [[50, 100, 100], [0, 50, 100], [0, 0, 50]]
    assert all(test.adjusted < 0.05 for test in pair_tests(found.results))
    bias = found.bias["diversity"]
    assert (bias.first_share, bias.turned, bias.held) == (0.5, 0, 8 * 3 * 2)
    assert found.repeats["diversity"].share == 1
    assert found.missing == 0
    judged = judged_by(records(tmp_path), answers_to(questions(8)).values())
    assert suspicions(judged["model judge"]) == []


async def test_a_judge_that_prefers_the_first_place_is_found_out_by_the_swap(
    tmp_path: Path,
) -> None:
    with FakeEndpoint(judge="first") as fake:
        found = await judge_all(fake, records(tmp_path), 3)
    bias = found.bias["comprehensiveness"]
    assert (bias.first_share, bias.turned_share, bias.held) == (1, 1, 0)
    assert {result.win_rate for result in found.results} == {50}
    assert {test.adjusted for test in pair_tests(found.results)} == {1}


async def test_a_random_judge_gives_no_significant_row(tmp_path: Path) -> None:
    with FakeEndpoint(judge="random", seed=1) as fake:
        found = await judge_all(fake, records(tmp_path), 20)
    tests = pair_tests(found.results)
    assert len(tests) == 6
    assert min(test.adjusted for test in tests) > 0.05
    assert len({result.win_rate for result in found.results}) > 1


async def test_malformed_verdicts_are_missing_and_are_asked_for_in_the_next_run(
    tmp_path: Path,
) -> None:
    with FakeEndpoint(misjudged=("two winners", "prose")) as fake:
        found = await judge_all(fake, records(tmp_path), 1)
        assert found.missing == found.verdicts == 3 * 2 * 2 * 2
        assert {result.win_rate for result in found.results} == {None}
        assert pair_tests(found.results) == []
        assert {one.failure is None for one in records(tmp_path)} == {False}
        fake.change(misjudged=("winner 3",))
        found = await judge_all(fake, records(tmp_path), 1)
        assert (found.missing, len(records(tmp_path))) == (0, 24)
        fake.reset()
        await judge_all(fake, records(tmp_path), 1)
        assert fake.log == []  # no verdict is paid for twice
        await judge_all(fake, records(tmp_path), 2)
        assert fake.count("json:judged_answers") == 2 * 24  # each of the new ones is asked twice


async def test_two_judges_and_a_person_are_compared(tmp_path: Path) -> None:
    file = records(tmp_path)
    with FakeEndpoint() as fake:
        await judge_all(fake, file, 2, model="fair")
        fake.change(judge="first")
        await judge_all(fake, file, 2, model="biased")
    persons = [
        replace(one, key=f"by hand {one.key}", judge="person Ann")
        for one in file
        if one.judge == "model fair" and one.repeat == 1
    ]
    file.add(persons)
    agreed = agreement_of_judges(judged_by(file, answers_to(questions(2)).values()))
    assert agreed["model fair", "person Ann"].share == 1
    assert agreed["model biased", "model fair"].share == 0
    assert agreed["model fair", "person Ann"].items == 2 * 3 * 2


def test_a_comparison_needs_both_answers() -> None:
    asked = questions(2)
    answers = dict(answers_to(asked))
    first, second = asked
    del answers[first, "good"]
    answers[second, "poor"] = replace(answers[second, "poor"], failure="no reply")
    judge = Judge(load_settings())
    wanted = list(comparisons(list(QUALITY), list(asked), ["diversity"], repeats=1))
    items = judge_items(wanted, asked, answers, judge)
    assert {(one.comparison.question, *sorted(one.comparison.shown)) for one in items} == {
        (first, "fair", "poor"),
        (second, "fair", "good"),
    }
    assert judged_by([one.record("tie") for one in items], []) == {}


def test_of_two_verdicts_on_one_comparison_the_last_one_counts() -> None:
    asked = questions(1)
    answers = answers_to(asked)
    judge = Judge(load_settings())
    wanted = comparisons(["good", "poor"], list(asked), ["diversity"], repeats=1)
    (item, _) = judge_items(wanted, asked, answers, judge)
    old = replace(item.record("first"), key="made with an older prompt")
    ((judged,),) = judged_by([old, item.record("second")], answers.values()).values()
    assert judged.winner == "second"
