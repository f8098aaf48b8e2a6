"""A Ray cluster gives the graph of one process, keeps the limits, and loses nothing."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import SimpleNamespace

import anyio
import psutil
import pytest

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.extras import ray as ray_cluster
from graphrag_neo4j.extras.ray import RayCluster, RayPool, connected
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.pipeline import build
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.events import Event, Listener, Notice, silent
from graphrag_neo4j.model.types import ChunkText, Extraction, LLMTask
from graphrag_neo4j.rules.index_backend import ExtractiveIndexBackend
from graphrag_neo4j.settings import Settings, load_settings
from tests.conftest import KEY, Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.odd_endpoint import nothing_listens
from tests.support.wiping import wipe

STARTS = 3  # of Ray, at most


@dataclass(frozen=True, slots=True)
class Started:
    """A Ray of four CPUs in processes of its own, whose logs stand in `folder`."""

    address: str
    process: psutil.Process
    folder: Path

    def actors(self) -> list[psutil.Process]:
        """The processes of the workers."""
        found = []
        for one in self.process.children(recursive=True):
            with suppress(psutil.Error):  # it has just ended
                found += [one] if "TaskRunner" in " ".join(one.cmdline()) else []
        return found


@pytest.fixture(scope="module")
def ray() -> Iterator[Started]:
    """A Ray that is started for this module."""
    pytest.importorskip("ray")
    off = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in off.items():
            patch.setenv(name, value)
        started, process = _started(STARTS)
        try:
            yield started
        finally:
            _end(process)
    rmtree(started.folder)


def _started(starts: int) -> "tuple[Started, subprocess.Popen[bytes]]":
    """Starts Ray, again if it gives up on a busy machine or loses a port that was free."""
    folder = Path(mkdtemp(prefix="ray", dir="/tmp"))  # the paths of sockets must be short
    port, *agents = _free_ports(5)
    # Where the ports of its agents are given, Ray does not wait for 15 seconds to be told of them.
    command = (
        f"{Path(sys.executable).parent}/ray start --head --block --num-cpus=4 --port={port} "
        "--include-dashboard=false --node-ip-address=127.0.0.1 --object-store-memory=100000000 "
        f"--temp-dir={folder} --dashboard-agent-grpc-port={agents[0]} "
        f"--dashboard-agent-listen-port={agents[1]} --metrics-export-port={agents[2]} "
        f"--runtime-env-agent-port={agents[3]}"
    )
    with (folder / "start.txt").open("w") as said:
        process = subprocess.Popen(  # noqa: S603 - the Ray of this environment
            command.split(), stdout=said, stderr=said, start_new_session=True
        )
    try:
        _wait_for(folder / "start.txt", process)
    except AssertionError:
        _end(process)
        rmtree(folder)
        if starts == 1:
            raise
        return _started(starts - 1)
    return Started(f"127.0.0.1:{port}", psutil.Process(process.pid), folder), process


def _free_ports(n: int) -> list[int]:
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(n)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _wait_for(said: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if "Ray runtime started" in said.read_text():
            return
        assert process.poll() is None, said.read_text()
        time.sleep(0.2)
    raise AssertionError(said.read_text())


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(psutil.NoSuchProcess):  # it may have ended by itself
        left = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        for one in psutil.wait_procs(left, timeout=20)[1]:
            one.kill()
    process.wait()


def write_documents(folder: Path) -> Path:
    """Documents of several kinds, one of them not in UTF-8."""
    folder.mkdir()
    for n in range(3):
        people = [f"Ada{n} Lovelace met Charles{i % 3} Babbage in London{i}." for i in range(16)]
        (folder / f"{n}.txt").write_text("\n\n".join(people), "utf-8")
    (folder / "rows.csv").write_text("id,text\n1,Ada0 Lovelace knew Jacob Marley.\n")
    (folder / "other.txt").write_bytes("Café Müller in Zürich était grand à Noël.".encode("cp1252"))
    return folder


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds the graph of a folder with a number of workers of Ray, or without any."""

    graph: Graph
    folder: Path
    ray: Started

    async def build(
        self, n: int | None, settings: Settings, listen: Listener = silent
    ) -> IndexResult:
        given = settings.model_copy(update={"workers": n or 1, "chunk_tokens": 60})
        corpus, backends = Corpus.of_paths([self.folder], ReadOptions()), Backends(given)
        try:
            if n is None:
                return await build(self.graph, corpus, backends, listen)
            async with connected(self.ray.address, given, listen) as cluster:
                return await build(self.graph, corpus, backends, listen, cluster=cluster)
        finally:
            await backends.aclose()


