"""Measures `kg-build serve` beside the Python client, on a graph that `kg-build index` has made.

    python scripts/bench/serve.py QUESTIONS.csv [--home HOME] [--requests 2000]

QUESTIONS.csv has a column `question_text`. Both answer the same questions by local search, one
after the other, by the model that is set, if one is. Then the server gets many questions at once:
it answers 64 and refuses the others, and its memory is read after each quarter.
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import anyio
import httpx2
import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.settings import Settings, load_settings

TOKEN = "a-token-for-this-benchmark"  # noqa: S105 - of a server on this machine
MEGABYTE = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--requests", type=int, default=2000)
    arguments = parser.parse_args()
    with arguments.questions.open(encoding="utf-8-sig") as file:
        questions = [row["question_text"] for row in csv.DictReader(file)]
    anyio.run(measure, load_settings(home=arguments.home, serve_token=TOKEN), questions, arguments)


async def measure(
    settings: Settings, questions: Sequence[str], arguments: argparse.Namespace
) -> None:
    """Prints the latency of both, what many at once get, and the memory of the server."""
    command = [sys.executable, "-m", "graphrag_neo4j.cli"]
    command += ["--home", str(arguments.home)] if arguments.home else []
    command += ["serve", "--no-browser", "--port", "0"]
    async with AsyncGraphRAG(settings) as rag:
        with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs yet
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "KG_SERVE_TOKEN": TOKEN}
        ) as process:
            url = (process.stdout or sys.stdin).readline().split()[-1].partition("/#")[0]
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=600) as http:
                taken: dict[str, list[float]] = {"client": [], "server": []}
                for turn in range(2):  # the first turn warms both up
                    for question in questions:
                        began = time.perf_counter()
                        await rag.query(question, method="local")
                        middle = time.perf_counter()
                        await ask(http, question)
                        if turn:
                            taken["client"].append(middle - began)
                            taken["server"].append(time.perf_counter() - middle)
                for name, seconds in taken.items():
                    p95 = statistics.quantiles(seconds, n=20)[-1]
                    middle_ms = 1000 * statistics.median(seconds)
                    print(f"{name}: p50 {middle_ms:.0f} ms, p95 {1000 * p95:.0f} ms")
                await crowd(http, questions, 100)
                for quarter in range(4):
                    for _ in range(arguments.requests // 4 // 32):
                        await crowd(http, questions, 32, quiet=True)
                    memory = psutil.Process(process.pid).memory_info().rss / MEGABYTE
                    print(f"after {(quarter + 1) * arguments.requests // 4}: {memory:.0f} MB")
            process.terminate()


async def ask(http: httpx2.AsyncClient, question: str) -> int:
    """Asks, and returns the status."""
    body = {"question": question, "method": "local", "stream": False}
    return (await http.post("/api/ask", json=body)).status_code


async def crowd(
    http: httpx2.AsyncClient, questions: Sequence[str], n: int, *, quiet: bool = False
) -> None:
    """Asks `n` questions at once, and prints the statuses. Ends the run if one has failed."""
    found: Counter[int] = Counter()

    async def one(question: str) -> None:
        found[await ask(http, question)] += 1

    async with anyio.create_task_group() as tasks:
        for number in range(n):
            tasks.start_soon(one, questions[number % len(questions)])
    if not quiet:
        print(f"{n} at once: {dict(found)}")
    if found.keys() - {200, 429}:
        raise SystemExit(f"some questions failed: {dict(found)}")


if __name__ == "__main__":
    main()
