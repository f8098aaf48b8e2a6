"""Why a search lost a passage: each step tells what the search did, and the advice helps."""

from collections.abc import AsyncIterator

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, InputError, NotFoundError, Why
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.query.answer import METHODS, Method
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.options import QueryOptions
from tests.support.wiping import wipe

QUESTION = "What does Ada Holm say about the frogs of Lake Garda?"
FROGS = (
    "Ada Holm met Clara Schumann at Lake Garda. The frogs of Lake Garda are blue, said Ada Holm."
)
SHIPS = "Otto Rand sold the old ship Kestrel in Oslo. Nobody in Oslo missed the Kestrel."
SENTENCE = "Nobody in Oslo missed the Kestrel."
FILLED = [
    Document(
        f"{FROGS} Their number is {n}, wrote Ada Holm from Lake Garda in her letter {n}.",
        f"{n}.txt",
    )
    for n in range(50)
]
DOCUMENTS = [
    *FILLED,
    Document(SHIPS, "file:///harbour/The%20ships.txt", metadata={"date": "1912-05-01"}),
]


@pytest.fixture(scope="module")
async def lake(alone: Settings, connected: Graph) -> AsyncIterator[AsyncGraphRAG]:
    """A graph without a model: fifty letters on a lake, and a note on a ship."""
    await wipe(connected)
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(DOCUMENTS)).complete
        yield rag
    await wipe(connected)


def step(why: Why, name: str) -> tuple[bool, str]:
    return next((one.passed, one.said) for one in why.steps if one.step == name)


async def sources_read(rag: AsyncGraphRAG, question: str, **how: object) -> set[str]:
    """The documents in what a model would read."""
    options: QueryOptions = {"method": "local", "context_only": True, **how}  # type: ignore[typeddict-item]
    answer = await rag.query(question, **options)
    records = [one for table in answer.context for one in table.records.values()]
    refs = [one.ref for one in records if one.kind == "Sources"]
    return {place.document for place in await rag.sources(*refs)}


async def test_a_passage_that_the_answer_quotes_is_not_lost(lake: AsyncGraphRAG) -> None:
    why = await lake.why(
        "Who missed the Kestrel in Oslo?", "The ships.txt", " nobody in\nOSLO missed"
    )
    assert why.lost is None
    assert why.method == "local"
    assert all(one.passed for one in why.steps)
    assert [one.advice for one in why.steps] == [None] * len(why.steps)
    assert "The ships.txt" in step(why, "read")[1]
    assert "Kestrel" in step(why, "entities")[1]


async def test_a_passage_beyond_the_first_forty_is_lost_at_the_walk_or_the_order(
    lake: AsyncGraphRAG,
) -> None:
    why = await lake.why(QUESTION, "The ships.txt", SENTENCE, method="local")
    assert why.lost in {"walk", "order"}
    assert step(why, "entities")[0] is False
    assert DOCUMENTS[-1].source not in await sources_read(lake, QUESTION)
    with_words = "Nobody missed the Kestrel in Oslo, or did Ada Holm?"
    assert DOCUMENTS[-1].source in await sources_read(lake, with_words)
    assert (await lake.why(with_words, "The ships.txt", SENTENCE, method="local")).lost is None


@pytest.mark.parametrize("method", ["local", "basic"])
async def test_the_budget_that_it_names_would_do_and_one_that_is_smaller_would_not(
    lake: AsyncGraphRAG, method: Method
) -> None:
    asked: QueryOptions = {"method": method, "max_context_tokens": 600}
    lost = []
    for number in range(15):
        source = f"{number}.txt"
        why = await lake.why(QUESTION, source, f"Their number is {number}", **asked)
        found = source in await sources_read(lake, QUESTION, **asked)
        shown = [one for one in why.steps if one.step == "context"]
        assert [one.passed for one in shown] == [found] * len(shown)
        lost += [(source, one.said) for one in shown if not one.passed]
    assert lost
    source, said = lost[0]
    assert "KG_MAX_CONTEXT_TOKENS is 600" in said


async def test_a_selection_that_leaves_the_document_out_is_named(lake: AsyncGraphRAG) -> None:
    why = await lake.why(QUESTION, "The ships.txt", SENTENCE, where="source!=*ships*")
    assert why.lost == "selection"
    assert step(why, "selection") == (False, "Documents searched: 50.")
    assert why.steps[-1].advice
    why = await lake.why("What happened in 1912?", "1.txt", "The frogs of Lake Garda are blue")
    assert why.lost == "selection"
    assert "dated 1912" in step(why, "selection")[1]


@pytest.mark.parametrize("method", METHODS)
async def test_each_method_has_its_steps(lake: AsyncGraphRAG, method: Method) -> None:
    steps = {
        "local": ["entities", "vector", "words", "walk", "order"],
        "drift": ["entities", "vector", "words", "walk", "order"],
        "basic": ["vector", "order"],
        "global": ["reports"],
        "text": [],
    }
    why = await lake.why("Who sold the Kestrel?", "The ships.txt", "Otto Rand sold", method=method)
    names = [one.step for one in why.steps if one.step not in {"passages", "answer"}]
    assert names == ["read", "selection", *steps[method], "context"]
    assert step(why, "context")[0]
    assert why.steps[-1].step == "answer"
    answer = await lake.query("Who sold the Kestrel?", method=method)
    assert step(why, "answer")[0] == ("Otto Rand sold" in answer.text)


async def test_what_is_not_in_the_graph_is_said(lake: AsyncGraphRAG) -> None:
    with pytest.raises(NotFoundError, match=r"Did you mean file:///harbour/The%20ships.txt\?"):
        await lake.why(QUESTION, "The shipps.txt", SENTENCE)
    with pytest.raises(NotFoundError, match=r"No passage of 1\.txt has this sentence"):
        await lake.why(QUESTION, "1.txt", SENTENCE)
    with pytest.raises(InputError, match="The sentence"):
        await lake.why(QUESTION, "1.txt", " ")
    with pytest.raises(InputError, match="Leave out history"):
        await lake.why(QUESTION, "1.txt", FROGS, context_only=True)
