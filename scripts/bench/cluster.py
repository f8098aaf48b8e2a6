"""Measures how many chunks a second workers read: processes of this machine, and a local Ray.

    python scripts/bench/cluster.py [FOLDER] [--chunks N]    default: the sample, 300 chunks

Only the model is not real: it is an endpoint in a separate process, once without latency and once
with 300 ms. The results are not written, but for the last line: how many chunks a second one writer
and the embedded Neo4j take whose results are ready. All shares this machine: more workers than
cores show what they cost, not what more machines give.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import cast

import anyio

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, Document, embedded
from graphrag_neo4j.backends import Backends, IndexSetup
from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.events import silent
from graphrag_neo4j.graph import ensure_schema
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.cutting import Cutting
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.indexing.stages.extract import extract
from graphrag_neo4j.indexing.stages.ingest import ingest
from graphrag_neo4j.indexing.stages.merge import merge
from graphrag_neo4j.model import ChunkText, LLMTask, T
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.workers import DeferredTask, DeferringBackend, processes
from graphrag_neo4j.workers.ray_cluster import LOCAL, connected
from tests.support.fake_endpoint import FakeEndpoint

RAY_WORKERS = (1, 2, 4)
LATENCIES = (0.0, 0.3)  # seconds
CONCURRENCY = 32


def main() -> None:
    arguments = _arguments()
    processes.FEW = 0  # the first tasks go to the processes, too
    texts = [(one.name, one.read_text("utf-8")) for one in sorted(arguments.folder.glob("*.txt"))]
    documents = [Document(text, name) for name, text in texts]
    chunks = _chunks(documents, arguments.chunks)
    print(f"{len(chunks)} chunks")
    without_model = load_settings(model="extractive")
    for workers in (1, 2):
        anyio.run(_measure, f"rules, {workers} process(es)", without_model, workers, None, chunks)
    for workers in RAY_WORKERS:
        anyio.run(_measure, f"rules, Ray, {workers}", without_model, workers, LOCAL, chunks)
    with FakeEndpoint(process=True) as endpoint:
        asked = load_settings(
            openai_base_url=endpoint.url, openai_api_key="bench", concurrency=CONCURRENCY
        )
        for latency in LATENCIES:
            endpoint.change(latency=latency)
            name = f"a model after {latency * 1000:.0f} ms"
            anyio.run(_measure, f"{name}, this process", asked, None, None, chunks)
            for workers in RAY_WORKERS:
                anyio.run(_measure, f"{name}, Ray, {workers}", asked, workers, LOCAL, chunks)
    anyio.run(_write, documents, chunks)


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
    return Cutting(settings.chunk_tokens, settings.chunk_overlap, settings.encoding)


async def _measure(
    what: str, settings: Settings, workers: int | None, ray: str | None, chunks: list[ChunkText]
) -> None:
    settings = settings.model_copy(update={"workers": workers})
    async with _setup(settings, ray) as setup:
        # Workers start, and read their word lists; the first calls find out what the endpoint can.
        await _read(setup, chunks[: 4 * (workers or 1)])
        began = time.perf_counter()
        await _read(setup, chunks)
        print(f"{what}: {len(chunks) / (time.perf_counter() - began):.1f} chunks a second")


@asynccontextmanager
async def _setup(settings: Settings, ray: str | None) -> AsyncIterator[IndexSetup]:
    backends = Backends(settings)
    try:
        if ray is None:
            setup = backends.for_indexing()
            async with setup.opened(silent):
                yield setup
        else:
            async with connected(ray, settings, silent) as cluster:
                setup = backends.for_indexing(cluster)
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
    """Writes extractions that are ready, and merges them."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder) / "home", model="extractive", workers=1)
        rules = Backends(settings).for_indexing().backend
        ready = {one.text: result_without_requests(rules.extract(one)) for one in chunks}

        async def run(task: LLMTask[T]) -> T:
            chunk = cast("ChunkText", cast("DeferredTask[T]", task).work.arguments[0])
            return cast("T", ready[chunk.text])

        try:
            async with AsyncGraphRAG(settings) as rag:
                await ensure_schema(rag.graph)
                corpus = Corpus.of_documents(documents).documents()
                await ingest(rag.graph, corpus, _cutting(settings), silent)
                await rag.graph.run_plain(
                    "MATCH (c:Chunk) WHERE NOT c.text IN $texts DETACH DELETE c",
                    texts=list(ready),
                )
                stage = StageContext(rag.graph, DeferringBackend(rules), run, CONCURRENCY, silent)
                began = time.perf_counter()
                await extract(stage)
                await merge(rag.graph, silent)
                speed = len(ready) / (time.perf_counter() - began)
                print(f"one writer and Neo4j, results ready: {speed:.1f} chunks a second")
        finally:
            embedded.stop(settings)


if __name__ == "__main__":
    main()
