"""The programs of scripts/bench/peers.py: what is installed, where, and with which settings."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from hashlib import sha1
from pathlib import Path
from typing import Any

from tests.support.ranks import published

__all__ = ["DIMENSIONS", "PROGRAMS", "ROOT", "Program", "environment", "install"]

ROOT = Path(__file__).parents[2]
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


def environment(url: str, folder: Path) -> dict[str, str]:
    """Variables for the program: the endpoint, and the ranks of tokens without a download."""
    ranks = folder / "tiktoken"
    ranks.mkdir(exist_ok=True)
    for name in ("o200k_base", "cl100k_base"):
        address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        cached = sha1(address.encode()).hexdigest()  # noqa: S324 - as tiktoken does
        (ranks / cached).write_bytes(published(name))
    addresses = dict.fromkeys(("OPENAI_BASE_URL", "OPENAI_API_BASE"), url)
    caches = dict.fromkeys(("TIKTOKEN_CACHE_DIR", "CUSTOM_TIKTOKEN_CACHE_DIR"), str(ranks))
    return SAME | addresses | caches


def install(program: Program, folder: Path, deadline: float) -> dict[str, Any]:
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
