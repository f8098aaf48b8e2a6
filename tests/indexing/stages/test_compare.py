"""A model is asked about likely pairs of names: which pairs, and when again."""

from collections.abc import Mapping, Sequence

import pytest

from graphrag_neo4j.events import silent
from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.indexing.documents import delete_documents, document_id
from graphrag_neo4j.indexing.resolution import same_neighbours
from graphrag_neo4j.indexing.stages.merge import merge
from graphrag_neo4j.model import Extraction, Sameness
from tests.indexing.stages.test_resolve import built, compared, names, wiped
from tests.support.preset_backend import PresetBackend, documents, found, put

FRED = "He is the son of the sister of Ebenezer Scrooge, and he invites him to dinner."
NEPHEW = "He is the son of Ebenezer Scrooge's sister, who invites him to dinner."
EDO = "It was the seat of the shogun, and it became the capital of Japan."
TOKYO = "It is the capital of Japan, and it was the seat of the shogun."
PLACES = {
    "A.": found(("Fred", "person", FRED)),
    "B.": found(
        ("Bob Cratchit", "person", "He is the underpaid clerk of Scrooge."), ("Edo", "geo", EDO)
    ),
    "C.": found(("the nephew of Scrooge", "person", NEPHEW)),
    "D.": found(("Tokyo", "geo", TOKYO), ("The Edo", "organization", EDO)),
    "E.": found(("Fred", "person", "He laughs."), ("Chamber 101", "geo", "A small cold room.")),
    "F.": found(("Room 102", "geo", "A small cold room."), ("Edo period", "concept", EDO)),
}
SAME: Mapping[tuple[str, ...], Sameness] = {
    ("Fred", "the nephew of Scrooge"): "same",
    ("Edo", "Tokyo"): "same",
}


async def test_names_of_which_much_the_same_is_said_are_compared_by_the_model(graph: Graph) -> None:
    backend = PresetBackend(PLACES, verdicts=SAME)
    await put(graph, documents(*PLACES))
    await compared(graph, backend)
    assert {tuple(sorted(pair)) for pair in backend.compared} == set(SAME)
    assert {"Edo", "Edo period", "The Edo", "Chamber 101", "Room 102"} <= (
        await names(graph)
    ).keys()
    assert "Tokyo" not in await names(graph)
    asked, expected = len(backend.compared), await dump(graph)
    await compared(graph, backend)
    assert len(backend.compared) == asked
    assert await dump(graph) == expected


@pytest.mark.slow
async def test_near_names_make_the_same_graph_in_any_order(graph: Graph) -> None:
    backend = PresetBackend(PLACES, verdicts=SAME)
    rest = [one for n, one in enumerate(documents(*PLACES)) if n != 2]
    await put(graph, rest)
    await compared(graph, backend)
    without = await dump(graph)
    await put(graph, documents(*PLACES))
    await compared(graph, backend)
    expected = await dump(graph)
    await wiped(graph)
    for n in (3, 0, 4, 1, 5, 2):
        await put(graph, [documents(*PLACES)[n]])
        await compared(graph, backend)
    assert await dump(graph) == expected
    await delete_documents(graph, [document_id("memory:2")])
    await merge(graph, silent)
    await compared(graph, backend)
    assert await dump(graph) == without


ROOMS = ("Larder", "Pantry", "Cellar", "Scullery", "Buttery", "Dairy", "Attic")


async def test_names_that_are_near_to_many_are_not_compared(graph: Graph) -> None:
    said = "A small cold room in the north wing of the old castle."
    texts = {f"{room}.": found((room, "geo", said)) for room in ROOMS}
    backend = PresetBackend(texts)
    await put(graph, documents(*texts))
    await compared(graph, backend)
    assert backend.compared == []
    await wiped(graph)
    for n in (6, 7):
        await put(graph, documents(*texts)[:n])
        await compared(graph, backend)
        rows = await graph.run_plain("MATCH ()-[c:COMPARED]->() RETURN count(c) AS n")
        assert rows[0]["n"] == (15 if n == 6 else 0)


async def test_without_a_model_no_vectors_of_names_are_made(graph: Graph) -> None:
    await built(graph, PLACES, {})
    rows = await graph.run_plain("MATCH (x) WHERE x.name_vector IS NOT NULL RETURN x")
    assert rows == []


