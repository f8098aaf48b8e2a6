"""The steps that scripts/bench/peers.py measures a program in."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from measuring import Run, chat_kinds, run
from neo4j import GraphDatabase
from peers_programs import Program

from graphrag_neo4j import embedded
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint

__all__ = ["STEPS", "Bench", "neo4j_of"]

DRIVERS = Path(__file__).parent / "peers"
QUESTION = "What are the main themes that Kevin Scott and his guests talk about?"
FAULTS = {"server_error": 0.025, "garbage": 0.025}


@dataclass(slots=True)
class Bench:
    """A program at work: its folders, its endpoint, and the Neo4j beside it."""

    program: Program
    folder: Path
    documents: Path
    endpoint: FakeEndpoint
    deadline: float
    environment: dict[str, str]
    results: dict[str, Any]
    server: int = 0

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def drive(self, home: Path, command: str, *rest: str, kill_after: int = 0) -> Run:
        """One command of the driver, measured."""
        home.mkdir(parents=True, exist_ok=True)
        return run(
            [str(self.python), str(DRIVERS / self.program.driver), command, str(home), *rest],
            self.endpoint,
            environment=self.environment,
            folder=home.parent,
            deadline=self.deadline,
            server=self.server,
            kill_after=kill_after,
        )

    def count(self, home: Path) -> dict[str, int]:
        """The things that a home holds, by kind; empty if it can't be read."""
        told = self.drive(home, "count").tail.splitlines()
        found = [line for line in told if line.startswith("{")]
        return dict(json.loads(found[-1])) if found else {}


@contextmanager
def neo4j_of(bench: Bench) -> Iterator[None]:
    """The embedded Neo4j of a program that needs one, with a new home."""
    settings = load_settings(home=bench.folder / "home-neo4j")
    try:
        server = _started(settings)
        bench.server = server.pid
        bench.environment |= {
            "NEO4J_URI": server.uri,
            "NEO4J_USERNAME": server.username,
            "NEO4J_PASSWORD": server.password,
        }
        yield
    finally:
        embedded.stop(settings)


def _started(settings: Settings) -> embedded.Server:
    """The server; on a busy machine it takes longer to start than `start` waits, so once more."""
    try:
        return embedded.start(settings)
    except EmbeddedError:
        return embedded.start(settings)


def _home(bench: Bench, name: str) -> Path:
    """An empty folder for a step; in a Neo4j all is deleted, the server goes on."""
    if bench.server:
        login = (bench.environment["NEO4J_USERNAME"], bench.environment["NEO4J_PASSWORD"])
        with GraphDatabase.driver(bench.environment["NEO4J_URI"], auth=login) as driver:
            driver.execute_query("MATCH (node) DETACH DELETE node")
    home = bench.folder / f"home-{name}" / "home"
    home.mkdir(parents=True)
    return home


def _whole(bench: Bench) -> None:
    home = _home(bench, "whole")
    bench.results["whole"] = asdict(bench.drive(home, "index", str(bench.documents)))
    bench.results["chat kinds"] = chat_kinds(bench.endpoint.log)
    bench.results["counts"] = bench.count(home)
    bench.results["again"] = asdict(bench.drive(home, "index", str(bench.documents)))
    for method in bench.program.methods:
        answered = bench.drive(home, "ask", method, QUESTION)
        bench.results.setdefault("questions", {})[method] = asdict(answered)


def _added(bench: Bench) -> None:
    *first, last = sorted(bench.documents.glob("*.txt"))
    home = _home(bench, "added")
    folder = home.parent / "documents"
    folder.mkdir()
    for path in first:
        shutil.copy(path, folder)
    bench.results["first"] = asdict(bench.drive(home, "index", str(folder)))
    shutil.copy(last, folder)
    bench.results["added"] = asdict(bench.drive(home, "add", str(folder)))
    bench.results["added counts"] = bench.count(home)


def _with_failures(bench: Bench) -> None:
    home = _home(bench, "failures")
    _set_faults(bench, FAULTS)
    bench.results["failing"] = asdict(bench.drive(home, "index", str(bench.documents)))
    _set_faults(bench, dict.fromkeys(FAULTS, 0.0))
    _second_run(bench, home, "failing")


def _set_faults(bench: Bench, faults: Mapping[str, float]) -> None:
    bench.endpoint.change(**faults, only=bench.results["chat kinds"])


def _killed(bench: Bench) -> None:
    half = bench.results["whole"]["calls"] // 2
    home = _home(bench, "killed")
    documents = str(bench.documents)
    bench.results["killed"] = asdict(bench.drive(home, "index", documents, kill_after=half))
    _second_run(bench, home, "killed")


def _second_run(bench: Bench, home: Path, name: str) -> None:
    bench.results[f"{name} counts"] = bench.count(home)
    bench.results[f"{name}, second"] = asdict(bench.drive(home, "index", str(bench.documents)))
    bench.results[f"{name}, second counts"] = bench.count(home)


STEPS: Mapping[str, Callable[[Bench], None]] = {
    "whole": _whole,
    "added": _added,
    "failures": _with_failures,
    "killed": _killed,
}
