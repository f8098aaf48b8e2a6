"""The command `kg-build`. Commands that belong together share a file. Only this package prints.

The exit code is 0 when everything is done, 1 when something failed or is left to do, 2 when the
command line is wrong, and 130 when the user interrupted the command.
"""

import atexit
import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import click

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import error_sentence
from graphrag_neo4j.errors import GraphRAGError

INTERRUPTED = 130
# The module of a command is imported when the command runs, not when the commands are listed, so
# that start-up is quick.
COMMANDS = {
    "index": "Read documents into the graph.",
    "estimate": "Estimate the calls, tokens and cost of indexing documents.",
    "query": "Answer a question from the graph.",
    "chat": "Ask questions in a conversation.",
    "eval": "Measure how good the answers are, on your own documents.",
    "serve": "Ask and explore in a browser, and from chat clients.",
    "status": "Show what is in the graph, what is pending and what failed.",
    "browse": "Explore the graph in Neo4j Browser, with a guide.",
    "map": "Write a web page that shows the communities and their reports.",
    "delete": "Delete documents from the graph.",
    "mcp": "Serve the graph to an AI assistant (Model Context Protocol).",
    "doctor": "Check that Neo4j, the models and the other requirements work.",
    "neo4j": "Start, stop and inspect the embedded Neo4j.",
}
RARER = {
    "sample": "Bring a graph to try: five transcripts, as a model has read them.",
    "suggest": "Suggest questions that the graph can answer.",
    "resolve": "Make one entity of several names of one thing, or several of one.",
    "tune": "Choose prompts and entity types that fit your documents.",
    "import": "Import an index of microsoft/graphrag, or a graph of another Neo4j.",
    "export": "Write the graph for other programs, as GraphML or CSV.",
}
# The commands that save while they work, and continue where they were interrupted.
SAVING = {"index", "sample", "delete", "resolve", "import", "eval"}
# The module of a command that shares one with others.
MODULES = {
    "estimate": "index",
    "sample": "index",
    "chat": "query",
    "suggest": "query",
    "map": "browse",
    "export": "browse",
    "mcp": "browse",
    "delete": "change",
    "resolve": "change",
    "import": "change",
}


# Neo4j's driver imports these packages, if they are installed, to accept their values as
# parameters. No command needs that, and the imports take half a second.
UNUSED = ("numpy", "pandas", "pyarrow")


@contextmanager
def without_unused() -> Iterator[None]:
    """Prevents the import of these packages for a while, unless they are imported already."""
    absent = [name for name in UNUSED if name not in sys.modules]
    # Python raises ModuleNotFoundError for a module whose entry is None.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


class LazyGroup(click.Group):
    """The commands. Only the module of the one that is used is imported, so start-up is quick."""

    used = ""  # the command that runs

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Imports the module of a command, and returns the command. None if there is none."""
        if name not in self.commands:
            return None
        self.used = name
        with without_unused():
            found = vars(import_module(f"graphrag_neo4j.cli.{MODULES.get(name, name)}"))
        command: click.Command = found.get(f"{name}_command") or found[f"{name}_group"]
        if rare := [one.opts[0] for one in command.params if getattr(one, "hidden", False)]:
            command.epilog = f"Rarer options, which the documentation explains: {', '.join(rare)}."
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands and their lines of help."""
        for heading, listed in (("Commands", COMMANDS), ("Rarer commands", RARER)):
            with formatter.section(heading):
                formatter.write_dl(list(listed.items()))


@click.group(
    cls=LazyGroup,
    commands={name: click.Command(name) for name in (*COMMANDS, *RARER)},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--home",
    metavar="FOLDER",
    help="The folder of the embedded Neo4j: each collection of documents needs a separate one. The "
    "default is the setting KG_HOME.",
    type=click.Path(file_okay=False, path_type=Path),
)
@click.version_option(package_name="graphrag-neo4j", prog_name="kg-build")
def commands(home: Path | None) -> None:
    """Turn documents into a knowledge graph in Neo4j, and ask it questions.

    First run `kg-build index FOLDER`, then `kg-build query "What are the main themes?"`.

    Settings are read from environment variables and from the file `.env` in the current folder.
    The documentation of the project lists all of them.
    """
    terminal.home = home


def main() -> None:
    """Runs a command and ends the process with its exit code."""
    # Our own error messages say what to do; the driver's log would only repeat them.
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    terminal.filter_standard_streams()
    # The objects that imports create live until the end of the process. To search them for garbage
    # again and again (after 700 new ones by default) took a third of the time of a short command.
    gc.set_threshold(10_000)
    atexit.register(gc.freeze)
    sys.exit(terminal.ended(_run()))


def _run() -> int:
    """Runs a command and returns its exit code."""
    try:
        # Outside its standalone mode, click returns the exit code of a command that ends early.
        return commands(prog_name="kg-build", standalone_mode=False) or 0
    except click.ClickException as error:
        terminal.usage_error(error)
        return error.exit_code
    except GraphRAGError as error:
        terminal.line(f"Error: {error_sentence(error)}", error=True)
        return 1
    except (KeyboardInterrupt, click.Abort):
        saved = "The work done so far is saved. Run the same command again to continue."
        told = ["The command was interrupted.", *([saved] if commands.used in SAVING else [])]
        terminal.line(" ".join(told), error=True)
        return INTERRUPTED
