"""The material for a report and for suggested questions, before it is put into a context."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.model.context import ContextRecord


@dataclass(frozen=True, slots=True)
class EntityMaterial:
    """An entity of the community.

    `description` has a line for each statement. `part` is the id of its sub-community, None if it
    belongs to none. `mentions` is the number of chunks that mention it. `type` is its entity type,
    "" if it is not known. `sample` holds hashes of descriptions that a model made one of, () if no
    model did (`report_tolerance`).
    """

    record: ContextRecord
    name: str
    description: str
    degree: int
    part: str | None = None
    mentions: int = 0
    type: str = ""
    sample: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class RelationshipMaterial:
    """A relationship between two entities of the community, which are given by their ids.

    `description` has a line for each statement. `weight` is the number of all statements.
    `sample` is that of `EntityMaterial`.
    """

    record: ContextRecord
    source: str
    target: str
    description: str
    weight: int = 0
    sample: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class ClaimMaterial:
    """A claim about entities, which are given by their ids; at least one is of the community.

    `source` is the chunk that makes the claim. `alike` is the subject, object and type, which other
    claims may share; () for a claim that shares them with no other.
    """

    record: ContextRecord
    about: tuple[str, ...]
    description: str
    source: ContextRecord | None = None
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartMaterial:
    """The report of a sub-community in three forms: in full, title and summary, title alone.

    `sample` holds hashes of a sample of what it was written from (`report_tolerance`).
    """

    id: str
    full: ContextRecord
    summary: ContextRecord
    title: ContextRecord
    rating: float | None
    sample: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class SourceMaterial:
    """A statement of a chunk, in its own words, about entities that are given by their ids."""

    record: ContextRecord
    about: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """The material for the report of one community; `sources` only for a backend that quotes."""

    entities: Mapping[str, EntityMaterial]
    edges: Sequence[RelationshipMaterial]
    claims: Sequence[ClaimMaterial]
    parts: Sequence[PartMaterial] = ()
    sources: Sequence[SourceMaterial] = ()


@dataclass(frozen=True, slots=True)
class ReportTopic:
    """A report of the coarsest level.

    `findings` are the summaries of its first findings, and `members` the ids of its foremost
    entities.
    """

    title: str
    summary: str
    findings: Sequence[str]
    members: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity that a question may be about.

    `documents` is the number of documents that mention it. `passages` holds rows of the
    source of a document, the text of a chunk and the people whom that mentions; it is empty for a
    backend that reads none.
    """

    id: str
    name: str
    type: str
    description: str
    documents: int
    passages: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class SuggestionMaterial:
    """What questions are suggested from.

    `pairs` holds the names of related entities. `documents` is the number of all documents, and
    `years` that of documents of each year, as far as they are dated. For a question that follows on
    an answer, `asked` holds the questions so far, the last one at the end, and `answer` the last
    answer.
    """

    reports: Sequence[ReportTopic]
    topics: Sequence[Topic]
    pairs: Sequence[tuple[str, str]]
    documents: int
    asked: Sequence[str] = ()
    answer: str = ""
    years: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question that is not checked yet. `whole` says whether it is about the whole corpus.

    `about` holds the ids of the entities that it was made for; it is empty where only the text
    tells them.
    """

    text: str
    whole: bool
    about: tuple[str, ...] = ()
