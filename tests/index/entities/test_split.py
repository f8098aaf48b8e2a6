"""One name that means two things is split by a person: by type, or by document."""

from collections.abc import Mapping, Sequence

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.entities.people import decide, read_decisions, split, undo
from graphrag_neo4j.model.events import Event, silent
from graphrag_neo4j.model.types import Document
from tests.index.entities.test_resolve import degrees, deleted, finish
from tests.support.preset_backend import PresetBackend, claim, describe, documents, found, put

PLANET = (
    ("Mercury", "geo", "A planet."),
    ("Sun", "geo", "A star."),
    ("Mercury", "Sun", "It orbits the sun.", 5.0, "orbits"),
)
COMPANY = (
    ("Mercury", "organization", "A record label."),
    ("Bowie", "person", "A singer."),
    ("Bowie", "MERCURY", "He signed.", 2.0, "signed with"),
)
TEXTS = {
    "One.": found(*PLANET),
    "Two.": found(*COMPANY),
    "Three.": found(*PLANET, *COMPANY),
    "Four.": found(("Mercury Ltd", "organization", "A label."), ("Sun", "Mercury", "Near.", 1.0)),
    "Five.": found(("MERCURY", "Organization", "It sold."), ("Mercury", "metal", "Liquid.")),
    "Six.": found(("Mercury", "metal", "It is liquid.")),
}
CLAIMS = {
    "One.": [claim("Mercury", "Sun")],
    "Two.": [claim("Bowie", "Mercury"), claim("mercury", "Bowie", "It paid him.")],
    "Three.": [claim("Mercury", None, "It shines.")],
    "Four.": [claim("Mercury", "Sun", "It is near.")],
}
PATHS = [f"file:///sky/{n}.txt" if n in (0, 3) else f"file:///{n}.txt" for n in range(6)]
DOCUMENTS = [Document(text, path) for text, path in zip(TEXTS, PATHS, strict=True)]
By = Mapping[str, object]
BY_TYPE: By = {"types": ["ORGANIZATION"], "documents": None, "label": None}
BY_DOCUMENT: By = {"types": [], "documents": "*/sky/*", "label": "planet"}
BY_BOTH: By = {"types": ["geo"], "documents": "3.txt", "label": "planet"}
METAL: By = {"types": ["metal"], "documents": None, "label": None}


async def built(graph: Graph, which: Sequence[Document] = DOCUMENTS) -> None:
    await put(graph, which)
    await finish(graph, TEXTS, CLAIMS)


async def say(graph: Graph, by: By, name: str = "Mercury") -> str:
    new = await split(graph, name, silent, rules=True, **by)  # type: ignore[arg-type]
    await describe(graph, PresetBackend(), join=500)
    return new


async def take_back(graph: Graph, by: str = "A person split") -> None:
    ref = next(one.ref for one in await read_decisions(graph) if one.reason.startswith(by))
    await undo(graph, ref, silent, rules=True)
    await describe(graph, PresetBackend(), join=500)


async def of_mercury(graph: Graph) -> dict[str, int]:
    """The degrees of all entities of the name."""
    return {name: n for name, n in (await degrees(graph)).items() if "ercury" in name.casefold()}


