"""The import summary: the result for the rows of each Parquet table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.graph import ReportToSave
from graphrag_neo4j.importers.evidence import ImportedEvidence
from graphrag_neo4j.importers.id_map import Counted
from graphrag_neo4j.importers.rows import Tables
from graphrag_neo4j.importers.tree import Tree
from graphrag_neo4j.importers.unit_alignment import Placed

__all__ = ["ImportSummary", "closing"]


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The result of an import.

    `tables` holds the counts of each table by name. `invented` is the number of citations in
    reports that were removed because their record does not exist. `rebuilt` is the number of
    documents whose text was joined from their text units. `astray` is the number of entities in
    communities that are not nested in each other. `replaced` is the number of characters that can't
    be stored and were replaced.
    """

    tables: Mapping[str, Counted]
    invented: int
    rebuilt: int
    astray: int
    replaced: int


def closing(
    tables: Tables,
    placed: Sequence[Placed],
    evidence: ImportedEvidence,
    tree: Tree,
    *,
    reports: Mapping[str, ReportToSave],
    apart: Iterable[str],
) -> ImportSummary:
    """The summary of all tables; `apart` are the communities without a row of their own."""
    n, listed = len(tables.documents), sum(one.listed for one in placed)
    unlisted = [one.document.source for one in placed if not one.listed]
    by_ends, by_claims = evidence.implied
    mapped = sum(row.community in tree.id_map.ids for row in tables.reports)
    unmapped = len(tables.reports) - mapped
    return ImportSummary(
        tables={
            "documents": Counted(n, listed, n - listed, 0, 0),
            "text_units": evidence.units.counted(len(tables.units), unlisted),
            "entities": evidence.entities.counted(len(tables.entities)),
            "relationships": evidence.pairs.counted(len(tables.relationships), by_ends),
            "covariates": evidence.claims.counted(len(tables.claims), by_claims),
            "communities": tree.id_map.counted(len(tables.communities), apart),
            "community_reports": Counted(
                len(tables.reports), len(reports), mapped - len(reports), 0, unmapped
            ),
        },
        invented=sum(row["properties"]["invented"] or 0 for row in reports.values()),
        rebuilt=sum(not one.found for one in placed),
        astray=tree.astray,
        replaced=tables.replaced,
    )
