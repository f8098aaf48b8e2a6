"""The names that a question holds, the walk through the graph, and the passages it finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.backends import Backends
from graphrag_neo4j.concurrency import run_in_thread
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import await_indexes, ensure_fulltext_indexes
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.types import WeightedEdge
from graphrag_neo4j.query import graph_expansion
from graphrag_neo4j.query.graph_expansion import named_in, names, pagerank, restart_shares
from graphrag_neo4j.query.local import local_context
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.rules.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.preset_backend import PresetBackend, describe, documents, found, put, read

node = some.sampled_from("abcdefgh")
weight = some.floats(0.01, 100)
edges = some.lists(some.tuples(node, node, weight), max_size=20)
weights = some.dictionaries(node, weight, min_size=1)
again = some.floats(0.05, 0.95)


@given(edges, weights, again, some.randoms(use_true_random=False))
def test_the_mass_is_one_and_no_order_counts(
    edges: list[WeightedEdge], seeds: dict[str, float], again: float, chance: object
) -> None:
    mass = pagerank(edges, seeds, again)
    assert sum(mass.values()) == pytest.approx(1)
    assert min(mass.values()) >= 0
    other = [(b, a, weight) for a, b, weight in edges]
    chance.shuffle(other)  # type: ignore[attr-defined] # hypothesis gives a Random
    assert pagerank(other, dict(reversed(seeds.items())), again) == mass


def test_what_is_nearer_or_on_a_heavier_edge_has_more_and_what_no_edge_leads_to_nothing() -> None:
    chain: list[WeightedEdge] = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("x", "y", 1)]
    mass = pagerank(chain, {"a": 1})
    assert mass["b"] > mass["c"] > mass["d"] > 0
    assert mass["x"] == mass["y"] == 0
    mass = pagerank([("a", "b", 3), ("a", "c", 1)], {"a": 1})
    assert mass["b"] == pytest.approx(3 * mass["c"])


def test_a_name_inside_a_longer_one_is_not_named() -> None:
    held = ("orchard", "Glass Orchard", "Glass", "Orchard of Stones", "Who")
    rows = [{"id": name.lower(), "name": name, "score": 1.0} for name in held]
    assert names("Who directed The Glass Orchard?", rows) == ["glass orchard", "who"]
    assert names("An orchard beside the Glass Orchard", rows) == ["glass orchard", "orchard"]
    assert names("", [{"id": "?!", "name": "?!", "score": 1.0}]) == []
    assert named_in("Who directed The Glass Orchard?", "orchard")


def test_what_few_chunks_mention_weighs_more() -> None:
    found = restart_shares({"rare": 1, "hub": 1}, {"rare": 1, "hub": 50}, {})
    assert found["rare"] == pytest.approx(50 * found["hub"])
    assert restart_shares({}, {}, {}) == {}


QUESTIONS = {
    "Who is Scrooge?": "Scrooge",
    "斯克鲁奇是谁？": "斯克鲁奇",
    "马利和斯克鲁奇是什么关系": "斯克鲁奇",
    "スクルージは誰ですか": "スクルージ",
    "夏目漱石は何を書きましたか": "夏目漱石",
    "Scrooge是谁？": "Scrooge",
    "สครูจคือใคร": "สครูจ",
    "Who works in IT?": "IT",
    "What does the US do for us?": "US",
    "Was ist an der IT so teuer?": "IT",
}
OTHERS = {
    "Who directed The Glass Orchards?": "Orchard",
    "マリーは誰ですか": "マリ",
    "他是谁": "她",
    "李白是谁": "李",
    "斯克鲁奇是谁？": "？",
    "Why is it expensive?": "IT",
    "What does it do for us?": "US",
    "Was hat es gekostet?": "ES",
}


def test_a_name_is_found_in_a_question_and_a_part_of_another_word_is_no_name() -> None:
    for question, name in QUESTIONS.items():
        assert named_in(question, name)
        assert names(question, [{"id": "1", "name": name}]) == ["1"]
    for question, name in OTHERS.items():
        assert not named_in(question, name)


def asked(graph: Graph, embedder: Embedder | None, question: str) -> QueryContext:
    backend = ExtractiveQueryBackend()
    return QueryContext(graph, load_settings(), backend, run_in_thread, embedder, len, question)


CHINESE = "马利和马力都在利马。"
PEOPLE = ("马力", "利马", "马利", "马车", "利率", "马利亚")


async def test_the_entity_that_a_chinese_question_names_comes_first(graph: Graph) -> None:
    told = PresetBackend({CHINESE: found(*((one, "person", f"{one}。") for one in PEOPLE))})
    await put(graph, documents(CHINESE))
    await read(graph, told)
    await describe(graph, told)
    await ensure_fulltext_indexes(graph, "standard-no-stop-words")
    await await_indexes(graph)
    for name in ("马力", "利马", "马利", "马利亚"):
        table = await local_context(asked(graph, None, f"{name}是谁？"))
        assert table.by_kind()["Entities"][0].text.startswith(f"{name} | ")


TEXT = "A tale of a town."
QUESTION = "Which person healed the sick horse?"
TOLD = found(
    ("Vera Holm", "person", "A veterinarian."),
    ("Bess", "animal", "A pony."),
    ("Otto Rand", "person", "A mayor."),
    ("Town Hall", "place", "A house."),
    ("Vera Holm", "Bess", "The veterinarian made the pony well again.", 5.0),
    ("Otto Rand", "Town Hall", "The mayor opened the sick house for each person.", 5.0),
)


@pytest.mark.parametrize("predicate", ["healed", ""])
async def test_a_context_has_a_column_of_predicates_if_a_relationship_has_one(
    graph: Graph, predicate: str
) -> None:
    pair = ("Vera Holm", "Bess", "The pony is well.", 5.0, predicate)
    other = ("Vera Holm", "Otto Rand", "They met.", 1.0)
    told = PresetBackend({TEXT: found(("Vera Holm", "person", "Vera Holm heals."), pair, other)})
    await put(graph, documents(TEXT))
    await read(graph, told)
    await describe(graph, told)
    await ensure_fulltext_indexes(graph, "standard-no-stop-words")
    await await_indexes(graph)
    shown = (await local_context(asked(graph, None, "Who is Vera Holm?"))).text
    assert ("id | source | predicate | target | description" in shown) == bool(predicate)
    assert ("| Vera Holm | healed | Bess | The pony is well." in shown) == bool(predicate)
    assert ("| Vera Holm |  | Otto Rand | They met." in shown) == bool(predicate)
    assert ("| Vera Holm | Otto Rand | They met." in shown) != bool(predicate)


async def test_meaning_counts_and_not_shared_words(graph: Graph) -> None:
    await put(graph, documents(TEXT))
    await read(graph, PresetBackend({TEXT: TOLD}))
    rows = await graph.run_plain("MATCH (x:Chunk|Entity) RETURN x.id AS id, x.name AS name")
    ids = {row["name"]: row["id"] for row in rows}
    query = asked(graph, Backends(load_settings()).local_embedder("en"), QUESTION)
    first, second = await graph_expansion.nearest_statements(query, None, [ids[None]], [])
    assert set(first.ends) == {ids["Vera Holm"], ids["Bess"]}
    assert first.weight == 1
    assert set(second.ends) == {ids["Otto Rand"], ids["Town Hall"]}
    assert 0 < second.weight < 1


OPINIONS = """ADA KING: Welcome to the harbour.

