"""The words of the field as plain data: what is read, what a model is asked, what it found.

Nothing here does anything. The graph model itself stands in the README, section How it works.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from graphrag_neo4j.context.context_table import ContextTable
from graphrag_neo4j.context.report_material import ReportMaterial

__all__ = [
    "ChunkText",
    "ClaimRecord",
    "Claims",
    "Document",
    "EntityRecord",
    "Extraction",
    "FindingText",
    "IndexBackend",
    "LLMTask",
    "Message",
    "Origin",
    "Point",
    "Primer",
    "QueryBackend",
    "RelationshipRecord",
    "Reply",
    "Request",
    "Scalar",
    "Span",
    "Step",
    "WeightedEdge",
    "WrittenReport",
    "finished",
]

Origin = Literal["model", "extractive"]
Scalar = str | int | float | bool
Step = Literal["extraction", "claims", "summary", "report", "map", "answer", "rating"]
WeightedEdge = tuple[str, str, float]
"""Two ends, in either order, and a weight above 0."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where it comes from.

    `source` is what makes it the same document on the next run: a URI, a path, any stable name.
    """

    text: str
    source: str
    title: str = ""
    metadata: Mapping[str, Scalar | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """A chunk's place: characters [start, end) of its document, and its tokens.

    Characters [start, fresh) stand in the chunk before, too: the overlap.
    """

    start: int
    fresh: int
    end: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class ChunkText:
    """What a model reads: a chunk's text, with chosen metadata of its document before it."""

    id: str
    text: str
    header: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a think step asks a model for.

    `choices`: the reply is to be one of these words, given by one token if the endpoint can
    be held to that. `max_tokens`: of the reply.
    """

    step: Step
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    choices: tuple[str, ...] = ()
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply; `cut`: it ended because its length did, not because it was done."""

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity as one record of a reply names it."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class RelationshipRecord:
    """A relationship as one record of a reply states it; `strength` as the model scored it."""

    source: str
    target: str
    description: str
    strength: float


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A claim as one record of a reply states it.

    `object` is None where the claim has none; `status` is TRUE, FALSE, SUSPECTED or None;
    dates are ISO 8601 or None.
    """

    subject: str
    object: str | None
    type: str
    status: str | None
    start_date: str | None
    end_date: str | None
    description: str
    source_text: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a model found in one chunk.

    `cut`: its reply was still cut off after the continuations. `unusable`: a reason for each
    record that could not be used, and for each other oddity that is counted.
    """

    entities: Sequence[EntityRecord]
    relationships: Sequence[RelationshipRecord]
    cut: bool = False
    unusable: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims that a model found in one chunk; `cut` and `unusable` as in Extraction."""

    claims: Sequence[ClaimRecord]
    cut: bool = False
    unusable: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class FindingText:
    """One finding of a report, with citations in its explanation."""

    summary: str
    explanation: str


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What is written of a community; `rating`: its importance from 0 to 10, where it has one."""

    title: str
    summary: str
    findings: Sequence[FindingText] = ()
    rating: float | None = None
    rating_explanation: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """What a part of the data has to say to a question; `helpfulness` from 0 to 100."""

    description: str
    helpfulness: int


@dataclass(frozen=True, slots=True)
class Primer:
    """A first answer from reports, how good it is (0 to 100), and what to ask next."""

    answer: str
    score: int
    follow_ups: Sequence[str]


LLMTask = Generator[Request, Reply, T]
"""A think step: yields requests, receives replies, returns its result; raises ReplyError."""


def finished(task: LLMTask[T]) -> T:
    """The result of a step that asks nothing."""
    try:
        next(task)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("a step that asks nothing has asked")


class IndexBackend(Protocol):
    """A way to think: with a model, or without one. It does no I/O.

    `origin` says what its reports are: a model's, or extractive (their sentences are quoted).
    `signature(step)` stands for everything but the chunk that a step's result depends on. A
    report is written from `context`, a text for a model, or from the material that this shows.
    """

    @property
    def origin(self) -> Origin: ...

    def signature(self, step: Step) -> str: ...

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]: ...

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]: ...

    def summarize(self, name: str, descriptions: Sequence[str]) -> LLMTask[str]: ...

    def report(self, context: str, material: ReportMaterial) -> LLMTask[WrittenReport]: ...


class QueryBackend(Protocol):
    """A way to answer from contexts, which are tables of records. It does no I/O.

    `answer` writes the text that a user reads, cited by the records' refs; `history` are the
    messages before the question. `points` weighs what a context has to say, `rate` gives the refs
    of those reports that are worth opening, `prime` a first answer and follow-up questions,
    `chooses_global` whether a question is about the whole rather than about a thing.
    """

    def answer(
        self, question: str, context: ContextTable, history: Sequence[Message]
    ) -> LLMTask[str]: ...

    def reduce(
        self, question: str, points: Sequence[Point], history: Sequence[Message]
    ) -> LLMTask[str]: ...

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]: ...

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]: ...

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]: ...

    def chooses_global(self, question: str) -> LLMTask[bool]: ...
