"""The labels that entities have by their types, in a real Neo4j."""

from collections.abc import Mapping

import pytest

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.entities.label import MOST, label_entities, label_of
from graphrag_neo4j.index.removal import remove
from graphrag_neo4j.model.events import Advanced, Event, Listener, Notice, silent
from graphrag_neo4j.model.types import Extraction
from tests.support.preset_backend import PresetBackend, documents, found, put, read
from tests.support.wiping import emptied

ONE, TWO, THREE = "Marley was dead.", "Scrooge was not.", "Bob was the clerk."
SAID = {
    ONE: found(("Marley", "ghost", "a"), ("London", "place", "b")),
    TWO: found(("Marley", "Person", "c"), ("Scrooge", "person", "d")),
    THREE: found(("Marley", "person", "e"), ("Bob", "Person", "f"), ("Fog", "", "g")),
}


async def indexed(
    graph: Graph, said: Mapping[str, Extraction], *texts: str, listen: Listener = silent
) -> None:
    """Adds the texts to those of the graph."""
    await put(graph, documents(*texts))
    await read(graph, PresetBackend(said))
    await label_entities(graph, listen)


async def labels(graph: Graph) -> dict[str, list[str]]:
    """By the name of each entity: its labels beside those that all have."""
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name, labels(e) AS labels")
    return {row["name"]: sorted({*row["labels"]} - {"Entity", "KgBuild"}) for row in rows}


TYPES = {
    "person": "Person",
    "Person": "Person",
    "work of art": "WorkOfArt",
    "IT-service_2": "ITService2",
    "`) DETACH DELETE (n": "DETACHDELETEN",
    "組織": "組織",
    "व्यक्ति": "व्यक्ति",
    "été": "Été",
    "document": "",
    "batch request": "",
    "kg-build": "",
    "…": "",
    "": "",
}


@pytest.mark.parametrize("type_", TYPES)
def test_a_type_becomes_a_label_that_is_none_of_the_graph(type_: str) -> None:
    assert label_of(type_) == TYPES[type_]


async def test_labels_follow_the_vote_and_those_of_a_user_stay(graph: Graph) -> None:
    await indexed(graph, SAID, ONE)
    assert await labels(graph) == {"Marley": ["Ghost"], "London": ["Place"]}
    await graph.run_plain("MATCH (e:Entity {name: 'Marley'}) SET e:Mine")
    await indexed(graph, SAID, ONE, TWO, THREE)
    follow = {"London": ["Place"], "Scrooge": ["Person"], "Bob": ["Person"], "Fog": ["Concept"]}
    assert await labels(graph) == {"Marley": ["Mine", "Person"], **follow}
    await remove(graph, ["memory:1", "memory:2"])
    assert await labels(graph) == {"Marley": ["Ghost", "Mine"], "London": ["Place"]}


async def test_a_graph_has_the_labels_of_its_most_frequent_types_alone(graph: Graph) -> None:
    kinds = [(f"Thing {n}", f"type {n:02}", "a") for n in range(MOST + 1)]
    said = {ONE: found(*kinds), TWO: found(("Other", f"type {MOST}", "b"))}
    await indexed(graph, said, ONE)
    first = await labels(graph)
    assert first.pop(f"Thing {MOST}") == []
    assert first == {f"Thing {n}": [f"Type{n:02}"] for n in range(MOST)}
    await indexed(graph, said, ONE, TWO)
    most, last = f"Type{MOST}", f"Thing {MOST - 1}"
    assert await labels(graph) == {**first, last: [], f"Thing {MOST}": [most], "Other": [most]}
    added = await emptied(graph)
    await indexed(graph, said, ONE, TWO)
    assert await dump(graph) == added


async def test_a_label_of_other_nodes_is_left_to_them_and_a_notice_says_so(graph: Graph) -> None:
    heard: list[Event] = []
    await indexed(graph, SAID, ONE, TWO)
    await graph.run_plain("CREATE (:Person {name: 'Ann'}), (:Ship)")
    await indexed(graph, SAID, ONE, TWO, THREE, listen=heard.append)
    [notice] = [one for one in heard if isinstance(one, Notice)]
    assert notice.text == "No entity gets these labels, because other nodes have them: Person."
    people = await graph.run_plain("MATCH (n:Person) RETURN n.name AS name, labels(n) AS of")
    assert people == [{"name": "Ann", "of": ["Person"]}]
    assert (await labels(graph))["London"] == ["Place"]


async def test_after_a_kill_labels_are_those_of_a_build_without_one(graph: Graph) -> None:
    await indexed(graph, SAID, TWO, THREE)
    expected = await emptied(graph)

    def kill(event: Event) -> None:
        if isinstance(event, Advanced):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await indexed(graph, {ONE: found(("Marley", "ghost", "a"))}, ONE, listen=kill)
    assert await labels(graph) == {"Marley": ["Ghost"]}
    await indexed(graph, SAID, TWO, THREE)  # in place of the first document
    assert await dump(graph) == expected


async def test_up_to_date_labels_are_not_looked_at_again(graph: Graph) -> None:
    await indexed(graph, SAID, ONE)
    graph.lease = "nobody's, so that any write would be refused"
    heard: list[Event] = []
    await label_entities(graph, heard.append)
    assert heard == []


async def test_a_label_with_a_constraint_of_others_is_left_to_them(graph: Graph) -> None:
    await graph.run_plain("CREATE CONSTRAINT theirs FOR (x:Person) REQUIRE x.name IS UNIQUE")
    try:
        await indexed(graph, SAID, ONE, TWO, THREE)
    finally:
        await graph.run_plain("DROP CONSTRAINT theirs")
    assert await graph.run_plain("MATCH (n:Person) RETURN n") == []
