"""The command line without Neo4j: help, usage, and what a command imports."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import click
import pytest

from graphrag_neo4j import cli
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.model.events import Advanced, Notice, Started
from tests.conftest import Run


def every_command(
    group: click.Group = cli.commands, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """The commands below a group by their names, groups among them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*path, name))


EVERY_COMMAND = dict(every_command())


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_and_option_is_documented(kg_alone: Run, name: str) -> None:
    ran, command = kg_alone(*name.split(), "--help"), EVERY_COMMAND[name]
    assert "None (" not in ran.out
    assert ran.code == 0
    assert str(command.help).split()[:6] == ran.out.partition("\n\n")[2].split()[:6]
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert [one.name for one in options if not one.help] == []


def test_help_lists_every_command_and_each_has_a_module(kg_alone: Run) -> None:
    ran = kg_alone("--help")
    assert ran.code == 0
    modules = {path.stem for path in Path(str(files(cli))).glob("[a-z]*")}
    said = {**cli.COMMANDS, **cli.RARER}
    used = {cli.MODULES.get(name, name) for name in said}
    assert used == modules - {"options", "output"}
    assert all(f"  {name} " in ran.out and line in ran.out for name, line in said.items())


@pytest.mark.parametrize(
    "arguments", [["index"], ["index", "x", "--gleanings", "-1"], ["mend"], ["status", "--all"]]
)
def test_a_wrong_command_line_ends_with_2_and_usage(kg_alone: Run, arguments: list[str]) -> None:
    ran = kg_alone(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: kg-build")


@pytest.mark.parametrize("group", [[], ["eval"], ["neo4j"], ["import"]])
def test_a_group_without_a_command_shows_its_help(kg_alone: Run, group: list[str]) -> None:
    alone = kg_alone(*group)
    assert (alone.code, alone.out, "Error" in alone.err) == (2, "", False)
    assert alone.err == kg_alone(*group, "--help").out


def imported(*arguments: str) -> set[str]:
    """What a command imports, in a Python of its own."""
    code = (
        f"import sys\nsys.argv = {['kg-build', *arguments]}\n"
        "from graphrag_neo4j.cli import main\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "print()\nprint(*sys.modules)"
    )
    done = subprocess.run(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_help_imports_nothing_heavy() -> None:
    for_work = {"neo4j", "openai", "pydantic", "rich", "tiktoken"}
    assert imported("--help").isdisjoint({"anyio", "importlib.metadata", *for_work})
    assert imported("--version").isdisjoint({"anyio", *for_work})


def test_a_server_that_has_started_draws_no_steps(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(quiet=False) as listen:
        listen(Started("ingest", 1))
        listen(Advanced(1))
        listen.hush()
    listen(Started("answer", 2))
    listen(Advanced(2))
    listen(Notice("Answering by global search."))
    listen(Notice("This needs to be done.", warning=True))
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith("ingest: 1 of 1, ")
    assert rest == ["This needs to be done."]
