"""Measures the speed of extract and merge, compared with the openai client and the same calls.

    python scripts/bench/index.py [FOLDER]             speed on a folder of .txt (default: sample)
    python scripts/bench/index.py --hub                one pair stated in 10,000 chunks
    python scripts/bench/index.py --memory [FOLDER]    peak memory on FOLDER, and on ten copies

The names in each of the ten copies are others, so that there are also more entities.
Only the model is not real: it is an endpoint without latency in a separate process. The embedded
Neo4j runs in a new home folder. There is one gleaning (two calls for each chunk) and no claims.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import anyio
from openai import AsyncOpenAI

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.read.extract import extract
from graphrag_neo4j.index.read.ingest import ingest
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.model.events import Event, Started, silent
from graphrag_neo4j.model.types import ChunkText, Request
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint

WORKERS = 32
HUB_CHUNKS = 10_000
NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
ENDINGS = ("", "ak", "ell", "ino", "oth", "urn", "avi", "eux", "ist", "ogo")  # of names in a copy
DIMENSIONS = 1536  # of the vectors where memory is measured, as text-embedding-3-small has them
HUB_TEXT = "Ebenezer Scrooge and Jacob Marley signed ledger number {n} together in London.\n"


def main() -> None:
    arguments = _arguments()
    dimensions = DIMENSIONS if arguments.memory_of else 256
    with (
        FakeEndpoint(process=True, dimensions=dimensions) as endpoint,
        tempfile.TemporaryDirectory() as folder,
    ):
        settings = load_settings(
            home=Path(folder) / "home",
            openai_base_url=endpoint.url,
            openai_api_key="bench",
            concurrency=WORKERS,
            claims=False,
            max_retries=0,
        )
        try:
            if arguments.memory_of:
                anyio.run(_memory_of, settings, arguments.folder, arguments.memory_of)
            elif arguments.memory:
                _memory(arguments.folder)
            elif arguments.hub:
                anyio.run(_speed, settings, _hub())
            else:
                anyio.run(_speed, settings, _texts(arguments.folder))
        finally:
            embedded.stop(settings)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sample = Path(str(files("graphrag_neo4j") / "data" / "sample"))
    parser.add_argument("folder", nargs="?", type=Path, default=sample)
    parser.add_argument("--hub", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--memory-of", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


async def _speed(settings: Settings, texts: Sequence[Document]) -> None:
    async with _open(settings) as graph, Endpoint(settings) as endpoint:
        backend = LLMIndexBackend(settings)
        began = time.perf_counter()
        await _ingest(graph, texts, settings)
        _say("ingest", time.perf_counter() - began, await _number_of(graph, "(:Chunk)"), "chunks")
        chunks = await graph.run_plain("MATCH (c:Chunk) RETURN c.id AS id, c.text AS text")
        calls = await _record(chunks, backend, endpoint)
        bare = await _timed(_bare(calls, settings))
        n = sum(map(len, calls))
        _say("bare AsyncOpenAI, the same calls", bare, n, "calls")
        context = StageContext(graph, backend, endpoint.run, WORKERS, silent)
        reading = await _timed(extract(context))
        _say("extract", reading, len(chunks), "chunks")
        merging = await _timed(merge(graph, silent))
        _say("merge", merging, len(chunks), "chunks")
        _say("extract and merge", reading + merging, len(chunks), "chunks")
        print(f"{(reading + merging) / bare:.2f} times the bare client's wall time")


async def _record(
    chunks: Sequence[dict[str, str]], backend: LLMIndexBackend, endpoint: Endpoint
) -> list[list[Request]]:
    """Collects the requests of every chunk. This also warms up the endpoint."""
    calls: list[list[Request]] = []
    limiter = anyio.CapacityLimiter(WORKERS)

    async def one(chunk: dict[str, str]) -> None:
        requests: list[Request] = []
        calls.append(requests)
        async with limiter:
            task = backend.extract(ChunkText(chunk["id"], chunk["text"]))
            request = next(task)
            try:
                while True:
                    requests.append(request)
                    request = task.send(await endpoint.ask(request))
            except StopIteration:
                return

    async with anyio.create_task_group() as tasks:
        for chunk in chunks:
            tasks.start_soon(one, chunk)
    return calls


async def _bare(calls: Sequence[Sequence[Request]], settings: Settings) -> None:
    """Sends the same requests with the openai client alone, as many at the same time."""
    limiter = anyio.CapacityLimiter(WORKERS)
    async with AsyncOpenAI(base_url=settings.openai_base_url, api_key="bench") as client:

        async def one(requests: Sequence[Request]) -> None:
            async with limiter:
                for request in requests:
                    await client.chat.completions.create(**_call(settings.model, request))

        async with anyio.create_task_group() as tasks:
            for requests in calls:
                tasks.start_soon(one, requests)


def _call(model: str, request: Request) -> dict[str, Any]:
    one_token = {"logit_bias": {"13022": 100, "3160": 100}, "max_completion_tokens": 1}
    return {
        "model": model,
        "temperature": 0.0,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        **(one_token if request.choices else {}),
    }


@asynccontextmanager
async def _open(settings: Settings) -> AsyncIterator[Graph]:
    async with AsyncGraphRAG(settings) as rag:
        await ensure_schema(rag.graph)
        # A server that has just started compiles; a small build first, then an empty graph.
        await _ingest(rag.graph, [Document(HUB_TEXT.format(n=0), "warm:up")], settings)
        await rag.graph.run_plain("MATCH (n) DETACH DELETE n")
        yield rag.graph


async def _ingest(graph: Graph, documents: Sequence[Document], settings: Settings) -> None:
    cutting = Cutting(settings.chunk_size, settings.chunk_overlap)
    await ingest(graph, Corpus.of_documents(documents).read("ingest", silent), cutting)


async def _number_of(graph: Graph, pattern: str) -> int:
    rows = await graph.run_plain(f"RETURN COUNT {{ {pattern} }} AS n")
    return int(rows[0]["n"])


def _texts(folder: Path) -> list[Document]:
    paths = sorted(folder.rglob("*.txt"))
    return [Document(path.read_text(encoding="utf-8"), path.name) for path in paths]


def _hub() -> list[Document]:
    return [Document(HUB_TEXT.format(n=n), f"hub:{n}") for n in range(HUB_CHUNKS)]


def _memory(folder: Path) -> None:
    peaks = []
    for times in (1, 10):
        command = [sys.executable, __file__, str(folder), "--memory-of", str(times)]
        said = subprocess.check_output(command, text=True).splitlines()
        peaks.append(float(said[-1]))
        print(f"{times:2d} × {folder.name}: {peaks[-1]:.0f} MB at the peak")
        print("\n".join(said[:-1]), flush=True)
    print(f"{peaks[1] / peaks[0]:.2f} times the memory for ten times the corpus")


async def _memory_of(settings: Settings, folder: Path, times: int) -> None:
    def documents() -> Iterator[Document]:
        for copy in range(times):
            for path in sorted(folder.rglob("*.txt")):
                text = NAME.sub(rf"\g<0>{ENDINGS[copy]}", path.read_text(encoding="utf-8"))
                yield Document(text, f"{copy}:{path.name}")

    peaks = _Peaks()
    async with AsyncGraphRAG(settings, peaks.listen) as rag:
        await rag.index(documents())
        peaks.listen(Started("end"))
        entities, pairs = [
            await _number_of(rag.graph, what) for what in ("(:Entity)", "()-[:RELATED]->()")
        ]
    print(f"    {entities:,} entities, {pairs:,} pairs of them are related")
    print(max(peaks.of.values()))


class _Peaks:
    """The peak of the resident memory of this process in each stage, in MB. Linux alone tells it.

    The peak of `resource` is no use here: it is that of the whole life of the process.
    """

    def __init__(self) -> None:
        self.stage, self.began = "start", time.perf_counter()
        self.of: dict[str, float] = {}

    def listen(self, event: Event) -> None:
        if not isinstance(event, Started):
            return
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
        self.of[self.stage] = max(peak, self.of.get(self.stage, 0.0))
        seconds = time.perf_counter() - self.began
        print(f"    {self.stage}: {peak:.0f} MB, {seconds:.0f} s", flush=True)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        self.stage, self.began = event.stage, time.perf_counter()


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def _say(what: str, seconds: float, n: int, unit: str) -> None:
    print(f"{what}: {n:,} {unit} in {seconds:.1f} s, {n / seconds:.1f} a second")


if __name__ == "__main__":
    main()
