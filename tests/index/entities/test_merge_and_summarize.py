"""What is derived from evidence in a real Neo4j: votes, degrees, descriptions; nothing twice."""

import pytest

from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.describe.summarize import mark_described_otherwise
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.read.documents import delete_documents, document_id
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.events import Event, Started, silent
from tests.support.preset_backend import (
    PresetBackend,
    describe,
    documents,
    found,
    put,
    read,
    relationships,
    words,
)
from tests.support.wiping import emptied

ONE, TWO, THREE = "Marley was dead.", "Scrooge was not.", "Bob was the clerk."


async def entities(graph: Graph) -> dict[str, PlainRow]:
    rows = await graph.run_plain("MATCH (e:Entity) RETURN properties(e) AS e")
    return {row["e"]["name"]: row["e"] for row in rows}


def long(n: int) -> str:
    """A description of ten words."""
    return f"Fact {n}:" + f" word{n}" * 7 + " end."


async def test_the_shown_name_is_the_most_frequent_spelling_ties_by_code_point(
    graph: Graph,
) -> None:
    await put(graph, documents(ONE, TWO, THREE))
    said = {
        ONE: found(("Marley", "ghost", "a"), ("SCROOGE", "x", "b"), ("Bob", "", "")),
        TWO: found(("MARLEY", "person", "c"), ("Scrooge", "x", "d")),
        THREE: found(("MarLey", "person", "e"), ("Scrooge", "y", "f"), ("BOB", "", "")),
    }
    await read(graph, PresetBackend(said))
    kept = await entities(graph)
    assert set(kept) == {"MARLEY", "Scrooge", "BOB"}
    assert kept["MARLEY"]["type"] == "person"
    assert kept["Scrooge"]["type"] == "x"
    assert kept["BOB"]["type"] == "concept"  # what no chunk gives a type


TO, FRO = ("Marley", "Scrooge"), ("Scrooge", "Marley")


@pytest.mark.parametrize("stated", [(TO, TO, FRO), (FRO, FRO, TO)])
async def test_the_majority_of_the_statements_gives_the_direction_and_the_others_are_counted(
    graph: Graph, stated: tuple[tuple[str, str], ...]
) -> None:
    await put(graph, documents(ONE, TWO, THREE))
    said = {
        text: found((*pair, f"They met {text}", 1.0))
        for text, pair in zip((ONE, TWO, THREE), stated, strict=True)
    }
    await read(graph, PresetBackend(said))
    [shown] = await relationships(graph)
    assert (shown["source"], shown["target"], shown["opposite"]) == (*stated[0], 1)


async def test_the_most_frequent_predicate_of_the_shown_direction_is_that_of_the_pair(
    graph: Graph,
) -> None:
    said = {
        ONE: found(
            (*TO, "a", 1.0, "warns"),
            (*TO, "b", 2.0, "visits"),
            (*TO, "c", 1.0),
            (*FRO, "d", 1.0, "fears"),
        ),
        TWO: found((*TO, "e", 1.0, "warns"), (*TO, "f", 5.0, "haunts"), (*FRO, "g", 9.0)),
        THREE: found((*FRO, "h", 1.0, "buried")),
    }
    asked = (
        "MATCH ()-[r:RELATED]->() "
        "RETURN r.predicate AS one, r.predicates AS all, r.opposite_predicates AS other"
    )
    await put(graph, documents(ONE, TWO, THREE))
    await read(graph, PresetBackend(said))
    shown = {"one": "warns", "all": ["warns", "haunts", "visits"], "other": ["buried", "fears"]}
    assert await graph.run_plain(asked) == [shown]
    await delete_documents(graph, [document_id("memory:1")])
    await merge(graph, silent)
    shown = {"one": "visits", "all": ["visits", "warns"], "other": ["buried", "fears"]}
    assert await graph.run_plain(asked) == [shown]
    await delete_documents(graph, [document_id("memory:0")])
    await merge(graph, silent)
    assert await graph.run_plain(asked) == [{"one": "buried", "all": ["buried"], "other": None}]


async def test_a_pair_that_is_denied_in_one_place_shows_what_the_others_say(graph: Graph) -> None:
    said = {
        ONE: found((*TO, "a", 1.0, "leads"), (*TO, "b", 1.0, "visits")),
        TWO: found((*TO, "c", 1.0, "leads")),
        THREE: found((*TO, "d", 1.0, "leads (former)")),
    }
    await put(graph, documents(ONE, TWO, THREE))
    await read(graph, PresetBackend(said))
    [shown] = await graph.run_plain("MATCH ()-[r:RELATED]->() RETURN r.predicate AS one")
    assert sorted(shown["one"].split("; ")) == ["leads", "leads (former)", "visits"]
    assert shown["one"].startswith("leads; ")
    asked = "MATCH ()-[s:STATED]->() WHERE any(p IN s.predicates WHERE p ENDS WITH '(former)') "
    assert await graph.run_plain(f"{asked} RETURN s.descriptions AS said") == [{"said": ["d"]}]


