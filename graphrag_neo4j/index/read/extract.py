"""Extracts entities and relationships from the pending chunks, then claims.

pending chunks ──▶ LLM task ──▶ MENTIONS, STATED | Claims        (evidence, one transaction)
                                Entity, RELATED  {stale: true}   (for the stage merge)

The evidence is saved while other chunks are still being read.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Literal, NamedTuple, TypedDict, TypeVar, cast

from graphrag_neo4j.concurrency import Outcome
from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.entities.moves import Split, read_splits, split_evidence
from graphrag_neo4j.index.evidence import (
    claim_rows,
    forget_claims,
    forget_extraction,
    link,
    mention_rows,
    save_entities,
    save_pairs,
    stated_rows,
    sweep_entities,
    sweep_pairs,
    with_refs,
)
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.contracts import IndexBackend
from graphrag_neo4j.model.events import Notice, Started
from graphrag_neo4j.model.types import ChunkText, Claims, Extraction, LLMTask
from graphrag_neo4j.text.strings import entity_id

ReadT = TypeVar("ReadT", Extraction, Claims)
PAGE = 200
TOGETHER = 256  # results that are saved at once


class ReadingStep(NamedTuple):
    """A way to read chunks, with its statements."""

    name: Literal["extraction", "claims"]
    how_many: str
    pending: str
    done: str
    failed: str


EXTRACTION: Final = ReadingStep(
    "extraction",
    "extract/count_extraction",
    "extract/pending_extraction",
    "extract/done_extraction",
    "extract/failed_extraction",
)
CLAIMS: Final = ReadingStep(
    "claims",
    "extract/count_claims",
    "extract/pending_claims",
    "extract/done_claims",
    "extract/failed_claims",
)


class PendingChunkRow(TypedDict):
    """A chunk to read; `again`: it was read before, with other settings.

    `entities` are those of `ChunkText`.
    """

    id: str
    ref: int
    text: str
    header: str | None
    speaker: str | None
    again: bool
    entities: list[str]


class ChunkNamesRow(TypedDict):
    """The names that a chunk uses for the entities that it mentions."""

    chunk: str
    names: list[str]


class UnlinkedClaimRow(TypedDict):
    """A claim of a chunk, and how it spells its subject and its object."""

    chunk: str
    claim: str
    subject: str
    object: str | None


@dataclass(frozen=True, slots=True)
class ChunkToRead:
    """A chunk to read. `again` is True where it has evidence that must be replaced."""

    text: ChunkText
    again: bool


Outcomes = Sequence[Outcome[ChunkToRead, ReadT]]


async def extract(stage: StageContext) -> None:
    """Extracts the entities and relationships of all pending chunks."""
    await _read_chunks(stage, EXTRACTION, stage.backend.extract, save_extractions)


async def extract_claims(stage: StageContext) -> None:
    """Extracts the claims of all pending chunks whose entities have been extracted."""
    await _read_chunks(stage, CLAIMS, stage.backend.claims, _save_claims)


async def _read_chunks(
    stage: StageContext,
    step: ReadingStep,
    task: Callable[[ChunkText], LLMTask[ReadT]],
    write: Callable[[Transaction, Outcomes[ReadT], str], Awaitable[None]],
) -> None:
    graph, signature = stage.graph, stage.backend.signature(step.name)

    async def read(chunk: ChunkToRead) -> ReadT:
        return await stage.run(task(chunk.text))

    async def save(outcomes: Outcomes[ReadT]) -> None:
        await graph.transact(lambda tx: write(tx, outcomes, signature))

    stage.listen(Started(step.name, (await graph.read(step.how_many, CountRow))[0]["n"]))
    await stage.run_tasks(
        lambda _listen: _pending(graph, step), read, save, together=TOGETHER, counted=True
    )


async def count_read_otherwise(graph: Graph, backend: IndexBackend, *, claims: bool) -> int:
    """The number of chunks that were read with other prompts, models or settings."""
    rows = await graph.read(
        "extract/count_otherwise",
        CountRow,
        extraction=backend.signature("extraction"),
        claims=backend.signature("claims"),
        with_claims=claims,
    )
    return rows[0]["n"]


async def mark_to_reread(graph: Graph, backend: IndexBackend, *, claims: bool) -> None:
    """Makes those chunks pending. Their evidence stays until the new evidence is saved."""
    await graph.write("extract/reread_extraction", signature=backend.signature("extraction"))
    if claims:
        await graph.write("extract/reread_claims", signature=backend.signature("claims"))


async def _pending(graph: Graph, step: ReadingStep) -> AsyncIterator[ChunkToRead]:
    """Each failed or pending chunk once, read in pages.

    Chunks that failed before come first, so that chunks that fail now are not read twice.
    """
    for state in ("failed", "pending"):
        after = -1  # an imported chunk may be number 0
        while rows := await graph.read_bulk(
            step.pending, PendingChunkRow, state=state, after=after, limit=PAGE
        ):
            rows.sort(key=itemgetter("ref"))
            for row in rows:
                header, entities = row["header"] or "", tuple(row["entities"])
                text = ChunkText(row["id"], row["text"], header, row["speaker"], entities)
                yield ChunkToRead(text, row["again"])
            after = rows[-1]["ref"]


async def save_extractions(
    tx: Transaction, outcomes: Outcomes[Extraction], signature: str | None
) -> None:
    """Saves the evidence of chunks. Without a signature, no backend reads them again."""
    done = {outcome.item.text.id: outcome.result for outcome in outcomes if outcome.result}
    speakers = {outcome.item.text.id: outcome.item.text.speaker for outcome in outcomes}
    splits = await read_splits(tx)
    again = [outcome.item.text.id for outcome in outcomes if outcome.result and outcome.item.again]
    old_pairs, old_entities = await forget_extraction(tx, again) if again else ([], [])
    mentions = [
        row for chunk, found in done.items() for row in mention_rows(chunk, found, speakers[chunk])
    ]
    stated = [row for chunk, found in done.items() for row in stated_rows(chunk, found)]
    await save_entities(
        tx, {str(row["entity"]): cast("list[str]", row["names"])[0] for row in mentions}
    )
    await tx.run("extract/mentions", rows=mentions)
    await tx.run("extract/stated", rows=stated)
    await save_pairs(tx, stated)
    if again:
        await _relink_claims(tx, again, splits)
    for split in splits:
        await split_evidence(tx, split, done)
    if again:
        await sweep_pairs(tx, old_pairs)
        await sweep_entities(tx, old_entities)
    await _write_states(tx, EXTRACTION, outcomes, signature)


async def _save_claims(tx: Transaction, outcomes: Outcomes[Claims], signature: str) -> None:
    done = {outcome.item.text: outcome.result for outcome in outcomes if outcome.result}
    again = [outcome.item.text.id for outcome in outcomes if outcome.result and outcome.item.again]
    old_entities = await forget_claims(tx, again) if again else []
    splits = await read_splits(tx)
    named = await _named(tx, [chunk.id for chunk in done], splits)
    claims = [
        row
        for chunk, found in done.items()
        for row in claim_rows(chunk, found.claims, named[chunk.id])
    ]
    await tx.run("extract/claims", rows=await with_refs(tx, "claim", claims))
    await _write_links(tx, claims)
    for split in splits:
        await split_evidence(tx, split, list(named))
    await sweep_entities(tx, old_entities)
    await _write_states(tx, CLAIMS, outcomes, signature)


async def _relink_claims(tx: Transaction, chunks: Sequence[str], splits: Sequence[Split]) -> None:
    """Links the claims of chunks that were read again to the entities that these now mention."""
    named = await _named(tx, chunks, splits)
    claims: list[Row] = []
    for row in await tx.run("extract/unlink_claims", UnlinkedClaimRow, chunks=chunks):
        subject, object_ = row["subject"], row["object"]
        for split in splits:
            subject = split.first_name(subject)
            object_ = object_ and split.first_name(object_)
        known = named[row["chunk"]]
        claims.append(
            {"id": row["claim"], "subject": link(subject, known), "object": link(object_, known)}
        )
    await _write_links(tx, claims)


async def _named(
    tx: Transaction, chunks: Sequence[str], splits: Sequence[Split]
) -> dict[str, dict[str, str]]:
    """The spellings that each chunk uses by id, also those that another entity holds.

    Where a chunk uses the name that a split has given, its first name also counts as used.
    """
    named: dict[str, dict[str, str]] = {chunk: {} for chunk in chunks}
    for row in await tx.run("extract/mentioned", ChunkNamesRow, chunks=chunks):
        known = named[row["chunk"]] = {entity_id(name): name for name in row["names"]}
        known |= {split.one: split.name for split in splits if split.other in known}
    return named


async def _write_links(tx: Transaction, claims: Sequence[Row]) -> None:
    def links(end: str) -> list[Row]:
        ends = ((claim["id"], cast("tuple[str, str] | None", claim[end])) for claim in claims)
        return [{"claim": id_, "entity": one[0], "name": one[1]} for id_, one in ends if one]

    subjects, objects = links("subject"), links("object")
    await save_entities(tx, {str(row["entity"]): row["name"] for row in [*objects, *subjects]})
    await tx.run("extract/subjects", rows=subjects)
    await tx.run("extract/objects", rows=objects)


async def _write_states(
    tx: Transaction, step: ReadingStep, outcomes: Outcomes[ReadT], signature: str | None
) -> None:
    done = [
        {
            "id": outcome.item.text.id,
            "signature": signature,
            "cut": outcome.result.cut or None,
            "unusable": sorted(outcome.result.unusable) or None,
        }
        for outcome in outcomes
        if outcome.result
    ]
    failed = [
        {"id": outcome.item.text.id, "reason": outcome.failure}
        for outcome in outcomes
        if outcome.failure
    ]
    await tx.run(step.done, rows=done)
    if failed:
        await tx.run(step.failed, rows=failed)


async def tell_read_otherwise(stage: StageContext, *, claims: bool) -> None:
    """Sends a notice of the chunks that were read with other prompts, models or settings."""
    if n := await count_read_otherwise(stage.graph, stage.backend, claims=claims):
        stage.listen(
            Notice(
                f"{n} chunks were read with other prompts, models or settings and stay as they "
                "are; --again extraction reads them again."
            )
        )


async def tell_claimless(stage: StageContext) -> None:
    """Sends a notice of chunks that get no claims in a graph where other chunks have claims."""
    if n := (await stage.graph.read("extract/count_claimless", CountRow))[0]["n"]:
        stage.listen(
            Notice(
                f"Chunks that get no claims, although others of this graph have claims: {n:,}. Set "
                "KG_CLAIMS=true (or give --claims) to extract claims from all chunks."
            )
        )
