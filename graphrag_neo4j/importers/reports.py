"""Makes the reports of the tables into rows for the graph, with our refs in the citations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from graphrag_neo4j.context.citations import CitationKind, rewrite
from graphrag_neo4j.context.context_table import report_tokens
from graphrag_neo4j.graph import ReportToSave
from graphrag_neo4j.importers.id_map import IdMap
from graphrag_neo4j.importers.rows import ReportRow
from graphrag_neo4j.indexing.stages.reports import report_row
from graphrag_neo4j.model import FindingText, WrittenReport

__all__ = ["Cited", "report_rows"]

Cited = Mapping[CitationKind, IdMap]


def report_rows(
    reports: Iterable[ReportRow], cited: Cited, count: Callable[[str], int]
) -> dict[str, ReportToSave]:
    """A row for each community that has a report; of several, the report of the smallest number.

    Citations of rows that the tables do not hold are removed. Where several rows became one node,
    the citations of all of them lead to it. `count` gives the number of tokens of a text.
    """
    known = {kind: id_map.known for kind, id_map in cited.items()}
    communities = cited["Reports"].ids
    rows: dict[str, ReportToSave] = {}
    for number, report in sorted(_numbered(reports), key=lambda one: one[0]):
        id_ = communities.get(number)
        if id_ is None or id_ in rows:
            continue
        renamed = _Renamed(cited)
        row = report_row(id_, renamed.report(report), known)
        properties = row["properties"]
        invented = (properties["invented"] or 0) + renamed.removed
        properties |= {
            "invented": invented or None,
            "n_tokens": report_tokens(properties["report"], count),
            "origin": "import",
        }
        rows[id_] = row
    return rows


def _numbered(reports: Iterable[ReportRow]) -> Iterable[tuple[int, WrittenReport]]:
    return ((row.community, row.report) for row in reports if row.community is not None)


@dataclass(slots=True)
class _Renamed:
    """Replaces numbers by refs; `removed` counts the citations of unknown kinds."""

    cited: Cited
    removed: int = 0

    def report(self, report: WrittenReport) -> WrittenReport:
        return WrittenReport(
            title=report.title,
            summary=self._text(report.summary),
            findings=[
                FindingText(self._text(finding.summary), self._text(finding.explanation))
                for finding in report.findings
            ],
            rating=report.rating,
            rating_explanation=self._text(report.rating_explanation),
        )

    def _text(self, text: str) -> str:
        return rewrite(text, self._ref)

    def _ref(self, kind: CitationKind | None, number: int) -> int | None:
        if kind is None:
            self.removed += 1
            return None
        return self.cited[kind].ref(number)
