"""What files no longer have goes from the graph: pruned rows, and parts of a long text."""

import json
from pathlib import Path
from shutil import rmtree

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, ReadOptions
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.npmi import NamedByRow, TotalsRow
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from tests.conftest import Run
from tests.support.preset_backend import names

pytestmark = pytest.mark.one_release

BY_ID = ReadOptions(id_column="id")
TABLES = ("one.csv", "three.jsonl", "two.json")
LINES = {"a": "Marley was dead.", "b": "Scrooge knew it.", "c": "The clerk was cold."}


async def documents_of(graph: Graph) -> list[str]:
    """The sources of the documents in the graph, without the folder of their file."""
    rows = await graph.run_plain("MATCH (d:Document) RETURN d.source AS source ORDER BY source")
    return [row["source"].rpartition("/")[2] for row in rows]


def write_tables(folder: Path, *ids: str) -> None:
    """The rows with these ids as three kinds of files."""
    rows = [{"id": id_, "text": LINES[id_]} for id_ in ids]
    folder.mkdir(parents=True, exist_ok=True)
    csv = ["id,text", *(f"{row['id']},{row['text']}" for row in rows)]
    (folder / "one.csv").write_text("\n".join(csv))
    (folder / "two.json").write_text(json.dumps(rows))
    (folder / "three.jsonl").write_text("\n".join(json.dumps(row) for row in rows))