async def test_a_type_of_a_name_becomes_an_entity_of_its_own_and_goes_back(graph: Graph) -> None:
    await built(graph)
    before = await dump(graph)
    assert await of_mercury(graph) == {"Mercury": 2, "Mercury Ltd": 0}
    assert await say(graph, BY_TYPE) == "Mercury (organization)"
    # Two says it of the company alone; Three says both, so what it states stays.
    assert await of_mercury(graph) == {"Mercury": 2, "Mercury (organization)": 1, "Mercury Ltd": 0}
    rows = await graph.run_plain(
        "MATCH (e:Entity {name: 'Mercury (organization)'}) RETURN e.type AS type, "
        "COUNT { (e)<-[:MENTIONS]-() } AS mentions, COUNT { (e)<-[:SUBJECT|OBJECT]-() } AS claims"
    )
    assert rows == [{"type": "organization", "mentions": 3, "claims": 2}]
    rows = await graph.run_plain(
        "MATCH (e:Entity)-[r:RELATED]-() WHERE e.name STARTS WITH 'Mercury' "
        "RETURN DISTINCT e.name AS name, r.predicate AS said ORDER BY name, said"
    )
    assert [(row["name"], row["said"]) for row in rows] == [
        ("Mercury", "orbits"),
        ("Mercury", "signed with"),
        ("Mercury (organization)", "signed with"),
    ]
    [decision] = [one for one in await read_decisions(graph) if one.origin == "person"]
    assert {decision.one, decision.other} == {"Mercury", "Mercury (organization)"}
    assert decision.reason == "A person split the name by its type (organization)."
    await take_back(graph)
    assert await dump(graph) == before


@pytest.mark.parametrize("by", [BY_TYPE, pytest.param(BY_DOCUMENT, marks=pytest.mark.slow)])
async def test_a_split_makes_the_graph_that_it_would_have_made_at_the_beginning(
    graph: Graph, by: By
) -> None:
    await built(graph)
    await say(graph, by)
    expected = await dump(graph)
    await deleted(graph, *PATHS)
    assert await degrees(graph) == {}
    for n in (3, 1, 5, 0, 2, 4):
        await built(graph, [DOCUMENTS[n]])
    assert await dump(graph) == expected
    await put(graph, DOCUMENTS, recut=True)
    await graph.run_plain("MATCH (c:Chunk) SET c.extraction = 'pending'")
    await finish(graph, TEXTS, CLAIMS)
    assert await dump(graph) == expected


async def test_of_two_splits_of_a_name_each_can_be_taken_back(graph: Graph) -> None:
    await built(graph)
    await say(graph, METAL)
    metal = await dump(graph)
    await say(graph, BY_TYPE)
    assert len(await of_mercury(graph)) == 4
    await take_back(graph, "A person split the name by its type (organization)")
    assert await dump(graph) == metal


async def test_a_split_that_divides_nothing_is_refused(graph: Graph) -> None:
    await built(graph)
    before = await dump(graph)
    everywhere = {**BY_DOCUMENT, "documents": "*"}
    for name, by, says in (
        ("Venus", BY_TYPE, "No document in the graph uses the name 'Venus'"),
        ("Mercury", {**BY_TYPE, "types": ["god"]}, "is of the type god. Its types are: Organiz"),
        ("Mercury", BY_BOTH, "of the type geo and in a document that matches '3.txt'"),
        ("Mercury Ltd", everywhere, "All mentions of 'Mercury Ltd'"),
    ):
        with pytest.raises(InputError, match=says):
            await say(graph, by, name)
    assert await dump(graph) == before


async def test_a_split_is_made_once_and_undone_by_its_ref_only(graph: Graph) -> None:
    await built(graph)
    await say(graph, BY_TYPE)
    for again in (
        say(graph, BY_TYPE),
        decide(graph, "Mercury", "Mercury (organization)", "same", silent, rules=True),
    ):
        with pytest.raises(InputError, match=r"--undo \d+` puts them together again"):
            await again
    await put(graph, documents("Seven."))
    await finish(graph, {"Seven.": found(("MERCURY (metal)", "metal", "It is liquid."))}, {})
    with pytest.raises(InputError, match="is a name in the graph already"):
        await say(graph, METAL)


async def test_a_split_that_is_interrupted_is_finished_by_the_next_index(graph: Graph) -> None:
    await built(graph)
    await say(graph, BY_TYPE)
    expected = await dump(graph)
    await take_back(graph)

    def interrupt(event: Event) -> None:
        raise KeyboardInterrupt(event)

    with pytest.raises(KeyboardInterrupt):
        await split(graph, "Mercury", interrupt, rules=True, **BY_TYPE)  # type: ignore[arg-type]
    await finish(graph, TEXTS, CLAIMS)
    assert await dump(graph) == expected
