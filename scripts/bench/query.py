"""Measures the time to make contexts, without a model, on a graph that `kg-build index` has made.

    python scripts/bench/query.py QUESTIONS.csv [--home HOME] [--level 1]

QUESTIONS.csv has a column `question_text`. The vectors of the questions are computed before the
measurement by the endpoint in the environment; without an endpoint, full-text search is used. The
rows on documents include finding these (`--where`). The last rows are whole processes with their
start-up: the import of the package, the command with each method and, without an endpoint, its
answers.
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Sequence
from itertools import product
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph.rows import SourceRow
from graphrag_neo4j.llm.endpoint import Endpoint
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.types import LLMTask, T
from graphrag_neo4j.query.global_ import search_global
from graphrag_neo4j.query.local import search_local
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text import tokens


def main() -> None:
    arguments = _arguments()
    with arguments.questions.open(encoding="utf-8-sig") as file:
        questions = [row["question_text"] for row in csv.DictReader(file)]
    settings = load_settings(home=arguments.home)
    anyio.run(measure, settings, questions, arguments.level)
    _cold(settings, questions[0])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--level", type=int, default=1)
    return parser.parse_args()


async def measure(settings: Settings, questions: Sequence[str], level: int) -> None:
    """Prints the latency of local contexts and of the global contexts of a level."""
    vectors = await _vectors(settings, questions)

    async def embed(texts: Sequence[str]) -> list[Sequence[float]]:
        return [vectors[text] for text in texts]

    embedder = Embedder(settings.embedding_model, None, embed) if vectors else None
    count = tokens.count
    backend = LLMQueryBackend(settings)
    async with AsyncGraphRAG(settings) as rag:

        def query(question: str) -> QueryContext:
            return QueryContext(
                rag.graph, settings, backend, _nobody, embedder, count, question,
                context_only=True,
            )  # fmt: skip

        for _ in range(2):  # a server that has just started compiles; the second round counts
            local = [await _timed(search_local(query(q))) for q in questions]
        _say("local context", local)
        sources = [
            row["source"] for row in await rag.graph.read("ingest/sources", SourceRow, prefix="")
        ]
        for n in sorted({len(sources), 1, min(10, len(sources)), max(1, len(sources) - 1)}):
            where = f"source={'|'.join(sources[:n])}" if n < len(sources) else ()
            for _ in range(2):
                local = [
                    await _timed(rag.local_search(q, context_only=True, where=where))
                    for q in questions
                ]
            _say(f"local context from {n} of {len(sources)} documents", local)
        whole = [
            await _timed(search_global(query(q), Question(q, "global", level=level)))
            for q in questions[:20]
        ]
        _say(f"global contexts of level {level}", whole[1:])


async def _vectors(settings: Settings, questions: Sequence[str]) -> dict[str, Sequence[float]]:
    if not settings.has_model:
        return {}
    async with Endpoint(settings) as endpoint:
        found = map(list, await endpoint.embed(questions))
        return dict(zip(questions, found, strict=True))


async def _nobody(task: LLMTask[T]) -> T:
    raise RuntimeError(f"no model is to be asked: {task}")


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def _say(what: str, seconds: Sequence[float]) -> None:
    p95 = statistics.quantiles(seconds, n=20)[-1]
    middle = statistics.median(seconds)
    print(f"{what}: p50 {1000 * middle:.0f} ms, p95 {1000 * p95:.0f} ms ({len(seconds)} questions)")


def _cold(settings: Settings, question: str) -> None:
    home = ["--home", str(settings.home)] if settings.home else []
    program = [sys.executable, "-c", "from graphrag_neo4j import GraphRAG; GraphRAG"]
    _say_best("from graphrag_neo4j import GraphRAG", program)
    forms = [["--context-only"]] if settings.has_model else [["--context-only"], []]
    for method, more in product(("local", "global", "basic", "drift"), forms):
        given = ["query", question, "--method", method, *more]
        command = [sys.executable, "-m", "graphrag_neo4j.cli", *home, *given]
        _say_best(" ".join(["kg-build query --method", method, *more]), command)


def _say_best(what: str, command: Sequence[str]) -> None:
    """Says how long a cold process takes: its wall time, and its own processor time.

    It finds its bytecode, as an installed package does: to compile its modules takes 0.15 s.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    walls, processors = [], []
    for _ in range(5):
        before, began = os.times(), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        walls.append(time.perf_counter() - began)
        after = os.times()
        processors.append(
            after.children_user + after.children_system
            - before.children_user - before.children_system
        )  # fmt: skip
    print(f"{what}, cold: {min(walls):.2f} s, of which {min(processors):.2f} s here (best of 5)")


if __name__ == "__main__":
    main()
