"""What several stages write: new refs, the removal of evidence, and reports."""

from collections.abc import Sequence
from typing import Final, Literal, NotRequired, TypedDict

from graphrag_neo4j.graph.connection import Transaction
from graphrag_neo4j.graph.rows import IdsRow
from graphrag_neo4j.text.strings import identify

Cited = Literal["entities", "claims", "chunks", "communities"]
CITED: Final[tuple[Cited, ...]] = ("entities", "claims", "chunks", "communities")
RefKind = Literal["chunk", "entity", "claim", "relationship", "community", "decision"]


def import_signature(step: str) -> str:
    """The signature of all that imports bring: none of our index backends made it."""
    return identify("import", step)


class NewRefsRow(TypedDict):
    """The ids that have no ref yet, and the last ref that was given before theirs."""

    missing: list[str]
    before: int


async def give_refs(tx: Transaction, kind: RefKind, ids: Sequence[str]) -> dict[str, int]:
    """Gives a new ref to each of `ids` that the graph does not hold yet, in the order given."""
    rows = await tx.run(f"evidence/refs_{kind}", NewRefsRow, ids=list(dict.fromkeys(ids)))
    return {id_: rows[0]["before"] + n for n, id_ in enumerate(rows[0]["missing"], start=1)}


async def forget_extraction(tx: Transaction, chunks: Sequence[str]) -> tuple[list[str], list[str]]:
    """Removes STATED and MENTIONS of chunks; returns the ids of the pairs and entities to sweep."""
    pairs = await tx.run("evidence/forget_stated", IdsRow, chunks=chunks)
    entities = await tx.run("evidence/forget_mentions", IdsRow, chunks=chunks)
    return pairs[0]["ids"], entities[0]["ids"]


async def forget_claims(tx: Transaction, chunks: Sequence[str]) -> list[str]:
    """Removes the claims of chunks; returns the ids of the entities to sweep."""
    await tx.run("evidence/forget_claims", chunks=chunks)
    return (await tx.run("evidence/forget_claimed", IdsRow, chunks=chunks))[0]["ids"]


async def forget_chunks(tx: Transaction, chunks: Sequence[str]) -> None:
    """Removes chunks with all their evidence, and entities and pairs without other evidence."""
    if not chunks:
        return
    claimed = await forget_claims(tx, chunks)
    pairs, entities = await forget_extraction(tx, chunks)
    await tx.run("evidence/forget_chunks", chunks=chunks)
    await sweep_pairs(tx, pairs)
    await sweep_entities(tx, [*entities, *claimed])
    await mark_changed(tx)


async def mark_changed(tx: Transaction) -> None:
    """Marks the graph of entities as changed, so that its communities are made again."""
    await tx.run("graph/changed")


async def sweep_pairs(tx: Transaction, pairs: Sequence[str]) -> None:
    """Removes those of these pairs that no chunk states any more."""
    await tx.run("evidence/sweep_related", pairs=pairs)


async def sweep_entities(tx: Transaction, entities: Sequence[str]) -> None:
    """Removes those of these entities that no chunk mentions any more."""
    await tx.run("evidence/sweep_entities", entities=entities)


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