@pytest.mark.usefixtures("environment")
async def test_rows_that_are_gone_go_and_rows_that_moved_stay(
    graph: Graph, kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "docs"
    write_tables(folder, "a", "b", "c")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    read = ("index", folder, "--id-column", "id", "--json", "--model", "extractive")
    assert kg(*read).code == 0
    write_tables(folder, "c", "a")
    (folder / "one.csv").unlink()
    pruned = kg(*read, "--prune")
    uri = folder.as_uri()
    assert pruned.err.splitlines() == [
        f"Documents of {uri}/three.jsonl that are gone and are dropped from the graph: 1.",
        f"Documents of {uri}/two.json that are gone and are dropped from the graph: 1.",
    ]
    assert pruned.json["dropped"] == [f"{uri}/three.jsonl#b", f"{uri}/two.json#b"]
    # Other files have the rows of the file that is gone.
    moved = [f"{uri}/one.csv#{id_}" for id_ in "abc"]
    assert sorted(pruned.json["ingested"]["moved"]) == moved
    assert pruned.json["ingested"]["unchanged"] == 4
    assert await documents_of(graph) == [f"{file}#{id_}" for file in TABLES[1:] for id_ in "ac"]
    assert "Scrooge" not in await names(graph)


async def test_a_file_that_was_not_read_as_a_whole_keeps_its_rows(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    heard: list[Event] = []
    folder = tmp_path / "docs"
    async with AsyncGraphRAG(alone, heard.append) as rag:
        write_tables(folder, "a", "b", "c")
        await rag.index("docs", options=BY_ID)
        (folder / "one.csv").write_text("")  # it has lost its header
        (folder / "two.json").write_text('[{"id": "a", "text": "Marl')
        (folder / "three.jsonl").write_text('{"id": "a", "text": "Marley was dead."}\n{"id": "b",')
        pruned = await rag.index("docs", options=BY_ID, prune=True)
        assert len(await documents_of(graph)) == 9
        assert pruned.dropped == []
        warnings = [one.text for one in heard if isinstance(one, Notice) and one.warning]
        told = [text for text in warnings if "read as a whole" in text]
        for text, file, n in zip(told, TABLES, (3, 2, 3), strict=True):
            assert f"{file} was not read as a whole" in text
            assert f"stay in the graph: {n}," in text
        write_tables(folder, "a", "b", "c")
        await rag.index("docs", options=BY_ID)
        (folder / "one.csv").write_text("id,text\n")
        assert (await rag.index("docs", options=BY_ID, prune=True)).dropped == []
    assert len(await documents_of(graph)) == 9
    said = [event.text for event in heard if isinstance(event, Notice) and event.warning][-1]
    assert "one.csv holds no rows" in said
    assert "stay in the graph: 3;" in said


@pytest.mark.parametrize("root", [None, Path()])
@pytest.mark.parametrize("there", [True, False])
async def test_a_folder_is_deleted_with_all_that_was_read_from_it_and_nothing_else(
    graph: Graph, alone: Settings, tmp_path: Path, root: Path | None, there: bool
) -> None:
    options = ReadOptions(id_column="id", source_root=root)
    write_tables(tmp_path / "docs", "a", "b")
    write_tables(tmp_path / "docs" / "inner", "c")
    write_tables(tmp_path / "docs2", "c")
    others = ["docs/note", "https://a.example/docs/one.csv", "note:1", "docs3"]
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(["docs", "docs2"], options=options)
        await rag.index([Document("Marley was dead.", source) for source in others])
        if not there:
            rmtree(tmp_path / "docs")
        write_tables(tmp_path / "docs3", "a")  # not indexed
        for given in ("docs/*.csv", "docs/inner/none", "https:", "note/"):
            assert await rag.delete(given, options=options) == {given: []}
        inner = await rag.delete("docs/inner/", options=options)
        assert [one.rpartition("/docs/inner/")[2] for one in inner["docs/inner/"]] == [
            f"{'' if root is None else 'docs/inner/'}{table}#c" for table in TABLES
        ]
        given = str(tmp_path / "docs")
        assert len((await rag.delete(given, options=options))[given]) == 6
        assert await rag.delete("docs3", options=options) == {"docs3": ["docs3"]}
    left = [*(f"{table}#c" for table in TABLES), "note", "note:1", "one.csv"]
    assert sorted(await documents_of(graph)) == sorted(left)


async def test_a_folder_of_a_source_root_can_be_named_as_its_documents_are(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    write_tables(tmp_path / "corpus" / "old", "a")
    write_tables(tmp_path / "corpus" / "new", "b")
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        root = ReadOptions(id_column="id", source_root=tmp_path / "corpus")
        await rag.index("corpus", options=root)
        assert len(await documents_of(graph)) == 6
        await rag.index([Document("Marley was dead.", "https://a.example/")])
        assert len((await rag.delete("old/"))["old/"]) == 3
        await rag.delete("old/")
        told = [one.text for one in heard if isinstance(one, Notice) and one.warning]
        assert told == ["old/ is not in the graph."]
        rmtree(tmp_path / "corpus" / "new")
        pruned = await rag.index("corpus/new", options=root, prune=True)
        assert pruned.dropped == [f"new/{table}#b" for table in TABLES]
        assert pruned.notices == []
        with pytest.raises(InputError, match="corpus/new matches no file"):
            await rag.index("corpus/new", options=root, prune=True)
        with pytest.raises(InputError, match="corpus/new matches no file"):
            await rag.index("corpus/new", options=root)


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
            assert await documents_of(graph) == parts
            assert await text_of(graph) == text
        file.write_text(THREE[:FOUR_LINES])
        shorter = await rag.index(file)
        assert shorter.ingested.unchanged == 1
        assert shorter.dropped == [f"{file.as_uri()}#part-2", f"{file.as_uri()}#part-3"]
        assert await documents_of(graph) == three[:1]
        assert await rag.delete(file) == {str(file): [file.as_uri()]}
        # Where the rest of a text cannot be read, its parts stay.
        file.write_text(THREE)
        await rag.index(file)
        file.write_bytes(THREE[:200].encode() + b"\xe9")
        wrong = ReadOptions(encoding="ascii")
        assert list((await rag.index(file, options=wrong)).unreadable) == [file.as_uri()]
        assert await documents_of(graph) == three


async def test_the_parts_of_a_text_are_one_document_where_documents_are_counted(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    """What many documents name weighs less in the communities of an extractive graph."""
    file = tmp_path / "log.txt"
    file.write_text("".join(f"Jacob Marley met Bob Cratchit on day {n}.\n" for n in range(10, 26)))
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(file)
    assert len(await documents_of(graph)) > 5
    rows = await graph.read_bulk("communities/counts", NamedByRow, after="", last="\uffff")
    assert {row["documents"] for row in rows} == {1}
    [total] = await graph.read("communities/chunks", TotalsRow)
    assert total["documents"] == 1
    placed = await graph.run_plain("MATCH (e:Entity)-[:IN_COMMUNITY]->() RETURN e.name AS name")
    assert {"Jacob Marley", "Bob Cratchit"} <= {row["name"] for row in placed}


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
    assert await documents_of(graph) == ["rows.csv#part-2", "rows.csv#part-3", "log", "log#part-2"]
