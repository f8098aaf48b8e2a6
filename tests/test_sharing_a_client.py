"""A client that is opened, closed, shared by threads; a stream that is left before its end."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import anyio.to_thread
import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, GraphRAG, InputError
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import Call, FakeEndpoint

pytestmark = pytest.mark.one_release

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
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


def streamed(endpoint: FakeEndpoint) -> Call:
    """The call of the last answer."""
    return [call for call in endpoint.log if call.kind == "answer"][-1]


def is_dropped(endpoint: FakeEndpoint) -> bool:
    """Whether the connection of the answer is closed, which the endpoint learns a little later."""
    until = time.monotonic() + PATIENCE
    while not streamed(endpoint).dropped and time.monotonic() < until:
        time.sleep(0.01)
    return streamed(endpoint).dropped


def test_a_stream_that_is_left_closes_its_connection(
    slow: Settings, endpoint: FakeEndpoint
) -> None:
    with GraphRAG(slow) as rag:
        stream = rag.stream(QUESTION, method="basic")
        for _ in stream:
            break
        stream.close()
        assert is_dropped(endpoint)
        with pytest.raises(InputError, match="stream is closed"):
            next(stream)
        with pytest.raises(InputError, match="not whole"):
            assert stream.answer.text
        endpoint.change(pace=0.0)
        assert rag.query(QUESTION, method="basic").found


async def test_an_asynchronous_stream_that_is_left_closes_its_connection(
    slow: Settings, endpoint: FakeEndpoint
) -> None:
    async with AsyncGraphRAG(slow) as rag:
        stream = rag.stream(QUESTION, method="basic")
        async with stream:
            await anext(stream)
        assert await anyio.to_thread.run_sync(is_dropped, endpoint)
        with pytest.raises(InputError, match="stream is closed"):
            await anext(stream)
        endpoint.change(pace=0.0)
        assert (await rag.query(QUESTION, method="basic")).found


def test_a_stream_that_is_read_to_its_end_has_its_answer_and_keeps_the_connection(
    indexed: Settings, endpoint: FakeEndpoint
) -> None:
    with GraphRAG(indexed) as rag, rag.stream(QUESTION, method="basic") as stream:
        text = next(stream) + "".join(stream)
        assert list(stream) == []
    stream.close()
    assert stream.answer.text == text
    assert not streamed(endpoint).dropped


def test_a_stream_outlives_its_client_without_harm(slow: Settings, endpoint: FakeEndpoint) -> None:
    with GraphRAG(slow) as rag:
        stream = rag.stream(QUESTION, method="basic")
        next(stream)
    assert is_dropped(endpoint)
    with pytest.raises(InputError, match="not open"):
        next(stream)
    stream.close()


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
