"""Exact match and F1, on examples whose scores are known from the rules of the data sets."""

import pytest

from graphrag_neo4j.evaluation.retrieval.answer_scores import AnswerScore, normalised, score_answer


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("The Eiffel Tower", "eiffel tower"),
        ("  an  apple, a pear & THE plum! ", "apple pear plum"),
        ("U.S. Supreme Court", "us supreme court"),
        ("well-known", "wellknown"),
        ("theatre and another", "theatre and another"),
        ("“Ada”", "“ada”"),  # only punctuation of ASCII is removed
        ("the", ""),
        ("Émile  Zola", "émile zola"),
    ],
)
def test_an_answer_is_normalised_as_in_squad(answer: str, form: str) -> None:
    assert normalised(answer) == form


@pytest.mark.parametrize(
    ("answer", "right", "exact", "f1"),
    [
        ("Tomas Reyle", "tomas reyle.", 1, 1),
        ("the composer Tomas Reyle", "Tomas Reyle", 0, 0.8),  # 2 of 3, 2 of 2
        ("Tomas", "Tomas Reyle", 0, 2 / 3),
        ("Reyle Reyle", "Tomas Reyle", 0, 0.5),  # a word counts as often as both have it
        ("Joan Whitlow", "Tomas Reyle", 0, 0),
        ("a", "the", 1, None),
    ],
)
@pytest.mark.parametrize("rule", ["squad", "hotpot"])
def test_f1_is_that_of_the_words(
    rule: str, answer: str, right: str, exact: float, f1: float | None
) -> None:
    kept: AnswerScore = score_answer(answer, [right], "squad" if rule == "squad" else "hotpot")
    assert kept.exact == exact
    assert kept.f1 == pytest.approx(float(rule == "squad") if f1 is None else f1)


@pytest.mark.parametrize(
    ("answer", "right", "squad", "hotpot"),
    [
        ("yes", "Yes.", 1, 1),
        ("yes it was", "yes", 0.5, 0),
        ("no", "no man", 2 / 3, 0),
        ("noanswer", "Tomas Reyle", 0, 0),
        ("yesterday", "yes", 0, 0),
    ],
)
def test_yes_and_no_have_no_partial_f1_in_hotpotqa(
    answer: str, right: str, squad: float, hotpot: float
) -> None:
    assert score_answer(answer, [right], "squad").f1 == pytest.approx(squad)
    assert score_answer(answer, [right], "hotpot").f1 == pytest.approx(hotpot)


def test_the_best_of_several_right_answers_counts() -> None:
    assert score_answer("JFK", ["John F. Kennedy", "JFK"], "squad") == AnswerScore(1.0, 1.0)
    assert score_answer("John Kennedy", ["JFK", "John F. Kennedy"], "hotpot").f1 == pytest.approx(
        0.8
    )
    assert score_answer("", ["JFK"], "squad") == AnswerScore(0.0, 0.0)
