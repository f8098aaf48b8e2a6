"""What the rules decide about pairs of names: they are right, and find more than exact names."""

import pytest

from graphrag_neo4j.indexing.resolution.groups import decision, groups
from graphrag_neo4j.indexing.resolution.rules import Spelling, by_form
from graphrag_neo4j.nlp.name_variants import Named, block_key, same_by_form
from tests.support.labelled_names import measured, pairs


def test_the_rules_are_right_about_the_labelled_pairs() -> None:
    found = measured(list(pairs()))
    assert found.n >= 300
    assert found.precision >= 0.98
    assert found.recall > 8 * found.exact / found.same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Named("e-mail", None), Named("Email", "technology")),
        (Named("GPT-4", "product"), Named("GPT 4", "technology")),
        (Named("Zürich", "geo"), Named("Zurich", "location")),
        (Named("Dr. Jane Smith", "person"), Named("Jane Smith", "PERSON")),
        (Named("Microsoft Corporation", "ORGANIZATION"), Named("Microsoft", "organization")),
        (Named("The New York Times", None), Named("New York Times", "organization")),
        (Named("Graph Data Science (GDS)", None), Named("graph data science", None)),
        (Named("Artificial Intelligence", "concept"), Named("AI", "technology")),
        (Named("USA", "geo"), Named("United States", "location")),
        (Named("Neural Network", "concept"), Named("NEURAL NETWORKS", "technology")),
    ],
)
def test_spellings_of_one_name(one: Named, other: Named) -> None:
    assert block_key(one.name) == block_key(other.name)
    assert same_by_form(one, other)
    assert same_by_form(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Named("Jordan", "person"), Named("Jor-dan", "geo")),
        (Named("Bill Gates", "person"), Named("Bill Gate", "person")),
        (Named("Windows", "product"), Named("window", "object")),
        (Named("The Who", "organization"), Named("WHO", "organization")),
        (Named("Phasecraft Inc.", "organization"), Named("Phasecraft Ltd.", "organization")),
        (Named("Mr. Scrooge", "person"), Named("Scrooge", "person")),
        (Named("C", None), Named("C++", None)),
        (Named("3.5", None), Named("35", None)),
        (Named("が", None), Named("か", None)),
    ],
)
def test_two_names(one: Named, other: Named) -> None:
    assert not same_by_form(one, other)


def test_a_type_that_could_be_either_joins_neither_of_two_contradicting_spellings() -> None:
    spellings = [
        Spelling("a", "Jor-dan", "person", 2),
        Spelling("b", "Jordan", "geo", 3),
        Spelling("c", "Jórdan", None, 1),
        Spelling("d", "J.ordan", "PERSON", 1),
    ]
    assert [(one.one, one.other) for one in by_form("jordan", spellings)] == [("a", "d")]


def test_a_persons_word_counts_more_than_a_rules_and_that_more_than_a_models() -> None:
    decisions = [
        decision("a", "b", "same", "rule", ""),
        decision("b", "c", "same", "rule", ""),
        decision("a", "c", "different", "person", ""),
        decision("c", "d", "same", "model", ""),
        decision("b", "d", "different", "model", ""),
        decision("d", "e", "unsure", "model", ""),
    ]
    found = groups("abcde", decisions)
    assert found == groups("edcba", decisions[::-1])
    assert not any({"a", "c"} <= group for group in found)
    assert not any({"b", "d"} <= group for group in found)
    assert frozenset("e") in found
    assert sorted(len(group) for group in found) in ([1, 2, 2], [1, 1, 1, 2], [1, 1, 3])


def test_a_block_of_many_spellings_is_compared_in_linear_time() -> None:
    many = [
        Spelling(f"{n:05}", f"a{'-' * (n % 60)}{'!' * (n // 60)}b", None, 1) for n in range(3000)
    ]
    assert len(by_form("ab", many)) == len(many) - 1
    apart = [Spelling(f"{n:05}", f"a+{'+' * n}b", None, 1) for n in range(1000)]
    assert by_form("ab", apart) == []
