"""Saves reports: the properties of communities, and their findings with what these cite."""

from collections.abc import Sequence
from typing import Final, Literal, NotRequired, TypedDict

from graphrag_neo4j.graph.connection import Transaction

Cited = Literal["entities", "claims", "chunks", "communities"]
CITED: Final[tuple[Cited, ...]] = ("entities", "claims", "chunks", "communities")


class FindingToSave(TypedDict):
    """A finding of a report, and the ids of all that it cites."""

    id: str
    index: int
    summary: str
    explanation: str
    relationships: list[str] | None
    entities: list[str]
    claims: list[str]
    chunks: list[str]
    communities: list[str]


class PieceProperties(TypedDict):
    """The hashes and the tokens of the pieces of what a report was written from.

    Both are None for a report that is always up to date.
    """

    material_hashes: list[int] | None
    material_tokens: list[int] | None


class ReportProperties(TypedDict):
    """The properties that a report gives its community.

    `invented` is the number of citations that were removed because their record does not exist.
    `origin` is "model", "extractive", "import", or "elements" for a report that lists the members
    of a small community. `report_hash` is the hash of what the report was written from, and
    `report_with` that of the settings. `shortened` is the number of reports of sub-communities that
    were shortened to fit. None stands for 0. The others are those of `PieceProperties`.
    """

    title: str
    summary: str
    rating: float | None
    rating_explanation: str
    report: str
    invented: int | None
    n_tokens: NotRequired[int]
    origin: NotRequired[str]
    report_hash: NotRequired[str]
    report_with: NotRequired[str]
    shortened: NotRequired[int | None]
    material_hashes: NotRequired[list[int] | None]
    material_tokens: NotRequired[list[int] | None]


class ReportToSave(TypedDict):
    """A report with its findings; `id` is that of its community."""

    id: str
    properties: ReportProperties
    findings: list[FindingToSave]


async def save_reports(tx: Transaction, rows: Sequence[ReportToSave]) -> None:
    """Replaces the reports of communities.

    A changed report marks its community to be embedded, and the parent of its community to get a
    new report.
    """
    await tx.run("reports/save", rows=rows)
    await tx.run("reports/findings", rows=rows)
    cites = [
        {"finding": finding["id"], "cited": cited}
        for row in rows
        for finding in row["findings"]
        for kind in CITED
        for cited in finding[kind]
    ]
    if cites:
        await tx.run("reports/cites", rows=cites)
