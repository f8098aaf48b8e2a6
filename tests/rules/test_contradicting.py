"""Which sentences of two documents seem to contradict each other, and which only look like it."""

import pytest

from graphrag_neo4j.rules.contradicting import DatedStatement, clashes_among

FOUNDED = "Volta Docks was founded in 1911 by two brothers."


def statement(text: str, document: str, date: str = "") -> DatedStatement:
    return DatedStatement(text, 1, document, date)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (FOUNDED, "Volta Docks was founded in 1913 by two brothers.", "date"),
        (FOUNDED, "Volta Docks was founded on 3 May 1911 by two brothers.", None),
        (
            "It opened to the public on 12 May 2021.",
            "It opened to the public on 21 May 2021.",
            "date",
        ),
        ("The mole cost 18.4 million crowns.", "The mole cost 21 million crowns.", "number"),
        ("The mole cost about 21.4 million crowns.", "The mole cost 21 million crowns.", None),
        ("The mole cost 21 million crowns.", "The mole cost 21,000,000 crowns.", None),
        ("Three ships were lost at sea.", "Five ships were lost at sea.", "number"),
        (
            "They sold 40 ships in the first quarter.",
            "They sold 70 ships in the second quarter.",
            None,
        ),
        ("The old house was built by Ann Lee.", "The old house was built by Tom Fox.", "name"),
        ("The old house was seen by night.", "The old house was seen by Tom Fox.", None),
        (
            "Ann Lee was the captain of the lost ship.",
            "Ann Lee was the engineer of the lost ship.",
            "role",
        ),
        (
            "Volta Docks sold the data of its users to brokers.",
            "Volta Docks never sold the data of its users.",
            "denied",
        ),
        ("Volta Docks has 240 workers on its pay roll.", "The sea was calm on that day.", None),
        ("I built the old house in 1911.", "I built the old house in 1913.", None),
        ("The Lost Ships of 1911", "The Lost Ships of 1913", None),
        ("The board read PEP 8 and praised it.", "The board read PEP 9 and praised it.", None),
        (
            "Volta Docks sold the data of its users.",
            "The board asked whether Volta Docks had not sold the data of its users.",
            None,
        ),
    ],
)
def test_a_pair_differs_in_one_value(one: str, other: str, kind: str | None) -> None:
    found = clashes_among(["Volta Docks", "mole"], [statement(one, "a"), statement(other, "b")])
    assert [clash.kind for clash in found] == ([kind] if kind else [])


def test_what_holds_at_the_time_of_its_document_may_have_changed() -> None:
    said = [
        statement("The harbour now has 240 workers in all.", "a", "2019-02-03"),
        statement("The harbour now has 410 workers in all.", "b", "2022-02-03"),
    ]
    assert not clashes_among(["harbour"], said)
    at_once = [said[0], statement(said[1].text, "b", "2019-02-11")]
    assert [clash.kind for clash in clashes_among(["harbour"], at_once)] == ["number"]


def test_one_document_and_a_series_do_not_contradict_each_other() -> None:
    texts = [f"Guests were counted near the hall: {n}." for n in (7, 9, 12, 15)]
    assert not clashes_among(["hall"], [statement(text, "minutes") for text in texts])
    series = [statement(text, f"minutes-{n}") for n, text in enumerate(texts)]
    assert not clashes_among(["hall"], series)
    assert len(clashes_among(["hall"], series[:2])) == 1


def test_a_model_gets_pairs_that_share_fewer_words() -> None:
    said = [
        statement("The bridge over the river has been closed to all cars since March.", "a"),
        statement("I drove over the bridge and the river all summer long.", "b"),
    ]
    assert not clashes_among(["bridge"], said)
    pairs = clashes_among(["bridge"], said, loosely=True)
    assert {clash.kind for clash in pairs} <= {"other"}
