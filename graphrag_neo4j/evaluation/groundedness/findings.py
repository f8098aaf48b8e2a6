"""The findings of a graph's reports, as texts whose groundedness is measured like that of answers.

A finding cites records: entities, relationships, claims, chunks and reports below it. The text of
such a record is what the report was written from, so the sentences of the finding are judged
against it, and not against the documents below it.

The folder of an evaluation keeps the findings that were judged last, so that the report can be
written without Neo4j.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypedDict

from graphrag_neo4j.context.citations import CitationKind, CitationRef, bracket, cited
from graphrag_neo4j.evaluation.model import AnswerRecord, CitedSource
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.ids import identify

__all__ = ["read_findings", "read_records", "report_title"]

TITLE: Final = "report"  # what the title of the report is called in a record
AT_ONCE: Final = 1_000  # records that are read with one statement


class FindingRow(TypedDict):
    """A finding of a report."""

    community: str
    ref: int
    level: int
    id: str
    title: str
    text: str | None


class RecordRow(TypedDict):
    """A record that is cited: what it is called, and what it says."""

    kind: CitationKind
    ref: int
    source: str
    text: str


def report_title(finding: AnswerRecord) -> str:
    """Returns the title of the report to which a finding belongs."""
    return finding.made_with.get(TITLE, "")


async def read_findings(graph: Graph) -> list[AnswerRecord]:
    """Returns the findings of all reports, those of a level as the answers of one condition.

    Small reports, which only list the descriptions of their members, are left out. The question of
    each record is the id of its community. Raises GraphError if Neo4j fails.
    """
    rows = await graph.read("evaluation/findings", FindingRow)
    wanted = dict.fromkeys(one for row in rows for one in cited(row["text"] or ""))
    records = await read_records(graph, list(wanted))
    return [_finding(row, records) for row in rows]


async def read_records(
    graph: Graph, citations: Sequence[CitationRef]
) -> dict[CitationRef, CitedSource]:
    """Returns what citations name, with its text. Those that the graph does not hold are left out.

    Raises GraphError if Neo4j fails.
    """
    found: dict[CitationRef, CitedSource] = {}
    for start in range(0, len(citations), AT_ONCE):
        asked = [{"kind": kind, "ref": ref} for kind, ref in citations[start : start + AT_ONCE]]
        for row in await graph.read("evaluation/records", RecordRow, citations=asked):
            one = row["kind"], row["ref"]
            found[one] = CitedSource(bracket([one]), row["source"], row["text"])
    return found


def _finding(row: FindingRow, records: Mapping[CitationRef, CitedSource]) -> AnswerRecord:
    text = row["text"] or ""
    names = cited(text)
    return AnswerRecord(
        key=identify("finding of a report", row["id"], text),
        question=row["community"],
        condition=f"reports of level {row['level']}",
        text=text,
        made_with={TITLE: row["title"]},
        sources=[records[one] for one in names if one in records],
        dead=_dead(names, records),
    )


def _dead(names: Iterable[CitationRef], records: Mapping[CitationRef, CitedSource]) -> list[str]:
    return [bracket([one]) for one in names if one not in records]
