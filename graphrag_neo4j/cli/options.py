"""Options that several commands share, and the settings that result from them."""

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
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.settings import Settings, load_settings, unknown_names

__all__ = [
    "METHOD_HELP",
    "NearestChoice",
    "Number",
    "as_json",
    "home_option",
    "json_option",
    "paths_argument",
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
    "The search method. global reads the community reports and suits questions about the whole "
    "collection. local reads the entities in the question and their neighbours in the graph, and "
    "suits questions about one thing. drift starts from community reports and asks follow-up "
    "questions. basic reads the chunks that are most similar to the question. text reads all "
    "chunks and costs the most. auto chooses global or local."
)


class NearestChoice(click.Choice[str]):
    """A choice whose error message suggests the most similar value."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx)
        return message + did_you_mean(str(value), self.choices)


class Number(click.ParamType[float]):
    """A number from `least` to `most`, both included. With `whole` it must be an integer."""

    name = "number"

    def __init__(self, *, least: float, most: float | None = None, whole: bool = True) -> None:
        self.least, self.most, self.whole = least, most, whole

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Returns the number. Fails with a usage error that states the allowed range."""
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
        "The folder of the embedded Neo4j to use. To keep collections of documents apart, give "
        "each collection its own folder. The default is the setting KG_HOME or, if that is not "
        "set, a folder in your home directory."
    ),
)
json_option = click.option(
    "--json", "as_json_", is_flag=True, help="Print only the result, as one JSON object."
)


paths_argument = click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS..."
)


def read_options(command: Command[P, R]) -> Command[P, R]:
    """Adds the options that control how files are read."""
    for option in reversed(
        [
            click.option(
                "--text-column",
                default="text",
                show_default=True,
                metavar="NAME",
                help="In CSV and JSON files: the column or field that holds the text.",
            ),
            click.option(
                "--title-column",
                metavar="NAME",
                help="In CSV and JSON files: the column or field that holds the title.",
            ),
            click.option(
                "--id-column",
                metavar="NAME",
                help="In CSV and JSON files: the column or field that identifies a row.",
            ),
            click.option(
                "--source-root",
                type=click.Path(file_okay=False, path_type=Path),
                metavar="FOLDER",
                help=(
                    "Name each document by its path relative to FOLDER. By default a document is "
                    "named by the URL of its file (file://…)."
                ),
            ),
            click.option(
                "--follow-links",
                is_flag=True,
                help="Also read symbolic links that point outside the given folders.",
            ),
            click.option(
                "--encoding",
                metavar="NAME",
                help=(
                    "The encoding of text files that are not UTF-8. By default the encoding is "
                    "guessed."
                ),
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
                help=(
                    "Show the model these metadata fields of the document before each chunk. "
                    "Separate the names with commas."
                ),
            ),
            click.option(
                "--model",
                metavar="NAME",
                help="The chat model to use. The default is the setting KG_MODEL.",
            ),
            click.option(
                "--entity-types",
                metavar="TYPES",
                help=(
                    "The entity types to extract, separated by commas. The default is the setting "
                    "KG_ENTITY_TYPES."
                ),
            ),
            click.option(
                "--gleanings",
                type=Number(least=0),
                help=(
                    "How many more times the model reads each chunk to find entities and "
                    "relationships that it missed. The default is the setting KG_GLEANINGS."
                ),
            ),
            click.option(
                "--claims/--no-claims",
                default=None,
                help=(
                    "Whether to extract claims, which are dated statements about an entity. With a "
                    "model they are not extracted by default, because they make an index about a "
                    "third more expensive."
                ),
            ),
        ]
    ):
        command = option(command)
    return command


def settings_of(**given: Any) -> Settings:  # noqa: ANN401 - checked by pydantic
    """Returns the settings of a command, and warns of unknown setting names in the environment.

    Raises InputError as `load_settings` does.
    """
    settings = load_settings(**given)
    for sentence in unknown_names():
        terminal.line(sentence, error=True)
    return settings


def reading_of(values: dict[str, Any]) -> ReadOptions:
    """Removes the values of `read_options` from the command's values and returns them."""
    names = [field.name for field in dataclasses.fields(ReadOptions)]
    return ReadOptions(**{name: values.pop(name) for name in names if name in values})


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs asynchronous work. Ctrl-C cancels it; the work then saves the results it has."""
    return anyio.run(work)


def as_json(value: object) -> str:
    """Returns a dataclass or a plain value as JSON text.

    Raises TypeError for a value that JSON can't express, and ValueError for NaN or infinity.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
