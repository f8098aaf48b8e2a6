"""The options that the commands of `kg-build eval` share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from graphrag_neo4j.cli.options import NearestChoice, Number
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.model import METRICS
from graphrag_neo4j.installing import install_command

__all__ = [
    "condition_option",
    "extra_needed",
    "folder_argument",
    "metric_option",
    "paying_options",
]

P = ParamSpec("P")
R = TypeVar("R")

folder_argument = click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER"
)


metric_option = click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=NearestChoice(METRICS),
    help="What to compare; repeat the option for several. [default: all that the plan has]",
)
condition_option = click.option(
    "-c",
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="Compare only these conditions; repeat the option. [default: all with answers]",
)


def paying_options(command: Callable[P, R]) -> Callable[P, R]:
    """Adds the options of a command that asks a model."""
    for option in reversed(
        [
            click.option(
                "--model",
                metavar="NAME",
                help="The chat model to use instead of that of the settings.",
            ),
            click.option(
                "--max-cost",
                type=Number(least=0, whole=False),
                metavar="DOLLARS",
                help=(
                    "Stop when the model calls of this run have cost this many US dollars. What is "
                    "done is kept."
                ),
            ),
            click.option("--yes", is_flag=True, help="Do not ask before the model is called."),
            click.option("--quiet", is_flag=True, help="Print only warnings and errors."),
        ]
    ):
        command = option(command)
    return command


@contextmanager
def extra_needed(sentence: str) -> Iterator[None]:
    """Says how the extra `eval` is installed if an import lacks a package of another project.

    `{name}` in the beginning of the sentence is the name of that package.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("graphrag_neo4j"):
            raise  # a module of ours: no installation would help
        raise InputError(
            f"{sentence.format(name=error.name)}: {install_command('eval')}"
        ) from error
