"""Prints how far answers and reports rest on what they cite."""

from collections.abc import Sequence

from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.groundedness.judged_sentences import JudgesCompared
from graphrag_neo4j.evaluation.groundedness.sentence_support import Groundedness

__all__ = ["print_groundedness", "print_judges_compared"]

EXAMPLES = 5  # sentences on which two judges differ

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
    terminal.line(
        "cited: the share of the statements that carry a citation. supported, partly, not: shares "
        f"of the cited statements, judged by {_by(found[0].judge)}. with a text: the share of the "
        "citations that lead to a text.",
        style="dim",
    )
    if missing := sum(one.missing for one in found):
        terminal.line(
            f"{counted(missing, 'sentence')} got no usable verdict. Run the same command again to "
            "retry.",
            style="yellow",
        )


def print_judges_compared(compared: Sequence[JudgesCompared]) -> None:
    """Prints how often the judges of sentences agree, and some sentences on which they differ."""
    for one in compared:
        n, judges = one.agreement.items, f"{_by(one.one)} and {_by(one.other)}"
        alpha = "–" if one.agreement.alpha is None else f"{one.agreement.alpha:.2f}"
        same = n - len(one.differing)
        terminal.line()
        terminal.line(
            (f"{judges}, on {one.texts}", "bold"),
            f": the same verdict on {_percent(same, n)} of {counted(n, 'sentence')} "
            f"(Krippendorff's alpha {alpha}).",
        )
        if one.differing:
            terminal.line(
                f"Of the {counted(len(one.differing), 'other')}, {_by(one.one)} is stricter on "
                f"{one.stricter:,}, and {_by(one.other)} on {one.milder:,}. `kg-build eval report` "
                "lists them. The first ones:"
            )
        for sentence in one.differing[:EXAMPLES]:
            given = (
                f"{_by(judge)}: {sentence.verdicts[judge].support}"
                for judge in (one.one, one.other)
            )
            terminal.line(f"  {sentence.sentence}")
            terminal.line(f"    {sentence.text.condition}; {', '.join(given)}", style="dim")


def _by(judge: str) -> str:
    return "words and vectors" if judge == "words" else judge


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
