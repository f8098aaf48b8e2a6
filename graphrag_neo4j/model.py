"""The words of the field as plain data: what is read, what a model is asked, what it found.

Nothing here does anything. The graph model itself stands in the README, section How it works.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, TypeVar

__all__ = [
    "ChunkText",
    "ClaimRecord",
    "Claims",
    "ComposedTask",
    "Document",
    "EntityRecord",
    "Extraction",
    "FinalTask",
    "FindingText",
    "LLMTask",
    "Message",
    "Origin",
    "Point",
    "Primer",
    "RelationshipRecord",
    "Reply",
    "Request",
    "Scalar",
    "Span",
    "Step",
    "StreamedTask",
    "Usage",
    "WeightedEdge",
    "WrittenReport",
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
"""A task for a model: it yields requests, is sent their replies, and returns its result.

It does no I/O, so the same task can be driven by an endpoint, by a batch, or by a test that sends
the replies by hand. It raises ReplyError where a reply is unusable. A task of the extractive
backend yields no request.
"""


@dataclass(frozen=True, slots=True)
class StreamedTask:
    """The last step of an answer by a model: one request, whose reply is streamed to the user.

    `check` is given the whole reply at the end and raises ReplyError where it is no answer.
    """

    request: Request
    check: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ComposedTask:
    """The last step of an answer without a model: `compose` returns its text, "" if there is none.

    It does no I/O but takes processor time, so it is called in a worker thread.
    """

    compose: Callable[[], str]


FinalTask = StreamedTask | ComposedTask


@dataclass(slots=True)
class Usage:
    """What calls have used; the cached tokens are among the input tokens.

    `cost` is in US dollars and counts only calls whose price is known; `unpriced` counts the rest.
    `estimated` counts the calls whose tokens the endpoint did not say, or said wrongly. `replaced`
    counts the characters of replies that can't be stored.
    """

    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    estimated: int = 0
    replaced: int = 0

    @classmethod
    def total(cls, usages: Iterable[Self]) -> Self:
        """The sum of several."""
        total = cls()
        for usage in usages:
            for name in cls.__slots__:
                setattr(total, name, getattr(total, name) + getattr(usage, name))
        return total