@pytest.fixture
def builder(graph: Graph, tmp_path: Path, ray: Started) -> Builder:
    return Builder(graph, write_documents(tmp_path / "docs"), ray)


@pytest.mark.slow
@pytest.mark.parametrize("model", [True, False])
async def test_any_number_of_workers_gives_the_same_graph_for_the_same_calls(
    model: bool, builder: Builder, settings: Make, alone: Settings, endpoint: FakeEndpoint
) -> None:
    given = settings() if model else alone
    made: list[tuple[Dump, Counter[str], dict[str, int]]] = []
    for n in (None, 1, 4):
        await wipe(builder.graph)
        endpoint.reset()
        result = await builder.build(n, given)
        assert result.complete
        assert len(result.notices) == 1  # on the encoding
        calls = Counter(str(call.kind) for call in endpoint.log)
        usage = {str(step): used.calls for step, used in result.usage.items()}
        made.append((await dump(builder.graph), calls, usage))
    assert made[0] == made[1] == made[2]
    assert not psutil.wait_procs(builder.ray.actors(), timeout=20)[1]


@pytest.mark.slow
@pytest.mark.parametrize("calls", [0, 10])  # so many before the kill; with none, workers begin
async def test_the_items_of_a_killed_worker_go_to_another_and_no_log_holds_the_key(
    calls: int, builder: Builder, settings: Make, endpoint: FakeEndpoint
) -> None:
    await builder.build(None, settings())
    expected = await dump(builder.graph)
    await wipe(builder.graph)
    endpoint.reset()
    endpoint.change(latency=0.1)
    events: list[Event] = []
    results: list[IndexResult] = []

    async def kill_one() -> None:
        workers: list[psutil.Process] = []
        while endpoint.count("extraction") < calls or not workers:
            await anyio.sleep(0.05)  # no event says so
            workers = builder.ray.actors()
        os.kill(workers[0].pid, signal.SIGKILL)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(kill_one)
        results.append(await builder.build(2, settings(), events.append))
    assert results[0].complete
    warned = [one.text for one in events if isinstance(one, Notice) and one.warning]
    assert len([text for text in warned if text.startswith("A worker ended")]) == 1
    assert await dump(builder.graph) == expected
    files = [path for path in builder.ray.folder.rglob("*") if path.is_file()]
    logs = [path for path in files if "logs" in path.parts]
    assert logs
    assert not [path for path in logs if KEY.encode() in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.usefixtures("environment")
async def test_after_a_killed_driver_its_workers_end_and_the_same_command_continues(
    builder: Builder, settings: Make, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = {"KG_CHUNK_TOKENS": "60", "KG_CHUNK_OVERLAP": "0"}
    for name, value in {**cut, "KG_WORKERS": "2", "RAY_ADDRESS": builder.ray.address}.items():
        monkeypatch.setenv(name, value)
    await builder.build(None, settings())
    expected = await dump(builder.graph)
    all_lists = endpoint.count("extraction")
    await wipe(builder.graph)
    endpoint.change(latency=1.0)  # some are read for seconds, not for a moment
    command = ["-m", "graphrag_neo4j.cli", "index", str(builder.folder), "--ray"]
    async with await anyio.open_process([sys.executable, *command]) as driver:
        workers: list[psutil.Process] = []
        while len(workers) < 2 or not await some_are_read(builder.graph):
            assert driver.returncode is None
            await anyio.sleep(0.1)
            workers = builder.ray.actors()
        driver.kill()
    assert len(workers) == 2
    assert not psutil.wait_procs(workers, timeout=20)[1]
    endpoint.reset()
    endpoint.change(latency=0.0)
    assert (await builder.build(2, settings())).complete
    assert await dump(builder.graph) == expected
    assert endpoint.count("extraction") < all_lists


class Deadly(ExtractiveIndexBackend):
    """A backend whose tasks end the worker, or fail, as their chunks say."""

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        yield from ()
        if chunk.text == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return Extraction([], [], cut=bool(int(chunk.text)))


@pytest.mark.slow
async def test_what_kills_every_worker_fails_alone_and_an_error_is_the_same_as_here(
    ray: Started,
) -> None:
    found: dict[str, object] = {}

    async def extract(pool: RayPool, text: str) -> None:
        try:
            found[text] = await pool.run(pool.backend.extract(ChunkText("", text)))
        except (ReplyError, ValueError) as error:
            found[text] = error

    async with connected(ray.address, load_settings(workers=2), silent) as cluster:
        pool = RayPool(cluster, lambda _: Deadly(160, len), None)
        async with pool.opened(silent), anyio.create_task_group() as tasks:
            for text in ("kill", "no number", "0", "1"):
                tasks.start_soon(extract, pool, text)
    killing, wrong = found.pop("kill"), found.pop("no number")
    assert isinstance(killing, ReplyError)
    assert "3 workers ended unexpectedly" in str(killing)
    assert isinstance(wrong, ValueError)
    assert found == {"0": Extraction([], []), "1": Extraction([], [], cut=True)}


async def some_are_read(graph: Graph) -> bool:
    """Whether the lists of some chunks are in the graph."""
    rows = await graph.run_plain("MATCH (c:Chunk) RETURN DISTINCT c.extraction = 'done' AS done")
    return {row["done"] for row in rows} == {True, False}


@pytest.mark.slow
async def test_the_limits_hold_for_the_whole_cluster(
    builder: Builder, settings: Make, endpoint: FakeEndpoint
) -> None:
    endpoint.change(latency=0.05)
    priced = {"input_price": 1_000.0, "output_price": 1_000.0, "max_cost": 60.0}
    result = await builder.build(4, settings(concurrency=8, **priced))
    assert (result.stopped or "").startswith("The cost limit of $60.00 is reached, since")
    total = sum(used.cost for used in result.usage.values())
    log = endpoint.log
    assert total == pytest.approx(sum(o.prompt_tokens + o.completion_tokens for o in log) / 1000)
    assert 0 < total <= 60
    busiest = max(sum(one.time <= call.time < one.ended for one in log) for call in log)
    assert busiest <= 8
    again = await builder.build(4, settings(concurrency=8))
    assert again.complete


def test_no_key_and_no_password_is_an_argument_of_a_worker() -> None:
    names = [name for name, field in Settings.model_fields.items() if "Secret" in str(field)]
    given = load_settings(**dict.fromkeys(names, "sesame"), neo4j_uri="bolt://a", concurrency=4)
    assert len(names) == 4
    for endpoint in (Endpoint(given, Meter()), None):
        cluster = RayCluster(SimpleNamespace(cluster_resources=dict), given)
        pool = RayPool(cluster, LLMIndexBackend, endpoint)
        assert b"sesame" not in pickle.dumps(pool._arguments)
    assert b"sesame" in pickle.dumps(given)


def test_a_worker_reads_only_the_same_version_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ada met Charles.")
    version = ray_cluster.version_of(path)
    assert version
    found = ray_cluster.read_file(path, version, ReadOptions())
    assert found
    assert [item.source for item in found[0]] == [path.as_uri()]
    path.write_text("Ada met Charles Babbage.")
    assert ray_cluster.read_file(path, version, ReadOptions()) is None
    path.unlink()
    assert ray_cluster.read_file(path, version, ReadOptions()) is None


async def test_what_is_no_address_of_a_cluster_is_refused_with_a_sentence() -> None:
    with nothing_listens() as url:
        nobody = url.removeprefix("http://").removesuffix("/v1")
        no_address = dict.fromkeys(
            ("docs", "ray://head:10001", "head:port"), "ray job submit|Paths"
        )
        unheard = {nobody: f"No Ray cluster is at {nobody}: Connection refused"}
        for address, says in {**no_address, **unheard}.items():
            with pytest.raises(InputError, match=says):
                async with connected(address, load_settings(), silent):
                    pass
