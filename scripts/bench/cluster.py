"""Measures how many chunks a second workers read: this process, and a local Ray.

    python scripts/bench/cluster.py [FOLDER] [--chunks N]    default: the sample, 300 chunks

Only the model is not real: it is an endpoint in a separate process, once without latency and once
with 300 ms. The results are not written, but for the last line: how many chunks a second one writer
and the embedded Neo4j take whose results are ready. All shares this machine: more workers than
cores show what they cost, not what more machines give. Chunks a second suffer from other work on
the machine; CPU time suffers less. It is that of this process, of the workers and of Ray, without
the endpoint.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from itertools import product
from math import inf
from pathlib import Path
from typing import cast

import anyio
import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.backends import Backends, IndexSetup
from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.extras.ray import LOCAL, DeferredTask, connected, deferring
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.read.extract import extract
from graphrag_neo4j.index.read.ingest import ingest
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.model.types import ChunkText, LLMTask, T
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint

RAY_WORKERS = (1, 2, 4)
LATENCIES = (0.0, 0.3)  # seconds
CONCURRENCY = 32
ROUNDS = 3  # the best of them counts
ENDPOINT = "tests.support.fake_endpoint"  # in the command of its process


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured: under this name, with these settings, and with Ray where `workers` is set.

    The endpoint answers after `latency` seconds.
    """

    name: str
    settings: Settings
    workers: int | None = None
    latency: float = 0.0


def main() -> None:
    arguments = _arguments()
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray gives way to others otherwise
    texts = [(one.name, one.read_text("utf-8")) for one in sorted(arguments.folder.glob("*.txt"))]
    documents = [Document(text, name) for name, text in texts]
    chunks = _chunks(documents, arguments.chunks)
    print(f"{len(chunks)} chunks")
    with FakeEndpoint(process=True) as endpoint:
        anyio.run(_measure_all, endpoint, chunks)
    anyio.run(_write, documents, chunks)


async def _measure_all(endpoint: FakeEndpoint, chunks: list[ChunkText]) -> None:
    """Measures the cases without Ray, then those with one Ray that serves them all."""
    rules = load_settings(model="extractive")
    model = load_settings(
        openai_base_url=endpoint.url, openai_api_key="bench", concurrency=CONCURRENCY
    )
    alone = [
        Case("rules, this process", rules),
        *(Case(f"model, {_ms(one)}, this process", model, latency=one) for one in LATENCIES),
    ]
    for case in alone:
        await _measure(case, endpoint, chunks)
    async with connected(LOCAL, rules.model_copy(update={"workers": max(RAY_WORKERS)}), silent):
        for n in RAY_WORKERS:
            await _measure(Case(f"rules, Ray, {n}", rules, n), endpoint, chunks)
        for one, n in product(LATENCIES, RAY_WORKERS):
            case = Case(f"model, {_ms(one)}, Ray, {n}", model, n, one)
            await _measure(case, endpoint, chunks)


def _ms(latency: float) -> str:
    return f"{latency * 1000:.0f} ms"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sample = Path(str(files("graphrag_neo4j") / "data" / "sample"))
    parser.add_argument("folder", nargs="?", type=Path, default=sample)
    parser.add_argument("--chunks", type=int, default=300)
    return parser.parse_args()


def _chunks(documents: Sequence[Document], most: int) -> list[ChunkText]:
    cuts = _cutting(load_settings())
    texts = [
        document.text[span.start : span.end]
        for document in documents
        for span in cuts.spans(document, lambda _: None)
    ]
    return [ChunkText(str(number), text) for number, text in enumerate(texts[:most])]


def _cutting(settings: Settings) -> Cutting:
    return Cutting(settings.chunk_size, settings.chunk_overlap)


