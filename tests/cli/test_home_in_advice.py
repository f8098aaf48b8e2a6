"""Commands that are advised go to the home that was given; what others wrote is shown as it is."""

import shlex
from pathlib import Path

import pytest

from tests.cli.test_hostile_text import on_a_terminal
from tests.conftest import Run

pytestmark = pytest.mark.one_release

GIVEN = "kg-build --home 'my home' "
TOLD = "Jacob Marley said that `kg-build status` shows Ebenezer Scrooge in London in 1843."


def test_an_error_names_commands_with_the_home_that_was_given(kg_alone: Run) -> None:
    assert f": `{GIVEN}neo4j start`." in kg_alone("--home", "my home", "neo4j", "logs").err
    assert ": `kg-build neo4j start`." in kg_alone("neo4j", "logs").err
    assert f"`{GIVEN}status --help` explains" in kg_alone("--home", "my home", "status", "x").err


@pytest.mark.slow
@pytest.mark.usefixtures("graph", "no_model")
def test_advice_carries_the_home_and_a_quotation_does_not(kg: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TOLD)
    shown = kg("--home", "my home", "status").out
    assert f"`{GIVEN}index PATHS` reads documents" in shown
    ran = kg("--home", "my home", "index", tmp_path / "a.txt")
    assert ran.out.count(GIVEN) >= 5
    assert "kg-build " not in ran.out.replace(GIVEN, "")
    assert shlex.split(GIVEN) == ["kg-build", "--home", "my home"]
    answer = kg("--home", "my home", "query", "Where is Ebenezer Scrooge?", "--sources").out
    assert answer.count("said that `kg-build status` shows") >= 1
    assert GIVEN not in answer
    more = (tmp_path / "b.txt", tmp_path / "c")
    more[1].mkdir()
    more[0].write_text(TOLD.replace("London", "Paris"))
    drawn = on_a_terminal(["--home", "my home", "index", more[0]])
    assert f"{GIVEN}status" in drawn
