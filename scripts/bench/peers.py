"""Measures this project beside other GraphRAG programs, with the same documents and endpoint.

    python scripts/bench/peers.py [FOLDER] [--only NAME …] [--steps STEP …] [--limit MINUTES]

FOLDER holds .txt files (default: the sample). Each program is installed into an environment of its
own under WORK (default: .peers), at the version in `PROGRAMS`, and driven by a small script in
scripts/bench/peers. The model is the endpoint of the tests, in a process of its own. The embedded
Neo4j serves those that need one, with a new home for each.

A program is measured in these steps: it indexes all documents; it answers questions, each in a new
process; it indexes all but the last document, then adds this one; it indexes while some calls fail,
then once more without failures; it is killed after half of its calls, then runs once more. A
program that does not install or end within --limit minutes is reported with its last lines.

Every step is written to WORK/results.json. The table at the end shows what that file holds, so
programs may be measured one after the other with --only, and single steps with --steps.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from measuring import ProgramTooSlowError
from peers_programs import DIMENSIONS, PROGRAMS, ROOT, Program, environment, install
from peers_steps import STEPS, Bench, neo4j_of
from peers_table import print_tables

from graphrag_neo4j.errors import EmbeddedError
from tests.support.fake_endpoint import FakeEndpoint

Save = Callable[[Mapping[str, Any]], None]


def main() -> None:
    arguments = _arguments()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in arguments.only or PROGRAMS:
        print(f"{name} …", flush=True)
        save = partial(_save, work, name)
        results = _known(work).get(name, {}) if arguments.steps else {}
        save(_measure(PROGRAMS[name], work / _short(name), arguments, results, save))
    known = _known(work)
    print_tables(known["machine"], {name: known[name] for name in PROGRAMS if name in known})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sample = Path(str(files("graphrag_neo4j") / "data" / "sample"))
    parser.add_argument("folder", nargs="?", type=Path, default=sample)
    parser.add_argument("--only", nargs="*", choices=list(PROGRAMS))
    parser.add_argument("--steps", nargs="*", choices=list(STEPS), help="others stay as they were")
    parser.add_argument("--limit", type=float, default=20, help="minutes for each program")
    parser.add_argument("--latency", type=float, default=1, help="seconds of each call")
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
    program: Program,
    folder: Path,
    arguments: argparse.Namespace,
    results: dict[str, Any],
    save: Save,
) -> dict[str, Any]:
    """The steps of a program; where it fails or runs out of time, those that it did, and why."""
    results.pop("ended", None)
    for old in folder.glob("home-*"):
        shutil.rmtree(old)
    deadline = time.monotonic() + 60 * arguments.limit
    documents = _copied(arguments.folder, folder / "documents")
    try:
        results["installed"] = install(program, folder, deadline)
        with FakeEndpoint(
            process=True,
            dimensions=DIMENSIONS,
            latency=arguments.latency,
            replies="scripts.bench.peers_replies",
        ) as endpoint:
            here = environment(endpoint.url, folder)
            bench = Bench(program, folder, documents, endpoint, deadline, here, results)
            with neo4j_of(bench) if program.needs_neo4j else nullcontext():
                _take_steps(bench, arguments.steps or STEPS, save)
    except (ProgramTooSlowError, subprocess.TimeoutExpired) as error:
        results["ended"] = f"It did not end within {arguments.limit:g} minutes. {error}"
    except EmbeddedError as error:
        results["ended"] = str(error)
    except subprocess.CalledProcessError as error:
        results["ended"] = f"It could not be installed. {(error.stderr or '')[-2000:]}"
    return results


def _take_steps(bench: Bench, names: Iterable[str], save: Save) -> None:
    for name in names:
        began = time.monotonic()
        STEPS[name](bench)
        save(bench.results)
        print(f"  {name}: {time.monotonic() - began:.0f} s", flush=True)


def _copied(folder: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for path in sorted(folder.glob("*.txt")):
        shutil.copy(path, to)
    return to


if __name__ == "__main__":
    main()