async def _measure(case: Case, endpoint: FakeEndpoint, chunks: list[ChunkText]) -> None:
    """Prints the speed of the best round, and the CPU time of all processes but the endpoint's."""
    endpoint.change(latency=case.latency)
    async with _setup(case) as setup:
        # Workers start, and read their word lists; the first calls find out what the endpoint can.
        await _read(setup, chunks[: 8 * (case.workers or 1)])
        before, here, best = _cpu_seconds(), time.process_time(), inf
        for _ in range(ROUNDS):
            began = time.perf_counter()
            await _read(setup, chunks)
            best = min(best, time.perf_counter() - began)
        of_a_chunk = 1000 / ROUNDS / len(chunks)
        cpu = (_cpu_seconds() - before) * of_a_chunk
        here = (time.process_time() - here) * of_a_chunk
    print(
        f"{case.name}: {len(chunks) / best:.1f} chunks a second, {cpu:.1f} ms CPU a chunk, "
        f"{here:.1f} of them in this process"
    )


def _cpu_seconds() -> float:
    """CPU time so far of this process and of its workers, with the machinery of Ray."""
    total = 0.0
    for one in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with suppress(psutil.Error):  # it has just ended
            if ENDPOINT not in " ".join(one.cmdline()):
                times = one.cpu_times()
                total += times.user + times.system
    return total


@asynccontextmanager
async def _setup(case: Case) -> AsyncIterator[IndexSetup]:
    settings = case.settings
    if case.workers:
        settings = settings.model_copy(update={"workers": case.workers})
    backends = Backends(settings)
    try:
        if case.workers:
            async with connected(LOCAL, settings, silent) as cluster:
                setup = backends.for_indexing(backends.origin, cluster)
                async with setup.opened(silent):
                    yield setup
        else:
            setup = backends.for_indexing(backends.origin)
            async with setup.opened(silent):
                yield setup
    finally:
        await backends.aclose()


async def _read(setup: IndexSetup, chunks: Sequence[ChunkText]) -> None:
    limit = anyio.CapacityLimiter(setup.workers)

    async def one(chunk: ChunkText) -> None:
        async with limit:
            await setup.run(setup.backend.extract(chunk))

    async with anyio.create_task_group() as tasks:
        for chunk in chunks:
            tasks.start_soon(one, chunk)


async def _write(documents: Sequence[Document], chunks: Sequence[ChunkText]) -> None:
    """Writes extractions that are ready, and merges them: first to warm up, then measured."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder) / "home", model="extractive")
        rules = Backends(settings).for_indexing("extractive").backend
        ready = {one.text: result_without_requests(rules.extract(one)) for one in chunks}

        async def run(task: LLMTask[T]) -> T:
            chunk = cast("ChunkText", cast("DeferredTask[T]", task).work[1][0])
            return cast("T", ready[chunk.text])

        try:
            async with AsyncGraphRAG(settings) as rag:
                await ensure_schema(rag.graph)
                stage = StageContext(rag.graph, deferring(rules), run, CONCURRENCY, silent)
                for _ in range(ROUNDS):
                    await _ingest(rag.graph, documents, list(ready))
                    began, before = time.perf_counter(), _writing_seconds(settings)
                    await extract(stage)
                    await merge(rag.graph, silent)
                    seconds, after = time.perf_counter() - began, _writing_seconds(settings)
                _tell_writing(len(ready), seconds, before, after)
        finally:
            embedded.stop(settings)


async def _ingest(graph: Graph, documents: Sequence[Document], texts: Sequence[str]) -> None:
    """Fills an empty graph with the chunks of these texts."""
    await graph.run_plain("MATCH (node) DETACH DELETE node")
    corpus = Corpus.of_documents(documents).read("ingest", silent)
    await ingest(graph, corpus, _cutting(load_settings()))
    await graph.run_plain("MATCH (c:Chunk) WHERE NOT c.text IN $texts DETACH DELETE c", texts=texts)


def _writing_seconds(settings: Settings) -> tuple[float, float]:
    """CPU time so far of this process, and of the embedded server."""
    server = embedded.running(settings)
    if server is None:
        raise RuntimeError("The embedded server has ended.")
    times = psutil.Process(server.pid).cpu_times()
    return time.process_time(), times.user + times.system


def _tell_writing(
    n: int, seconds: float, before: tuple[float, float], after: tuple[float, float]
) -> None:
    here, there = ((end - begin) * 1000 / n for begin, end in zip(before, after, strict=True))
    print(
        f"one writer and Neo4j, results ready: {n / seconds:.1f} chunks a second, "
        f"{here:.1f} ms CPU a chunk here and {there:.1f} in Neo4j"
    )


if __name__ == "__main__":
    main()