def told(*pairs: tuple[str, str]) -> Mapping[str, Extraction]:
    return {
        f"{name} {n}.": found((name, "person", f"{said} {n}."))
        for n, (name, said) in enumerate(pairs)
    }


GROWING: Sequence[tuple[str, str]] = [
    ("Gates", "He spoke"),
    ("Bill Gates", "He wrote"),
    ("Gates", "He left"),
    ("Bill Gates", "He came"),
    ("Bill Gates", "He saw"),
    ("Gates", "He won"),
    ("Gates", "He gave"),
    ("Bill Gates", "He took"),
    ("Gates", "He did"),
    ("Bill Gates", "He said"),
]


@pytest.mark.slow
async def test_a_pair_is_asked_again_when_twice_as_much_is_said_about_both(graph: Graph) -> None:
    texts = told(*GROWING)
    backend = PresetBackend(texts)
    asked = []
    for one in documents(*texts):
        await put(graph, [one])
        await compared(graph, backend)
        asked.append(len(backend.compared))
    #        1 each                     2 each                  4 each
    assert asked == [0, 1, 1, 2, 2, 2, 2, 3, 3, 3]
    expected = await dump(graph)
    await wiped(graph)
    await put(graph, documents(*texts))
    await compared(graph, backend)
    assert await dump(graph) == expected


def knows(name: str, said: str, *others: str) -> Extraction:
    around = [(other, AROUND.get(other, "person"), f"{other} is here.") for other in others]
    known = [(name, other, "They belong together.", 1.0) for other in others]
    return found((name, "person", said), *around, *known)


AROUND = {"Ann": "person", "Rye": "geo", "the Fair": "event", "the Bank": "organization"}
CIRCLE = tuple(AROUND)
NEIGHBOURS = {
    "A.": knows("Edwin", "A quiet baker who came from the north.", *CIRCLE[:3]),
    "B.": knows("Ned", "He won the race in spring.", *CIRCLE),
    "C.": knows("Ida", "She paints.", *CIRCLE),
    "D.": knows("Ned", "He runs.", "Ida"),
    "E.": found(("Ann", "Gus", "They met.", 1.0), ("Rye", "Gus", "He is there.", 1.0)),
}
NED: Mapping[tuple[str, ...], Sameness] = {("Edwin", "Ned"): "same"}


async def test_names_with_the_same_neighbours_are_compared_unless_they_are_related(
    graph: Graph,
) -> None:
    backend = PresetBackend(NEIGHBOURS, verdicts=NED)
    await put(graph, documents(*NEIGHBOURS)[:4])
    await compared(graph, backend)
    assert {tuple(sorted(pair)) for pair in backend.compared} == {
        ("Edwin", "Ida"),
        ("Edwin", "Ned"),
    }
    assert "Edwin" not in await names(graph)
    expected = await dump(graph)
    await wiped(graph)
    for n in (3, 1, 0, 2):
        await put(graph, [documents(*NEIGHBOURS)[n]])
        await compared(graph, backend)
    assert await dump(graph) == expected


@pytest.mark.slow
async def test_a_neighbour_of_many_says_nothing_also_when_it_becomes_one_later(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(same_neighbours, "MOST_AROUND_COMMON", 3)
    backend = PresetBackend(NEIGHBOURS, verdicts=NED)
    three = documents(*NEIGHBOURS)[:3]
    await put(graph, three)
    await compared(graph, backend)
    before = await dump(graph)
    assert len({"Edwin", "Ned"} & (await names(graph)).keys()) == 1
    await put(graph, documents(*NEIGHBOURS)[4:])
    await compared(graph, backend)
    assert {"Edwin", "Ned"} <= (await names(graph)).keys()
    changed = await dump(graph)
    await delete_documents(graph, [document_id("memory:4")])
    await merge(graph, silent)
    await compared(graph, backend)
    assert await dump(graph) == before
    await wiped(graph)
    for n in (4, 0, 2, 1):
        await put(graph, [documents(*NEIGHBOURS)[n]])
        await compared(graph, backend)
    assert await dump(graph) == changed
