"""Questions that compute over properties, read as what Neo4j computes."""

import pytest

from graphrag_neo4j.model.computation import KnownProperty
from graphrag_neo4j.rules.computing import (
    asks_for_number,
    computation_asked,
    may_compute,
    names_properties,
)

TABLE = "file:///data/transfers.csv"
KNOWN = [
    KnownProperty("entity", "movie", "released", "number", years=True),
    KnownProperty("entity", "person", "born", "number", years=True),
    KnownProperty("entity", "trip", "distance_km", "number"),
    KnownProperty("entity", "trip", "price", "number"),
    KnownProperty("entity", "trip", "startDate", "date"),
    KnownProperty("entity", "trip", "place", "text"),
    KnownProperty("document", TABLE, "meta_amount_transactions", "number"),
    KnownProperty("document", TABLE, "meta_number_transactions", "number"),
    KnownProperty("document", TABLE, "meta_gross_usd", "number"),
    KnownProperty("document", TABLE, "meta_gross_eur", "number"),
    KnownProperty("document", TABLE, "meta_from_country", "text", texts=["Chad", "Mali"]),
    KnownProperty("document", TABLE, "meta_to_country", "text", texts=["Mali"]),
    KnownProperty("document", TABLE, "meta_bank1", "text", texts=["Rosbank"]),
    KnownProperty("document", TABLE, "meta_bank2", "text", texts=["Rosbank"]),
    KnownProperty("relationship", "", "rating", "number"),
]
PREDICATES = ("acted in", "reviewed")
HANKS, MATRIX = "Tom Hanks", "The Matrix"


@pytest.mark.parametrize(
    ("question", "names", "computed"),
    [
        ("How many films after 1999?", (), "list movie None released > 1999"),
        ("Which movies were released in 1999?", (), "list movie None released = 1999"),
        (
            "How many people were born between 1950 and 1960?",
            (),
            "list person None born >= 1950, born <= 1960",
        ),
        ("How many trips since 2021-03-04?", (), "list trip None startDate >= 2021-03-04"),
        (
            "Trips after May 2020: what is their mean price?",
            (),
            "average trip price startDate > 2020-05",
        ),
        ("How many trips have a price above 1,000.50?", (), "list trip None price > 1000.5"),
        ("How many trips with a price over 12,345,678?", (), "list trip None price > 12345678"),
        ("What is the total distance of the trips?", (), "sum trip distance_km "),
        ("List the 3 trips with the highest price.", (), "largest trip price "),
        ("Which person was born earliest?", (), "smallest person born "),
        ("What is the average rating of The Matrix?", (MATRIX,), "average  rating "),
        ("What is the highest rating?", (), "largest  rating "),
        (
            "How many movies did Tom Hanks act in after 2000?",
            (HANKS,),
            "list movie None released > 2000 acted in",
        ),
        (
            "How many transfers have an amount above 1000000?",
            (),
            f"list {TABLE} None amount_transactions > 1000000",
        ),
        (
            "List the 3 transfers with the most transactions.",
            (),
            f"largest {TABLE} meta_number_transactions ",
        ),
        (
            "What is the total amount of transactions?",
            (),
            f"sum {TABLE} meta_amount_transactions ",
        ),
        (
            "What is the average number of transactions from Chad?",
            (),
            f"average {TABLE} meta_number_transactions from_country = Chad",
        ),
        (
            "How many transfers of Rosbank are there?",
            (),
            f"list {TABLE} None bank1 or bank2 = Rosbank",
        ),
    ],
)
def test_a_question_of_a_form_is_read(question: str, names: tuple[str, ...], computed: str) -> None:
    assert may_compute(question)
    found = computation_asked(question, KNOWN, names, PREDICATES if names else ())
    assert found
    parts = [found.function, " ".join(found.types), str(found.key)]
    parts += [", ".join(map(str, found.conditions)), *found.predicates]
    assert " ".join(parts) == computed


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How many movies are good after 1999?", ()),
        ("What is the average age of people?", ()),
        ("What is the average place of trips?", ()),
        ("How many trips above 5?", ()),  # a price, or a distance
        ("Which movie has the highest rating after 1999?", ()),
        ("How many movies of Tom Hanks after 2000?", (HANKS,)),
        ("How many transfers to Mali?", ()),  # from there, or to there
        ("What is the average gross of transfers?", ()),  # in dollars, or in euros
        ("Which movies came before The Matrix?", (MATRIX,)),
    ],
)
def test_a_question_that_says_more_or_is_not_clear_is_none(
    question: str, names: tuple[str, ...]
) -> None:
    assert computation_asked(question, KNOWN, names, PREDICATES if names else ()) is None


@pytest.mark.parametrize(
    ("question", "number", "named"),
    [
        ("What is the average age of people?", True, True),
        ("What is the latest price?", True, True),
        ("What does the sign mean?", False, False),
        ("Which trips lead to Rome?", False, True),
        ("Who is the most important person?", False, True),
    ],
)
def test_only_a_question_for_a_number_of_what_the_graph_has_is_beyond_it(
    question: str, number: bool, named: bool
) -> None:
    assert (asks_for_number(question), names_properties(question, KNOWN)) == (number, named)


def test_a_key_can_not_end_the_statement() -> None:
    known = [KnownProperty("entity", "trip", "price`//", "number")]
    found = computation_asked("What is the average price of trips?", known, (), ())
    assert found
    assert "UNWIND e.`price``//` AS x" in found.cypher(())
