"""Documents and chunks in a real Neo4j: what a change costs, and what it leaves alone."""

import json
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest

from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.graph.connection import Graph, PlainRow, Transaction
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.read import documents as in_graph
from graphrag_neo4j.index.read import ingest as ingesting
from graphrag_neo4j.index.read.documents import (
    delete_documents,
    document_id,
    drop_moved,
    name_files,
)
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.types import Document, T
from tests.support.preset_backend import PresetBackend, documents, found, names, put, read

SMALL = Cutting(50, 20)
SENTENCES = [
    f"On the {n}th day Scrooge went to the house of Marley and counted {n} coins of gold "
    f"that nobody had ever seen in the town of {name}, as the clerk told us later. "
    for n, name in enumerate(["Camden", "Ealing", "Hackney", "Lambeth", "Barnet", "Sutton"], 4)
]
TEXT = "".join(SENTENCES)


async def chunks(graph: Graph) -> list[PlainRow]:
    return await graph.run_plain(
        "MATCH (c:Chunk)-[:PART_OF]->(d:Document) RETURN c.id AS id, c.ref AS ref, c.text AS text,"
        " c.start AS start, c.end AS end, c.extraction AS extraction, d.source AS source"
        " ORDER BY source, c.index"
    )


async def only_document(graph: Graph) -> PlainRow:
    [row] = await graph.run_plain("MATCH (d:Document) RETURN properties(d) AS d")
    return dict(row["d"])


async def test_unchanged_documents_cost_no_write(graph: Graph) -> None:
    twice = [*documents(TEXT, "Marley was dead."), Document("Scrooge was not.", "memory:0")]
    result = await put(graph, twice)
    assert (result.added, result.repeated) == (2, ["memory:0"])  # the first is kept
    graph.lease = "nobody's, so that any write would be refused"
    again = await put(graph, documents(TEXT, "Marley was dead."))
    assert (again.added, again.changed, again.unchanged, again.chunks) == (0, 0, 2, 0)


async def test_a_changed_document_keeps_what_was_read_in_chunks_that_did_not_change(
    graph: Graph,
) -> None:
    """All chunks stand in their document where they say, and form a chain."""
    await put(graph, documents(TEXT, TEXT[::-1]), SMALL)
    before = {row["id"]: row for row in await chunks(graph)}
    read_as = {row["text"]: row["text"][:20].strip() for row in before.values()}
    said = {text: found((name, "day", "A day.")) for text, name in read_as.items()}
    await read(graph, PresetBackend(said))
    texts = TEXT.replace("7 coins", "seven coins"), TEXT[::-1]
    result = await put(graph, documents(*texts), SMALL)
    assert (result.added, result.changed, result.unchanged) == (0, 1, 1)
    after = {row["id"]: row for row in await chunks(graph)}
    kept = before.keys() & after.keys()
    assert 0 < len(kept) < len(before)
    for id_, row in after.items():
        assert row["extraction"] == ("done" if id_ in kept else "pending")
        assert id_ not in kept or row["ref"] == before[id_]["ref"]
    mentions = await graph.run_plain("MATCH (c:Chunk)-[:MENTIONS]->(e:Entity) RETURN c.id AS id")
    assert {row["id"] for row in mentions} == kept
    assert set(await names(graph)) == {read_as[after[id_]["text"]] for id_ in kept}
    chain = await graph.run_plain("MATCH (a:Chunk)-[:NEXT]->(b) RETURN a.id AS a, b.id AS b")
    links: list[tuple[str, str]] = []
    for n, text in enumerate(texts):
        of_text = [row for row in after.values() if row["source"] == f"memory:{n}"]
        assert all(row["text"] == text[row["start"] : row["end"]] for row in of_text)
        links += pairwise(row["id"] for row in of_text)
    assert sorted((row["a"], row["b"]) for row in chain) == sorted(links)


async def test_changed_metadata_alone_rewrites_no_chunk(graph: Graph) -> None:
    await put(graph, [Document(TEXT, "memory:0", "", {"year": 1843, "old": 1})])
    before = await chunks(graph)
    result = await put(graph, [Document(TEXT, "memory:0", "", {"year": 1844})])
    assert (result.unchanged, result.changed, result.chunks) == (1, 0, 0)
    kept = await only_document(graph)
    assert json.loads(kept["metadata"]) == {"year": 1844}
    assert kept["meta_year"] == 1844
    assert "meta_old" not in kept
    assert await chunks(graph) == before


