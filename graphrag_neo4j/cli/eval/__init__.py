"""`kg-build eval` measures how good answers are."""

from importlib import import_module
from typing import Final

import click

from graphrag_neo4j.cli import LazyGroup

__all__ = ["eval"]

COMMANDS: Final = {
    "questions": "Make questions, or take your own from a file.",
    "answers": "Have each condition answer each question.",
    "import": "Take the answers of another system from a file.",
    "judge": "Have a model compare the answers.",
    "verdict": "Compare answers yourself, without seeing who gave them.",
    "ground": "Measure how far answers and reports rest on what they cite.",
    "claims": "Find what the answers state.",
    "results": "Show what the verdicts and the claims say.",
    "report": "Write the report: a web page, Markdown or CSV.",
    "status": "Show what the folder holds, what is missing, and what the answers cost.",
}
MAKING: Final = ("questions", "answers", "import")
JUDGING: Final = ("judge", "verdict", "ground", "claims")


class _Commands(LazyGroup):
    """The commands, of which several share a module."""

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Imports the module of a command, and returns the command. None if there is none."""
        if name not in COMMANDS:
            return None
        module = "making" if name in MAKING else "judging" if name in JUDGING else "showing"
        imported = import_module(f"{__name__}.{module}")
        command: click.Command = getattr(imported, "import_" if name == "import" else name)
        return command


@click.group(cls=_Commands, package="graphrag_neo4j.cli.eval", summaries=COMMANDS)
def eval() -> None:  # noqa: A001 - the name of the command
    """Measure how good the answers are, on your own documents and with your own model.

    An evaluation is a FOLDER of plain files, with one record on each line. The commands continue
    what is there, and nothing is paid for twice: first `questions`, then `answers`.
    """
