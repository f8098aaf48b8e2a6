"""Worker processes give the results of this process, and end with it."""

import os
import pickle
import signal
import subprocess
import sys
from contextlib import nullcontext, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path

import anyio
import psutil
import pytest

from graphrag_neo4j import tokens
from graphrag_neo4j.backends import Backends
from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.events import Event, Notice, silent
from graphrag_neo4j.extractive.index_backend import ExtractiveIndexBackend
from graphrag_neo4j.graph import Graph, dump
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.pipeline import build
from graphrag_neo4j.model import ChunkText, DescribedThing, Document, Extraction, LLMTask
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.workers import DeferringBackend, WorkerPool, processes
from graphrag_neo4j.workers.pool import Worker, WorkerEndedError
from graphrag_neo4j.workers.processes import FEW, ProcessWorker, process_pool
from tests.support.wiping import wipe

BACKEND = ExtractiveIndexBackend(160, partial(tokens.count, encoding_name="o200k_base"))
DEFERRING = DeferringBackend(BACKEND)
SENTENCES = [f"Ada Lovelace met Charles Babbage in London on {n} May 1833." for n in range(1, 29)]


class BrokenBackend(ExtractiveIndexBackend):
    """A backend whose tasks fail in the ways of their chunks."""

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        yield from ()
        if chunk.text == "unusable":
            raise ReplyError("the reply is unusable", refused=True)
        if chunk.text == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if chunk.text == "print":
            sys.stdout.write("between the results\n")
        return Extraction([], [], cut=bool(int("0" if chunk.text == "print" else chunk.text)))


def children() -> list[psutil.Process]:
    found = []
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            found += [one] if "workers.child" in " ".join(one.cmdline()) else []
    return found


async def extractions(
    pool: WorkerPool, backend: ExtractiveIndexBackend, *texts: str
) -> list[object]:
    """What becomes of each text: its extraction, or the error."""
    found: list[object] = [None] * len(texts)

    async def one(place: int, text: str) -> None:
        try:
            found[place] = await pool.run(DeferringBackend(backend).extract(ChunkText("", text)))
        except (ReplyError, ValueError) as error:
            found[place] = error

    async with pool.opened(silent), anyio.create_task_group() as tasks:
        for place, text in enumerate(texts):
            tasks.start_soon(one, place, text)
    return found


async def test_processes_give_the_results_of_this_process_in_the_order_of_their_chunks() -> None:
    text = (files("graphrag_neo4j") / "data" / "sample").iterdir()
    whole = next(one for one in text if one.name.endswith(".txt")).read_text("utf-8")
    texts = [whole[place : place + 800] for place in range(0, 4000, 800)]
    here = [result_without_requests(BACKEND.extract(ChunkText("", text))) for text in texts]
    assert await extractions(process_pool(BACKEND, 2, few=0), BACKEND, *texts) == here
    assert not children()


async def test_a_small_job_starts_no_process() -> None:
    pool = process_pool(BACKEND, 2)
    thing = DescribedThing("Ada", SENTENCES)
    async with pool.opened(silent):
        for _ in range(FEW):
            await pool.run(DEFERRING.summarize([thing]))
        assert not children()
        found = await pool.run(DEFERRING.summarize([thing]))
        assert children()
    assert found == result_without_requests(BACKEND.summarize([thing]))


async def test_an_error_in_a_process_is_the_same_as_here() -> None:
    backend = BrokenBackend(160, len)
    unusable, wrong, right, printed = await extractions(
        process_pool(backend, 1, few=0), backend, "unusable", "no number", "1", "print"
    )
    assert isinstance(unusable, ReplyError)
    assert (str(unusable), unusable.refused) == ("the reply is unusable", True)
    assert isinstance(wrong, ValueError)
    assert "In a worker process" in wrong.__notes__[0]
    assert (right, printed) == (Extraction([], [], cut=True), Extraction([], []))


@pytest.mark.slow
async def test_what_kills_every_worker_fails_alone() -> None:
    backend = BrokenBackend(160, len)
    killing, *others = await extractions(process_pool(backend, 2, few=0), backend, "kill", *"0000")
    assert isinstance(killing, ReplyError)
    assert "3 workers ended unexpectedly" in str(killing)
    assert others == [Extraction([], [])] * 4


