"""What the commands share: options and values of click, the settings they give, and their course.

A command reads its options, calls a method of the client by `ask_client`, and prints the result.
"""

import dataclasses
import json
import os
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import anyio
import click

from graphrag_neo4j.cli import without_unused
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import EventDisplay, listening
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import write_whole
from graphrag_neo4j.settings import Settings, descriptions, load_settings, unknown_names
from graphrag_neo4j.settings.checks import did_you_mean
from graphrag_neo4j.settings.reading import ReadOptions

if TYPE_CHECKING:
    from graphrag_neo4j.client.async_client import AsyncGraphRAG

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Command = Callable[P, R]


class NearestChoice(click.Choice[str]):
    """A choice whose error message suggests the most similar value."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx)
        return message + did_you_mean(str(value), self.choices)


def refuse_unwritable(
    _context: click.Context, _parameter: click.Parameter, path: Path | None
) -> Path | None:
    """Checks before any work that a file can be written to `path`.

    This is a `callback` of a click option. Raises InputError where no file can be written.
    """
    if path is None:
        return None
    folder, why = path.absolute().parent, ""
    if not folder.is_dir():
        why = f"the folder {folder} does not exist"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        why = "you have no permission"
    if why:
        raise InputError(f"{path} can't be written because {why}. Name another file.")
    return path


def refuse_existing(path: Path, *, yes: bool) -> None:
    """Raises InputError for an ordinary file that exists, unless `yes` allows to replace it."""
    if path.is_file() and not yes:
        raise InputError(f"{path} exists. Name another file, or add --yes to replace it.")


def write_output(path: Path, content: bytes) -> None:
    """Writes the file either completely or not at all. Raises InputError where it can't."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error}). Name another file.") from error


def all_of(*options: Callable[[Any], Any]) -> Callable[[Command[P, R]], Command[P, R]]:
    """Several options as one decorator, in the order in which `--help` lists them."""

    def add(command: Command[P, R]) -> Command[P, R]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def flag(*names: str, hidden: bool = False) -> Callable[[Any], Any]:
    """An option without a value. The last of `names` says what it is for.

    An option that few need is `hidden` from the help of its command, which names it at its end.
    """
    *given, about = names
    return click.option(*given, is_flag=True, help=about, hidden=hidden)


def value(
    names: str,
    metavar: str | None,
    about: str,
    **more: Any,  # noqa: ANN401 - click's
) -> Callable[[Any], Any]:
    """An option with a value, such as "-o --output". `about` says what it is for.

    A last name without hyphens is that of the argument.
    """
    shown = "default" in more and more["default"] is not None
    return click.option(*names.split(), metavar=metavar, help=about, show_default=shown, **more)


def page_option(name: str, about: str) -> Callable[[Any], Any]:
    """The option -o for the file to write, which is `name` by default."""
    kind = click.Path(dir_okay=False, path_type=Path)
    of_file = {"type": kind, "default": Path(name), "callback": refuse_unwritable}
    return value("-o --output", "FILE", about, **of_file)


