"""The closing table: what became of the rows of each parquet table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.importers.evidence import Statement
from graphrag_neo4j.importers.id_map import Counted
from graphrag_neo4j.importers.reports import Row
from graphrag_neo4j.importers.rows import Tables
from graphrag_neo4j.importers.tree import Tree
from graphrag_neo4j.importers.unit_alignment import Placed

__all__ = ["ImportSummary", "closing"]


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What became of each table.

    `invented`: citations in reports that led nowhere and were removed. `rebuilt`: documents whose
    text is that of their units, one after the other. `astray`: entities in communities that do
    not stand one below the other. `replaced`: characters that can't be stored.
    """

    tables: Mapping[str, Counted]
    invented: int
    rebuilt: int
    astray: int
    replaced: int


def closing(
    tables: Tables,
    placed: Sequence[Placed],
    said: Statement,
    tree: Tree,
    *,
    reports: Mapping[str, Row],
    apart: Iterable[str],
) -> ImportSummary:
    """What became of all tables; `apart` are the communities that have no row of their own."""
    n, listed = len(tables.documents), sum(one.listed for one in placed)
    unlisted = [one.document.source for one in placed if not one.listed]
    by_ends, by_claims = said.implied
    told = sum(row.community in tree.register.ids for row in tables.reports)
    untold = len(tables.reports) - told
    return ImportSummary(
        tables={
            "documents": Counted(n, listed, n - listed, 0, 0),
            "text_units": said.units.counted(len(tables.units), unlisted),
            "entities": said.entities.counted(len(tables.entities)),
            "relationships": said.pairs.counted(len(tables.relationships), by_ends),
            "covariates": said.claims.counted(len(tables.claims), by_claims),
            "communities": tree.register.counted(len(tables.communities), apart),
            "community_reports": Counted(
                len(tables.reports), len(reports), told - len(reports), 0, untold
            ),
        },
        invented=sum(row["properties"]["invented"] or 0 for row in reports.values()),
        rebuilt=sum(not one.found for one in placed),
        astray=tree.astray,
        replaced=tables.replaced,
    )