async def test_prepended_metadata_reaches_the_model_and_moves_no_offset(graph: Graph) -> None:
    cutting = Cutting(600, 100, ("title", "year", "missing"))
    told = PresetBackend()
    for year in (1843, 1844):
        await put(graph, [Document(TEXT, "memory:0", "A Carol", {"year": year})], cutting)
        await read(graph, told)
    assert [(heard.header, heard.text) for heard in told.heard] == [
        (f"title: A Carol\nyear: {year}", TEXT) for year in (1843, 1844)
    ]
    [chunk] = await chunks(graph)
    assert (chunk["start"], chunk["end"], chunk["text"]) == (0, len(TEXT), TEXT)


async def test_what_neo4j_cannot_store_is_replaced_and_counted(graph: Graph) -> None:
    odd = Document("Marley\0 was \ud800dead.", "memory:\udcff", "A\0", {"b\0": "\udfff"})
    assert (await put(graph, [odd])).replaced == 6
    kept = await only_document(graph)
    assert (kept["source"], kept["title"]) == ("memory:\ufffd", "A\ufffd")
    assert kept["meta_b\ufffd"] == "\ufffd"
    [chunk] = await chunks(graph)
    assert chunk["text"] == "Marley\ufffd was \ufffddead."
    assert (await put(graph, [odd])).unchanged == 1


async def test_other_chunk_settings_cut_nothing_again_unless_asked_to(graph: Graph) -> None:
    await put(graph, documents(TEXT))
    before = await dump(graph)
    result = await put(graph, documents(TEXT), SMALL)
    assert (result.unchanged, result.cut_otherwise) == (1, 1)
    assert await dump(graph) == before
    result = await put(graph, documents(TEXT), SMALL, recut=True)
    assert (result.changed, result.cut_otherwise) == (1, 0)
    assert len(await chunks(graph)) > 3


async def test_text_that_looks_like_cypher_is_only_text(graph: Graph) -> None:
    nasty = "'}) DETACH DELETE n // `\"; MATCH (n) DETACH DELETE n; $rows {{}} \\"
    await put(graph, documents("Marley was dead."))
    await put(graph, [Document(nasty, nasty, nasty, {nasty: nasty})])
    said = {nasty: found((nasty, nasty, nasty), (nasty, "Marley", nasty, 3.0))}
    await read(graph, PresetBackend(said))
    kept = (await dump(graph))[f"Document:{document_id(nasty)}"]
    assert kept["source"] == kept["title"] == kept[f"meta_{nasty}"] == nasty
    assert {row["text"] for row in await chunks(graph)} == {nasty, "Marley was dead."}
    assert nasty in await names(graph)


