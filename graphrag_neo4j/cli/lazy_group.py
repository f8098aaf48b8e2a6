"""A group of commands whose modules are imported when a command runs, so that start-up is quick."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click
from click.exceptions import NoSuchCommand

__all__ = ["LazyGroup"]

# Neo4j's driver imports these packages, if they are installed, to accept their values as
# parameters. No command needs that, and the imports take half a second.
UNUSED = ("numpy", "pandas", "pyarrow")


@contextmanager
def _without_modules(*modules: str) -> Iterator[None]:
    """Prevents the import of these modules for a while, unless they are imported already."""
    absent = [name for name in modules if name not in sys.modules]
    # Python raises ModuleNotFoundError for a module whose entry is None.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


class LazyGroup(click.Group):
    """A group that knows its commands by name, and imports only the module of the one that is used.

    `package` is the package of the modules, and `summaries` holds a line of help for each command.
    A command and its module have one name; that of a keyword of Python ends in "_".
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - click's
        package: str,
        summaries: Mapping[str, str],
        **options: Any,  # noqa: ANN401 - click's
    ) -> None:
        super().__init__(*arguments, **options)
        self._package, self._summaries = package, summaries

    def list_commands(self, _context: click.Context) -> list[str]:
        """Returns the names of the commands in the order of `summaries`."""
        return list(self._summaries)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Imports the module of a command, and returns the command. None if there is none."""
        if name not in self._summaries:
            return None
        module = f"{name}_" if iskeyword(name) else name
        with _without_modules(*UNUSED):
            imported = import_module(f"{self._package}.{module}")
        command: click.Command = getattr(imported, module)
        return command

    def resolve_command(
        self, context: click.Context, given: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that is named; an error suggests the most similar name."""
        name = given[0]
        if name in self._summaries or name.startswith("-"):
            return super().resolve_command(context, given)
        raise NoSuchCommand(name, possibilities=self._summaries, ctx=context)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands and their lines of help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))
