"""The status of a graph: its counts, pending and failed items, and the cost of the last builds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from graphrag_neo4j.graph import VOID_SECONDS, Graph
from graphrag_neo4j.indexing.batching.rows import BatchRow
from graphrag_neo4j.indexing.document_writing import UNFINISHED
from graphrag_neo4j.indexing.status_rows import (
    BehindRow,
    BuildRow,
    ClaimsWantedRow,
    CountsRow,
    CutChunkRow,
    FailedChunkRow,
    FailedRow,
    LevelCoverRow,
    PendingRow,
    ReportCitationsRow,
    UnusableRow,
)

__all__ = ["Failure", "Status", "read_status"]

LAST_BUILDS = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that failed: its stage, its name and the reason."""

    stage: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a graph.

    `counts` holds the numbers of nodes and relationships by kind. `pending` holds the number of
    pending items by stage, failed items included. `failures` holds the failed items. `unusable`
    holds the number of records of replies that were left out, by reason. `cut` names the replies
    that were still incomplete after all continuations. `vectorless` holds the items that vector
    search can't find, because Neo4j does not index their vector (it is zero, for example).
    `levels` has a row for each level of communities, `builds` one for each of the last
    builds with their cost. `reports` holds the number of citations in reports, of citations that
    were removed, and of shortened reports of sub-communities. `behind` says how many reports stayed
    although some of their material has changed since they were written, and how much at most.
    `batches` has a row for each batch at the provider whose results are not in the graph yet.
    """

    counts: dict[str, int]
    pending: dict[str, int]
    failures: list[Failure]
    unusable: dict[str, int]
    cut: list[str]
    vectorless: list[Failure]
    levels: list[LevelCoverRow]
    reports: dict[str, int]
    behind: BehindRow
    builds: list[BuildRow]
    batches: Sequence[BatchRow] = ()

    def __repr__(self) -> str:
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items() if n)
        pending = sum(self.pending.values())
        return f"<Status: {counts or 'empty'}; {pending:,} pending, {len(self.failures):,} failed>"


async def read_status(graph: Graph, *, claims: bool | None = None) -> Status:
    """Reads the state of the graph.

    With `claims` False, no chunk counts as pending for claims. With None, that is so where the last
    index extracted none.
    """
    if claims is None:
        wanted = await graph.read("status/claims_wanted", ClaimsWantedRow)
        claims = wanted[0]["claims"]
    [counts] = await graph.read("status/counts", CountsRow)
    [waiting] = await graph.read("status/waiting", PendingRow)
    [citations] = await graph.read("status/reports", ReportCitationsRow)
    [behind] = await graph.read("status/behind", BehindRow)
    pending = _numbers(waiting)
    return Status(
        counts=_numbers(counts),
        pending=pending if claims else {**pending, "claims": 0},
        failures=await _failures(graph, claims=claims),
        unusable={
            row["reason"]: row["n"] for row in await graph.read("status/unusable", UnusableRow)
        },
        cut=[
            f"{row['list']} of chunk {row['index']} of {row['source']}"
            for row in await graph.read("status/cut_chunks", CutChunkRow)
        ],
        vectorless=[
            Failure("embed", row["name"], row["reason"])
            for row in await graph.read("status/flawed_vectors", FailedRow)
        ],
        levels=await graph.read("status/levels", LevelCoverRow),
        reports=_numbers(citations),
        behind=behind,
        builds=await graph.read(
            "status/builds", BuildRow, limit=LAST_BUILDS, void_after=VOID_SECONDS
        ),
        batches=await graph.read("batch/list", BatchRow),
    )


def _numbers(row: CountsRow | PendingRow | ReportCitationsRow) -> dict[str, int]:
    """The numbers of a row by their names."""
    return cast("dict[str, int]", row)


async def _failures(graph: Graph, *, claims: bool) -> list[Failure]:
    unfinished = await graph.read("status/unfinished_documents", FailedRow, content_hash=UNFINISHED)
    found = [Failure("ingest", row["name"], row["reason"]) for row in unfinished]
    for chunk in await graph.read("status/failed_chunks", FailedChunkRow):
        what = f"chunk {chunk['index']} of {chunk['source']}"
        if chunk["extraction"]:
            found.append(Failure("extract", what, chunk["extraction"]))
        if chunk["claims"] and claims:
            found.append(Failure("claims", what, chunk["claims"]))
    names = await graph.read("status/failed_names", FailedRow)
    found += [Failure("compare", row["name"], row["reason"]) for row in names]
    descriptions = await graph.read("status/failed_descriptions", FailedRow)
    found += [Failure("summarize", row["name"], row["reason"]) for row in descriptions]
    reports = await graph.read("status/failed_reports", FailedRow)
    found += [Failure("reports", row["name"], row["reason"]) for row in reports]
    vectors = await graph.read("status/failed_vectors", FailedRow)
    found += [Failure("embed", row["name"], row["reason"]) for row in vectors]
    return found
