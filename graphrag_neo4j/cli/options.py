"""Options that several commands share, and the settings that they make."""

import dataclasses
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import anyio
import click

from graphrag_neo4j.arguments import did_you_mean
from graphrag_neo4j.environment import unknown_names
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.reading import ReadOptions
from graphrag_neo4j.settings import Settings, load_settings

__all__ = [
    "NearestChoice",
    "as_json",
    "check_output",
    "home_option",
    "json_option",
    "read_options",
    "reading_of",
    "run",
    "settings_of",
    "settings_options",
]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Command = Callable[P, R]


class NearestChoice(click.Choice[str]):
    """A choice that names the nearest value where another one is given."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx)
        return message + did_you_mean(str(value), self.choices)


home_option = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded Neo4j; one for each corpus keeps them apart.",
)
json_option = click.option("--json", "as_json_", is_flag=True, help="Print one JSON object.")


def read_options(command: Command[P, R]) -> Command[P, R]:
    """Adds the options that say how files are read."""
    for option in reversed(
        [
            click.option("--text-column", default="text", show_default=True, help="csv, json."),
            click.option("--title-column", help="csv, json: column of the title."),
            click.option("--id-column", help="csv, json: column that names a row."),
            click.option(
                "--source-root",
                type=click.Path(file_okay=False, path_type=Path),
                help="Folder that sources are relative to; without it they are file URIs.",
            ),
        ]
    ):
        command = option(command)
    return command


def settings_options(command: Command[P, R]) -> Command[P, R]:
    """Adds the settings that are most often changed from one run to the next."""
    for option in reversed(
        [
            click.option(
                "--prepend-metadata", help="Metadata put before each chunk, by name, with commas."
            ),
            click.option("--model", help="Chat model; KG_MODEL."),
            click.option("--entity-types", help="Entity types, with commas; KG_ENTITY_TYPES."),
            click.option(
                "--gleanings", type=click.IntRange(min=0), help="Passes for what was missed."
            ),
            click.option("--claims/--no-claims", default=None, help="Whether to extract claims."),
        ]
    ):
        command = option(command)
    return command


def settings_of(**given: Any) -> Settings:  # noqa: ANN401 - checked by pydantic
    """The settings of a command; names in the environment that no setting has are said.

    Raises InputError as `load_settings` does.
    """
    settings = load_settings(**given)
    for sentence in unknown_names():
        click.echo(sentence, err=True)
    return settings


def check_output(path: Path) -> None:
    """Raises InputError where no file can be made at this path, before anything is done for it."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(
            f"{path} can't be written, since there is no folder {folder}: make it, or name a file "
            "in another one."
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path} can't be written, since you may not: name another file.")


def reading_of(values: dict[str, Any]) -> ReadOptions:
    """Takes the values of `read_options` out of a command's."""
    names = [field.name for field in dataclasses.fields(ReadOptions)]
    return ReadOptions(**{name: values.pop(name) for name in names})


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs asynchronous work; Ctrl-C cancels it and lets it save what has arrived."""
    return anyio.run(work)


def as_json(value: object) -> str:
    """Dataclasses and plain values as JSON text; raises TypeError or ValueError for others."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
