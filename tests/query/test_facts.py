"""What the graph itself answers without a model: lists of a type, and how two are related."""

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.query.facts import UNRELATED
from graphrag_neo4j.rules.asking import COUNTED
from graphrag_neo4j.settings import Settings

TEXTS = (
    "Ada Lovelace met Charles Babbage at a party in London. Ada Lovelace wrote letters to him.",
    "Mary Somerville taught Ada Lovelace mathematics. Ada Lovelace lived in London.",
    "Niels Bohr worked in Copenhagen. Niels Bohr had a horseshoe over his door.",
)
DOCUMENTS = [Document(text, f"{n}.txt", f"Letter {n}") for n, text in enumerate(TEXTS, start=1)]
ADA, CHARLES, MARY, NIELS = "Ada Lovelace", "Charles Babbage", "Mary Somerville", "Niels Bohr"


@pytest.mark.usefixtures("graph")
async def test_the_graph_answers_which_and_how_many_and_how_two_are_related(
    alone: Settings,
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(DOCUMENTS)).complete
        people = await rag.query("Which people are mentioned?")
        many = await rag.query("How many people are there?")
        one = await rag.query("Which people are mentioned?", where="title=Letter 3")
        vaccines = await rag.query("How many vaccines are mentioned?")
        met = await rag.query(f"How are {ADA} and {CHARLES} related?")
        through = await rag.query(f"What is the connection between {MARY} and {CHARLES}?")
        apart = await rag.query(f"How are {ADA} and {NIELS} related?")
        basic = await rag.query("Which people are mentioned?", method="basic")
    said, first, *others = people.text.splitlines()
    assert said.startswith("The documents name 4 entities of the type person. Those in most ")
    assert first.startswith(f"- {ADA}, in 2 passages of 2 documents [Data: Entities (")
    assert [line[2:].partition(",")[0] for line in others] == [CHARLES, MARY, NIELS]
    assert (many.text, list(many.notices)) == (people.text, [])
    assert [citation.title for citation in one.citations] == [NIELS]
    assert list(vaccines.notices)[:1] == [COUNTED]
    assert f"{ADA} met {CHARLES}" in met.text
    assert "1.txt (Letter 1)" in met.text
    assert {citation.kind for citation in met.citations} == {"Relationships"}
    assert through.text.startswith(
        f"No passage relates {MARY} and {CHARLES} directly. They are connected through: {ADA}."
    )
    assert f"{MARY} taught" in through.text
    assert list(apart.notices) == [UNRELATED.format(ADA, NIELS)]
    assert not basic.text.startswith("The documents name")
    assert all(one.supported for answer in (people, met, through) for one in answer.citations)
