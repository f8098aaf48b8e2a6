"""Which pairs of names a model is asked about, and which name an entity is shown by."""

import pytest

from graphrag_neo4j.index.entities.rules import Spelling, may_be_same, shown_name
from graphrag_neo4j.index.evidence import Uses


def asked(one: str, other: str, type_: str, other_type: str = "") -> bool:
    """Whether a model is asked about two names, given in either order."""
    ends = Spelling("1", one, type_), Spelling("2", other, other_type or type_)
    assert may_be_same(*ends) == may_be_same(*ends[::-1])
    return may_be_same(*ends)


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("Gates", "Bill Gates", "person"),
        ("Ada's Daughter", "Clever Daughter", "person"),
        ("Acme Speech Team", "Speech Team", "organization"),
        ("Central Utah", "Rural Central Utah", "place"),
        ("Nile", "Nile River", "place"),
        ("London", "City of London", "place"),
        ("Ohio State", "Ohio State University", "organization"),
        ("Goldman", "Goldman Sachs", "organization"),
        ("Acme Office", "Office", "product"),
        ("Weekly Digest", "Weekly Digest of News", "work"),
        ("Ada's Long Film", "Ada's Film", "work"),
        ("Supervised Learning", "Supervised Machine Learning", "concept"),
        ("AGI", "Artificial General Intelligence", "concept"),
        ("Ada's Hierarchy", "Ada's Hierarchy of Needs", "concept"),
        ("Acme HAI", "Acme Human-Centered AI Institute", "organization"),
    ],
)
def test_what_may_be_one_thing_is_asked(one: str, other: str, type_: str) -> None:
    assert asked(one, other, type_)


@pytest.mark.parametrize(
    ("one", "other", "type_", "other_type"),
    [
        ("Ada", "Ada Byron's Husband", "person", "person"),
        ("James", "James’ Sons", "person", "person"),
        ("Bill Gates", "Bill and Melinda Gates", "person", "person"),
        ("Acme", "Acme Research", "organization", "organization"),
        ("Acme", "Acme AI Lab", "organization", "organization"),
        ("Acme", "Acme X", "organization", "product"),
        ("Internet", "Internet Mania", "event", "event"),
        ("Books", "History Books", "product", "product"),
        ("Books", "Books on Art", "work", "work"),
        ("Behind the Sea", "Episode 5 of Behind the Sea", "work", "work"),
        ("Utah", "Rural Utah", "place", "place"),
        ("East Coast", "East and West Coast", "place", "place"),
        ("Z80", "Z80 400", "product", "product"),
        ("Data", "Training Data", "concept", "concept"),
        ("Virtual Reality", "Virtual and Augmented Reality", "concept", "concept"),
        ("Developed World", "Developing World", "place", "place"),
    ],
)
def test_what_two_things_are_called_is_not_asked(
    one: str, other: str, type_: str, other_type: str
) -> None:
    assert not asked(one, other, type_, other_type)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"PG": 9, "Paul Graham": 1}, "Paul Graham"),
        ({"Greg": 9, "Greg Brockman": 1}, "Greg Brockman"),
        ({"HAI": 9, "Acme HAI": 2, "Acme Human-Centered AI Institute": 1}, "Acme HAI"),
        ({"Acme": 9, "Acme Inc.": 1}, "Acme"),
        ({"Acme": 1, "Acme Inc.": 9}, "Acme Inc."),
        ({"Scrooge": 9, "Mr. Scrooge": 1}, "Scrooge"),
        ({"Beatles": 9, "The Beatles": 1}, "Beatles"),
        ({"AI": 9, "Artificial Intelligence": 1}, "Artificial Intelligence"),
        ({"computers": 2, "Computer": 1}, "computers"),
        ({"Ada": 2, "Babbage": 1}, "Ada"),
        ({"IBM": 2, "Big Blue": 1}, "IBM"),
    ],
)
def test_an_entity_is_shown_by_its_fullest_name(
    names: dict[str, int], expected: str | None
) -> None:
    uses: Uses = [([([(name, None)], 1)], documents) for name, documents in names.items()]
    shown = shown_name(uses)
    assert shown == shown_name(uses[::-1])
    assert shown == (expected or [*names][-1])
