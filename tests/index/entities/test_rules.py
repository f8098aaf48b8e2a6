"""What the rules decide about pairs of names: they are right, and find more than exact names."""

import csv
from collections import Counter

import pytest

from graphrag_neo4j.index.entities.resolve import Decision, by_acronym, by_form, groups
from graphrag_neo4j.index.entities.rules import Spelling, block_key, meaning, same_by_form
from graphrag_neo4j.text.acronyms import expansions, looks_like_acronym
from graphrag_neo4j.text.strings import entity_id
from tests.support.paths import DATA


def joined(ends: list[Spelling], text: str) -> bool:
    """Whether the rules make two names one thing, in a graph of these and of a text alone."""
    keys = {block_key(one.name) for one in ends}
    decisions = by_form(keys.pop(), ends) if len(keys) == 1 else []
    for acronym, name in (ends, ends[::-1]):
        if looks_like_acronym(acronym.name):
            said = {name and block_key(name): "1" for name in expansions(text, acronym.name)}
            decisions += by_acronym(acronym, meaning(acronym, said) or "", [name])
    return ends[0].id == ends[1].id or bool(decisions)


def counted(kind: str = "") -> Counter[str]:
    """Counts of the labelled pairs of a kind, or of all kinds."""
    counts: Counter[str] = Counter()
    for path in (DATA / "names").glob("*.tsv"):
        rows = csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="\t")
        for row in (row for row in rows if kind in ("", row["kind"])):
            ends = [
                Spelling(entity_id(row[name]), row[name], row[type_] or None)
                for name, type_ in (("name", "type"), ("other name", "other type"))
            ]
            same, together = row["label"] == "same", joined(ends, row["text"])
            exact = same and ends[0].id == ends[1].id
            right, wrong = same and together, together and not same
            counts += Counter(pairs=1, same=same, exact=exact, right=right, wrong=wrong)
    return counts


def test_the_rules_are_right_about_the_labelled_pairs() -> None:
    found = counted()
    assert found["pairs"] >= 450
    assert found["right"] >= 0.98 * (found["right"] + found["wrong"])
    assert found["right"] > 12 * found["exact"]


@pytest.mark.parametrize("kind", ["legal form", "abbreviation", "article"])
def test_the_rules_find_most_of_what_is_certain(kind: str) -> None:
    found = counted(kind)
    assert found["pairs"] >= 20
    assert found["right"] >= 0.95 * found["same"]
    assert found["wrong"] == 0


def spelled(name: str, type_: str | None = None) -> Spelling:
    return Spelling(name, name, type_)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (spelled("GPT-4", "product"), spelled("GPT 4", "technology")),
        (spelled("Dr. Jane Smith", "person"), spelled("Jane Smith", "PERSON")),
        (spelled("The New York Times"), spelled("New York Times", "organization")),
        (spelled("Graph Data Science (GDS)"), spelled("graph data science")),
        (spelled("Artificial Intelligence", "concept"), spelled("AI", "technology")),
        (spelled("Neural Network", "concept"), spelled("NEURAL NETWORKS", "technology")),
        (spelled("Mobile Phone", "product"), spelled("Mobile Phones", "concept")),
        (spelled("PCs", "product"), spelled("personal computer", "product")),
        (spelled("An Atom", "concept"), spelled("atoms", "concept")),
        (spelled("Crimes in a City", "work"), spelled("Crimes in the City", "work")),
        (spelled("\u0645\u064f\u062d\u0640\u0645\u062f"), spelled("\u0645\u062d\u0645\u062f")),
        (
            spelled("\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd"),
            spelled("\u05e9\u05dc\u05d5\u05dd"),
        ),
        (spelled("Όμηρος"), spelled("ΟΜΗΡΟΣ")),
    ],
)
def test_spellings_of_one_name(one: Spelling, other: Spelling) -> None:
    assert block_key(one.name) == block_key(other.name)
    assert same_by_form(one, other)
    assert same_by_form(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (spelled("Jordan", "person"), spelled("Jor-dan", "geo")),
        (spelled("Mr. Scrooge", "person"), spelled("Scrooge", "person")),
        (spelled("C"), spelled("C++")),
        (spelled("3.5"), spelled("35")),
        (spelled("が"), spelled("か")),
        (spelled("कि"), spelled("क")),
        (spelled("ก่า"), spelled("กา")),
        (spelled("й"), spelled("и")),
        (spelled("An Wang", "person"), spelled("Wang", "person")),
        (spelled("The Who", "organization"), spelled("WHO", "organization")),
        (spelled("Windows", "product"), spelled("Window", "product")),
    ],
)
def test_two_names(one: Spelling, other: Spelling) -> None:
    assert not same_by_form(one, other)


UNSEEN = "".join(
    map(chr, (0x200B, 0x200C, 0x200D, 0xAD, 0x200E, 0x200F, 0x2060, 0xFEFF, 0xFE0F, 0x180E))
) + "".join(map(chr, (0x34F, 0x61C, *range(0x2061, 0x2065))))


def test_signs_that_nobody_sees_keep_no_names_apart() -> None:
    spellings = ["Acme Corp", " Acme  Corp ", *(f"{x}Ac{x}me{x} Co{x}rp{x}" for x in UNSEEN)]
    assert len(spellings) == 18
    assert {entity_id(one) for one in spellings} == {entity_id("Acme Corp")}
    assert {block_key(one) for one in spellings} == {block_key("Acme Corp")}


def test_what_could_be_either_joins_neither() -> None:
    spellings = [
        Spelling("a", "Jor-dan", "person", 2),
        Spelling("b", "Jordan", "geo", 3),
        Spelling("c", "Jórdan", None, 1),
        Spelling("d", "J.ordan", "PERSON", 1),
    ]
    assert [(one.one, one.other) for one in by_form("jordan", spellings)] == [("a", "d")]
    names = ["Apex", "Apex Inc.", "Apex Ltd."]
    assert by_form("apex", [spelled(name, "organization") for name in names]) == []
    assert len(by_form("apex", [spelled(name, "organization") for name in names[:2]])) == 1


def test_a_persons_word_counts_more_than_a_rules_and_that_more_than_a_models() -> None:
    decisions = [
        Decision("a", "b", "same", "rule", ""),
        Decision("b", "c", "same", "rule", ""),
        Decision("a", "c", "different", "person", ""),
        Decision("c", "d", "same", "model", ""),
        Decision("b", "d", "different", "model", ""),
        Decision("d", "e", "unsure", "model", ""),
    ]
    found = groups("abcde", decisions)
    assert found == groups("edcba", decisions[::-1])
    assert not any({"a", "c"} <= group for group in found)
    assert not any({"b", "d"} <= group for group in found)
    assert frozenset("e") in found
    assert sorted(len(group) for group in found) in ([1, 2, 2], [1, 1, 1, 2], [1, 1, 3])


def test_a_block_of_many_spellings_is_compared_in_linear_time() -> None:
    many = [spelled(f"a{'-' * (n % 60)}{'!' * (n // 60)}b") for n in range(3000)]
    assert len(by_form("ab", many)) == len(many) - 1
    apart = [spelled(f"a+{'+' * n}b") for n in range(1000)]
    assert by_form("ab", apart) == []
