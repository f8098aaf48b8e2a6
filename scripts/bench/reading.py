"""Measures how documents are read: the first seconds, the speed and the peak memory.

    python scripts/bench/reading.py                          100,000 files, 1,000,000 rows, 1,000 MB
    python scripts/bench/reading.py --files 10000 --rows 100000 --megabytes 100
    python scripts/bench/reading.py --ingest                 also writes them into a new Neo4j

The inputs are made in a temporary folder: a folder of small files, a csv of small rows, a jsonl of
so many megabytes, and one text as large. Each is read in a process of its own. A line says when the
files are found, when the first document is read and when the last, and the memory at the peak; then
the same with the documents cut into chunks or, with --ingest, written.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[2]))

from graphrag_neo4j import AsyncGraphRAG, embedded
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.read.ingest import ingest
from graphrag_neo4j.model.events import Share, silent
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import load_settings

SAMPLE = Path(__file__).parents[2] / "graphrag_neo4j" / "data" / "sample"
SENTENCES = 8  # of a small document, about 500 bytes
PASSAGES = 100  # small documents in a row of the jsonl
CUTTING = Cutting(600, 100)


def main() -> None:
    arguments = _arguments()
    if arguments.read:
        anyio.run(_read, arguments.read, arguments.how, arguments.home)
        return
    with tempfile.TemporaryDirectory() as folder:
        for what, path in _inputs(Path(folder), arguments):
            for how in ("read", "cut", "ingest")[: 3 if arguments.ingest else 2]:
                _measure(what, path, how, Path(folder) / "home")
    print("The memory of a process that reads nothing is in the row of one small file.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--ingest", action="store_true")
    parser.add_argument("--only", choices=("folder", "csv", "jsonl", "text"))
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--how", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _inputs(folder: Path, arguments: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Makes one input after the other; only one is there at a time."""
    small = folder / "small.txt"
    small.write_text(next(_texts()))
    yield "one small file", small
    makers: dict[str, tuple[Callable[[Path, int], None], int, str]] = {
        "folder": (_make_folder, arguments.files, "files"),
        "csv": (_make_csv, arguments.rows, "rows"),
        "jsonl": (_make_jsonl, arguments.megabytes, "MB"),
        "text": (_make_text, arguments.megabytes, "MB"),
    }
    for kind, (make, n, unit) in makers.items():
        if arguments.only in (None, kind):
            path = folder / ("files" if kind == "folder" else f"one.{kind.replace('text', 'txt')}")
            make(path, n)
            yield f"{kind} of {n:,} {unit}", path
            if path.is_file():
                path.unlink()


def _texts() -> Iterator[str]:
    chance = random.Random(1)  # noqa: S311 - repeatable
    words = [word for path in sorted(SAMPLE.glob("*.txt")) for word in path.read_text().split()]
    words = [word for word in words if word.isalpha()]
    while True:
        lines = (" ".join(chance.choices(words, k=12)) for _ in range(SENTENCES))
        yield ". ".join(lines) + ".\n"


def _make_folder(path: Path, n: int) -> None:
    for number, text in zip(range(n), _texts(), strict=False):
        folder = path / f"{number // 1000:04}"
        if number % 1000 == 0:
            folder.mkdir(parents=True)
        (folder / f"{number}.txt").write_text(text)


def _make_csv(path: Path, n: int) -> None:
    with path.open("w") as file:
        file.write("text,number\n")
        file.writelines(
            f"{text.strip()},{number}\n" for number, text in zip(range(n), _texts(), strict=False)
        )


def _make_jsonl(path: Path, megabytes: int) -> None:
    texts = _texts()
    with path.open("w") as file:
        while file.tell() < megabytes * 1_000_000:
            passages = "\n".join(next(texts) for _ in range(PASSAGES))
            file.write(json.dumps({"text": passages}) + "\n")


def _make_text(path: Path, megabytes: int) -> None:
    texts = _texts()
    with path.open("w") as file:
        while file.tell() < megabytes * 1_000_000:
            file.write("\n".join(next(texts) for _ in range(PASSAGES)) + "\n")


def _measure(what: str, path: Path, how: str, home: Path) -> None:
    command = [sys.executable, __file__, "--read", str(path), "--how", how, "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = done.stdout.strip() or f"failed ({done.returncode}): {done.stderr.strip()[-300:]}"
    print(f"{what}, {how}: {found}", flush=True)


async def _read(path: Path, how: str, home: Path) -> None:
    began = time.perf_counter()
    corpus = Corpus.of_paths([path], ReadOptions())
    times = [time.perf_counter() - began]

    async def documents() -> AsyncIterator[tuple[Document, Share]]:
        async for document, share in corpus.read("ingest", silent):
            if len(times) == 1:
                times.append(time.perf_counter() - began)
            yield document, share

    if how == "ingest":
        await _ingest(documents(), home)
    else:
        async for document, _ in documents():
            if how == "cut":
                CUTTING.spans(document, lambda _: None)
    times.append(time.perf_counter() - began)
    _say(times, corpus)


def _say(times: Sequence[float], corpus: Corpus) -> None:
    """`times` are those of the files, of the first document if there was one, and of the end."""
    first = f"{times[1]:.1f} s" if len(times) > 2 else "never"
    speed = 60 * (corpus.n_bytes or 0) / 1e6 / time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"files found after {times[0]:.1f} s, first document {first}, last {times[-1]:.1f} s, "
        f"{speed:.0f} MB for a minute of a core, {peak:.0f} MB of memory"
    )
    for reason in corpus.reasons().values():
        print(f"    {reason}")


async def _ingest(documents: AsyncIterator[tuple[Document, Share]], home: Path) -> None:
    settings = load_settings(home=home)
    try:
        async with AsyncGraphRAG(settings) as rag:
            await ensure_schema(rag.graph)
            await ingest(rag.graph, documents, CUTTING)
    finally:
        embedded.stop(settings)


if __name__ == "__main__":
    main()
