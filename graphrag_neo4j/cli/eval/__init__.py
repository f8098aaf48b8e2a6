"""`kg-build eval` measures how good answers are."""

import click

from graphrag_neo4j.cli.eval import asking, showing

SUMMARIES = {
    asking.questions: "Make questions, or take your own from a file.",
    asking.answers: "Have each condition answer each question.",
    asking.import_: "Take the answers of another system from a file.",
    asking.judge: "Have a model compare the answers.",
    asking.verdict: "Compare answers yourself, without seeing who gave them.",
    asking.ground: "Measure how far answers and reports rest on what they cite.",
    asking.claims: "Find what the answers state.",
    showing.results: "Show what the verdicts and the claims say.",
    showing.report: "Write the report: a web page, Markdown or CSV.",
    showing.status: "Show what the folder holds, what is missing, and what the answers cost.",
}


class _InOrder(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        """Returns the names of the commands in the order in which they are used."""
        return list(self.commands)


@click.group(cls=_InOrder)
def eval() -> None:  # noqa: A001 - the name of the command
    """Measure how good the answers are, on your own documents and with your own model.

    An evaluation is a FOLDER of plain files, with one record on each line. The commands continue
    what is there, and nothing is paid for twice: first `questions`, then `answers`.
    """


for command, summary in SUMMARIES.items():
    command.short_help = summary
    eval.add_command(command)
