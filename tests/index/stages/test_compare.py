"""A model is asked about likely pairs of names: which pairs, and when again."""

from collections.abc import Mapping

import pytest

from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.model import Sameness
from tests.index.resolution.test_resolve import compared, names, wiped
from tests.support.preset_backend import PresetBackend, documents, found, put

FAMILY = {f"{n}.": found((f"{n}olly Baker", "person", f"{n} bakes.")) for n in "BCDEFGHIJKL"}
SAME: Mapping[tuple[str, ...], Sameness] = {("Bolly Baker", "Colly Baker"): "same"}


async def test_a_word_that_many_names_have_says_too_little(graph: Graph) -> None:
    backend = PresetBackend(FAMILY, verdicts=SAME)
    ten = documents(*FAMILY)[:10]
    await put(graph, ten)
    await compared(graph, backend)
    assert len(backend.compared) == 45
    assert len(await names(graph)) == 9
    await put(graph, documents(*FAMILY))
    await compared(graph, backend)
    assert len(backend.compared) == 45
    assert len(await names(graph)) == 11
    later = await dump(graph)
    await wiped(graph)
    await put(graph, documents(*FAMILY))
    await compared(graph, backend)
    assert await dump(graph) == later


# Texts that each say something about one of the two.
GROWING = {
    f"{name} {n}.": found((name, "person", f"He did it {n} times."))
    for n, name in enumerate(
        ["Gates" if letter == "G" else "Bill Gates" for letter in "GBGBBGGBGB"]
    )
}


@pytest.mark.slow
async def test_a_pair_is_asked_again_when_twice_as_much_is_said_about_both(graph: Graph) -> None:
    backend = PresetBackend(GROWING)
    asked = []
    for one in documents(*GROWING):
        await put(graph, [one])
        await compared(graph, backend)
        asked.append(len(backend.compared))
    #        1 each                     2 each                  4 each
    assert asked == [0, 1, 1, 2, 2, 2, 2, 3, 3, 3]
    expected = await dump(graph)
    await wiped(graph)
    await put(graph, documents(*GROWING))
    await compared(graph, backend)
    assert await dump(graph) == expected
