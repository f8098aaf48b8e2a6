"""`scripts/quickstart` from any folder, with a stand-in for the command that it installs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = [
    pytest.mark.one_release,
    pytest.mark.skipif(shutil.which("bash") is None, reason="a script of bash"),
]
STAND_IN = (
    '#!/bin/sh\nfor one in "$PWD" "$@"; do printf "%s\\t" "$one"; done >> "$LOG"\necho >> "$LOG"\n'
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a folder with a space, whose kg-build notes where it ran and its arguments."""
    project = tmp_path / "the project"
    for name in ("scripts", ".venv/bin", "graphrag_neo4j/data/sample"):
        (project / name).mkdir(parents=True)
    for name in ("scripts/quickstart", "scripts/venv", "pyproject.toml"):
        shutil.copy(ROOT / name, project / name)
    needs = (ROOT / "pyproject.toml").read_text()
    (project / ".venv/installed-local,docs,watch,serve").write_text(needs)
    (project / ".venv/bin/python").symlink_to(sys.executable)
    command = project / ".venv/bin/kg-build"
    command.write_text(STAND_IN)
    command.chmod(0o755)
    (project / "graphrag_neo4j/data/sample/Ep 1.txt").write_text("Marley was dead.")
    return project


def run(project: Path, here: Path, *given: str) -> tuple[list[list[str]], str]:
    """The commands that it runs, each with the folder in which it runs, and what it prints."""
    log = project / "log"
    log.unlink(missing_ok=True)
    done = subprocess.run(  # noqa: S603 - our own script
        [os.path.relpath(project / "scripts" / "quickstart", here), *given],
        cwd=here,
        env={"PATH": os.environ["PATH"], "LOG": str(log), "PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("\t")[:-1] for line in log.read_text().splitlines()], done.stdout


def test_the_folder_is_that_of_the_caller_and_the_transcripts_have_a_graph_of_their_own(
    project: Path, tmp_path: Path
) -> None:
    here = tmp_path / "my place"
    here.mkdir()
    own, shown = run(project, here, "my docs")
    assert [command[0] for command in own] == [str(here)] * 4
    assert [command[1:] for command in own] == [
        ["index", "my docs"],
        ["query", "What are the main themes?"],
        ["map", "-o", "map.html"],
        ["neo4j", "status"],
    ]
    program, home = (
        str(project / name).replace(" ", "\\ ") for name in (".venv/bin/kg-build", ".sample")
    )
    assert f"  {program} suggest" in shown
    assert (here / "map.html").as_uri() in shown
    sample, shown = run(project, here)
    assert [command[1:3] for command in sample] == [["--home", str(project / ".sample")]] * 4
    assert sample[0][3:] == ["sample"]
    assert f"  {program} --home {home} suggest" in shown
