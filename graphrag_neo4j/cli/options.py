"""Options that several commands share, and the settings that they make."""

import dataclasses
import json
from collections.abc import Callable, Coroutine
from math import nan
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import anyio
import click

from graphrag_neo4j.arguments import did_you_mean
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.environment import unknown_names
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.settings import Settings, load_settings

__all__ = [
    "METHOD_HELP",
    "NearestChoice",
    "Number",
    "as_json",
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

METHOD_HELP = (
    "How to find the answer: global reads the reports of all communities, for questions about the "
    "whole; local reads what surrounds the entities of the question, for questions about one "
    "thing; drift begins with reports and asks follow-up questions; basic reads the nearest "
    "chunks; text reads all chunks, which costs most; auto chooses between global and local."
)


class NearestChoice(click.Choice[str]):
    """A choice that names the nearest value where another one is given."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx)
        return message + did_you_mean(str(value), self.choices)


class Number(click.ParamType[float]):
    """A number of at least `least` and at most `most`; `whole`: an integer."""

    name = "number"

    def __init__(self, *, least: float, most: float | None = None, whole: bool = True) -> None:
        self.least, self.most, self.whole = least, most, whole

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; a usage error says which numbers there are."""
        try:
            number = int(str(value)) if self.whole else float(str(value))
        except ValueError:
            number = nan
        if not (number >= self.least and (self.most is None or number <= self.most)):
            self.fail(self._refusal(value), param, ctx)
        return number

    def _refusal(self, value: object) -> str:
        kind = "a whole number" if self.whole else "a number"
        to = "or more" if self.most is None else f"to {self.most:,}"
        return f"{value} is not allowed here. Give {kind}, {self.least:,} {to}."


home_option = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help=(
        "The folder of the embedded Neo4j that this command uses. Give each collection of "
        "documents a folder of its own to keep them apart. Without this option: KG_HOME, or a "
        "folder in your home directory."
    ),
)
json_option = click.option(
    "--json", "as_json_", is_flag=True, help="Print the result as one JSON object and nothing else."
)


def read_options(command: Command[P, R]) -> Command[P, R]:
    """Adds the options that say how files are read."""
    for option in reversed(
        [
            click.option(
                "--text-column",
                default="text",
                show_default=True,
                metavar="NAME",
                help="csv and json files: the column or field that holds the text.",
            ),
            click.option(
                "--title-column",
                metavar="NAME",
                help="csv and json files: the column or field that holds the title.",
            ),
            click.option(
                "--id-column",
                metavar="NAME",
                help="csv and json files: the column or field that identifies a row.",
            ),
            click.option(
                "--source-root",
                type=click.Path(file_okay=False, path_type=Path),
                metavar="FOLDER",
                help=(
                    "Name each document by its path relative to FOLDER. Without this option its "
                    "name is the address of its file (file://…)."
                ),
            ),
            click.option(
                "--follow-links",
                is_flag=True,
                help="Follow symbolic links that lead out of a folder.",
            ),
            click.option(
                "--encoding",
                metavar="NAME",
                help="The encoding of text files that are not UTF-8. Without it, it is guessed.",
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
                "--prepend-metadata",
                metavar="NAMES",
                help="Put these metadata before each chunk for the model; separate with commas.",
            ),
            click.option(
                "--model", metavar="NAME", help="The chat model to use. Without it: KG_MODEL."
            ),
            click.option(
                "--entity-types",
                metavar="TYPES",
                help=(
                    "The types of entities to find; separate with commas. Without it: "
                    "KG_ENTITY_TYPES."
                ),
            ),
            click.option(
                "--gleanings",
                type=Number(least=0),
                help="How many more times each chunk is read for what was missed.",
            ),
            click.option(
                "--claims/--no-claims",
                default=None,
                help="Whether to extract claims: statements about an entity, with their dates.",
            ),
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
        terminal.line(sentence, error=True)
    return settings


def reading_of(values: dict[str, Any]) -> ReadOptions:
    """Takes the values of `read_options` out of a command's."""
    names = [field.name for field in dataclasses.fields(ReadOptions)]
    return ReadOptions(**{name: values.pop(name) for name in names if name in values})


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs asynchronous work; Ctrl-C cancels it and lets it save what has arrived."""
    return anyio.run(work)


def as_json(value: object) -> str:
    """Dataclasses and plain values as JSON text; raises TypeError or ValueError for others."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
