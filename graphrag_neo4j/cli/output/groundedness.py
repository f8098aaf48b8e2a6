"""Prints how far answers and reports rest on what they cite."""

from collections.abc import Sequence

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.groundedness.groundedness import Groundedness

__all__ = ["print_groundedness"]

HEAD = (
    "",
    "texts",
    "statements",
    "cited",
    "supported",
    "partly",
    "not",
    "no verdict",
    "citations",
    "with a text",
)


def print_groundedness(found: Sequence[Groundedness]) -> None:
    """Prints a row for each condition and each level of reports."""
    terminal.table(HEAD, [_row(one) for one in found])
    by = "words and vectors" if found[0].judge == "words" else found[0].judge
    terminal.line(
        "cited: the share of the statements that carry a citation. supported, partly, not: shares "
        f"of the cited statements, judged by {by}. with a text: the share of the citations that "
        "lead to a text.",
        style="dim",
    )
    if missing := sum(one.missing for one in found):
        terminal.line(
            f"{counted(missing, 'sentence')} got no usable verdict. Run the same command again to "
            "retry.",
            style="yellow",
        )


def _row(one: Groundedness) -> Sequence[str]:
    judged = one.supported + one.partly + one.unsupported
    return (
        one.name,
        f"{one.texts:,}",
        f"{one.statements:,}",
        _percent(one.cited, one.statements),
        _percent(one.supported, judged),
        _percent(one.partly, judged),
        _percent(one.unsupported, judged),
        f"{one.missing:,}",
        f"{one.citations:,}",
        _percent(one.placed, one.citations),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