async def test_a_large_document_that_was_not_finished_is_cut_again(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(graph, documents(TEXT), SMALL)
    whole = await dump(graph)
    await put(graph, documents("Marley was dead."), SMALL)
    monkeypatch.setattr(ingesting, "PART", 2)
    with pytest.raises(RuntimeError, match="pulled the plug"):
        await put(PullsThePlug(graph, after=3), documents(TEXT), SMALL)
    assert await dump(graph) != whole
    await put(graph, documents(TEXT), SMALL)
    assert await dump(graph) == whole


@pytest.mark.parametrize("left", ["Marley was dead.", None])
async def test_many_chunks_are_removed_in_several_transactions(
    left: str | None, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Document("Scrooge knew it.", "memory:other")
    start = [*documents(TEXT), other]

    async def shrink(graph: Graph) -> None:
        if left is None:
            await delete_documents(graph, [document_id(start[0].source)])
        else:
            await put(graph, documents(left), SMALL)

    await put(graph, start, SMALL)
    said = [row["text"] for row in await chunks(graph)]
    backend = PresetBackend(
        {text: found((f"Bob{n}", "x", "B."), (f"Al{n}", "x", "A.")) for n, text in enumerate(said)}
    )
    await read(graph, backend)
    full = await dump(graph)
    await shrink(graph)
    shrunk = await dump(graph)
    monkeypatch.setattr(in_graph, "REMOVED", 2)
    for moment in range(1, 4):
        await put(graph, start, SMALL)
        await read(graph, backend)
        with pytest.raises(RuntimeError, match="pulled the plug"):
            await shrink(PullsThePlug(graph, after=moment + 1 + (left is None)))
        assert await dump(graph) not in (full, shrunk)
        [failed] = (await read_status(graph)).failures
        assert (failed.stage, failed.what) == ("ingest", "memory:0")
        assert "repeat the command" in failed.reason
        await shrink(graph)
        assert await dump(graph) == shrunk


class PullsThePlug(Graph):
    """A graph that fails after so many transactions."""

    def __init__(self, graph: Graph, after: int) -> None:
        super().__init__(graph._driver, graph.address, graph._auth, graph.database, graph.version)
        self.left = after

    async def transact(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        **options: Any,  # noqa: ANN401 - those of the graph
    ) -> T:
        if not self.left:
            raise RuntimeError("pulled the plug")
        self.left -= 1
        return await super().transact(work, **options)


async def test_a_copy_shares_chunks_and_takes_them_over(graph: Graph) -> None:
    """A copy is read for nothing; when its original changes or goes, it keeps ids and numbers."""
    told = PresetBackend({})
    first, copy = Document(TEXT, "a/one.txt", "one.txt"), Document(TEXT, "b/two.txt", "two.txt")
    await put(graph, [first], SMALL)
    await read(graph, told)
    before, heard = await chunks(graph), len(told.heard)
    result = await put(graph, [first, copy], SMALL)
    await read(graph, told)
    assert (result.added, result.unchanged) == (1, 1)
    assert await chunks(graph) == before
    assert len(told.heard) == heard
    assert (await put(graph, [first, copy], SMALL)).unchanged == 2
    await delete_documents(graph, [document_id("a/one.txt")])
    now = await chunks(graph)
    assert {row["source"] for row in now} == {"b/two.txt"}
    assert [(row["id"], row["ref"]) for row in now] == [(row["id"], row["ref"]) for row in before]
    # Whatever comes to the old place gets chunks of its own, and so does an edit of the copy.
    edited = Document(TEXT.replace("7 coins", "seven coins"), "a/one.txt", "one.txt")
    await put(graph, [edited, copy], SMALL)
    rows = await chunks(graph)
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["source"] for row in rows} == {"a/one.txt", "b/two.txt"}
    await put(graph, [edited, Document(TEXT[::-1], "b/two.txt", "two.txt")], SMALL)
    await delete_documents(graph, [document_id("b/two.txt")])
    assert {row["source"] for row in await chunks(graph)} == {"a/one.txt"}


async def test_an_original_that_is_edited_leaves_its_chunks_to_the_copy(graph: Graph) -> None:
    told = PresetBackend({})
    given = [Document(TEXT, f"{name}.txt", f"{name}.txt") for name in ("a", "b", "c")]
    await put(graph, given, SMALL)
    await read(graph, told)
    before = await chunks(graph)
    assert {row["source"] for row in before} == {"a.txt"}
    edited = Document(f"{TEXT}More.", "a.txt", "a.txt")
    await put(graph, [edited, *given[1:]], SMALL)
    now = await chunks(graph)
    owned = "MATCH (c:Chunk)-[:PART_OF]->(d) RETURN DISTINCT c.document = d.id AS owned"
    assert await graph.run_plain(owned) == [{"owned": True}]
    kept = [row["id"] for row in now if row["source"] == "b.txt"]
    assert kept == [row["id"] for row in before]
    assert {row["source"] for row in now} == {"a.txt", "b.txt"}
    await delete_documents(graph, [document_id("b.txt")])
    assert [row["id"] for row in await chunks(graph) if row["source"] == "c.txt"] == kept


async def test_what_is_gone_leaves_its_chunks_to_another_file_with_its_text(graph: Graph) -> None:
    old, new = (Document(TEXT, f"{name}.md", f"{name}.md") for name in ("report", "old-report"))
    await put(graph, [old], SMALL)
    before = [row["id"] for row in await chunks(graph)]
    # The old name is taken by another text in the same run.
    await put(graph, [Document(TEXT[::-1], "report.md", "report.md"), new], SMALL)
    rows = await chunks(graph)
    assert [row["id"] for row in rows if row["source"] == "old-report.md"] == before
    third = Document(TEXT, "third.md", "third.md")
    await put(graph, [new, third], SMALL)
    assert await drop_moved(graph, {"old-report.md", "third.md"}.__contains__) == []
    with pytest.raises(RuntimeError, match="pulled the plug"):
        await drop_moved(PullsThePlug(graph, after=0), "old-report.md".__eq__)
    assert await drop_moved(graph, "old-report.md".__eq__) == ["old-report.md"]
    rows = await chunks(graph)
    assert [row["id"] for row in rows if row["source"] == "third.md"] == before


async def test_files_of_one_name_are_told_apart_by_folders(graph: Graph) -> None:
    async def named(*sources: str) -> list[str]:
        await put(graph, [Document(f"Text of {one}.", one, "x.md") for one in sources])
        await name_files(graph)
        rows = await graph.run_plain("MATCH (d:Document) RETURN d.name AS n ORDER BY d.source")
        return [row["n"] for row in rows]

    assert await named("file:///a/x.md") == ["x.md"]
    assert await named("file:///b/x.md", "file:///b/y.csv#1") == ["a/x.md", "b/x.md", "y.csv"]
    await delete_documents(graph, [document_id("file:///a/x.md")])
    assert await named() == ["x.md", "y.csv"]