async def test_the_work_of_a_killed_process_goes_to_another() -> None:
    events: list[Event] = []
    found = []
    pool = process_pool(BACKEND, 1, few=0)
    async with pool.opened(events.append):
        for sentence in SENTENCES:
            found.append(await pool.run(DEFERRING.extract(ChunkText("", sentence))))
            if len(found) == 10:
                [child] = children()
                child.kill()
    assert found == [result_without_requests(BACKEND.extract(ChunkText("", s))) for s in SENTENCES]
    assert [type(event) for event in events] == [Notice]


async def test_a_process_that_can_not_begin_ends_the_run_with_a_sentence() -> None:
    pool = process_pool(Unreadable(160, len), 1, few=0)
    with pytest.raises(InputError, match="KG_WORKERS=1"):
        await extractions(pool, BACKEND, "Ada")


@pytest.mark.parametrize("killed", [2, 3])
async def test_a_worker_that_is_killed_before_it_begins_is_replaced_twice(killed: int) -> None:
    left = [WorkerEndedError("The machine is gone.")] * killed

    async def start() -> Worker:
        if left:
            raise left.pop()
        return await ProcessWorker.start(pickle.dumps(BACKEND))

    events: list[Event] = []
    pool = WorkerPool(start, 1, run_here=process_pool(BACKEND, 1).run)
    gone = pytest.raises(InputError, match="The machine is gone") if killed == 3 else nullcontext()
    with gone:
        async with pool.opened(events.append):
            await pool.run(DEFERRING.extract(ChunkText("", SENTENCES[0])))
    assert [type(event) for event in events] == [Notice] * 2


class Unreadable(ExtractiveIndexBackend):
    """A backend that can be pickled, and not read again."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (1,)


SCRIPT = """
import signal, anyio
from graphrag_neo4j.extractive.index_backend import ExtractiveIndexBackend
from graphrag_neo4j.model import ChunkText
from graphrag_neo4j.workers import DeferringBackend
from graphrag_neo4j.workers.processes import process_pool

# Whoever starts the tests in the background may have them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
print("the script runs", flush=True)
backend = ExtractiveIndexBackend(160, len)

async def work():
    pool = process_pool(backend, 2, few=0)
    async with pool.opened(print):
        await pool.run(DeferringBackend(backend).extract(ChunkText("", "Ada met Charles.")))
        print("at work", flush=True)
        await anyio.sleep_forever()

anyio.run(work)  # without a guard, as people write scripts
"""


@pytest.mark.slow
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_a_script_that_is_killed_or_interrupted(
    signal_: signal.Signals, tmp_path: Path
) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    with subprocess.Popen(  # noqa: S603 - our own Python
        [sys.executable, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as script:
        assert script.stdout
        assert script.stderr
        assert [script.stdout.readline() for _ in range(2)] == ["the script runs\n", "at work\n"]
        found = psutil.Process(script.pid).children(recursive=True)
        assert found
        os.killpg(script.pid, signal_)  # as Ctrl-C does: all processes of the terminal get it
        errors = script.stderr.read()
    assert "child" not in errors
    assert not psutil.wait_procs(found, timeout=20)[1]


@pytest.mark.slow
async def test_an_index_by_processes_is_the_same(
    graph: Graph, alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FEW", 0)
    documents = [
        Document(
            " ".join(SENTENCES[start::4]) * 3 + f" Grace Hopper wrote to Ada {start}.", f"{start}"
        )
        for start in range(4)
    ]
    dumps = []
    for workers in (1, 2):
        given = alone.model_copy(update={"workers": workers, "chunk_tokens": 60})
        await wipe(graph)
        backends = Backends(given)
        result = await build(graph, Corpus.of_documents(documents), backends, silent)
        assert result.complete
        dumps.append(await dump(graph))
    assert dumps[0] == dumps[1]
    assert not children()


def test_one_worker_means_no_process() -> None:
    for workers, pooled in ((1, False), (2, True)):
        setup = Backends(load_settings(workers=workers)).for_indexing()
        assert (setup.pool is not None) is pooled
