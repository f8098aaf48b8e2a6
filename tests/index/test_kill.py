"""Builds that are killed or interrupted: the same command goes on, to the same graph."""

import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path

import anyio
import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint, text_hash
from tests.support.wiping import emptied

SAMPLE = Path(str(files("graphrag_neo4j") / "data" / "sample"))
TWO_SHORTEST = sorted(SAMPLE.glob("*.txt"), key=lambda path: path.stat().st_size)[:2]
CHECKS = 2  # calls before the first chunk: one to the embedding model, and one long prompt

pytestmark = [pytest.mark.slow, pytest.mark.one_release, pytest.mark.usefixtures("environment")]


def kg_index(*paths: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    """A build in a process of its own."""
    return python("-m", "graphrag_neo4j.cli", "index", *map(str, paths))


# What is started in the background by a shell, as a gate may be, ignores Ctrl-C, and so do its
# children: this makes the process one that hears it.
HEARING = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


@contextmanager
def python(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-c", HEARING, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def undisturbed(graph: Graph, settings: Make, *paths: Path) -> Dump:
    """The dump of a build without disturbance; the graph is empty again."""
    async with AsyncGraphRAG(settings()) as rag:
        assert (await rag.index(paths)).complete
    return await emptied(graph)


async def until(reached: Callable[[], Awaitable[bool]], process: subprocess.Popen[str]) -> None:
    while not await reached():
        assert process.poll() is None, "the build ended before it came so far"
        await anyio.sleep(0.1)


async def saved(graph: Graph, kind: str) -> set[str]:
    """The hashes of the chunks in which everything of a kind was read."""
    rows = await graph.run_plain(
        "MATCH (c:Chunk) WHERE c.claims = 'done' OR c.extraction = 'done'"
        " RETURN c.text AS text, c.extraction AS extraction, c.claims AS claims"
    )
    return {text_hash(row["text"]) for row in rows if row[kind] == "done"}


async def test_killed_at_three_moments_the_graph_is_that_of_an_undisturbed_build(
    graph: Graph, settings: Make, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_JOIN_TOKENS", "100")  # so that the model is asked for descriptions
    expected = await undisturbed(graph, settings, *TWO_SHORTEST)
    endpoint.change(latency=0.03)
    endpoint.reset()

    async def begun(kind: str) -> bool:
        done = endpoint.count(kind) if kind == "summary" else len(await saved(graph, kind)) - 10
        return done > 0

    for kind in ("extraction", "claims", "summary"):
        done = {kind: await saved(graph, kind) for kind in ("extraction", "claims")}
        endpoint.reset()
        with kg_index(*TWO_SHORTEST) as process:
            await until(partial(begun, kind), process)
            process.kill()
        assert not [call for call in endpoint.log if call.text in done.get(call.kind, ())]
    endpoint.reset()
    with kg_index(*TWO_SHORTEST) as process:
        out, err = process.communicate()
    assert (process.returncode, endpoint.count("extraction")) == (0, 0), out + err
    assert await dump(graph) == expected


async def test_replies_that_wait_for_a_write_are_not_asked_for_again_after_a_kill(
    graph: Graph,
    settings: Make,
    endpoint: FakeEndpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tales = tmp_path / "tales.jsonl"
    tales.write_text("\n".join(f'{{"text": "Scrooge met Marley {n} times."}}' for n in range(17)))
    for name, value in {"CLAIMS": "no", "CONCURRENCY": "32"}.items():
        monkeypatch.setenv(f"KG_{name}", value)
    expected = await undisturbed(graph, partial(settings, claims=False), tales)
    endpoint.change(latency=1)
    endpoint.reset()

    def answered() -> list[str]:
        return [call.request for call in endpoint.log if call.kind == "extraction" and call.ended]

    async def has_begun() -> bool:
        return endpoint.count("extraction") > 0

    async def are_kept() -> bool:
        [row] = await graph.run_plain("MATCH (r:BatchRequest) RETURN count(r) AS n")
        return bool(row["n"] == 17)

    with kg_index(tales) as process:
        await until(has_begun, process)
        async with writer_that_waits(graph):
            await until(are_kept, process)
            process.kill()
    assert await saved(graph, "extraction") == set()
    paid = answered()
    endpoint.change(latency=0)
    endpoint.reset()
    with kg_index(tales) as process:
        out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert not set(answered()) & set(paid)
    assert await dump(graph) == expected
    assert await graph.run_plain("MATCH (r:BatchRequest) RETURN r") == []


@asynccontextmanager
async def writer_that_waits(graph: Graph) -> AsyncIterator[None]:
    """A build can't write what it has read, as if a write took long: its fence is locked."""
    with (
        graph.lend_driver() as driver,
        driver.session(database=graph.database) as session,
        session.begin_transaction() as locking,
    ):
        locking.run("MATCH (counter:Counter) SET counter.id = counter.id").consume()
        yield


SCRIPT = """
from graphrag_neo4j import GraphRAG
try:
    with GraphRAG.from_env() as rag:
        rag.index("tales.jsonl")
except KeyboardInterrupt:
    raise SystemExit(130)
"""


@pytest.mark.parametrize("way", ["command", "script"])
async def test_ctrl_c_saves_what_has_arrived(
    graph: Graph, endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    rows = [f'{{"text": "Scrooge counted {n} coins in London."}}' for n in range(600)]
    (tmp_path / "tales.jsonl").write_text("\n".join(rows))
    for name, value in {"GLEANINGS": "0", "CLAIMS": "no", "CONCURRENCY": "2"}.items():
        monkeypatch.setenv(f"KG_{name}", value)
    endpoint.change(latency=0.05)

    async def some_calls_came() -> bool:
        return endpoint.count("extraction") > 20

    command = kg_index(tmp_path / "tales.jsonl")
    with command if way == "command" else python("-c", SCRIPT) as process:
        await until(some_calls_came, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err
    assert out == ""
    said = (
        "The command was interrupted. The work done so far is saved. Run the same command again "
        "to continue.\n"
    )
    assert err.endswith(said if way == "command" else "")
    assert "Traceback" not in err
    came = endpoint.count("extraction")
    assert came - 2 <= len(await saved(graph, "extraction")) <= came < 600
    builds = await graph.run_plain("MATCH (b:Build) RETURN b.outcome AS outcome, b.calls AS calls")
    [build], most = builds, len(await saved(graph, "extraction")) + 2
    assert build["outcome"] == "interrupted"
    assert came <= build["calls"] - CHECKS <= most  # two may have been dropped on their way
