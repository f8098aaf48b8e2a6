"""Measures the time to make contexts on a large made-up graph, without a model.

    python scripts/bench/made_up.py                       1,000,000 entities, 10 hubs of 100,000
    python scripts/bench/made_up.py --entities 100000     a tenth of it, with hubs of 10,000
    python scripts/bench/made_up.py --home HOME           keeps the graph, or uses the one in HOME

The graph is written as tables, which `neo4j-admin database import` reads into the embedded Neo4j.
Then the indexes are made, the stage merge lists what weighs most around each hub, and questions
about hubs and other entities are asked. The graph has no vectors: the entities of a question are
found by full-text search. Afterwards the graph is removed, unless --home is given.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[2]))

from made_up_rows import Shape, name, questions, write_tables
from query import measure

from graphrag_neo4j import AsyncGraphRAG, embedded
from graphrag_neo4j.embedded.jars import jars_folder
from graphrag_neo4j.embedded.releases import RELEASES, find_java
from graphrag_neo4j.graph.indexes import await_indexes, ensure_fulltext_indexes
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.settings import Settings, load_settings

DONE = "made-up.txt"  # in a home: its graph is complete
MARK_HUBS = "UNWIND $names AS name MATCH (x:Entity {name: name}) SET x.stale = true"


def main() -> None:
    arguments = _arguments()
    degree = arguments.degree or arguments.entities // 10
    shape = Shape(arguments.entities, arguments.hubs, degree)
    with _home(arguments.home) as home:
        settings = load_settings(home=home, embedding_model="none")
        if not (home / DONE).exists():
            _make(settings, shape)
            (home / DONE).touch()
        anyio.run(measure, settings, questions(shape, arguments.questions), 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--hubs", type=int, default=10)
    parser.add_argument("--degree", type=int, help="relationships of a hub (default: a tenth)")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--home", type=Path)
    return parser.parse_args()


@contextmanager
def _home(kept: Path | None) -> Iterator[Path]:
    """The home of the graph; its server is stopped at the end, unless it ran before."""
    with tempfile.TemporaryDirectory() as folder:
        home = (kept or Path(folder) / "home").resolve()
        ran = embedded.running(load_settings(home=home))
        try:
            yield home
        finally:
            if not ran:
                embedded.stop(load_settings(home=home))


def _make(settings: Settings, shape: Shape) -> None:
    embedded.start(settings)  # makes the configuration and the password
    embedded.stop(settings)
    with tempfile.TemporaryDirectory() as folder, _told("tables written"):
        tables = write_tables(shape, Path(folder))
        with _told("tables imported"):
            _import(settings, tables)
    anyio.run(_finish, settings, shape)


def _import(settings: Settings, tables: dict[str, list[Path]]) -> None:
    release = RELEASES[settings.neo4j_release]
    java, home = find_java(), settings.home
    command = [java.path, "-Xmx2g", *java.flags(), "-cp", str(jars_folder(release) / "lib" / "*")]
    command += ["org.neo4j.cli.AdminTool", "database", "import", "full", "neo4j"]
    command += ["--overwrite-destination", "--max-off-heap-memory=2g", "--array-delimiter=;"]
    command += [f"--{key}={','.join(map(str, paths))}" for key, paths in tables.items()]
    environment = {**os.environ, "NEO4J_HOME": f"{home}", "NEO4J_CONF": f"{home}/conf"}
    done = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"The import failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


async def _finish(settings: Settings, shape: Shape) -> None:
    """Makes the indexes, and has the stage merge list what weighs most around each hub."""
    async with AsyncGraphRAG(settings) as rag:
        with _told("indexes made"):
            await ensure_schema(rag.graph)
            await ensure_fulltext_indexes(rag.graph, settings.fulltext_analyzer)
            await await_indexes(rag.graph)
        with _told("hubs merged"):
            hubs = [name(number) for number in range(shape.hubs)]
            await rag.graph.run_plain(MARK_HUBS, names=hubs)
            await merge(rag.graph, silent)


@contextmanager
def _told(what: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    print(f"{what} after {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
