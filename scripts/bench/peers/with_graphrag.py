"""Drives microsoft/graphrag, inside an environment of its own, as its documentation shows.

    python with_graphrag.py (index|add) HOME FOLDER
    python with_graphrag.py ask HOME METHOD QUESTION
    python with_graphrag.py count HOME

It runs the program `graphrag`: init, index, update and query. The settings are those of `init`,
but for the endpoint, the models, the size of a chunk, the calls at once and the length of a vector.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

GRAPHRAG = Path(sys.executable).parent / "graphrag"
TABLES = {
    "documents": "documents",
    "chunks": "text_units",
    "entities": "entities",
    "relationships": "relationships",
    "reports": "community_reports",
}


def main() -> int:
    command, home, *rest = sys.argv[1:]
    root = Path(home)
    match command:
        case "index":
            _prepare(root, Path(rest[0]))
            return _graphrag("index", "--root", home)
        case "add":
            _prepare(root, Path(rest[0]))
            return _graphrag("update", "--root", home)
        case "ask":
            return _graphrag("query", "--root", home, "--method", rest[0], rest[1])
        case _:
            print(json.dumps(_count(root / "output")))
            return 0


def _graphrag(*arguments: str) -> int:
    return subprocess.call([str(GRAPHRAG), *arguments])


def _prepare(root: Path, folder: Path) -> None:
    """Makes the settings, if there are none yet."""
    path = root / "settings.yaml"
    if path.exists():
        return
    models = ("--model", os.environ["BENCH_MODEL"], "--embedding", os.environ["BENCH_EMBEDDING"])
    _graphrag("init", "--root", str(root), *models)
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump(_changed(settings, folder)), encoding="utf-8")
    key = os.environ["OPENAI_API_KEY"]
    (root / ".env").write_text(f"GRAPHRAG_API_KEY={key}\n", encoding="utf-8")


def _changed(settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    for kind in ("completion_models", "embedding_models"):
        for model in settings[kind].values():
            model["api_base"] = os.environ["OPENAI_BASE_URL"]
    settings["chunking"]["size"] = int(os.environ["BENCH_CHUNK_TOKENS"])
    settings["chunking"]["overlap"] = int(os.environ["BENCH_CHUNK_OVERLAP"])
    settings["concurrent_requests"] = int(os.environ["BENCH_CONCURRENCY"])
    settings["vector_store"]["vector_size"] = int(os.environ["BENCH_DIMENSIONS"])
    settings["input_storage"]["base_dir"] = str(folder)
    return settings


def _count(output: Path) -> dict[str, int]:
    import pandas as pd  # noqa: PLC0415 - only this step needs it

    paths = {name: output / f"{table}.parquet" for name, table in TABLES.items()}
    return {name: len(pd.read_parquet(path)) for name, path in paths.items() if path.exists()}


if __name__ == "__main__":
    sys.exit(main())
