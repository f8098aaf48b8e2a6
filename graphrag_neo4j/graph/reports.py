"""Writes reports: the properties of communities, their findings, and their citations."""

from collections.abc import Mapping, Sequence
from typing import Any

from graphrag_neo4j.graph.connection import Transaction

__all__ = ["save_reports"]

CITED = ("entities", "claims", "chunks", "communities")


async def save_reports(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replaces the reports of communities by rows of `grounding.report_row`.

    A row may have more `properties`. A changed report marks its community to be embedded, and the
    parent of its community to get a new report.
    """
    await tx.run("reports/save", rows=rows)
    await tx.run("reports/findings", rows=rows)
    for kind in CITED:
        cites = [
            {"finding": finding["id"], "cited": cited}
            for row in rows
            for finding in row["findings"]
            for cited in finding[kind]
        ]
        if cites:
            await tx.run(f"reports/cites_{kind}", rows=cites)
