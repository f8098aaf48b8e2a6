"""Makes the graphs of a release, which tests of later releases bring up to date.

    python -m tests.support.make_release_fixture FOLDER [NAME…]

Run it in a checkout of the release, before its schema version is raised, with the folder
`tests/data/releases/<schema version>` of the checkout that keeps the files. NAME is one of GRAPHS;
without it, all are made. The settings of the release decide everything that is not set here, so no
`KG_` setting may be in the environment. The release of Neo4j is that of the tests
(`KG_TEST_NEO4J_RELEASE`).

The graphs of 0001 were made by commit df645df7, which did not have this module yet:

    git worktree add ../release df645df7
    cp -r tests/data/releases ../release/tests/data/
    cp tests/support/releases.py tests/support/make_release_fixture.py ../release/tests/support/
    kept=$PWD/tests/data/releases/0001
    cd ../release
    python -m tests.support.make_release_fixture "$kept"

`python` is one of an environment with that release's dependencies.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import chdir
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

from graphrag_neo4j import AsyncGraphRAG, ReadOptions
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.settings import load_settings
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import ROOT
from tests.support.releases import RELEASES, read_graph, save
from tests.support.servers import TestServer, any_server
from tests.support.wiping import wipe

SAMPLE = ROOT / "graphrag_neo4j" / "data" / "sample"
TRANSCRIPTS = [  # the shortest two
    SAMPLE / "Ep-52_Behind_the_Tech_Kevin_Scott_Podcast_with_Bill_Gates-qc.txt",
    SAMPLE / "EP-03__Behind_the_Tech_Kevin_Scott_Podcast_with_Andrew_Ng.txt",
]
DOCUMENTS = RELEASES / "documents"
# No vectors but those that come with the package, so that the graphs are the same on each machine.
WITHOUT_ENDPOINT = {"openai_base_url": None, "openai_api_key": None, "embedding_model": "static"}


async def with_endpoint(server: TestServer) -> None:
    """Two transcripts, read by a model, with claims and gleanings."""
    with FakeEndpoint() as endpoint:
        settings = {"openai_base_url": endpoint.url, "openai_api_key": "sk-for-tests-only"}
        await index(server, TRANSCRIPTS, SAMPLE, claims=True, **settings)


async def extractive(server: TestServer) -> None:
    """The same transcripts without a model."""
    await index(server, TRANSCRIPTS, SAMPLE, **WITHOUT_ENDPOINT)


async def mixed(server: TestServer) -> None:
    """Files of four kinds, with metadata before each chunk, one of which has changed since."""
    settings = {"prepend_metadata": ("title", "date"), **WITHOUT_ENDPOINT}
    with TemporaryDirectory() as folder:
        files = copytree(DOCUMENTS, Path(folder, "documents"))
        note = files / "note.txt"
        text = note.read_text("utf-8")
        note.write_text(text.partition("\n\n")[0] + "\n", "utf-8")
        await index(server, [files], files, **settings)
        note.write_text(text, "utf-8")
        await index(server, [files], files, **settings)


GRAPHS: dict[str, Callable[[TestServer], Awaitable[None]]] = {
    "endpoint": with_endpoint,
    "extractive": extractive,
    "mixed": mixed,
}


async def index(server: TestServer, paths: list[Path], root: Path, **settings: Any) -> None:  # noqa: ANN401 - checked by Settings
    """Indexes files under a root, to which their sources are relative."""
    async with AsyncGraphRAG(load_settings(**server.settings, **settings)) as rag:
        result = await rag.index([*paths], options=ReadOptions(source_root=root))
    assert result.complete


async def make(server: TestServer, names: list[str], folder: Path) -> None:
    async with server.connect() as graph:
        for name in names:
            await GRAPHS[name](server)
            await forget_machine(graph)
            save(await read_graph(graph), folder / f"{name}.jsonl.xz")
            await wipe(graph)


async def forget_machine(graph: Graph) -> None:
    """Takes the name of this machine and the numbers of processes out of the builds."""
    await graph.run_plain("MATCH (x:Build) SET x.host = 'host', x.process = 1")


def main() -> None:
    kept, *names = sys.argv[1:]
    folder = Path(kept).resolve()
    with TemporaryDirectory() as home, chdir(home), any_server(Path(home, "home")) as server:
        asyncio.run(make(server, names or [*GRAPHS], folder))


if __name__ == "__main__":
    main()
