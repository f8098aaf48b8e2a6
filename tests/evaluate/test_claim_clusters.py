"""Claims counted: what is alike, the clusters at a threshold, and the agreement with the judge."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.evaluate.claims import THRESHOLDS, count_claims, different, rouge_l
from tests.evaluate.paper import PAPER

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def claims_with(shared: int, words: int) -> list[str]:
    """Two claims of so many words, of which they share the first ones."""
    common = WORDS[:shared]
    return [" ".join(common + [f"{letter}{n}" for n in range(words - shared)]) for letter in "ab"]


@pytest.mark.parametrize(
    ("one", "other", "f1"),
    [
        # Values of rouge-score 0.1.2 (rougeL, without stemming).
        ("Ann sails a big ship.", "Ann sails a ship", 8 / 9),
        ("the cat sat on the mat", "the mat sat on the cat", 4 / 6),
        ("Scrooge's clerk", "scrooge s CLERK", 1.0),
        ("It cost 1,000 pounds", "It cost 1 000 pounds", 1.0),
        ("a b", "c d", 0.0),
        # Texts in which rouge-score sees no word.
        ("人工智能改变世界", "人工智能改变社会", 6 / 8),
        ("Ο Μάρλεϊ πέθανε.", "ο μάρλεϊ έζησε", 2 / 3),
        ("Οδυσσεύς", "οδυσσευς", 0.0),
        ("ΟΔΟΣ", "οδος", 1.0),
        ("", "", 0.0),
        ("?", "Ann", 0.0),
    ],
)
def test_rouge_l_is_f1_of_the_longest_common_sequence(one: str, other: str, f1: float) -> None:
    assert rouge_l(one, other) == pytest.approx(f1)
    assert rouge_l(other, one) == pytest.approx(f1)


@pytest.mark.parametrize("shared", range(1, 10))
def test_claims_at_the_threshold_are_joined(shared: int) -> None:
    """1 - 0.7 is more than 0.3 in floating point: a distance made so would miss the threshold."""
    claims = claims_with(shared, 10)
    threshold = (10 - shared) / 10
    assert count_claims(claims, [threshold]).clusters == {threshold: 1}
    below = threshold - 0.001
    assert count_claims(claims, [below]).clusters == {below: 2}


def test_linkage_is_complete() -> None:
    chain = ["a b c d", "c d e f", "e f g h"]  # neighbours at 0.5, the ends at 1
    assert count_claims(chain, [0.5, 0.99, 1.0]).clusters == {0.5: 2, 0.99: 2, 1.0: 1}


def test_a_claim_that_comes_twice_counts_once() -> None:
    counts = count_claims(["Ann sails.", "ANN  sails", "Bob rows.", "", "…", "Ann sails!"])
    assert counts.claims == 2
    assert different(["Ann sails.", "Bob rows.", "ann sails"]) == ["Ann sails.", "Bob rows."]


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=5).map(" ".join)))
def test_a_higher_threshold_gives_no_more_clusters(claims: list[str]) -> None:
    counts = count_claims(claims, [0.0, *THRESHOLDS, 1.0])
    clusters = list(counts.clusters.values())
    assert clusters == sorted(clusters, reverse=True)
    assert clusters[0] == counts.claims
    assert clusters[-1] == min(1, counts.claims)


def test_the_claims_of_the_paper_sum_to_what_it_says() -> None:
    table = PAPER["table_3"]
    means = table["News"] + table["Podcast"]
    rounding = len(means) * PAPER["questions"] * 0.005
    assert sum(means) * PAPER["questions"] == pytest.approx(table["claims_in_all"], abs=rounding)