async def test_a_graph_of_statements_without_predicates_has_none(graph: Graph) -> None:
    await put(graph, documents(ONE))
    await read(graph, PresetBackend({ONE: found((*TO, "a", 1.0), (*FRO, "b", 1.0))}))
    keys = await graph.run_plain("MATCH ()-[r:RELATED|STATED]->() UNWIND keys(r) AS key RETURN key")
    assert not [row for row in keys if "predicate" in row["key"]]


async def test_several_are_joined_while_short_and_given_to_the_model_once_they_are_not(
    graph: Graph,
) -> None:
    await put(graph, documents(ONE, TWO))
    said = {
        ONE: found(("Marley", "person", "He is dead."), ("Marley", "Bob", "Met once.", 1.0)),
        TWO: found(("Marley", "person", "A partner."), ("Bob", "Marley", "Wrote often.", 1.0)),
    }
    told = PresetBackend(said)
    await read(graph, told)
    await describe(graph, told, join=6)
    assert told.joined == []
    assert (await entities(graph))["Marley"]["description"] == "He is dead.\nA partner."
    pairs = await graph.run_plain("MATCH ()-[r:RELATED]->() RETURN r.description AS said")
    assert pairs == [{"said": "Met once.\nWrote often."}]
    await put(graph, documents(ONE, TWO, THREE))
    told = PresetBackend({THREE: found(("Marley", "person", "A ghost in chains."))})
    await read(graph, told)
    await describe(graph, told, join=6)
    [(name, texts)] = told.joined
    assert name == "Marley"
    assert sorted(texts) == ["A ghost in chains.", "A partner.", "He is dead."]
    assert (await entities(graph))["Marley"]["description"] == "Marley: 3 in one, by 1."
    # Another model describes again only when it is asked to.
    other = PresetBackend(version="2")
    await describe(graph, other, join=6)
    assert other.joined == []
    await mark_described_otherwise(graph, other)
    await describe(graph, other, join=6)
    assert (await entities(graph))["Marley"]["description"] == "Marley: 3 in one, by 2."


async def test_many_fold_in_groups_and_one_more_costs_its_group_and_those_above(
    graph: Graph,
) -> None:
    texts = [f"Tale {n}." for n in range(200)]
    said = {text: found(("Marley", "person", long(n))) for n, text in enumerate(texts)}

    async def asked(tales: list[str]) -> list[tuple[str, ...]]:
        told = PresetBackend(said)
        await put(graph, documents(*tales))
        await read(graph, told)
        await describe(graph, told, context=100)
        return [texts for _, texts in told.joined]

    first = await asked(texts[:-1])
    assert len(first) > 20
    assert all(sum(words(text) for text in group) <= 100 for group in first)
    assert {long(n) for n in range(199)} <= {text for group in first for text in group}
    more = await asked(texts)
    assert 1 <= len(more) <= 8
    assert [long(199) in group for group in more].count(True) == 1
    added = await emptied(graph)
    await asked(texts)
    assert await dump(graph) == added


async def test_nothing_that_is_done_is_looked_at_again(graph: Graph) -> None:
    await put(graph, documents(ONE, TWO))
    said = {ONE: found(("Marley", "Scrooge", "Partners.", 1.0)), TWO: found(("Bob", "x", "y"))}
    await read(graph, PresetBackend(said))
    await describe(graph, PresetBackend(said))
    heard: list[Event] = []
    graph.lease = "nobody's, so that any write of a row would be refused"
    await merge(graph, heard.append)
    assert heard == [Started("merge", 0)]
    graph.lease = None
    await put(graph, documents(ONE, TWO, THREE))
    await read(graph, PresetBackend({THREE: found(("Bob", "x", "z"))}), heard.append)
    assert [event.total for event in heard if isinstance(event, Started)] == [0, 1, 1, 1]
    marked = await graph.run_plain("MATCH (e:Entity {undescribed: true}) RETURN e.name AS name")
    assert marked == [{"name": "Bob"}]


async def test_a_failed_summary_is_named_and_tried_again(graph: Graph) -> None:
    await put(graph, documents(ONE, TWO))
    said = {
        ONE: found(("Marley", "person", "Dead."), ("Marley", "Bob", "Met once.", 1.0)),
        TWO: found(("Marley", "person", "A ghost."), ("Marley", "Bob", "Wrote often.", 1.0)),
    }
    failing = {"Marley": "the description is empty", "Bob and Marley": "the call failed"}
    failing["Marley and Bob"] = failing["Bob and Marley"]
    told = PresetBackend(said, failing=failing)
    await read(graph, told)
    await describe(graph, told)
    status = await read_status(graph)
    assert [(one.stage, one.reason) for one in status.failures] == [
        ("summarize", "the description is empty"),
        ("summarize", "the call failed"),
    ]
    assert status.pending["summarize"] == 2
    assert len(told.joined) == 2
    again = PresetBackend(said)
    await describe(graph, again)
    assert len(again.joined) == 2
    status = await read_status(graph)
    assert (status.failures, status.pending["summarize"]) == ([], 0)
