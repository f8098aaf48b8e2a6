"""Where the packages of an extra are missing, one sentence says how they are installed."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.settings.installing import install_command, needing
from tests.conftest import Run

pytestmark = pytest.mark.one_release

# The modules of the packages of the extra `index`.
INDEX = "bs4 charset_normalizer langchain_text_splitters markdown_it numpy rjieba tokenizers yaml"
# Python raises ModuleNotFoundError for a module whose entry is None.
WITHOUT = "import sys; sys.modules.update(dict.fromkeys(sys.argv.pop(1).split()))"
COMMAND = f"{WITHOUT}; from graphrag_neo4j.cli import main; main()"
LIBRARY = f"""{WITHOUT}
from graphrag_neo4j import Document, GraphRAG, InputError
with GraphRAG.from_env() as rag:
    for call in (
        lambda: rag.index([Document("Ann met Bob.", "a tale")]),
        lambda: [*rag.watch(".")],
        lambda: rag.import_graphrag("."),
        lambda: rag.import_neo4j("mapping.yaml", "bolt://127.0.0.1:9"),
    ):
        try:
            call()
        except InputError as error:
            print(error)
"""
NO_MODEL = {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""}


def run_without(
    packages: str, code: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs code where these packages are missing."""
    return subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", code, packages, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_package_is_named_with_the_command_and_a_missing_module_of_ours_is_a_bug() -> (
    None
):
    with pytest.raises(InputError) as refused, needing("docs", "The report needs"):
        import_module("no_such_package")
    command = install_command("docs")
    assert str(refused.value) == f"The report needs the package no_such_package: {command}"
    with pytest.raises(GraphError), needing("docs", "It needs", GraphError):
        import_module("no_such_package")
    with pytest.raises(ModuleNotFoundError), needing("docs", "It needs"):
        import_module("graphrag_neo4j.no_such_module")


@pytest.mark.usefixtures("environment", "graph")
def test_without_the_extra_index_a_model_answers_and_all_else_says_what_it_needs(
    kg: Run, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("Ada Lovelace met Charles Babbage in London in 1833.")
    notes, asked = str(tmp_path / "notes.txt"), ("query", "Whom did Ada Lovelace meet?")
    assert kg("index", notes, "--quiet").code == 0
    for method in ("local", "global"):
        answered = run_without(INDEX, COMMAND, *asked, "--method", method)
        assert (answered.returncode, "Sources: " in answered.stdout) == (0, True), answered.stderr
    (tmp_path / "long.txt").write_text("Ada Lovelace met Charles Babbage. " * 500)
    sentence = f": {install_command('index')}\n"
    for refused, needs in (
        (run_without(INDEX, COMMAND, "index", notes), "Indexing needs"),
        (
            run_without(INDEX, COMMAND, "estimate", str(tmp_path)),
            "Cutting documents into chunks needs",
        ),
        (run_without(INDEX, COMMAND, "sample"), "The sample needs"),
        (run_without(INDEX, COMMAND, *asked, **NO_MODEL), "An answer without a model needs"),
    ):
        assert refused.returncode == 1
        told = refused.stderr.splitlines(keepends=True)[-1]  # an estimate shows how far it is
        assert told.startswith(f"Error: {needs} the package ")
        assert told.endswith(sentence)
    said = run_without(INDEX, LIBRARY).stdout.splitlines()
    assert [line.partition(" needs ")[0] for line in said] == [
        *["Indexing"] * 2,
        *["The import"] * 2,
    ]


@pytest.mark.usefixtures("environment", "graph")
def test_a_model_answers_from_a_graph_whose_vectors_need_the_extra_by_words(
    kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("Ada Lovelace met Charles Babbage in London in 1833.")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    assert kg("index", str(tmp_path / "notes.txt"), "--quiet").code == 0
    asked = ("query", "Whom did Ada Lovelace meet?", "--method", "local")
    answered = run_without(INDEX, COMMAND, *asked)
    assert (answered.returncode, "Sources: " in answered.stdout) == (0, True)
    assert "needs the package numpy: " in answered.stderr
    assert "full-text search instead of vector search" in answered.stderr
