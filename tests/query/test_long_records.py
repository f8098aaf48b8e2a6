"""Records that are longer than a context: what a question asks about is shortened, not left out."""

from typing import Any

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.settings import Settings

TOLD = (
    "Zebulon Quarles met Nora Ness in Oslo. Nora Ness lives in Oslo. "
    "Zebulon Quarles and Omar Oduya went to Malta. Omar Oduya wrote to Nora Ness from Malta."
)
ASKED = "Who is Zebulon Quarles?"
SENTENCE = "He carved a boat for the harbour of the village. "
LONG = "Zebulon Quarles is the ferryman. " + SENTENCE * 1_500  # about 15,000 tokens
CLAIM = """MATCH (e:Entity {name: 'Zebulon Quarles'})
CREATE (c:Claim:KgBuild {id: 'k', ref: 1, type: 'event', description: $text})
CREATE (c)-[:SUBJECT {name: e.name}]->(e)"""


@pytest.fixture
async def told(graph: Graph, alone: Settings) -> Settings:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document(TOLD, "tale.txt", "Tale")])
    assert (await graph.run_plain("MATCH (e:Entity {name: 'Zebulon Quarles'}) RETURN e.id AS id"))[
        0
    ]
    return alone


async def describe(graph: Graph, *names: str) -> None:
    """Gives entities a description that no context has room for."""
    await graph.run_plain(
        "MATCH (e:Entity) WHERE e.name IN $names SET e.description = $text", names=names, text=LONG
    )


async def ask(
    settings: Settings,
    question: str = ASKED,
    **how: Any,  # noqa: ANN401 - options of a question
) -> tuple[Answer, list[str]]:
    heard: list[Event] = []
    async with AsyncGraphRAG(settings, heard.append) as rag:
        answer = await rag.query(question, context_only=True, **how)
    assert all(table.tokens <= table.budget for table in answer.context)
    return answer, [one.text for one in heard if isinstance(one, Notice) and one.warning]


@pytest.mark.parametrize("where", [(), "source=tale.txt"])
async def test_an_entity_with_a_very_long_description_is_in_the_context_of_a_question_on_it(
    graph: Graph, told: Settings, where: str
) -> None:
    await describe(graph, "Zebulon Quarles", "Nora Ness")
    if where:  # of a selection, the descriptions are those of its chunks
        await graph.run_plain("MATCH ()-[m:MENTIONS]->() SET m.descriptions = [$text]", text=LONG)
    answer, said = await ask(told, method="local", where=where)
    table = answer.context[0]
    entities = {r.text.split(" | ")[0]: r for r in table.by_kind()["Entities"]}
    assert " | Zebulon Quarles is the ferryman." in entities["Zebulon Quarles"].text
    assert entities["Zebulon Quarles"].text.endswith(SENTENCE.strip())
    assert {"Relationships", "Sources"} <= table.by_kind().keys()  # it leaves room for the others
    assert "Nora Ness" in entities
    assert said == []


async def test_what_is_asked_about_and_has_no_room_is_told(graph: Graph, told: Settings) -> None:
    names = ["Zebulon Quarles", "Nora Ness", "Omar Oduya"]
    await describe(graph, *names)
    answer, said = await ask(
        told, f"What do {', '.join(names)} do?", method="local", max_context_tokens=500
    )
    entities = answer.context[0].by_kind()["Entities"]
    held = [name for name in names if any(r.text.startswith(f"{name} | ") for r in entities)]
    missing = [name for name in names if name not in held]
    assert held
    assert missing
    [notice] = [one for one in said if "no room" in one]
    assert all(name in notice for name in missing)
    assert not any(name in notice for name in held)


@pytest.mark.parametrize("method", ["local", "basic"])
async def test_a_passage_and_a_claim_that_are_longer_than_the_budget_are_shortened(
    graph: Graph, told: Settings, method: str
) -> None:
    await graph.run_plain("MATCH (c:Chunk) SET c.text = $text", text=TOLD + " " + LONG)
    await graph.run_plain(CLAIM, text=LONG)
    answer, _ = await ask(told, method=method)
    kinds = answer.context[0].by_kind()
    [source] = kinds["Sources"]
    assert source.text.startswith("(Tale) Zebulon Quarles met Nora Ness in Oslo.")
    assert source.text.endswith(".")
    assert source.pieces
    assert kinds.get("Claims") or method == "basic"
