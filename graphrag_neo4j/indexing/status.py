"""The status of a graph: its counts, pending and failed items, and the cost of the last builds."""

from dataclasses import dataclass

from graphrag_neo4j.graph import VOID_SECONDS, Graph, Row

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
    were removed, and of shortened reports of sub-communities.
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


async def read_status(graph: Graph, *, claims: bool = True) -> Status:
    """Reads the state of the graph. With `claims` False, no claims count as pending."""
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
