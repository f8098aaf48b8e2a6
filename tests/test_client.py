"""What a Python user imports: in a script, in a running loop, in threads; sources and deletion."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langchain_core.documents import Document as LangChainDocument

from graphrag_neo4j import (
    AsyncGraphRAG,
    Document,
    GraphBusyError,
    GraphError,
    GraphRAG,
    InputError,
    ReadOptions,
)
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint, text_hash

pytestmark = pytest.mark.one_release

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."


async def sources(graph: Graph) -> list[str]:
    rows = await graph.run_plain("MATCH (d:Document) RETURN d.source AS source ORDER BY source")
    return [row["source"] for row in rows]


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(text)


@pytest.mark.usefixtures("graph", "environment")
def test_a_script_indexes_and_asks_for_the_state_without_a_warning(tmp_path: Path) -> None:
    script = (
        "import logging\n"
        "logging.getLogger('asyncio').setLevel('ERROR')  # dev mode tells what takes long\n"
        "from graphrag_neo4j import Document, GraphRAG\n"
        "with GraphRAG.from_env(gleanings=0) as rag:\n"
        f"    built = rag.index([Document({TALE!r}, 'memory:0')])\n"
        "    print(built.complete, rag.status().counts['documents'])\n"
        "    print(rag.delete('memory:0'))\n"
    )
    done = subprocess.run(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-X", "dev", "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert done.stdout == "True 1\n{'memory:0': ['memory:0']}\n"


async def test_it_works_where_a_loop_runs_already(graph: Graph, alone: Settings) -> None:
    assert asyncio.get_running_loop().is_running()
    with GraphRAG(alone) as rag:
        built = rag.index([Document(TALE, "memory:0")])
    assert built.ingested.added == 1
    assert await sources(graph) == ["memory:0"]


@pytest.mark.usefixtures("graph")
def test_threads_share_one_and_only_one_of_them_writes(alone: Settings) -> None:
    with GraphRAG(alone) as rag, ThreadPoolExecutor(4) as threads:
        states = list(threads.map(lambda _: rag.status(), range(8)))
        assert all(state.counts["documents"] == 0 for state in states)

        def index(n: int) -> bool:
            try:
                rag.index(Document(f"{TALE} {i}", f"memory:{n}-{i}") for i in range(50))
            except GraphBusyError:
                return False
            return True

        assert any(list(threads.map(index, range(4))))  # of all, so that none still writes
        assert rag.status().counts["documents"] % 50 == 0
        outcomes = {build["outcome"] for build in rag.status().builds}
    assert outcomes == {"done"}


async def test_documents_may_come_from_any_iterable(graph: Graph, alone: Settings) -> None:
    def given() -> Iterator[object]:
        yield Document(TALE, "ours")
        yield LangChainDocument(page_content=TALE, metadata={"source": "theirs", "page": 3})
        yield LangChainDocument(page_content=TALE, id="named")

    async with AsyncGraphRAG(alone) as rag:
        await rag.index(given())
        await rag.index((Document(TALE, "in a tuple"),))
    assert await sources(graph) == ["in a tuple", "named", "ours", "theirs#page=3"]
    rows = await graph.run_plain("MATCH (d {source: 'theirs#page=3'}) RETURN d.meta_page AS page")
    assert rows == [{"page": 3}]


async def test_what_is_no_document_ends_the_run_with_a_sentence(
    graph: Graph, alone: Settings
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(InputError, match="A dict is not a Document"):
            await rag.index([{"text": TALE}])
    rows = await graph.run_plain("MATCH (b:Build) RETURN b.outcome AS outcome")
    assert rows == [{"outcome": "failed"}]


def test_no_server_may_be_started_where_that_is_off(settings: Make) -> None:
    apart = settings(neo4j_uri=None, embedded=False)
    with pytest.raises(GraphError, match="No Neo4j is set: set NEO4J_URI"), GraphRAG(apart):
        pass


async def test_files_are_deleted_by_source_and_by_path(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    write(tmp_path / "docs", a=TALE, b=TALE, c=TALE)
    async with AsyncGraphRAG(alone) as rag:
        await rag.index("docs")
        a, b, c = await sources(graph)
        found = await rag.delete("docs/a.txt", b, tmp_path / "docs" / "d.txt")
    assert found == {"docs/a.txt": [a], b: [b], str(tmp_path / "docs" / "d.txt"): []}
    assert await sources(graph) == [c]


async def test_relative_sources_are_deleted_from_anywhere(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    write(tmp_path / "docs", a=TALE, b=TALE, c=TALE)
    rooted = ReadOptions(source_root=tmp_path / "docs")
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(tmp_path / "docs", options=rooted)
        assert await sources(graph) == ["a.txt", "b.txt", "c.txt"]
        found = await rag.delete("a.txt", "docs/b.txt", "/elsewhere/c.txt", options=rooted)
    assert found == {"a.txt": ["a.txt"], "docs/b.txt": ["b.txt"], "/elsewhere/c.txt": []}
    assert await sources(graph) == ["c.txt"]


async def test_a_file_is_deleted_with_its_rows_and_nothing_of_a_like_name(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("text,n\nMarley was dead.,1\nScrooge was not.,2\n")
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(["rows.csv"], options=ReadOptions(id_column="n"))
        await rag.index([Document(TALE, "C"), Document(TALE, "C#")])
        uri = (tmp_path / "rows.csv").as_uri()
        assert await rag.delete("rows.csv") == {"rows.csv": [f"{uri}#1", f"{uri}#2"]}
        assert await rag.delete("C") == {"C": ["C"]}
    assert await sources(graph) == ["C#"]


async def test_a_source_that_cannot_be_stored_can_be_deleted(graph: Graph, alone: Settings) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document(TALE, "a\udcff"), Document(TALE, "b\0")])
        assert await rag.delete("a\udcff", "b\0") == {
            "a\ufffd": ["a\ufffd"],
            "b\ufffd": ["b\ufffd"],
        }
    assert await sources(graph) == []


async def test_pruning_names_and_drops_what_is_gone_under_the_path_alone(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    write(tmp_path / "docs", a=TALE, b=TALE)
    write(tmp_path / "docs2", c=TALE)
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        await rag.index(["docs", "docs2"])
        await rag.index([Document(TALE, "memory:0")])
        for gone in ("docs/a.txt", "docs2/c.txt"):
            (tmp_path / gone).unlink()
        await rag.index("docs")
        assert len(await sources(graph)) == 4
        built = await rag.index("docs", prune=True)
    uri = tmp_path.as_uri()
    assert built.dropped == [f"{uri}/docs/a.txt"]
    assert await sources(graph) == [f"{uri}/docs/b.txt", f"{uri}/docs2/c.txt", "memory:0"]
    told = [event for event in heard if isinstance(event, Notice) and event.warning]
    assert told == [
        Notice(f"{uri}/docs/a.txt is gone and is dropped from the graph.", warning=True)
    ]


async def test_prepended_metadata_is_in_what_the_endpoint_is_asked(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    given = settings(prepend_metadata="title,year", claims=False)
    async with AsyncGraphRAG(given) as rag:
        await rag.index([Document(TALE, "memory:0", "A Carol", {"year": 1843})])
    asked = {call.text for call in endpoint.log if call.kind == "extraction"}
    assert asked == {text_hash(f"title: A Carol\nyear: 1843\n\n{TALE}")}
    assert await graph.run_plain("MATCH (c:Chunk) RETURN c.text AS text") == [{"text": TALE}]
