"""What is in the graph, what is pending, what failed and why, what the last builds cost."""

from dataclasses import dataclass

from graphrag_neo4j.graph import VOID_SECONDS, Graph, Row

__all__ = ["Failure", "Status", "read_status"]

LAST_BUILDS = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that could not be done: what, in which stage, and why."""

    stage: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a graph.

    `counts`: nodes and relationships by kind. `pending`: items by stage, the failed ones among
    them. `unusable`: records in replies by the reason they were left out. `cut`: the lists that
    were still cut off after the continuations. `vectorless`: what no vector search finds, since
    its text gives a vector of zeros or the like, which Neo4j does not index.
    """

    counts: dict[str, int]
    pending: dict[str, int]
    failures: list[Failure]
    unusable: dict[str, int]
    cut: list[str]
    vectorless: list[Failure]
    levels: list[Row]
    reports: dict[str, int]
    builds: list[Row]

    def __repr__(self) -> str:
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items() if n)
        pending = sum(self.pending.values())
        return f"<Status: {counts or 'empty'}; {pending:,} pending, {len(self.failures):,} failed>"


async def read_status(graph: Graph, *, claims: bool = True) -> Status:
    """The state of the graph now; `claims`: whether claims are wanted, else none is pending."""
    pending: dict[str, int] = (await graph.read("status/waiting"))[0]
    return Status(
        counts=(await graph.read("status/counts"))[0],
        pending=pending if claims else {**pending, "claims": 0},
        failures=await _failures(graph, claims=claims),
        unusable={row["reason"]: row["n"] for row in await graph.read("status/unusable")},
        cut=[
            f"{row['list']} of chunk {row['index']} of {row['source']}"
            for row in await graph.read("status/cut_chunks")
        ],
        vectorless=[
            Failure("embed", row["name"], row["reason"])
            for row in await graph.read("status/flawed_vectors")
        ],
        levels=await graph.read("status/levels"),
        reports=(await graph.read("status/reports"))[0],
        builds=await graph.read("status/builds", limit=LAST_BUILDS, void_after=VOID_SECONDS),
    )


async def _failures(graph: Graph, *, claims: bool) -> list[Failure]:
    kinds = [(stage, key) for stage, key in KINDS if claims or stage != "claims"]
    found = []
    for row in await graph.read("status/failed_chunks"):
        what = f"chunk {row['index']} of {row['source']}"
        found += [Failure(kind, what, row[key]) for kind, key in kinds if row[key]]
    for row in await graph.read("status/failed_descriptions"):
        found.append(Failure("summarize", row["name"], row["reason"]))
    for row in await graph.read("status/failed_reports"):
        found.append(Failure("reports", row["name"], row["reason"]))
    for row in await graph.read("status/failed_vectors"):
        found.append(Failure("embed", row["name"], row["reason"]))
    return found


KINDS = (("extract", "extraction"), ("claims", "claims"))
