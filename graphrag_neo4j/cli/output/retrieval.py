"""Prints which passages were found, and how good the short answers are."""

from typing import TYPE_CHECKING

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted

if TYPE_CHECKING:
    from graphrag_neo4j.evaluation.retrieval.runs import Retrieval

__all__ = ["print_retrieval"]


def print_retrieval(found: "Retrieval") -> None:
    """Prints the recall of each way of searching and, if there are some, the scores of answers."""
    terminal.table(
        ("", "@2", "@5", "@10", "ms", "missing"),
        [
            (
                one.way,
                *(f"{share:.3f}" for share in one.at),
                f"{1000 * one.seconds:.0f}",
                f"{one.missing:,}",
            )
            for one in found.recalls
        ],
    )
    if found.answers:
        terminal.table(
            ("short answers", "exact match", "F1", "missing"),
            [
                (one.way, f"{one.exact:.3f}", f"{one.f1:.3f}", f"{one.missing:,}")
                for one in found.answers
            ],
        )
    if found.missing:
        terminal.line(
            f"{counted(found.missing, 'result')} failed. Run the same command again to retry.",
            style="yellow",
        )
