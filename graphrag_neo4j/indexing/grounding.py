"""Makes a report into rows for the graph, and checks its citations against its context."""

from collections.abc import Mapping, Sequence
from typing import Any

from graphrag_neo4j.context.citations import CitationKind, CitationRef, ground
from graphrag_neo4j.ids import identify
from graphrag_neo4j.model import FindingText, WrittenReport

__all__ = ["Known", "Row", "report_row"]

Row = dict[str, Any]
Known = Mapping[CitationKind, Mapping[int, str]]
"""The records that may be cited: by kind, the id of each ref."""


def report_row(community: str, report: WrittenReport, known: Known) -> Row:
    """The row of a report for `graph.save_reports`, without citations of records not in `known`.

    `properties.invented` is the number of citations that were removed.
    """
    parts = {
        "title": ground(report.title, {}),
        "summary": ground(report.summary, known),
        "rating_explanation": ground(report.rating_explanation, known),
    }
    findings = [
        _finding_row(community, index, finding, known)
        for index, finding in enumerate(report.findings)
    ]
    texts = {name: part.text for name, part in parts.items()}
    invented = sum(part.removed for part in parts.values()) + sum(n for _, n in findings)
    rows = [row for row, _ in findings]
    return {
        "id": community,
        "properties": {
            **texts,
            "rating": report.rating,
            "report": _markdown(texts["title"], texts["summary"], rows),
            "invented": invented or None,
        },
        "findings": rows,
    }


def _finding_row(community: str, index: int, finding: FindingText, known: Known) -> tuple[Row, int]:
    summary, explanation = ground(finding.summary, known), ground(finding.explanation, known)
    cites = dict.fromkeys((*summary.citations, *explanation.citations))
    row = {
        "id": identify("finding", community, index),
        "index": index,
        "summary": summary.text,
        "explanation": explanation.text,
        "relationships": _ids("Relationships", cites, known) or None,
        "entities": _ids("Entities", cites, known),
        "claims": _ids("Claims", cites, known),
        "chunks": _ids("Sources", cites, known),
        "communities": _ids("Reports", cites, known),
    }
    return row, summary.removed + explanation.removed


def _ids(kind: CitationKind, cites: Mapping[CitationRef, None], known: Known) -> list[str]:
    return sorted(known[kind][ref] for cited, ref in cites if cited == kind)


def _markdown(title: str, summary: str, findings: Sequence[Row]) -> str:
    parts = [f"# {title}", summary]
    for finding in findings:
        parts += [f"## {finding['summary']}", finding["explanation"]]
    return "\n\n".join(part for part in parts if part)
