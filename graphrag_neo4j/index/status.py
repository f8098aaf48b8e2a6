"""The status of a graph: its counts, pending and failed items, and the cost of the last builds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypedDict, cast

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.lease import VOID_SECONDS
from graphrag_neo4j.index.read.ingest import Ingested
from graphrag_neo4j.model.types import Origin, Usage

Again = Literal["documents", "extraction", "vectors", "communities"]
LAST_BUILDS = 5
COUNTED = 20_000  # documents whose metadata is counted, at most
VALUES = 5  # most frequent values of a field of metadata


class BatchRow(TypedDict):
    """A batch whose results are not all in the graph.

    `id` is our own, `provider` that of the provider, None where the batch was uploaded and perhaps
    not sent. `file` is the provider's id of the uploaded file. `requests` is their number, and
    `answered` that of those that are answered, as the provider said last. `cost` is the largest
    possible cost in US dollars, None where no price is known. `sent` is an ISO 8601 text.
    """

    id: str
    provider: str | None
    file: str
    state: str
    requests: int
    answered: int
    cost: float | None
    sent: str


class UnusableRow(TypedDict):
    """A reason why records of replies were left out, and how often that was so."""

    reason: str
    n: int


class CutChunkRow(TypedDict):
    """A list of a chunk that was cut off: "entities" or "claims"."""

    source: str
    index: int
    list: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that failed: its stage, its name and the reason."""

    stage: str
    what: str
    reason: str


class LevelCoverRow(TypedDict):
    """The communities that cover all entities at a level: those of it, and unsplit ones above it.

    `single` counts those of one entity, and `largest` is the size of the largest. `tokens` counts
    the tokens of all reports. `from_elements` and `tokens_from_elements` count only the reports of
    small communities, which list their members.
    """

    level: int
    communities: int
    single: int
    largest: int
    reports: int
    from_elements: int
    tokens: int
    tokens_from_elements: int


class BuildRow(TypedDict):
    """A build: when it ran, how it ended, and what it used. `cost` is in US dollars.

    `cached_tokens` are part of `input_tokens`. `unpriced`: calls whose price is not known.
    `started` and `finished` are ISO 8601 texts. `release` of this program ran it, None: before 0.2.
    """

    id: str
    started: str
    finished: str | None
    outcome: str
    origin: str | None
    release: str | None
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    unpriced: int


class ClaimsWantedRow(TypedDict):
    """Whether the last index extracted claims."""

    claims: bool


class CountsRow(TypedDict):
    """How many nodes and relationships of each kind a graph has."""

    documents: int
    chunks: int
    entities: int
    relationships: int
    claims: int
    mentions: int
    statements: int
    communities: int


class PendingRow(TypedDict):
    """The number of pending items of each stage, failed items included."""

    extract: int
    claims: int
    merge: int
    resolve: int
    summarize: int
    reports: int
    embed: int


class BehindRow(TypedDict):
    """The number of reports that are behind their material.

    `largest` is the largest share (0 to 1) of the material of one of them that has changed since it
    was written.
    """

    reports: int
    largest: float


class ReportCitationsRow(TypedDict):
    """The citations in reports, the removed ones, and the shortened reports of sub-communities."""

    citations: int
    invented: int
    shortened: int


class MetadataValueRow(TypedDict):
    """A value of metadata as text, and how many documents have it."""

    value: str
    documents: int


class MetadataRow(TypedDict):
    """A field of the documents' metadata.

    `kinds` holds those of its values ("text", "number" or "yes/no"). `documents` is the number of
    documents that have it, and `values` holds its most frequent values.
    """

    field: str
    kinds: list[str]
    documents: int
    values: list[MetadataValueRow]


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
    `metadata` has a row for each field of the documents' metadata, if that was asked for.
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
    metadata: Sequence[MetadataRow] = ()

    def __repr__(self) -> str:
        counts = ", ".join(f"{n:,} {name}" for name, n in self.counts.items() if n)
        pending = sum(self.pending.values())
        return f"<Status: {counts or 'empty'}; {pending:,} pending, {len(self.failures):,} failed>"


async def read_status(
    graph: Graph, *, claims: bool | None = None, metadata: bool = False
) -> Status:
    """Reads the state of the graph. With `metadata`, also the fields of the documents' metadata.

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
    pending = cast("dict[str, int]", waiting)
    return Status(
        counts=cast("dict[str, int]", counts),
        pending=pending if claims else {**pending, "claims": 0},
        failures=[
            one
            for one in await graph.read("status/failures", Failure)
            if claims or one.stage != "claims"
        ],
        unusable={
            row["reason"]: row["n"] for row in await graph.read("status/unusable", UnusableRow)
        },
        cut=[
            f"{row['list']} of chunk {row['index']} of {row['source']}"
            for row in await graph.read("status/cut_chunks", CutChunkRow)
        ],
        vectorless=await graph.read("status/flawed_vectors", Failure),
        levels=await graph.read("status/levels", LevelCoverRow),
        reports=cast("dict[str, int]", citations),
        behind=behind,
        builds=await graph.read(
            "status/builds", BuildRow, limit=LAST_BUILDS, void_after=VOID_SECONDS
        ),
        batches=await graph.read("batch/list", BatchRow),
        metadata=await graph.read("status/metadata", MetadataRow, documents=COUNTED, values=VALUES)
        if metadata
        else (),
    )


@dataclass(frozen=True, slots=True)
class RebuildOptions:
    """The parts of an index that are made again although they are done.

    `again` holds "documents" for the documents that an earlier version of the reader for their
    kind has read, "extraction" for the chunks, descriptions and reports that were made with other
    prompts, models or settings than the present ones, "vectors" for all vectors, with the present
    embedding model, and "communities" for the communities, imported ones included. `fresh`: the
    reports that are behind their material, although less of it has changed than the setting
    `report_tolerance` allows, and the communities, if they followed changes of the graph; so the
    graph is that of one fresh build. `with_model`: the model reads what was read without one.
    """

    again: Collection[Again] = ()
    fresh: bool = False
    with_model: bool = False


REBUILD_NOTHING: Final = RebuildOptions()


@dataclass(slots=True)
class IndexResult:
    """The result of a run of the index, and the state of the graph after it.

    `ingested` counts the documents and chunks of the run. `dropped` holds the sources of the
    documents that were deleted because their file or their row is gone. `usage` holds calls, tokens
    and cost by step. `unreadable` holds the reason by source. `skipped` holds the number of files
    whose kind can't be read, by suffix. `notices` are sentences about how the files were read.
    `status` is the state of the graph after the run. `stopped` says why the run ended early, None
    if it did not. `seconds` is the time that the run took.
    `origin` says whether a model read the documents.
    """

    ingested: Ingested = field(default_factory=Ingested)
    dropped: Sequence[str] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    notices: Sequence[str] = ()
    status: Status | None = None
    stopped: str | None = None
    seconds: float = 0.0
    origin: Origin = "model"

    def __repr__(self) -> str:
        ended = "complete" if self.complete else "stopped" if self.stopped else "with failures"
        done = self.ingested
        documents = f"{done.added:,} added, {done.changed:,} changed, {done.unchanged:,} unchanged"
        return f"<IndexResult {ended}: documents {documents}, {len(self.dropped):,} deleted>"

    @property
    def flawed(self) -> bool:
        """Whether a source could not be read, or an item failed."""
        failures = self.status is None or self.status.failures
        return bool(self.unreadable or self.ingested.repeated or failures)

    @property
    def complete(self) -> bool:
        """Whether nothing failed and the run was not stopped early."""
        return not (self.flawed or self.stopped)
