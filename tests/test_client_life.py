"""Where a client lives and ends: with its program, in its process, in its event loop; a service."""

import asyncio
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from graphrag_neo4j import AsyncGraphRAG, Document, Entity, GraphRAG, InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.settings import Settings
from tests.conftest import Make, Run
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
QUESTION = "Who met Scrooge?"
PATIENCE = 60.0  # seconds that a slow machine may take for what is done at once
BEGIN = """\
import sys, threading
from graphrag_neo4j import Document, GraphRAG, InputError

def stream():
    return rag.stream("Who met Scrooge?", method="basic")

rag = GraphRAG.from_env(gleanings=0, claims=False).open()
"""


@pytest.fixture
def indexed(graph: Graph, settings: Make, environment: None) -> Settings:  # noqa: ARG001 - they come first
    """Settings for a graph with one document, which are also in the environment."""
    given = settings(claims=False, gleanings=0)
    with GraphRAG(given) as rag:
        assert rag.index([Document(TALE, "memory:0")]).complete
    return given


@contextmanager
def program(lines: str) -> Iterator["subprocess.Popen[str]"]:
    """A program with an open client that runs these lines, and for which a warning is an error."""
    command = [sys.executable, "-W", "error", "-c", BEGIN + textwrap.dedent(lines)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:  # noqa: S603 - ours
        try:
            yield running
        finally:
            running.kill()


def ended(lines: str) -> tuple[int, str, str]:
    """The exit code of a program that ends by itself, and what it printed."""
    with program(lines) as running:
        out, err = running.communicate(timeout=PATIENCE)
    return running.returncode, out, err


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("rag.status(); sys.exit(7)", 7),
        ("held = stream(); next(held); other = iter(stream()); next(other)", 0),
        ("held = rag.watch('docs'); next(held)", 0),
        ("others = [GraphRAG.from_env().open() for _ in range(3)]; others[0].status()", 0),
        ("stream().close(); del rag", 0),
        ("rag.itself = rag; next(stream()); del rag, stream", 0),
        ("import atexit; atexit.register(lambda: print(rag.status().counts) or rag.close())", 0),
    ],
)
def test_a_program_that_does_not_reach_close_ends_without_a_word(
    lines: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(TALE)
    ended_with, _, err = ended(lines)
    assert (ended_with, err) == (code, "")


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
def test_a_program_ends_with_its_error_and_after_the_threads_that_use_the_client() -> None:
    code, _, err = ended("raise ValueError('of the program')")
    assert (code, err.splitlines()[-1]) == (1, "ValueError: of the program")
    assert err.count("Traceback") == 1
    pool = """
        from concurrent.futures import ThreadPoolExecutor
        threads = ThreadPoolExecutor(4)
        for _ in range(8):
            threads.submit(lambda: print(rag.query("Who met Scrooge?", method="basic").found))
    """
    code, out, err = ended(pool)
    assert (code, out.count("True"), err) == (0, 8, "")


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
def test_a_program_ends_although_its_client_can_not_be_closed() -> None:
    blocked = """
        begun = threading.Event()
        blocking = GraphRAG.from_env(lambda _: begun.set() or threading.Event().wait()).open()
        threading.Thread(target=blocking.query, args=["Who?"], daemon=True).start()
        begun.wait()
        held = rag.watch(".")
    """
    assert ended(blocked) == (0, "", "")


@pytest.mark.slow
async def test_what_has_arrived_is_saved_when_the_program_ends(
    indexed: Settings, graph: Graph, endpoint: FakeEndpoint
) -> None:
    endpoint.reset()
    endpoint.change(latency=0.05)
    lines = """
        documents = [Document(f"Scrooge counted {n} coins.", f"{n}") for n in range(600)]
        threading.Thread(target=rag.index, args=[documents], daemon=True).start()
        sys.stdin.readline()
    """

    def some_calls_came() -> None:
        while endpoint.count("extraction") < 30:
            time.sleep(0.05)

    assert indexed.concurrency == 8
    with program(lines) as running:
        await anyio.to_thread.run_sync(some_calls_came)
        out, err = await anyio.to_thread.run_sync(lambda: running.communicate("\n", PATIENCE))
    assert (running.returncode, out, err) == (0, "", "")
    came = endpoint.count("extraction")
    [row] = await graph.run_plain("MATCH (c:Chunk {extraction: 'done'}) RETURN count(c) AS n")
    assert came - 8 <= row["n"] - 1 <= came < 600  # one was there before
    rows = await graph.run_plain("MATCH (b:Build) RETURN b.outcome AS outcome ORDER BY outcome")
    assert [row["outcome"] for row in rows] == ["done", "interrupted"]


@pytest.mark.slow
@pytest.mark.usefixtures("indexed")
def test_a_fork_says_that_it_needs_a_client_of_its_own_and_leaves_that_of_its_parent() -> None:
    forks = """
        import asyncio, os
        from graphrag_neo4j import AsyncGraphRAG

        def refused(work):
            try:
                work()
            except InputError as error:
                print(error, flush=True)

        other = AsyncGraphRAG.from_env()

        async def main():
            async with other:
                held = stream()
                next(held)
                if (child := os.fork()) == 0:
                    for work in (rag.status, lambda: next(held), stream, rag.open):
                        refused(work)
                    refused(lambda: other.graph)
                    refused(lambda: asyncio.run(other.aclose()))
                    rag.close()
                    with GraphRAG.from_env() as own:
                        print(own.status().counts["documents"], flush=True)
                    os._exit(3)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                print(rag.status().counts["documents"], (await other.status()).counts["documents"])
                print(len(list(held)) > 0)

        asyncio.run(main())
        if os.fork() == 0:
            sys.exit()
        os.wait()
        print(rag.status().counts["documents"])
    """
    code, out, err = ended(forks)
    said = "This GraphRAG was opened before a fork: open a new one in each process."
    assert (code, err) == (0, "")
    assert out.splitlines() == [said] * 5 + ["1", "3", "1 1", "True", "1"]


OTHER_LOOP = "opened in another event loop: open one in each, or use GraphRAG"


def test_a_client_of_another_event_loop_says_so(indexed: Settings) -> None:
    rag = AsyncGraphRAG(indexed)

    async def ask() -> None:
        assert (await rag.query(QUESTION, method="basic")).found

    async def whole() -> None:
        async with rag:
            await ask()
            for work in (ask(), rag.aclose(), rag.aopen(), rag.tune([Document(TALE, "a")])):
                with pytest.raises(InputError, match=OTHER_LOOP):
                    await anyio.to_thread.run_sync(asyncio.run, work)
            await ask()

    asyncio.run(whole())
    asyncio.run(whole())
    asyncio.run(rag.aopen())
    for work in (ask(), rag.status()):
        with pytest.raises(InputError, match=OTHER_LOOP):
            asyncio.run(work)
    asyncio.run(rag.aclose())
    asyncio.run(whole())


def test_a_client_that_is_not_open_tunes_in_one_event_loop_after_another(
    indexed: Settings, endpoint: FakeEndpoint
) -> None:
    for rag in (AsyncGraphRAG(indexed), GraphRAG(indexed)):
        for _ in range(2):
            endpoint.reset()
            if isinstance(rag, GraphRAG):
                tuned = rag.tune([Document(TALE, "a")], passages=1)
            else:
                tuned = asyncio.run(rag.tune([Document(TALE, "a")], passages=1))
            assert tuned.domain
            assert sum(one.calls for one in rag.usage.values()) >= len(endpoint.log) > 0


@contextmanager
def serving(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of a service that answers over HTTP."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


def test_a_service_returns_answers_and_other_results_as_json(indexed: Settings, kg: Run) -> None:
    rag = AsyncGraphRAG(indexed)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with rag:
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/ask")
    async def ask(question: str) -> dict[str, Any]:
        return (await rag.query(question, method="basic")).to_dict()

    @app.get("/entity")
    async def entity(name: str) -> Entity:
        return await rag.entity(name)

    @app.get("/{what}", response_model=None)
    async def other(what: str) -> object:
        works: dict[str, Callable[[], Awaitable[object]]] = {
            "communities": rag.communities,
            "status": rag.status,
            "suggest": rag.suggest,
            "index": lambda: rag.index([Document(TALE, "memory:0")]),
            "found": lambda: rag.find_entities("Scrooge"),
        }
        return await works[what]()

    with serving(app) as client:
        reply = client.get("/ask", params={"question": QUESTION})
        found = client.get("/entity", params={"name": "Ebenezer Scrooge"})
        for what in ("communities", "status", "suggest", "index", "found"):
            assert client.get(f"/{what}").status_code == 200, what
    assert (reply.status_code, found.status_code) == (200, 200)
    printed = kg("query", QUESTION, "--method", "basic", "--json").json
    assert reply.json() | {"elapsed": 0, "usage": {}} == printed | {"elapsed": 0, "usage": {}}
    assert reply.json()["citations"]
    with GraphRAG(indexed) as again:
        answer = again.query(QUESTION, method="basic")
    assert answer.to_json().startswith('{\n  "text": ')
