"""The command `kg-build`, with one file for each command. Only this package prints.

The exit code is 0 when everything is done, 1 when something failed or is left to do, 2 when the
command line is wrong, and 130 when the user interrupted the command.
"""

import atexit
import gc
import logging
import sys

import click

from graphrag_neo4j.cli.lazy_group import LazyGroup
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.errors import GraphRAGError, ReplyError

__all__ = ["main"]

INTERRUPTED = 130
INTERRUPTION = (
    "The command was interrupted. The work done so far is saved. Run the same command again to "
    "continue."
)
# Python collects garbage after this many new objects; its default is 700.
GARBAGE_THRESHOLD = 10_000
# The module of a command is imported when the command runs, not when the commands are listed, so
# that start-up is quick.
COMMANDS = {
    "index": "Read documents into the graph.",
    "watch": "Keep the graph up to date with folders, until you stop it.",
    "estimate": "Estimate the calls, tokens and cost of indexing documents.",
    "tune": "Choose prompts and entity types that fit your documents.",
    "query": "Answer a question from the graph.",
    "chat": "Ask questions in a conversation.",
    "suggest": "Suggest questions that the graph can answer.",
    "eval": "Measure how good the answers are, on your own documents.",
    "status": "Show what is in the graph, what is pending and what failed.",
    "browse": "Explore the graph in Neo4j Browser, with a guide.",
    "map": "Write a web page that shows the communities and their reports.",
    "delete": "Delete documents from the graph.",
    "resolve": "Make one entity of several names of one thing, or several of one.",
    "import": "Import an index that another program made.",
    "mcp": "Serve the graph to an AI assistant (Model Context Protocol).",
    "doctor": "Check that Neo4j, the models and the other requirements work.",
    "neo4j": "Start, stop and inspect the embedded Neo4j.",
}


def _collect_seldom() -> None:
    """Makes Python collect garbage less often, and not at exit.

    The objects that imports create live until the end of the process. To search them for garbage
    again and again took a third of the time of a short command.
    """
    gc.set_threshold(GARBAGE_THRESHOLD)
    atexit.register(gc.freeze)


@click.group(
    cls=LazyGroup,
    package="graphrag_neo4j.cli",
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="graphrag-neo4j", prog_name="kg-build")
def commands() -> None:
    """Turn documents into a knowledge graph in Neo4j, and ask it questions.

    First run `kg-build index FOLDER`, then `kg-build query "What are the main themes?"`.

    Settings are read from environment variables and from the file `.env` in the current folder.
    The documentation of the project lists all of them.
    """


def main() -> None:
    """Runs a command and ends the process with its exit code."""
    # Our own error messages say what to do; the driver's log would only repeat them.
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
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
