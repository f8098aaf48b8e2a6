"""Makes a report into rows for the graph, and checks its citations against its context."""

from collections.abc import Mapping, Sequence

from graphrag_neo4j.context.citations import CitationKind, CitationRef, ground
from graphrag_neo4j.graph import FindingToSave, ReportToSave
from graphrag_neo4j.ids import identify
from graphrag_neo4j.model import FindingText, WrittenReport

__all__ = ["Known", "report_row"]

Known = Mapping[CitationKind, Mapping[int, str]]
"""The records that may be cited: by kind, the id of each ref."""


def report_row(
    community: str, report: WrittenReport, known: Known, material: str | None = None
) -> ReportToSave:
    """The row of a report for `graph.save_reports`, without citations of records not in `known`.

    `material` is the context that a model has read.
    `properties.invented` is the number of citations that were removed.
    """
    title, summary = ground(report.title, {}), ground(report.summary, known, material)
    explanation = ground(report.rating_explanation, known, material)
    findings = [
        _finding_row(community, index, finding, known, material)
        for index, finding in enumerate(report.findings)
    ]
    removed = title.removed + summary.removed + explanation.removed + sum(n for _, n in findings)
    rows = [row for row, _ in findings]
    return {
        "id": community,
        "properties": {
            "title": title.text,
            "summary": summary.text,
            "rating": report.rating,
            "rating_explanation": explanation.text,
            "report": _markdown(title.text, summary.text, rows),
            "invented": removed or None,
        },
        "findings": rows,
    }


def _finding_row(
    community: str, index: int, finding: FindingText, known: Known, material: str | None
) -> tuple[FindingToSave, int]:
    """The row of a finding, and the number of citations that were removed from it."""
    summary = ground(finding.summary, known, material)
    explanation = ground(finding.explanation, known, material)
    cites = dict.fromkeys((*summary.citations, *explanation.citations))
    row: FindingToSave = {
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


def _markdown(title: str, summary: str, findings: Sequence[FindingToSave]) -> str:
    parts = [f"# {title}", summary]
    for finding in findings:
        parts += [f"## {finding['summary']}", finding["explanation"]]
    return "\n\n".join(part for part in parts if part)
