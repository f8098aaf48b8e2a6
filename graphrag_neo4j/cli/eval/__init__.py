"""`kg-build eval` measures how good answers are."""

import click

from graphrag_neo4j.cli.eval import asking, showing

__all__ = ["eval"]


@click.group()
def eval() -> None:  # noqa: A001 - the name of the command
    """Measure how good the answers are, on your own documents and with your own model.

    An evaluation is a FOLDER of plain files, with one record on each line. The commands continue
    what is there, and nothing is paid for twice: first `questions`, then `answers`.
    """


for command in (
    asking.questions,
    asking.answers,
    asking.import_,
    asking.judge,
    asking.verdict,
    asking.ground,
    asking.claims,
    showing.results,
    showing.report,
    showing.status,
):
    eval.add_command(command)
