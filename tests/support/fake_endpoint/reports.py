"""A report on the tables of a context: cites true records of each kind, and one that is not there.

Nothing but a citation depends on the numbers that records are cited by, since these differ
between two graphs of the same content.
"""

from collections.abc import Mapping, Sequence

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.dice import dice
from tests.support.fake_endpoint.tables import CITATION, Row, read_tables

__all__ = ["INVENTED", "write_report"]

INVENTED = 999_999_999
FINDINGS = 5


def write_report(chat: Chat) -> dict[str, object]:
    """A report as the schema `community_report` wants it."""
    tables = read_tables(chat.text)
    first = [row for rows in tables.values() for row in rows]
    names = [row.fields[0] for row in tables.get("Entities", ()) or first][:3]
    title = CITATION.sub("", ", ".join(names))[:80] or "Nothing"
    chance = dice("report", title, len(first))
    return {
        "title": title,
        "summary": f"{title} belong together. " + (first[0].said[:200] if first else ""),
        "rating": round(chance.uniform(1, 9), 1),
        "rating_explanation": f"It concerns {len(first)} things.",
        "findings": [_finding(n, tables) for n in range(min(FINDINGS, max(1, len(first))))],
    }


def _finding(n: int, tables: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """One finding on the n-th record of each kind; the first one cites what is not there, too."""
    told = {kind: rows[n] for kind, rows in tables.items() if n < len(rows)}
    parts = [f"{kind} ({row.ref})" for kind, row in told.items()]
    if n == 0:
        parts.append(f"Claims ({INVENTED})")
    said = " ".join(row.said[:150] for row in told.values())
    taken_over = [CITATION.search(row.fields[-1]) for row in told.values()]
    also = "".join(f" As reported{found[0]}." for found in taken_over if found)
    cited = f" [Data: {'; '.join(parts)}]" if parts else ""
    return {"summary": f"Finding {n + 1}", "explanation": f"{said or 'So it is'}{cited}.{also}"}
