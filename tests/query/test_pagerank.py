"""A walk that keeps coming back to its seeds, and where it starts."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from graphrag_neo4j.model import WeightedEdge
from graphrag_neo4j.query.graph_expansion import named_in, names, pagerank, restart

node = some.sampled_from("abcdefgh")
weight = some.floats(0.01, 100)
edges = some.lists(some.tuples(node, node, weight), max_size=20)
weights = some.dictionaries(node, weight, min_size=1)
again = some.floats(0.05, 0.95)


@given(edges, weights, again)
def test_the_mass_is_one_whole(
    edges: list[WeightedEdge], seeds: dict[str, float], again: float
) -> None:
    mass = pagerank(edges, seeds, again)
    assert sum(mass.values()) == pytest.approx(1)
    assert min(mass.values()) >= 0


@given(edges, weights, some.randoms(use_true_random=False))
def test_no_order_of_edges_nor_of_their_ends_counts(
    edges: list[WeightedEdge], seeds: dict[str, float], chance: object
) -> None:
    other = [(b, a, weight) for a, b, weight in edges]
    chance.shuffle(other)  # type: ignore[attr-defined] # hypothesis gives a Random
    assert pagerank(other, dict(reversed(seeds.items()))) == pagerank(edges, seeds)


def test_what_no_edge_leads_to_has_nothing_and_what_is_nearer_has_more() -> None:
    chain: list[WeightedEdge] = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("x", "y", 1)]
    mass = pagerank(chain, {"a": 1})
    assert mass["b"] > mass["c"] > mass["d"] > 0
    assert mass["x"] == mass["y"] == 0


def test_a_heavier_edge_is_walked_more() -> None:
    mass = pagerank([("a", "b", 3), ("a", "c", 1)], {"a": 1})
    assert mass["b"] == pytest.approx(3 * mass["c"])


def _rows(*given: str) -> list[dict[str, object]]:
    return [{"id": name.lower(), "name": name, "score": 1.0} for name in given]


def test_a_name_inside_a_longer_one_is_not_named() -> None:
    rows = _rows("orchard", "Glass Orchard", "Glass", "Orchard of Stones", "Who")
    assert names("Who directed The Glass Orchard?", rows) == ["glass orchard", "who"]
    assert names("An orchard beside the Glass Orchard", rows) == ["glass orchard", "orchard"]
    assert names("", _rows("?!")) == []
    assert named_in("Who directed The Glass Orchard?", "orchard")
    assert not named_in("Who directed The Glass Orchards?", "orchard")


def test_what_few_chunks_mention_weighs_more() -> None:
    found = restart({"rare": 1, "hub": 1}, {"rare": 1, "hub": 50}, {})
    assert found["rare"] == pytest.approx(50 * found["hub"])
    assert restart({}, {}, {}) == {}
