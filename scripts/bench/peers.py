"""Measures this project beside other GraphRAG programs, with the same documents and endpoint.

    python scripts/bench/peers.py [FOLDER] [--only NAME …] [--limit MINUTES] [--work WORK]

FOLDER holds .txt files (default: the sample). Each program is installed into an environment of its
own under WORK (default: .peers), at the version in `PROGRAMS`, and driven by a small script in
scripts/bench/peers. The model is the endpoint of the tests, in a process of its own. The embedded
Neo4j serves those that need one, with a new home for each.

A program is measured in these steps: it indexes all documents; it answers questions, each in a new
process; it indexes all but the last document, then adds this one; it indexes while some calls fail,
then once more without failures; it is killed after half of its calls, then runs once more. A
program that does not install or end within --limit minutes is reported with its last lines.

Every step is written to WORK/results.json. The table at the end shows what that file holds, so
programs may be measured one after the other with --only.
"""

import argparse
import gzip
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from measuring import ProgramTooSlowError, Run, chat_kinds, run
from neo4j import GraphDatabase
from peers_table import print_tables

from graphrag_neo4j import embedded
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.resources import read_data
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.tokens import PACKAGED
from tests.support.fake_endpoint import FakeEndpoint

ROOT = Path(__file__).parents[2]
DRIVERS = Path(__file__).parent / "peers"
QUESTION = "What are the main themes that Kevin Scott and his guests talk about?"
DIMENSIONS = 1536
SAME = {
    "OPENAI_API_KEY": "bench",
    "BENCH_MODEL": "gpt-4.1-mini",
    "BENCH_EMBEDDING": "text-embedding-3-small",
    "BENCH_DIMENSIONS": str(DIMENSIONS),
    "BENCH_CHUNK_TOKENS": "600",
    "BENCH_CHUNK_OVERLAP": "100",
    "BENCH_CONCURRENCY": "32",
    "KG_MODEL": "gpt-4.1-mini",
    "KG_EMBEDDING_MODEL": "text-embedding-3-small",
    "KG_CONCURRENCY": "32",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or litellm waits for a download of prices
}
FAULTS = {"server_error": 0.025, "garbage": 0.025}

Save = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Program:
    """What is installed, the script that drives it, and the searches that are measured."""

    requirements: tuple[str, ...]
    driver: str
    methods: tuple[str, ...]
    needs_neo4j: bool = False


PROGRAMS = {
    "graphrag-neo4j": Program((f"{ROOT}[local]",), "ours.py", ("global", "local"), True),
    "microsoft/graphrag": Program(("graphrag==3.3.0",), "with_graphrag.py", ("global", "local")),
    # Its interface to OpenAI needs the package openai, which it would install while it runs.
    "LightRAG": Program(
        ("lightrag-hku==1.5.7", "openai>=2,<4"), "with_lightrag.py", ("mix", "hybrid")
    ),
    "neo4j-graphrag": Program(
        ("neo4j-graphrag[openai]==1.22.0",),
        "with_neo4j_graphrag.py",
        ("hybrid", "hybrid_cypher"),
        True,
    ),
}


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


def main() -> None:
    arguments = _arguments()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in arguments.only or PROGRAMS:
        print(f"{name} …", flush=True)
        save = partial(_save, work, name)
        save(_measure(PROGRAMS[name], work / _short(name), arguments, save))
    print_tables(_known(work))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sample = Path(str(files("graphrag_neo4j") / "data" / "sample"))
    parser.add_argument("folder", nargs="?", type=Path, default=sample)
    parser.add_argument("--only", nargs="*", choices=list(PROGRAMS))
    parser.add_argument("--limit", type=float, default=20, help="minutes for each program")
    parser.add_argument("--latency", type=float, default=0.1, help="seconds of each call")
    parser.add_argument("--work", type=Path, default=ROOT / ".peers")
    return parser.parse_args()


def _known(work: Path) -> dict[str, Any]:
    path = work / "results.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _save(work: Path, name: str, results: Mapping[str, Any]) -> None:
    known = _known(work) | {name: results, "machine": _machine()}
    (work / "results.json").write_text(json.dumps(known, indent=1), encoding="utf-8")


