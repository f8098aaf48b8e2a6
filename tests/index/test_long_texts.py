"""A very long text is in the graph as several documents, which follow its file."""

from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, ReadOptions
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from tests.index.test_vanished_rows import names

pytestmark = pytest.mark.one_release

THREE = "".join(f"Marley was dead on day {day}.\n" for day in range(10, 22))
FOUR_LINES = 4 * 27  # characters


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_neo4j.documents.text.LARGEST_PART", FOUR_LINES)


async def text_of(graph: Graph) -> str:
    """The texts of all chunks, in the order of their documents."""
    rows = await graph.run_plain(
        "MATCH (d:Document)<-[:PART_OF]-(c:Chunk) RETURN c.text AS text ORDER BY d.source, c.index"
    )
    return "".join(row["text"] for row in rows)


async def test_the_documents_follow_a_text_that_becomes_shorter_and_longer(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "log.txt"
    three = ["log.txt", "log.txt#part-2", "log.txt#part-3"]
    async with AsyncGraphRAG(alone) as rag:
        for text, parts in ((THREE, three), (THREE[:200], three[:2]), (THREE, three)):
            file.write_text(text)
            assert (await rag.index(file)).complete
            assert await names(graph) == parts
            assert await text_of(graph) == text
        file.write_text(THREE[:FOUR_LINES])
        shorter = await rag.index(file)
        assert shorter.ingested.unchanged == 1
        assert shorter.dropped == [f"{file.as_uri()}#part-2", f"{file.as_uri()}#part-3"]
        assert await names(graph) == three[:1]
        assert await rag.delete(file) == {str(file): [file.as_uri()]}


async def test_the_parts_of_a_text_are_one_document_where_documents_are_counted(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    """In each of five documents, a name would be left out of the communities."""
    file = tmp_path / "log.txt"
    file.write_text("".join(f"Jacob Marley met Bob Cratchit on day {n}.\n" for n in range(10, 26)))
    events: list[Event] = []
    async with AsyncGraphRAG(alone, events.append) as rag:
        await rag.index(file)
    assert len(await names(graph)) > 5
    told = [one.text for one in events if isinstance(one, Notice)]
    assert not [text for text in told if "more than half" in text]
    rows = await graph.run_plain("MATCH (e:Entity)-[:IN_COMMUNITY]->() RETURN e.name AS name")
    assert {"Jacob Marley", "Bob Cratchit"} <= {row["name"] for row in rows}


async def test_parts_stay_where_the_rest_of_a_text_cannot_be_read(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "log.txt"
    async with AsyncGraphRAG(alone) as rag:
        file.write_text(THREE)
        await rag.index(file)
        file.write_bytes(THREE[:200].encode("utf-16") + b"\x00\xd8")  # half a character
        broken = await rag.index(file)
    assert list(broken.unreadable) == [file.as_uri()]
    assert await names(graph) == ["log.txt", "log.txt#part-2", "log.txt#part-3"]


async def test_what_only_looks_like_a_part_stays(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    rows = ["text,id", "Marley was dead.,part-2", "Scrooge knew it.,part-3"]
    file, options = tmp_path / "rows.csv", ReadOptions(id_column="id")
    one, two = Document("Marley was dead.", "log"), Document("Scrooge knew it.", "log#part-2")
    async with AsyncGraphRAG(alone) as rag:
        for lines in (rows, rows[:2]):
            file.write_text("\n".join(lines))
            await rag.index(file, options=options)
        for documents in ([one, two], [one]):
            await rag.index(documents)
    assert await names(graph) == ["rows.csv#part-2", "rows.csv#part-3", "log", "log#part-2"]
