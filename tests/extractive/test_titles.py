"""Titles of communities can be read aloud: a telling key phrase with telling names."""

from collections.abc import Mapping

from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.context.material import (
    EntityMaterial,
    RelationshipMaterial,
    ReportMaterial,
)
from graphrag_neo4j.extractive.titles import title_of

NAMES = {"David Baker": "person", "Rosetta": "", "Seattle": "place"}
PHRASES = {"protein": "concept", "protein design": "concept", "spare time": "concept"}


def titled(
    types: Mapping[str, str],
    weights: Mapping[str, float],
    pairs: tuple[tuple[str, str], ...] = (),
    statements: int = 2,
) -> str:
    entities = {
        f"e{name}": EntityMaterial(
            ContextRecord("Entities", n, f"e{name}", name), name, "", 4, None, 4, type_
        )
        for n, (name, type_) in enumerate(types.items())
    }
    record = ContextRecord("Relationships", 1, "r", "")
    edges = [RelationshipMaterial(record, f"e{a}", f"e{b}", "", statements) for a, b in pairs]
    found = {f"e{name}": weights.get(name, 1.0) for name in types}
    return title_of(ReportMaterial(entities, edges, []), found)[0]


def test_a_title_is_a_key_phrase_with_names() -> None:
    pairs = (("Rosetta", "protein design"), ("protein design", "David Baker"))
    weights = {"protein design": 3.0, "protein": 4.0, "Rosetta": 2.0}
    assert titled({**NAMES, **PHRASES}, weights, pairs) == "Protein design: Rosetta and David Baker"


def test_a_name_stands_beside_a_key_phrase_only_if_something_says_both() -> None:
    weights = {"protein design": 5.0, "Seattle": 2.0, "Rosetta": 1.5}
    near = (("David Baker", "protein design"),)
    assert titled({**NAMES, **PHRASES}, weights, near) == "Protein design: David Baker"
    assert titled({**NAMES, **PHRASES}, weights) == "Protein design and spare time"
    one_phrase = {**NAMES, "protein design": "concept"}
    assert titled(one_phrase, weights) == "Protein design: Rosetta"


def test_a_place_stands_beside_a_key_phrase_only_if_most_of_it_is_said_of_the_place() -> None:
    types = {**NAMES, **PHRASES}  # all of them are mentioned 4 times
    near = (("Seattle", "protein design"),)
    weights = {"protein design": 5.0, "Seattle": 9.0}
    assert titled(types, weights, near, 2) == "Protein design and spare time"
    assert titled(types, weights, near, 3) == "Protein design: Seattle"


def test_a_second_name_of_far_less_weight_is_left_out() -> None:
    near = (("David Baker", "protein design"), ("Rosetta", "protein design"))
    weights = {"protein design": 5.0, "David Baker": 3.0, "Rosetta": 1.0}
    assert titled({**NAMES, **PHRASES}, weights, near) == "Protein design: David Baker"


def test_key_phrases_that_are_said_together_come_before_weightier_ones() -> None:
    types = {"protein design": "concept", "spare time": "concept", "enzyme": "concept"}
    types |= {"antibody": "concept"}
    weights = {"protein design": 5.0, "spare time": 2.0, "enzyme": 2.0, "antibody": 2.0}
    near = (("protein design", "enzyme"), ("antibody", "protein design"))
    assert titled(types, weights, near) == "Protein design, antibody and enzyme"


def test_names_alone_and_key_phrases_alone_are_listed_as_in_a_sentence() -> None:
    assert titled(NAMES, {}) == "David Baker, Rosetta and Seattle"
    assert titled({"spare time": "concept", "music": "concept"}, {}) == "Spare time and music"
    assert titled({"Rosetta": ""}, {}) == "Rosetta"


def test_the_longer_name_counts_only_where_it_stands_beside_the_phrase() -> None:
    names = {"Ben": "person", "Ben Bloom": "person", "protein design": "concept"}
    assert titled(names, {}, (("Ben", "protein design"),)) == "Protein design: Ben"
    assert titled(names, {}) == "Protein design: Ben Bloom"
