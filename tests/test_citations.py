"""Citations are read as models write them, and only what is known is left."""

import pytest

from graphrag_neo4j.citations import cited, ground, rewrite


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A [Data: Entities (5); Claims (2)].", [("Entities", 5), ("Claims", 2)]),
        ("A [Data: Entities (5), Relationships (2)]", [("Entities", 5), ("Relationships", 2)]),
        ("A [Data:Entities(5,+more);Sources(1)]", [("Entities", 5), ("Sources", 1)]),
        ("A [data: entity (5); REPORTS (3, + more)]", [("Entities", 5), ("Reports", 3)]),
        ("A [Data: Entities (5)]. B [Data: Entities (5)].", [("Entities", 5)]),
        ("A [Data: 5]. B [Datum: Entities (5)]. C (5).", []),
        ("A [Data: Entities (99999999999999999999)]", []),
    ],
)  # fmt: skip
def test_reads_what_models_write(text: str, found: list[tuple[str, int]]) -> None:
    assert cited(text) == found


def test_removes_what_is_not_known_and_counts_it() -> None:
    text = "Rich [Data: Entities (5, 9, +more); Claims (1)]. Dead [Data: Reports (4)]."
    grounded = ground(text, {"Entities": {5}, "Claims": ()})
    assert grounded.text == "Rich [Data: Entities (5, +more)]. Dead."
    assert grounded.citations == (("Entities", 5),)
    assert grounded.removed == 3


def test_a_kind_that_there_is_not_is_removed_and_counted() -> None:
    grounded = ground("So it is [Data: Documents (5, 6)].", {"Sources": {5}})
    assert (grounded.text, grounded.removed) == ("So it is.", 2)


def test_refs_that_become_one_are_cited_once() -> None:
    assert rewrite("x [Data: Entities (1, 2)]", lambda _kind, _ref: 7) == "x [Data: Entities (7)]"
