"""A question that a model writes as a computation: only of what the graph has."""

import json

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.computation import Computation, KnownProperty
from graphrag_neo4j.model.types import Request
from graphrag_neo4j.settings import load_settings
from tests.support.by_hand import drive

TABLE = "file:///data/films%20seen.csv"
KNOWN = [
    KnownProperty("entity", "trip", "price", "number"),
    KnownProperty("entity", "trip", "start", "date"),
    KnownProperty("document", TABLE, "meta_genre", "text", texts=["DRAMA "], examples=["Noir"]),
    KnownProperty("document", TABLE, "meta_stars", "number"),
]
NONE: dict[str, object] = {
    "function": "list",
    "property": None,
    "conditions": [],
    "predicates": [],
    "most": None,
}


def asked(*replies: dict[str, object]) -> tuple[Computation | None, list[Request]]:
    backend = LLMQueryBackend(load_settings())
    task = backend.computation("Which?", KNOWN, ["Ann", "Bob"], {"booked": ["trip"]})
    return drive(task, [json.dumps(NONE | one) for one in replies])


def where(*condition: object) -> list[dict[str, object]]:
    return [dict(zip(("property", "operator", "value"), condition, strict=True))]


@pytest.mark.parametrize(
    ("reply", "computed"),
    [
        ({"over": None}, None),
        ({"over": "trip"}, None),
        (
            {"over": "trip", "conditions": where("start", ">=", "2021-03")},
            "entity trip list None start >= 2021-03",
        ),
        (
            {"over": "trip", "function": "sum", "property": "price", "predicates": ["booked"]},
            "entity trip sum price  booked",
        ),
        (
            {"over": "films seen.csv", "conditions": where("genre", "=", "drama")},
            f"document {TABLE} list None genre = DRAMA",
        ),
        (
            {
                "over": "films seen.csv",
                "function": "largest",
                "property": "stars",
                "conditions": where("stars", "<", "5"),
            },
            f"document {TABLE} largest meta_stars stars < 5",
        ),
    ],
)
def test_a_reply_is_a_computation_or_none(reply: dict[str, object], computed: str | None) -> None:
    found, [request] = asked(reply)
    said = request.messages[0].content
    assert '- **films seen.csv**: genre (text, such as "Noir"), stars (number)' in said
    assert "- Ann, Bob: booked (trip)" in said
    if computed is None:
        assert found is None
    else:
        assert found
        parts = [found.holder, *found.types, found.function, str(found.key)]
        parts += [", ".join(map(str, found.conditions)), *found.predicates]
        assert " ".join(parts) == computed


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ({"over": "trip", "function": "sum", "property": "length"}, "no 'length' of 'trip'"),
        ({"over": "voyage", "conditions": where("price", "=", 1)}, "no 'price' of 'voyage'"),
        ({"over": "trip", "predicates": ["paid"]}, "no 'paid'"),
        ({"over": "films seen.csv", "predicates": ["booked"]}, "has no predicates"),
        ({"over": "trip", "function": "average", "property": "start"}, "has no numbers"),
        ({"over": "trip", "conditions": where("price", "=", "high")}, "'high' is no number"),
        ({"over": "trip", "conditions": where("price", "<", "inf")}, "'inf' is no number"),
        ({"over": "trip", "conditions": where("start", "=", "soon")}, "'soon' is no date"),
        ({"over": "films seen.csv", "conditions": where("genre", ">", "a")}, "no order"),
        ({"over": "trip", "conditions": where("price", "!=", 1)}, "operator"),
    ],
)
def test_a_reply_on_what_is_not_there_is_refused(reply: dict[str, object], error: str) -> None:
    with pytest.raises(ReplyError, match=error):
        asked(reply, reply)