BEN HILL: The Kestrel is a fast ship.

ADA KING: The Osprey is a fast ship.

BEN HILL: Thank you."""


async def test_a_statement_is_near_by_who_says_it(graph: Graph) -> None:
    ships = ("Kestrel", "Osprey")
    told = found(
        *((name, "ship", "A ship.") for name in (*ships, "Harbour")),
        *((name, "Harbour", f"The {name} is a fast ship.", 1.0) for name in ships),
    )
    await put(graph, documents(OPINIONS))
    await read(graph, PresetBackend({OPINIONS: told}))
    rows = await graph.run_plain("MATCH (x:Chunk|Entity) RETURN x.id AS id, x.name AS name")
    ids = {row["name"]: row["id"] for row in rows}
    for speaker, ship in zip(("Ben Hill", "Ada King"), ships, strict=True):
        question = f"What does {speaker} call a fast ship?"
        query = asked(graph, Backends(load_settings()).local_embedder("en"), question)
        first, _ = await graph_expansion.nearest_statements(query, None, [ids[None]], [])
        assert ids[ship] in first.ends


@pytest.mark.usefixtures("graph")
async def test_the_passage_whose_title_is_the_entity_comes_first(alone: Settings) -> None:
    titles = ["Aldby (village)", *(f"Notes {number}" for number in range(6))]
    async with AsyncGraphRAG(alone) as rag:
        same = [Document("The pond of Aldby froze over.", title, title) for title in titles]
        assert (await rag.index(same)).complete
        answer = await rag.query("What froze in Aldby?", method="local", context_only=True)
        sources = answer.context[0].by_kind()["Sources"]
        places = await rag.sources(*(record.ref for record in sources))
    assert len(places) == len(titles)
    assert places[0].document == "Aldby (village)"


@pytest.mark.usefixtures("graph")
async def test_the_passage_that_answers_comes_before_one_of_the_same_entity(
    alone: Settings,
) -> None:
    texts = {"Bess": "Bess ate hay in May.", "Notes": "A vet made the ill mare Bess well again."}
    async with AsyncGraphRAG(alone) as rag:
        told = [Document(text, title, title) for title, text in texts.items()]
        assert (await rag.index(told)).complete
        answer = await rag.query(
            "Who cured Bess of her illness?", method="local", context_only=True
        )
        sources = answer.context[0].by_kind()["Sources"]
        [first, *_] = await rag.sources(*(record.ref for record in sources))
    assert first.document == "Notes"
