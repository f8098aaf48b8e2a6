"""What a Python user imports: in a script, a loop and threads; sources, deletion and streams."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import anyio.to_thread
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
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import INDEXED_KINDS, vector_search
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import Call, FakeEndpoint, text_hash
from tests.support.wiping import wipe

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
def test_a_script_indexes_and_asks_for_the_state_without_a_warning() -> None:
    script = (
        "import logging\n"
        "logging.getLogger('asyncio').setLevel('ERROR')  # dev mode tells what takes long\n"
        "from graphrag_neo4j import Document, GraphRAG\n"
        "with GraphRAG.from_env(gleanings=0) as rag:\n"
        f"    built = rag.index([Document({TALE!r}, 'memory:0')])\n"
        "    print(built.complete, rag.status().counts['documents'])\n"
        "    print(rag.delete('memory:0'))\n"
    )
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert done.stderr == ""
    assert done.stdout == "True 1\n{'memory:0': ['memory:0']}\n"


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


async def test_documents_may_come_from_any_iterable_also_where_a_loop_runs_already(
    graph: Graph, alone: Settings
) -> None:
    def given() -> Iterator[object]:
        yield Document(TALE, "ours")
        yield LangChainDocument(page_content=TALE, metadata={"source": "theirs", "page": 3})
        yield LangChainDocument(page_content=TALE, id="named")

    assert asyncio.get_running_loop().is_running()
    with GraphRAG(alone) as rag:
        assert rag.index(given()).ingested.added == 3
        rag.index((Document(TALE, "in a tuple"),))
        with pytest.raises(InputError, match="A dict is not a Document"):
            rag.index([{"text": TALE}])
    assert await sources(graph) == ["in a tuple", "named", "ours", "theirs#page=3"]
    rows = await graph.run_plain("MATCH (d {source: 'theirs#page=3'}) RETURN d.meta_page AS page")
    assert rows == [{"page": 3}]
    rows = await graph.run_plain("MATCH (b:Build) RETURN b.outcome AS outcome ORDER BY outcome")
    assert [row["outcome"] for row in rows] == ["done", "done", "failed"]


async def test_files_are_deleted_by_source_and_by_path_from_anywhere(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    write(tmp_path / "docs", a=TALE, b=TALE, c=TALE)
    gone = tmp_path / "docs" / "d.txt"
    rooted = ReadOptions(source_root=tmp_path / "docs")
    async with AsyncGraphRAG(alone) as rag:
        await rag.index("docs")
        a, b, c = await sources(graph)
        found = await rag.delete("docs/a.txt", b, gone)
        assert found == {"docs/a.txt": [a], b: [b], str(gone): []}
        assert await sources(graph) == [c]
        await rag.delete(c)
        await rag.index(tmp_path / "docs", options=rooted)
        assert await sources(graph) == ["a.txt", "b.txt", "c.txt"]
        found = await rag.delete("a.txt", "docs/b.txt", "/elsewhere/c.txt", options=rooted)
    assert found == {"a.txt": ["a.txt"], "docs/b.txt": ["b.txt"], "/elsewhere/c.txt": []}
    assert await sources(graph) == ["c.txt"]


async def test_a_deletion_tells_what_the_graph_does_not_have_and_what_is_like_it(
    graph: Graph, alone: Settings
) -> None:
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        await rag.index([Document(TALE, "memory:tale")])
        assert await rag.delete("memory:tael", "nope") == {"memory:tael": [], "nope": []}
        assert await rag.delete("memory:tale") == {"memory:tale": ["memory:tale"]}
    told = [event.text for event in heard if isinstance(event, Notice) and event.warning]
    assert told == ["memory:tael, nope are not in the graph. Did you mean memory:tale?"]
    assert await sources(graph) == []


async def test_a_file_is_deleted_with_its_rows_and_nothing_of_a_like_name(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("text,n\nMarley was dead.,1\nScrooge was not.,2\n")
    uri, broken = (tmp_path / "rows.csv").as_uri(), {"a\ufffd": ["a\ufffd"], "b\ufffd": ["b\ufffd"]}
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(["rows.csv"], options=ReadOptions(id_column="n"))
        await rag.index([Document(TALE, source) for source in ("C", "C#", "a\udcff", "b\0")])
        assert await rag.delete("rows.csv") == {"rows.csv": [f"{uri}#1", f"{uri}#2"]}
        assert await rag.delete("C") == {"C": ["C"]}
        assert await rag.delete("a\udcff", "b\0") == broken  # they could not be stored as they are
    assert await sources(graph) == ["C#"]


async def test_pruning_names_and_drops_what_is_gone_under_the_path_alone(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    write(tmp_path / "docs", a=f"{TALE} A.", b=TALE)
    write(tmp_path / "docs2", c=f"{TALE} C.")
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
    told = [event.text for event in heard if isinstance(event, Notice) and event.warning]
    lost, elsewhere = "The graph has documents of files that are gone: ", tmp_path / "docs2/c.txt"
    other = f"1 elsewhere (`kg-build delete {elsewhere}` drops them)."
    near = "1 under the given paths (`--prune` drops them); "
    dropped = f"{uri}/docs/a.txt is gone and is dropped from the graph."
    assert told == [f"{lost}{near}{other}", dropped, f"{lost}{other}"]


async def test_prepended_metadata_is_in_what_the_endpoint_is_asked(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    given = settings(prepend_metadata="title,year", claims=False)
    async with AsyncGraphRAG(given) as rag:
        await rag.index([Document(TALE, "memory:0", "A Carol", {"year": 1843})])
    asked = {(call.header, call.text) for call in endpoint.log if call.kind == "extraction"}
    assert asked == {(text_hash("title: A Carol\nyear: 1843"), text_hash(TALE))}
    assert await graph.run_plain("MATCH (c:Chunk) RETURN c.text AS text") == [{"text": TALE}]


QUESTION = "Who met Scrooge?"
SLOW = 30.0  # seconds between the pieces of a stream: a test does not wait for a second one
PATIENCE = 20.0  # seconds that a slow machine may take for what is done at once
LATE = 1.5  # seconds that a call may come late, and so the next one seem early


@pytest.fixture
def indexed(graph: Graph, settings: Make) -> Settings:  # noqa: ARG001 - empty at first
    """Settings for a graph with one document."""
    given = settings(claims=False, gleanings=0)
    with GraphRAG(given) as rag:
        assert rag.index([Document(TALE, "memory:0")]).complete
    return given


@pytest.fixture
def slow(indexed: Settings, endpoint: FakeEndpoint) -> Settings:
    """The same, where a streamed answer comes slowly."""
    endpoint.reset()
    endpoint.change(pace=SLOW)
    return indexed


def test_a_question_whose_vector_has_another_length_is_told_what_to_run(
    indexed: Settings, endpoint: FakeEndpoint
) -> None:
    endpoint.change(dimensions=64)
    with GraphRAG(indexed) as rag:
        for method in ("basic", "local"):
            with pytest.raises(
                InputError, match=r"256 dimensions, .* gives 64 now.*--again vectors"
            ):
                rag.query(QUESTION, method=method)
        assert rag.query(QUESTION, method="text").text


def streamed(endpoint: FakeEndpoint) -> Call:
    """The call of the last answer."""
    return [call for call in endpoint.log if call.kind == "answer"][-1]


def is_dropped(endpoint: FakeEndpoint) -> bool:
    """Whether the connection of the answer is closed, which the endpoint learns a little later."""
    until = time.monotonic() + PATIENCE
    while not streamed(endpoint).dropped and time.monotonic() < until:
        time.sleep(0.01)
    return streamed(endpoint).dropped


def test_a_stream_that_is_left_closes_its_connection_and_one_read_to_its_end_keeps_it(
    slow: Settings, endpoint: FakeEndpoint
) -> None:
    with GraphRAG(slow) as rag:
        stream = rag.stream(QUESTION, method="basic")
        next(stream)
        stream.close()
        assert is_dropped(endpoint)
        with pytest.raises(InputError, match="stream is closed"):
            next(stream)
        with pytest.raises(InputError, match="not whole"):
            assert stream.answer.text
        endpoint.change(pace=0.0)
        with rag.stream(QUESTION, method="basic") as whole:
            text = next(whole) + "".join(whole)
            assert list(whole) == []
        whole.close()
        assert whole.answer.text == text
        assert not streamed(endpoint).dropped
        endpoint.change(pace=SLOW)
        left = rag.stream(QUESTION, method="basic")
        next(left)
    assert is_dropped(endpoint)  # it outlives its client without harm
    with pytest.raises(InputError, match="not open"):
        next(left)
    left.close()


def test_what_a_stream_spent_is_counted_at_once_when_it_is_left(
    slow: Settings, endpoint: FakeEndpoint
) -> None:
    endpoint.change(pace=0.05)

    def left_by_break(rag: GraphRAG) -> None:
        for _ in rag.stream(QUESTION, method="basic"):
            break

    def left_by_an_error(rag: GraphRAG) -> None:
        with suppress(KeyError):
            for piece in rag.stream(QUESTION, method="basic"):
                raise KeyError(piece)

    def dropped(rag: GraphRAG) -> None:
        next(rag.stream(QUESTION, method="basic"))

    with GraphRAG(slow) as rag:
        for calls, leave in enumerate((left_by_break, left_by_an_error, dropped), start=1):
            leave(rag)
            used = rag.usage["answer"]
            assert (used.calls, used.estimated) == (calls, calls), leave.__name__
    assert rag.usage["answer"] == used


def test_a_client_that_another_thread_closes_ends_the_calls_that_wait(
    slow: Settings, endpoint: FakeEndpoint
) -> None:
    rag = GraphRAG(slow).open()
    stream = rag.stream(QUESTION, method="basic")
    next(stream)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(next, stream)
        time.sleep(0.5)
        rag.close()
        with pytest.raises(InputError, match=r"was closed before|not open"):
            waiting.result()
    assert is_dropped(endpoint)


async def test_an_asynchronous_stream_that_is_left_closes_its_connection(
    slow: Settings, endpoint: FakeEndpoint
) -> None:
    async with AsyncGraphRAG(slow) as rag:
        stream = rag.stream(QUESTION, method="basic")
        async with stream:
            await anext(stream)
        assert await anyio.to_thread.run_sync(is_dropped, endpoint)
        left = rag.usage["answer"]  # what was sent and has come may be billed
        assert (left.calls, left.estimated, left.output_tokens > 0) == (1, 1, True)
        with pytest.raises(InputError, match="stream is closed"):
            await anext(stream)
        endpoint.change(pace=0.0)
        assert (await rag.query(QUESTION, method="basic")).found


async def test_the_vector_of_a_question_finds_what_it_is_about(
    graph: Graph, alone: Settings, settings: Make
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(InputError, match="has no documents yet"):
            await rag.embed("Who was dead?")
        await rag.index([Document(TALE, "a"), Document("Bees make honey from nectar.", "b")])
        for kind in INDEXED_KINDS:
            vector = await rag.embed("Where does honey come from?", kind)
            [nearest] = await vector_search(graph, kind, vector, 1)
            rows = await graph.run_plain("MATCH (n {id: $id}) RETURN n", id=nearest["id"])
            assert "honey" in str(rows[0]["n"]).lower(), kind
        with pytest.raises(InputError, match="kind must be one of entity, chunk, community"):
            await rag.embed("Who?", "claim")  # type: ignore[arg-type]
    await wipe(graph)
    async with AsyncGraphRAG(settings()) as rag:
        await rag.index([Document(TALE, "a")])
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(InputError, match=r"come from .*, which is not set here"):
            await rag.embed("Who?")


@pytest.mark.usefixtures("graph")
async def test_a_client_works_without_with_and_is_closed_as_often_as_you_like(
    alone: Settings,
) -> None:
    def synchronous() -> None:
        rag = GraphRAG(alone)
        rag.close()
        for _ in range(2):
            assert rag.open() is rag
            with pytest.raises(InputError, match="open already"):
                rag.open()
            assert rag.status().counts["documents"] == 0
            rag.close()
            rag.close()
            with pytest.raises(InputError, match="call open first"):
                rag.status()

    await anyio.to_thread.run_sync(synchronous)
    other = AsyncGraphRAG(alone)
    await other.aclose()
    for _ in range(2):
        assert await other.aopen() is other
        assert (await other.status()).counts["documents"] == 0
        await other.aclose()
        await other.aclose()
        with pytest.raises(InputError, match="call aopen first"):
            await other.status()
    with pytest.raises(GraphError, match="No Neo4j is set: set NEO4J_URI"):
        await AsyncGraphRAG(alone.changed(neo4j_uri=None, embedded=False)).aopen()


def test_threads_that_share_a_client_share_its_limits(
    indexed: Settings, endpoint: FakeEndpoint
) -> None:
    """Eight threads with limits of their own would send eight times as much."""
    a_minute, at_once = 300, 2
    limited = indexed.changed(requests_per_minute=a_minute, concurrency=at_once)
    endpoint.reset()
    endpoint.change(latency=0.5)
    with GraphRAG(limited) as rag, ThreadPoolExecutor(8) as threads:
        asked = [f"Who met Scrooge in the year {year}?" for year in range(1840, 1856)]
        answers = list(threads.map(lambda text: rag.query(text, method="basic"), asked))
    assert all(answer.found for answer in answers)
    calls = sorted(endpoint.log, key=lambda call: call.time)
    assert len(calls) == sum(usage.calls for one in answers for usage in one.usage.values()) >= 32
    assert max(at_the_same_time(calls)) <= at_once
    for n, call in enumerate(calls):
        for between, later in enumerate(calls[n:]):
            assert later.time - call.time > between * 60 / a_minute - LATE


def at_the_same_time(calls: list[Call]) -> Iterator[int]:
    """For each call, how many others were under way when it came, with itself."""
    for call in calls:
        yield sum(other.time <= call.time < other.ended for other in calls)
