"""The wheel alone, in an environment where nothing of the checkout is found, answers a question."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from graphrag_neo4j.settings.installing import PACKAGE
from tests.support.paths import ROOT

pytestmark = [pytest.mark.wheel, pytest.mark.one_release]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built of the checkout without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    [built] = folder.glob("*.whl")
    return built


def with_wheel(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """The Python of a new environment with the wheel alone, and its folder of packages."""
    venv.create(folder, symlinks=os.name == "posix")
    [python] = [*folder.glob("bin/python"), *folder.glob("Scripts/python.exe")]
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    asked = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    return python, Path(asked.strip())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment: the package is the wheel's, what it needs is ours."""
    python, packages = with_wheel(wheel, tmp_path_factory.mktemp("environment"))
    # A path that a .pth file names is searched last, and the .pth files in it are not read: so the
    # checkout that is installed in it as editable is not found.
    (packages / "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return python


@pytest.fixture(scope="module")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel and, of ours, only the packages that it needs."""
    python, packages = with_wheel(wheel, tmp_path_factory.mktemp("base"))
    for package in needed_by(distribution(PACKAGE)):
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            link = packages / top
            if not link.exists():
                link.symlink_to(str(package.locate_file(top)))
    return python


def needed_by(package: Distribution) -> list[Distribution]:
    """The packages that one needs without its extras, and that those need in turn."""
    found: dict[str, Distribution] = {}
    waiting = [*map(Requirement, package.requires or ())]
    for one in waiting:
        extras = [*one.extras, ""]
        if not one.marker or one.marker.evaluate({"extra": ""}):
            found[one.name] = of_it = distribution(one.name)
            for more in map(Requirement, of_it.requires or ()):
                if more.name not in found and (
                    more.marker is None or any(more.marker.evaluate({"extra": e}) for e in extras)
                ):
                    more.marker = None
                    waiting.append(more)
    return [*found.values()]


def pip(*arguments: str) -> None:
    run(Path(sys.executable), "-m", "pip", "--disable-pip-version-check", *arguments)


def run(python: Path, *arguments: str) -> str:
    """What Python prints; where it fails, its errors are shown."""
    ran = subprocess.run([python, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_it_holds_the_statements_the_prompts_and_the_data(wheel: Path) -> None:
    beside = [(path, ROOT) for name in ("cypher", "prompts") for path in (ROOT / name).rglob("*.*")]
    inside = [(path, ROOT / "graphrag_neo4j") for path in ROOT.glob("graphrag_neo4j/data/**/*")]
    files = {
        f"graphrag_neo4j/{path.relative_to(top).as_posix()}"
        for path, top in beside + inside
        if path.is_file()
    }
    assert len(files) > 100
    assert files - set(ZipFile(wheel).namelist()) == set()


@pytest.mark.usefixtures("environment", "graph")
def test_it_answers_a_question_in_another_folder(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)  # so it is the extractive backend that answers
    (tmp_path / "notes.txt").write_text(
        "Ada Lovelace met Charles Babbage in London in 1833. Charles Babbage showed her a machine."
    )
    where = run(installed, "-c", "import graphrag_neo4j; print(graphrag_neo4j.__file__)")
    assert Path(where.strip()).is_relative_to(installed.parents[1])
    run(installed, "-m", "graphrag_neo4j.cli", "index", "notes.txt", "--quiet")
    command = ["query", "Whom did Ada Lovelace meet?", "--method", "local", "--json"]
    answer = json.loads(run(installed, "-m", "graphrag_neo4j.cli", *command))
    assert "Charles Babbage" in answer["text"]
    assert any(citation["sources"] for citation in answer["citations"])


@pytest.mark.usefixtures("environment", "graph")
def test_without_extras_it_asks_a_graph_with_a_model_and_says_what_indexing_needs(
    base: Path, installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("Ada Lovelace met Charles Babbage in London in 1833.")
    command = ["-m", "graphrag_neo4j.cli"]
    refused = subprocess.run(  # noqa: S603 - ours
        [base, *command, "index", "notes.txt"], capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (1, "")
    assert re.fullmatch(r"Error: Indexing needs the package \w+: pip install .*\n", refused.stderr)
    run(installed, *command, "index", "notes.txt", "--quiet")
    for method in ("global", "local", "basic", "drift"):
        asked = ["query", "Whom did Ada Lovelace meet?", "--method", method, "--json"]
        assert json.loads(run(base, *command, *asked))["citations"]
    assert len(needed_by(distribution(PACKAGE))) < 45