def _machine() -> str:
    date = time.strftime("%Y-%m-%d", time.gmtime())
    load = os.getloadavg()[0]
    return (
        f"{date}, {os.cpu_count()} cores, load {load:.0f}, Python {platform.python_version()}, "
        f"{platform.system()}"
    )


def _short(name: str) -> str:
    return name.rpartition("/")[2].lower()


def _measure(
    program: Program, folder: Path, arguments: argparse.Namespace, save: Save
) -> dict[str, Any]:
    """All steps of a program; where it fails or runs out of time, those that it did, and why."""
    for old in folder.glob("home-*"):
        shutil.rmtree(old)
    deadline = time.monotonic() + 60 * arguments.limit
    documents = _copied(arguments.folder, folder / "documents")
    results: dict[str, Any] = {}
    try:
        results["installed"] = _install(program, folder, deadline)
        with FakeEndpoint(
            process=True, dimensions=DIMENSIONS, latency=arguments.latency
        ) as endpoint:
            here = _environment(endpoint.url, folder)
            bench = Bench(program, folder, documents, endpoint, deadline, here, results)
            with _neo4j(bench) if program.needs_neo4j else nullcontext():
                _take_steps(bench, save)
    except (ProgramTooSlowError, subprocess.TimeoutExpired) as error:
        results["ended"] = f"It did not end within {arguments.limit:g} minutes. {error}"
    except EmbeddedError as error:
        results["ended"] = str(error)
    except subprocess.CalledProcessError as error:
        results["ended"] = f"It could not be installed. {(error.stderr or '')[-2000:]}"
    return results


def _take_steps(bench: Bench, save: Save) -> None:
    for step in (_whole, _added, _with_failures, _killed):
        began = time.monotonic()
        step(bench)
        save(bench.results)
        seconds = time.monotonic() - began
        print(f"  {step.__name__.strip('_').replace('_', ' ')}: {seconds:.0f} s", flush=True)


def _copied(folder: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for path in sorted(folder.glob("*.txt")):
        shutil.copy(path, to)
    return to


def _environment(url: str, folder: Path) -> dict[str, str]:
    """Variables for the program: the endpoint, and the ranks of tokens without a download."""
    ranks = folder / "tiktoken"
    ranks.mkdir(exist_ok=True)
    for name, cached in PACKAGED.values():
        (ranks / cached).write_bytes(gzip.decompress(read_data(f"tiktoken/{name}.tiktoken.gz")))
    addresses = dict.fromkeys(("OPENAI_BASE_URL", "OPENAI_API_BASE"), url)
    caches = dict.fromkeys(("TIKTOKEN_CACHE_DIR", "CUSTOM_TIKTOKEN_CACHE_DIR"), str(ranks))
    return SAME | addresses | caches


def _install(program: Program, folder: Path, deadline: float) -> dict[str, Any]:
    """Installs the program, unless that is done, and measures what came with it."""
    venv, done = folder / "venv", folder / "installed.json"
    wanted = list(program.requirements)
    if done.exists() and json.loads(done.read_text())["requirements"] == wanted:
        return dict(json.loads(done.read_text()))
    shutil.rmtree(venv, ignore_errors=True)
    began = time.monotonic()
    limited = partial(_run_quietly, timeout=deadline - began)
    limited(sys.executable, "-m", "venv", "--without-pip", str(venv))
    pip = (sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"))
    limited(*pip, "install", "--quiet", "--no-compile", *wanted)
    told = {
        "requirements": wanted,
        "seconds": round(time.monotonic() - began),
        "versions": json.loads(limited(*pip, "list", "--format", "json")),
        "megabytes": _megabytes(venv),
    }
    done.write_text(json.dumps(told), encoding="utf-8")
    return told


def _run_quietly(*command: str, timeout: float) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=timeout)
    return done.stdout


def _megabytes(folder: Path) -> int:
    """The size of all files, in MB. Bytecode is not there yet: pip was told not to compile."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return sum(path.stat().st_size for path in paths) // 1_000_000


@contextmanager
def _neo4j(bench: Bench) -> Iterator[None]:
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


if __name__ == "__main__":
    main()
