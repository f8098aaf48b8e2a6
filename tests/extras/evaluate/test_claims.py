"""Claims: found once and no reply lost, counted with their clusters, and what the counts say."""

from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.claims import (
    ClaimCounts,
    agreement_of_claims,
    count_claims,
    count_tests,
    different,
    distance,
    words_of,
)
from graphrag_neo4j.extras.evaluate.judging import Comparison, Judged
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric
from graphrag_neo4j.settings import load_settings
from tests.extras.evaluate.paper import PAPER
from tests.support.evaluations import evaluation
from tests.support.fake_endpoint import FakeEndpoint


@pytest.mark.parametrize(
    ("one", "other", "f1"),
    [
        # Values of rouge-score 0.1.2 (rougeL, without stemming).
        ("Ann sails a big ship.", "Ann sails a ship", 8 / 9),
        ("the cat sat on the mat", "the mat sat on the cat", 4 / 6),
        ("Scrooge's clerk", "scrooge s CLERK", 1.0),
        ("It cost 1,000 pounds", "It cost 1 000 pounds", 1.0),
        # Texts in which rouge-score sees no word.
        ("人工智能改变世界", "人工智能改变社会", 6 / 8),
        ("Ο Μάρλεϊ πέθανε.", "ο μάρλεϊ έζησε", 2 / 3),
        ("ΟΔΟΣ", "οδος", 1.0),
        ("", "", 0.0),
    ],
)
def test_rouge_l_is_f1_of_the_longest_common_sequence(one: str, other: str, f1: float) -> None:
    assert distance(words_of(one), words_of(other)) == pytest.approx(1 - f1)


@pytest.mark.parametrize("shared", range(1, 10))
def test_claims_at_the_threshold_are_joined(shared: int) -> None:
    """1 - 0.7 is more than 0.3 in floating point: a distance made so would miss the threshold."""
    claims = [" ".join(f"w{n}" if n < shared else f"{own}{n}" for n in range(10)) for own in "ab"]
    threshold = (10 - shared) / 10
    assert count_claims(claims, [threshold]).clusters == {threshold: 1}
    below = threshold - 0.001
    assert count_claims(claims, [below]).clusters == {below: 2}


def test_linkage_is_complete_and_a_claim_that_comes_twice_counts_once() -> None:
    chain = ["a b c d", "c d e f", "e f g h"]  # neighbours at 0.5, the ends at 1
    assert count_claims(chain, [0.5, 0.99, 1.0]).clusters == {0.5: 2, 0.99: 2, 1.0: 1}
    counts = count_claims(["Ann sails.", "ANN  sails", "Bob rows.", "", "…", "Ann sails!"])
    assert counts.claims == 2
    assert different(["Ann sails.", "Bob rows.", "ann sails"]) == ["Ann sails.", "Bob rows."]


def test_the_claims_of_the_paper_sum_to_what_it_says() -> None:
    table = PAPER["table_3"]
    means = table["News"] + table["Podcast"]
    rounding = len(means) * PAPER["questions"] * 0.005
    assert sum(means) * PAPER["questions"] == pytest.approx(table["claims_in_all"], abs=rounding)


TEXTS = {
    "C0": " ".join(f"Ann sails to port {n}, and Bob rows to it too." for n in range(112, 124)),
    "SS": "Ann sails. I think so. It sank.",
    "TS": "Ann sails. I think so. It sank.",
    "C1": "---",
}


def study(fake: FakeEndpoint, path: Path, **given: object) -> Evaluation:
    settings = load_settings(openai_base_url=fake.url, openai_api_key="sk-test", **given)
    return Evaluation(path, settings)


async def test_claims_are_found_once_and_counted_for_each_answer(tmp_path: Path) -> None:
    evaluation(tmp_path, TEXTS, questions=1)
    with FakeEndpoint() as fake:
        assert (await study(fake, tmp_path).find_claims()).made == 3
        # Two parts of the long answer, and one that two answers share, with three calls each.
        assert len(fake.log) == 9
        assert (await study(fake, tmp_path).find_claims()).made == 0
        assert len(fake.log) == 9
        found = study(fake, tmp_path).claims()
    by_condition = {condition: claims for (_, condition), claims in found.items()}
    sizes = {name: len(claims) for name, claims in by_condition.items()}
    assert sizes == {"C0": 24, "SS": 1, "TS": 1, "C1": 0}
    counts = count_claims(by_condition["C0"])
    assert counts.claims == 13  # "Bob rows to it too." comes twelve times
    assert counts.clusters[0.8] < counts.clusters[0.5] < 13


async def test_an_answer_with_a_missing_part_does_not_count_and_is_tried_again(
    tmp_path: Path,
) -> None:
    evaluation(tmp_path, TEXTS, questions=1)
    with FakeEndpoint(garbage=1.0, only=("json:sentence_claims",)) as fake:
        assert (await study(fake, tmp_path).find_claims()).failed == 3
        assert study(fake, tmp_path).claims() == {}
        fake.change(garbage=0.0)
        fake.reset()
        assert (await study(fake, tmp_path).find_claims()).made == 3
        assert {call.kind for call in fake.log} == {"json:sentence_claims"}
        assert len(study(fake, tmp_path).claims()) == 4


def test_counts_are_compared_with_the_majority_of_the_verdicts() -> None:
    counts = {("q", "A"): ClaimCounts(9, {0.5: 4}), ("q", "B"): ClaimCounts(5, {0.5: 6})}
    metrics: tuple[Metric, ...] = ("comprehensiveness", "diversity", "directness")
    judged = [Judged(Comparison(metric, "A", "B", "q", 1, False), "first") for metric in metrics]
    other = replace(judged[0].comparison, question="r")
    tied = {("r", "A"): ClaimCounts(5, {0.5: 4}), ("r", "B"): ClaimCounts(5, {0.5: 4})}
    assert agreement_of_claims(counts | tied, [*judged, Judged(other, "first")]) == [
        ("claims, comprehensiveness", 2, 1, 1),
        ("clusters at 0.5, diversity", 1, 1, 0),
    ]
    assert agreement_of_claims({}, judged) == []


def test_counts_are_tested_by_question_and_adjusted_over_all_pairs() -> None:
    """Experiment 2 of the paper: Wilcoxon's test and Holm's method, over counts."""
    counts = {
        (f"q{n}", name): ClaimCounts(claims, {0.5: 3})
        for n in range(6)
        for name, claims in (("A", 9), ("B", 5), ("C", 5))
    }
    tests = count_tests(counts, ["A", "B", "C"])
    assert [one[:3] for one in tests[:3]] == [("claims", *pair) for pair in ("AB", "AC", "BC")]
    assert tests[0][3:5] == (9, 5)
    # Six of six differences have one sign: p = 2 / 2**6, times the three pairs.
    assert tests[0][5].p == 0.03125
    assert [adjusted for *_, adjusted in tests] == [0.09375, 0.09375, 1, 1, 1, 1]
    assert count_tests({}, ["A", "B"]) == []
