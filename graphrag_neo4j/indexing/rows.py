"""The rows of the statements that the stages of an index and an import read, column by column."""

from typing import TypedDict

from graphrag_neo4j.context.citations import CitationKind

__all__ = [
    "CitedRow",
    "CommunitiesDueRow",
    "DocumentChunksRow",
    "DocumentRow",
    "EdgesOfRow",
    "FoundRow",
    "HeldRow",
    "KnownCommunityRow",
    "KnownDocumentRow",
    "MemberRow",
    "MentionedRow",
    "NamedByRow",
    "PendingChunkRow",
    "PendingReportRow",
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
    "WaitingReportsRow",
]


class FoundRow(TypedDict):
    """Whether there is such a thing."""

    found: bool


class MemberRow(TypedDict):
    """An entity, and the id of the leaf community that it is in now, if it is in one.

    `placed` is its weighted degree when it was placed there.
    """

    id: str
    leaf: str | None
    placed: float | None


class EdgesOfRow(TypedDict):
    """The relationships that start at an entity: the ids of their ends, and their weights."""

    source: str
    targets: list[str]
    weights: list[int]


class NamedByRow(TypedDict):
    """An entity, and how many chunks (`n`) and documents name it."""

    id: str
    name: str
    n: int
    documents: int


class KnownCommunityRow(TypedDict):
    """A community in its place in the tree.

    `unchecked` is the weight inside it that has changed since its split was last compared with a
    fresh one.
    """

    id: str
    level: int
    size: int
    parent: str | None
    unchecked: float


class CommunitiesDueRow(TypedDict):
    """What the communities were made with (None without communities), and whether they are due.

    `updated` says whether they have been changed since they were made, and `unchecked` is the
    weight in the graph that has changed since level 0 was last compared with a fresh one.
    """

    made_with: str | None
    due: bool
    updated: bool
    unchecked: float


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
    """The names that a chunk uses for the entities that it mentions."""

    chunk: str
    names: list[str]


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
    """A marked pair. `stated` holds the direction (True: forward) and strengths for each chunk."""

    id: str
    stated: list[tuple[bool, list[float]]]


class UndescribedRow(TypedDict):
    """An entity or pair to describe, with its descriptions and the summaries of groups so far.

    Each of the descriptions is a text and the id of the document that it comes from.
    """

    id: str
    name: str
    description: str | None
    hash: str | None
    groups: list[str] | None
    group_texts: list[str] | None
    descriptions: list[tuple[str, str]]


class WaitingReportsRow(TypedDict):
    """How many communities wait for a report; the deepest level, None without a community."""

    n: int
    deepest: int | None


class PendingReportRow(TypedDict):
    """A community that waits for a report; `hash`: of what its report was written from.

    `pieces` and `tokens` are the pieces of that (`report_drift`). `made_with` is the signature of
    the report. `forgetting`: documents were deleted that its report may tell about.
    """

    id: str
    size: int
    hash: str | None
    report: str | None
    made_with: str | None
    forgetting: bool
    pieces: list[int] | None
    tokens: list[int] | None


class CitedRow(TypedDict):
    """What a citation stands for; `content` is the same in each graph of the same documents."""

    kind: CitationKind
    ref: int
    id: str
    content: str


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
    sample: list[int] | None
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
    sample: list[int] | None


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
    """A sub-community. Title, summary, report and rating are None without a report."""

    community: str
    id: str
    ref: int
    title: str | None
    summary: str | None
    report: str | None
    rating: float | None
    sample: list[int] | None


class ReportSourcesRow(TypedDict):
    """What chunks say of a community: (ref of the chunk, its id, ids of entities, text)."""

    community: str
    said: list[tuple[int, str, list[str], str]]


class GivenRefs(TypedDict, total=False):
    """The node of the graph that holds the last ref of each kind."""

    id: str
    chunk: int
    entity: int
    relationship: int
    claim: int
    community: int
    decision: int


class HeldRow(TypedDict):
    """What an import finds in a graph.

    `held` says whether the graph holds anything, `importing` is the hash of the tables whose import
    has begun, and `given` holds the last refs.
    """

    held: bool
    importing: str | None
    given: GivenRefs | None


class DocumentChunksRow(TypedDict):
    """The ids of the chunks of a document, in their order."""

    source: str
    chunks: list[str]


class TotalsRow(TypedDict):
    """The number of chunks that name an entity (`n`), and of all documents."""

    n: int
    documents: int
