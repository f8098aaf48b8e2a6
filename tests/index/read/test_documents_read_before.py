"""A graph keeps the texts that an earlier version of a reader gave of the same files, until asked.

What is kept of the metadata that programs bring is also told here.
"""

import os
import time
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from langchain_core.documents import Document as LangChainDocument

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.settings import Settings

pytestmark = pytest.mark.one_release

BEFORE = """MATCH (d:Document) SET d.content_hash = 'another text', d.title = 'Before', d.reader = 1
REMOVE d.meta_author, d.metadata"""
OLDER = BEFORE + " REMOVE d.reader, d.file_hash"
DAY = 86_400  # seconds


async def titles(graph: Graph) -> list[tuple[str, int]]:
    found = await graph.run_plain("MATCH (d:Document) RETURN d.title AS title, d.reader AS reader")
    return [(row["title"], row["reader"]) for row in found]


async def test_the_text_of_an_unchanged_file_stays_until_it_is_asked_for(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    file.write_text("---\nauthor: Ada\n---\n# New\n\n[Ada](http://x) met Charles Babbage.\n")
    async with AsyncGraphRAG(alone) as rag:
        assert (await rag.index(tmp_path)).ingested.added == 1
        new = await titles(graph)
        assert new == [("New", 2)]
        for statement, hours in ((BEFORE, 0), (OLDER, -DAY)):
            await graph.run_plain(statement)
            os.utime(file, (time.time() + hours,) * 2)
            built = await rag.index(tmp_path)
            assert (built.ingested.unchanged, built.ingested.changed) == (1, 0)
            [notice] = built.notices
            assert notice.startswith("1 document keeps its text as an earlier version")
            assert "--again documents reads it again." in notice
            assert await titles(graph) == [("Before", 1)]
            row = (await graph.run_plain("MATCH (d:Document) RETURN d.meta_author AS author"))[0]
            assert row["author"] == "Ada"  # metadata cost nothing
        file.write_text(file.read_text() + "It rained.\n")  # its hash is known by now
        assert (await rag.index(tmp_path)).ingested.changed == 1
        await graph.run_plain(BEFORE)
        built = await rag.index(tmp_path, again="documents")
        assert (built.ingested.changed, built.notices) == (1, [])
        assert await titles(graph) == new
        await graph.run_plain(OLDER)
        os.utime(file, (time.time() + DAY,) * 2)  # changed since the last build
        assert (await rag.index(tmp_path)).ingested.changed == 1


async def test_an_index_of_words_that_lacks_a_property_is_made_again(
    graph: Graph, alone: Settings
) -> None:
    """Earlier versions had none for words that the end of a line divides."""
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document("Ada met Bob.", "a")])
        await graph.run_plain("DROP INDEX kg_chunk_text")
        await graph.run_plain("CREATE FULLTEXT INDEX kg_chunk_text FOR (x:Chunk) ON EACH [x.text]")
        await rag.index([Document("The finan-\ncial year of Ada.", "b")])
        found = await rag.query("financial", method="text", context_only=True)
    assert "finan-" in found.context[0].text


async def test_metadata_of_programs_are_dates_numbers_and_lists_or_told(
    graph: Graph, alone: Settings
) -> None:
    metadata = {
        "created": datetime(2019, 5, 1, 12),
        "day": date(2024, 1, 2),
        "price": Decimal("1.5"),
        "tags": ["a", "b"],
        "nested": {"when": date(2020, 1, 1)},
        "odd": object(),
        "none": None,
    }
    documents = [
        Document("Ada Lovelace met Charles Babbage.", "a", metadata=metadata),
        LangChainDocument("Grace Hopper met Ada Lovelace.", metadata={"source": "b", **metadata}),
    ]
    async with AsyncGraphRAG(alone) as rag:
        built = await rag.index(documents)
        [notice] = built.notices
        assert notice.startswith("2 documents have metadata 'odd' that can't be kept")
        for where, n in (
            ("created<2000-01-01", 0),
            ("created<2020-01-01", 2),
            ("day=2024", 2),
            ("price>=1.5", 2),
            ("tags=b", 2),
        ):
            answer = rag.query("Who met Ada Lovelace?", method="basic", where=where)
            if n:
                assert (await answer).citations
            else:
                with pytest.raises(Exception, match="No document has"):
                    await answer
    rows = await graph.run_plain("MATCH (d:Document) RETURN d.meta_nested AS nested")
    assert [row["nested"] for row in rows] == ['{"when": "2020-01-01"}'] * 2
