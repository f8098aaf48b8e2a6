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

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.errors import GraphRAGError

__all__ = ["main"]

INTERRUPTED = 130
YOUNG = 10_000  # new objects after which garbage is looked for; Python's own number is 700
# Neo4j's driver imports them where they are installed, to take values of theirs: half a second.
UNUSED = ("numpy", "pandas", "pyarrow")
# A command's module is imported when it is used, not to list it: start-up stays quick.
COMMANDS = {
    "index": "Read documents into the graph.",
    "estimate": "Say what indexing documents would take.",
    "query": "Answer a question from the graph.",
    "chat": "Ask one question after the other.",
    "status": "Show what is in the graph, what is pending and what failed.",
    "browse": "Explore the communities in Neo4j Browser.",
    "map": "Write the communities as one page to look at.",
    "delete": "Delete documents with all that only they said.",
    "import": "Bring an index that another program has made into an empty graph.",
    "mcp": "Serve the graph to an assistant by the Model Context Protocol.",
    "doctor": "Check everything that a build needs.",
    "neo4j": "Start, stop and look at the embedded Neo4j.",
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

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="graphrag-neo4j", prog_name="kg-build")
def commands() -> None:
    """Documents to a knowledge graph in Neo4j.

    Settings come from the environment and from a file `.env`; the README lists them.
    """


def main() -> None:
    """Runs a command and ends the process with its exit code."""
    logging.getLogger("neo4j").setLevel(logging.ERROR)  # our own errors say what to do
    terminal.prepare()
    _collect_seldom()
    try:
        # Outside its standalone mode, click returns the exit code of a command that ends early.
        sys.exit(commands(prog_name="kg-build", standalone_mode=False))
    except click.ClickException as error:
        terminal.usage_error(error)
        sys.exit(error.exit_code)
    except GraphRAGError as error:
        terminal.line(f"Error: {error}", error=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        terminal.line(
            "Interrupted; what has arrived is saved. The same command goes on.", error=True
        )
        sys.exit(INTERRUPTED)