class _SettingOption(click.Option):
    """An option whose help is the first sentence that its setting says of itself."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        said = descriptions()[str(self.name)].partition(". ")[0].removesuffix(".")
        self.help = f"{said} (KG_{str(self.name).upper()})."
        return super().get_help_record(ctx)


def setting(names: str, metavar: str | None = None, **more: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
    """An option for a setting, which describes itself."""
    return value(names, metavar, "", cls=_SettingOption, **more)


json_option = flag("--json", "as_json_", "Print only the result, as one JSON object.")
model_option = value("--model", "NAME", "The chat model (KG_MODEL).")
quiet_option = flag("--quiet", "Print only warnings and errors.")
yes_option = flag("--yes", "Do not ask before the model is called.")
max_cost_option = setting("--max-cost", "DOLLARS", type=click.FloatRange(min=0))
method_option = value(
    "--method",
    "METHOD",
    "The search method. global reads the community reports and suits questions about the "
    "whole collection. local reads the entities in the question and their neighbours in the "
    "graph, and suits questions about one thing. drift starts from community reports and asks "
    "follow-up questions. basic reads the chunks that are most similar to the question. text reads "
    "all chunks and costs the most. auto chooses global or local.",
    type=NearestChoice(["auto", "global", "local", "drift", "basic", "text"]),
    default="auto",
)
where_option = value(
    "--where",
    "CONDITION",
    "Read only documents that meet CONDITION, such as 'author=Ada|Grace', 'date>=2024-01-01' or "
    "'folder=minutes/*'. Give it again for more conditions, which must all hold. `kg-build status "
    "--metadata` lists the fields.",
    multiple=True,
)
as_of_option = value(
    "--as-of",
    "DATE",
    "Read only documents dated up to DATE, such as 2024-03-31, 2024-03 or 2024, and answer as on "
    "that day.",
)
paths_argument = click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS..."
)
source_root_option = value(
    "--source-root",
    "FOLDER",
    "Name each document by its path relative to FOLDER. By default a document is named by the URL "
    "of its file (file://…).",
    type=click.Path(file_okay=False, path_type=Path),
    hidden=True,
)
IN_ROWS = "In CSV and JSON files: the column or field that"
read_options = all_of(
    value("--text-column", "NAME", f"{IN_ROWS} holds the text.", default="text"),
    value("--title-column", "NAME", f"{IN_ROWS} holds the title."),
    value("--id-column", "NAME", f"{IN_ROWS} identifies a row."),
    source_root_option,
    flag("--follow-links", "Also read symbolic links that leave the given folders.", hidden=True),
    value("--encoding", "NAME", "The encoding of text files that are not UTF-8.", hidden=True),
)
settings_options = all_of(
    setting("--prepend-metadata", "NAMES", hidden=True),
    model_option,
    setting("--entity-types", "TYPES"),
    setting("--extraction", type=NearestChoice(["paper", "lean"])),
    setting("--gleanings", type=click.IntRange(min=0)),
    setting("--claims/--no-claims", default=None),
)


def settings_of(**given: Any) -> Settings:  # noqa: ANN401 - checked by pydantic
    """Returns the settings of a command, and warns of unknown setting names in the environment.

    `--home` stands before the command. Raises InputError as `load_settings` does.
    """
    home = click.get_current_context().find_root().params.get("home")
    settings = load_settings(home=home, **given)
    for sentence in unknown_names():
        terminal.line(sentence, error=True)
    return settings


def refuse_unasked(*, yes: bool) -> None:
    """Raises InputError if a person must be asked, and no one can be."""
    if not (yes or terminal.can_ask()):
        raise InputError("No one can be asked whether to go on: add --yes to the command.")


def read_options_of(values: dict[str, Any]) -> ReadOptions:
    """Removes the values of `read_options` from the command's values and returns them."""
    names = [field.name for field in dataclasses.fields(ReadOptions)]
    return ReadOptions(**{name: values.pop(name) for name in names if name in values})


def ask_client(
    settings: Settings,
    work: Callable[["AsyncGraphRAG", EventDisplay], Awaitable[T]],
    *,
    quiet: bool = False,
    fleeting: bool = False,
) -> T:
    """Opens the client, does the work with it and with the listener that shows its progress.

    The listener is that of `listening`.
    """
    with without_unused():
        from graphrag_neo4j.client.async_client import AsyncGraphRAG  # noqa: PLC0415 - slow to import

        import_module("graphrag_neo4j.graph.driver")  # before the client opens its graph

    async def opened() -> T:
        with listening(quiet=quiet, fleeting=fleeting) as listen:
            async with AsyncGraphRAG(settings, listen) as rag:
                return await work(rag, listen)

    return anyio.run(opened)  # Ctrl-C cancels it; the work then saves the results it has


def as_json(value: object) -> str:
    """Returns a dataclass or a plain value as JSON text.

    Raises TypeError for a value that JSON can't express, and ValueError for NaN or infinity.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
