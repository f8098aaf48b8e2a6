"""The command `kg-build`: one file a command; the only package that prints.

Exit codes: 0 done, 1 something failed or is left to do, 2 the command line is wrong,
130 interrupted.
"""

import atexit
import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword

import click
from click.exceptions import NoSuchCommand

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.errors import GraphRAGError, ReplyError

__all__ = ["main"]

INTERRUPTED = 130
INTERRUPTION = "Interrupted. What was done so far is saved; run the same command again to go on."
YOUNG = 10_000  # new objects after which garbage is looked for; Python's own number is 700
# Neo4j's driver imports them where they are installed, to take values of theirs: half a second.
UNUSED = ("numpy", "pandas", "pyarrow")
# A command's module is imported when it is used, not to list it: start-up stays quick.
COMMANDS = {
    "index": "Read documents into the graph.",
    "estimate": "Estimate the calls, tokens and cost of indexing documents.",
    "query": "Answer a question from the graph.",
    "chat": "Ask questions in a conversation.",
    "status": "Show what is in the graph, what is pending and what failed.",
    "browse": "Explore the graph in Neo4j Browser, with a guide.",
    "map": "Write a web page that shows the communities and their reports.",
    "delete": "Delete documents from the graph.",
    "import": "Import an index that another program has made.",
    "mcp": "Serve the graph to an AI assistant (Model Context Protocol).",
    "doctor": "Check that everything that is needed is there and works.",
    "neo4j": "Start, stop and inspect the embedded Neo4j.",
}


def _collect_seldom() -> None:
    """What imports make stays to the end: looking it through for garbage, time and again and once
    more at the end, took a third of a short command."""
    gc.set_threshold(YOUNG)
    atexit.register(gc.freeze)


@contextmanager
def _kept_out(*modules: str) -> Iterator[None]:
    """Modules that can't be imported meanwhile, unless they have been already."""
    absent = [name for name in modules if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type] # None: not to be found
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


class _Commands(click.Group):
    """A group that knows its commands by name and imports the one that is used."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = f"{name}_" if iskeyword(name) else name
        with _kept_out(*UNUSED):
            imported = import_module(f"graphrag_neo4j.cli.{module}")
        command: click.Command = getattr(imported, module)
        return command

    def resolve_command(
        self, context: click.Context, given: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = given[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(context, given)
        raise NoSuchCommand(name, possibilities=COMMANDS, ctx=context)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="graphrag-neo4j", prog_name="kg-build")
def commands() -> None:
    """Turn documents into a knowledge graph in Neo4j, and ask it questions.

    Begin with `kg-build index FOLDER`, then `kg-build query "What are the main themes?"`.

    Settings are read from the environment and from a file `.env` in the working folder; the
    README lists all of them.
    """


def main() -> None:
    """Runs a command and ends the process with its exit code."""
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)  # our own errors say what to do
    terminal.prepare()
    _collect_seldom()
    try:
        # Outside its standalone mode, click returns the exit code of a command that ends early.
        sys.exit(commands(prog_name="kg-build", standalone_mode=False))
    except click.ClickException as error:
        terminal.usage_error(error)
        sys.exit(error.exit_code)
    except ReplyError as error:
        terminal.line(f"Error: There is no answer, since {error}.", error=True)
        sys.exit(1)
    except GraphRAGError as error:
        terminal.line(f"Error: {error}", error=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        terminal.line(INTERRUPTION, error=True)
        sys.exit(INTERRUPTED)
