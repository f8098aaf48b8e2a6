"""What the graph itself answers without a model: lists of a type, and how two are related."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
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


ROWS = [
    (
        f"Order {n}",
        ("North", "south ", "East")[n % 3],
        n * 1.25,
        1 + n % 7,
        f"2021-{1 + n % 12:02}-05",
    )
    for n in range(120)
]
TABLE = "title,region,price,pieces,sent,text\n" + "".join(
    f'{title},{region},{price},{pieces},{sent},"{title} went to the {region} in a box."\n'
    for title, region, price, pieces, sent in ROWS
)
COMPUTED: dict[str, Callable[[], float]] = {
    "How many rows are above 100?": lambda: 0,
    "How many rows have a price above 100?": lambda: sum(row[2] > 100 for row in ROWS),
    "How many orders from the south have a price of at least 80?": lambda: sum(
        row[1] == "south " and row[2] >= 80 for row in ROWS
    ),
    "What is the average price?": lambda: sum(row[2] for row in ROWS) / len(ROWS),
    "What is the total number of pieces of orders of region East?": lambda: sum(
        row[3] for row in ROWS if row[1] == "East"
    ),
    "Which orders were sent in April 2021?": lambda: sum(row[4][:7] == "2021-04" for row in ROWS),
    "How many pieces above 5 were sent since September 2021?": lambda: sum(
        row[3] > 5 and row[4] >= "2021-09" for row in ROWS
    ),
    "List the 2 orders with the highest price.": lambda: ROWS[-1][2],
    "Which order has the lowest price?": lambda: ROWS[0][2],
}


async def test_rows_of_a_table_are_counted_and_the_shown_statement_counts_the_same(
    alone: Settings, settings: Callable[..., Settings], graph: Graph, tmp_path: Path
) -> None:
    file = tmp_path / "orders 2021.csv"
    file.write_text(TABLE, encoding="utf-8")
    answers = {}
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(file)).complete
        answers = {question: await rag.query(question) for question in COMPUTED}
        more = await rag.query("How many rows have a price above 100 and are red?")
    for question, right in COMPUTED.items():
        answer = answers[question]
        if question == "How many rows are above 100?":  # a price, or a number of pieces
            assert answer.notices[0].startswith("This is beyond what the graph computes")
            assert "orders 2021.csv (pieces, price, sent)" in answer.notices[0]
            continue
        assert not answer.notices
        told = re.findall(r"\d+(?:\.\d+)?", answer.text.replace(",", ""))
        assert f"{right():.10g}" in told, (question, answer.text)
        shown = answer.text.partition("```cypher\n")[2].removesuffix("\n```")
        [first, *_] = await graph.run_plain(shown)
        assert pytest.approx(right()) in first.values(), question
        assert all(one.supported for one in answer.citations)
    assert "of orders 2021.csv with price >= 80 and region = south:" in "".join(
        one.text for one in answers.values()
    )
    assert "cypher" not in more.text
    async with AsyncGraphRAG(settings(embedding_model="static")) as rag:
        by_model = await rag.query("Which orders cost more than 140 apiece?", method="local")
        none = await rag.query("Which orders cost a lot?", method="local")
    assert not by_model.notices
    assert by_model.text.startswith("The graph has 7 rows of orders 2021.csv with price > 140:")
    assert "Order 119" in by_model.text
    assert by_model.usage["rating"].calls == 1
    assert "cypher" not in none.text
