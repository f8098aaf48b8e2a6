"""The rows of the statements that the status and the stages read, column by column."""

from typing import Any, TypedDict

from graphrag_neo4j.context.citations import CitationKind

__all__ = [
    "BuildRow",
    "CitedRow",
    "ClaimsWantedRow",
    "CommunitiesDueRow",
    "CountsRow",
    "CutChunkRow",
    "DocumentChunksRow",
    "DocumentRow",
    "EdgeRow",
    "FailedChunkRow",
    "FailedRow",
    "FoundRow",
    "HeldRow",
    "KnownCommunityRow",
    "KnownDocumentRow",
    "LevelCoverRow",
    "MemberRow",
    "MentionedRow",
    "NamedByRow",
    "PendingChunkRow",
    "PendingReportRow",
    "PendingRow",
    "ReportCitationsRow",
    "ReportClaimRow",
    "ReportEdgeRow",
    "ReportEntityRow",
    "ReportPartRow",
    "ReportSourcesRow",
    "SampleRow",
    "StaleEntityRow",
    "StalePairRow",
    "TextRow",
    "TotalsRow",
    "UndescribedRow",
    "UnlinkedClaimRow",
    "UnusableRow",
    "WaitingReportsRow",
]


class UnusableRow(TypedDict):
    """A reason why records of replies were left out, and how often that was so."""

    reason: str
    n: int


class CutChunkRow(TypedDict):
    """A list of a chunk that was cut off: "entities" or "claims"."""

    source: str
    index: int
    list: str


class FailedChunkRow(TypedDict):
    """A chunk that could not be read; `extraction`, `claims`: why."""

    source: str
    index: int
    ref: int
    extraction: str | None
    claims: str | None


class FailedRow(TypedDict):
    """Something that could not be described, reported on or embedded, and why."""

    name: str
    reason: str


class LevelCoverRow(TypedDict):
    """The cover of a level; tokens are those of its reports."""

    level: int
    communities: int
    largest: int
    reports: int
    from_elements: int
    tokens: int
    tokens_from_elements: int


class BuildRow(TypedDict):
    """A build: when it ran, how it ended, what it used; `cost` in US dollars.

    `cached_tokens` are part of `input_tokens`. `unpriced`: calls whose price is not known.
    `started` and `finished` are ISO 8601 texts.
    """

    id: str
    started: str
    finished: str | None
    outcome: str
    origin: str | None
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    unpriced: int


class ClaimsWantedRow(TypedDict):
    """Whether the last index extracted claims."""

    claims: bool


class FoundRow(TypedDict):
    """Whether there is such a thing."""

    found: bool


class MemberRow(TypedDict):
    """An entity, and the id of the leaf community that it is in now, if it is in one."""

    id: str
    leaf: str | None


class EdgeRow(TypedDict):
    """A relationship by the ids of its ends; `weight`: the number of its statements."""

    start: str
    end: str
    weight: int


class NamedByRow(TypedDict):
    """An entity, and how many chunks (`n`) and documents name it."""

    id: str
    name: str
    n: int
    documents: int


class KnownCommunityRow(TypedDict):
    """A community in its place in the tree."""

    id: str
    level: int
    parent: str | None


class CommunitiesDueRow(TypedDict):
    """What the communities were made with, None as long as there are none; are they due?"""

    made_with: str | None
    due: bool


class SampleRow(TypedDict):
    """The text of a chunk."""

    text: str


class TextRow(TypedDict):
    """A text that may have to be embedded; `hash`: of what its vector was made from."""

    id: str
    hash: str | None
    text: str


class PendingChunkRow(TypedDict):
    """A chunk to read; `again`: it was read before, with other settings."""

    id: str
    ref: int
    text: str
    header: str | None
    again: bool


class MentionedRow(TypedDict):
    """The ids of the entities that a chunk names."""

    chunk: str
    entities: list[str]


class UnlinkedClaimRow(TypedDict):
    """A claim of a chunk, and how it spells its subject and its object."""

    chunk: str
    claim: str
    subject: str
    object: str | None


class KnownDocumentRow(TypedDict):
    """What the graph knows of a document."""

    id: str
    content_hash: str | None
    cut_with: str | None
    metadata: str | None


class DocumentRow(TypedDict):
    """A document by its id and its source."""

    id: str
    source: str


class StaleEntityRow(TypedDict):
    """A marked entity: its spellings and types, as (text, count), and its degree."""

    id: str
    mentioned: list[tuple[str, int]]
    claimed: list[tuple[str, int]]
    types: list[tuple[str, int]]
    degree: int


class StalePairRow(TypedDict):
    """A marked pair; `stated`: for each statement of a chunk, does it go forward, and strengths."""

    id: str
    stated: list[tuple[bool, list[float]]]


class UndescribedRow(TypedDict):
    """What is to be described: what was said of it, and the texts of groups that are there."""

    id: str
    name: str
    description: str | None
    hash: str | None
    groups: list[str] | None
    group_texts: list[str] | None
    descriptions: list[str]


class WaitingReportsRow(TypedDict):
    """How many communities wait for a report; the deepest level, None without a community."""

    n: int
    deepest: int | None


class PendingReportRow(TypedDict):
    """A community that waits for a report; `hash`: of what its report was written from."""

    id: str
    size: int
    hash: str | None


class CitedRow(TypedDict):
    """What a citation stands for."""

    kind: CitationKind
    ref: int
    id: str


class ReportEntityRow(TypedDict):
    """A member of a community; `part`: the id of the sub-community that it is in."""

    community: str
    part: str | None
    id: str
    ref: int
    name: str
    type: str | None
    description: str | None
    degree: int | None
    mentions: int


class ReportEdgeRow(TypedDict):
    """A relationship inside a community, with the ids and the names of its ends.

    `opposite`: the statements that go from target to source.
    """

    community: str
    id: str
    ref: int
    source: str
    target: str
    source_name: str
    target_name: str
    description: str | None
    weight: int | None
    opposite: int | None


class ReportClaimRow(TypedDict):
    """A claim about members of a community; `about`: their ids."""

    community: str
    about: list[str]
    id: str
    ref: int
    subject: str
    object: str | None
    type: str | None
    status: str | None
    start: str | None
    end: str | None
    description: str | None
    chunk: str
    chunk_ref: int


class ReportPartRow(TypedDict):
    """A sub-community; without a report all that a report gives is None."""

    community: str
    id: str
    ref: int
    title: str | None
    summary: str | None
    report: str | None
    rating: float | None


class ReportSourcesRow(TypedDict):
    """What chunks say of a community: (ref of the chunk, its id, ids of entities, text)."""

    community: str
    said: list[tuple[int, str, list[str], str]]


class HeldRow(TypedDict):
    """What an import finds: `importing` names one that has begun, `given` holds the last refs."""

    held: bool
    importing: str | None
    given: dict[str, Any] | None


class DocumentChunksRow(TypedDict):
    """The ids of the chunks of a document, in their order."""

    source: str
    chunks: list[str]


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
    summarize: int
    reports: int
    embed: int


class ReportCitationsRow(TypedDict):
    """The citations in reports, the removed ones, and the shortened reports of sub-communities."""

    citations: int
    invented: int
    shortened: int


class TotalsRow(TypedDict):
    """The number of chunks that name an entity (`n`), and of all documents."""

    n: int
    documents: int
