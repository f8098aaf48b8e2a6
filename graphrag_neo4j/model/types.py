"""The data types that pass between the layers: documents, requests to a model, and its results.

They have no behaviour; a document only refuses what it can't hold. The graph model is
described in docs/how-it-works.md.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Self, TypeVar

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.quotation import Draft

Origin = Literal["model", "extractive"]
Scalar = str | int | float | bool
MetadataValue = Scalar | list[Scalar]
"""A value of a document's metadata, as it is kept: the members of a list are of one kind."""
Step = Literal[
    "extraction",
    "claims",
    "names",
    "summary",
    "report",
    "map",
    "answer",
    "rating",
    "judge",
    "answer_claims",
]
Sameness = Literal["same", "different", "unsure"]
WeightedEdge = tuple[str, str, float]
"""The ids of the two ends, in either order, and a weight above 0."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file was read: a hash of its bytes, and the version of the reader for its kind.

    `changed` is the time of its last change, in seconds since 1970.
    """

    file_hash: str
    reader: int
    changed: float


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: from character `start` of its text up to the next part.

    `label` is what a person looks for in the document: the words of a heading, "page 3", "slide 2",
    "row 12". `level` is that of a heading, from 1, and 0 for all else.
    """

    start: int
    label: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its source.

    `source` identifies the document: a URI, a path or any other name that stays the same from run
    to run. `metadata` holds texts, numbers, booleans, dates, and lists of these, by name; None
    means no value. `reading` is that of a file with markup. `parts` are in the order of the text.
    `first_line` is the number of the line that the text begins with; None where the text is not the
    lines of a file. Raises InputError for a text, source or title that isn't text, and for an empty
    source.
    """

    text: str
    source: str
    title: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    reading: Reading | None = field(default=None, compare=False, repr=False)
    parts: Sequence[Part] = field(default=(), compare=False, repr=False)
    first_line: int | None = field(default=1, compare=False, repr=False)

    def __post_init__(self) -> None:
        kinds: dict[str, type] = {"text": str, "source": str, "title": str, "metadata": Mapping}
        for name, kind in kinds.items():
            if not isinstance(given := getattr(self, name), kind):
                must = f"must be a {kind.__name__}, and is {given!r:.40}"
                raise InputError(f"The {name} of the document {self._named()} {must}.")
        if not self.source.strip():
            must = "is empty: give a name that stays the same from run to run"
            raise InputError(f"The source of the document {self._named()} {must}.")

    def _named(self) -> str:
        return f"{self.source if str(self.source or '').strip() else self.text!r:.60}"


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a chunk: characters [start, end) of its document, and its number of tokens.

    Characters [start, fresh) are the overlap: they also belong to the chunk before.
    """

    start: int
    fresh: int
    end: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The text of a chunk, and what went before it.

    A model reads the `header` before the text. `speaker` is who goes on to speak, None if nobody.
    `entities` are the names and types of the entities that were found in it ("Ada | person"), where
    it is read for claims.
    """

    id: str
    text: str
    header: str = ""
    speaker: str | None = None
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One request of an LLM task to a model.

    `choices`: the reply must be one of these words; where the endpoint supports it, the reply is
    held to one token of them. `max_tokens` limits the reply. `schema` is the JSON schema that the
    reply must match (structured output).
    """

    step: Step
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    choices: tuple[str, ...] = ()
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A name with its type and what the documents say about it."""

    name: str
    type: str | None
    descriptions: tuple[str, ...]


DESCRIPTION_TOKENS: Final = 600
"""The tokens that a description by a model may have at most."""


@dataclass(frozen=True, slots=True)
class DescribedThing:
    """An entity or a pair of entities, with several descriptions that are to become one."""

    name: str
    descriptions: Sequence[str]


@dataclass(frozen=True, slots=True)
class NamePair:
    """Two names that may be one thing."""

    one: ComparedName
    other: ComparedName


@dataclass(frozen=True, slots=True)
class NameVerdict:
    """Whether two names are one thing, and why."""

    verdict: Sameness
    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. `cut` is True where it ended at the limit of its length.

    The task that reads the reply adds to `odd` a note for each part of it that was repaired or left
    out. Whoever runs the task counts the notes.
    """

    text: str
    cut: bool = False
    odd: list[str] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity, as one record of a reply gives it.

    `properties` are those of a node of another database, with values of Neo4j.
    """

    name: str
    type: str
    description: str
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)


# Behind a predicate: what is denied, only planned, or over.
FORMER: Final = "(former)"
MARKS: Final = ("(denied)", "(planned)", FORMER)


@dataclass(frozen=True, slots=True)
class RelationshipRecord:
    """A relationship, as one record of a reply gives it.

    `strength` is the model's score. `predicate` is a verb phrase that leads from the source to the
    target, such as "works for", maybe with one of MARKS; "" if there is none. `properties` are
    those of a relationship of another database.
    """

    source: str
    target: str
    description: str
    strength: float
    predicate: str = ""
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A claim, as one record of a reply gives it.

    `object` is None where the claim has none. `status` is TRUE, FALSE, SUSPECTED or None. Dates
    are ISO 8601 texts or None. `source_text` is the passage of the chunk that makes the claim.
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
    """The entities and relationships that were found in one chunk.

    `cut` is True where the reply was still incomplete after all continuations. `unusable` holds a
    reason for each record that could not be used, and for each other oddity that is counted.
    """

    entities: Sequence[EntityRecord]
    relationships: Sequence[RelationshipRecord]
    cut: bool = False
    unusable: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims that were found in one chunk. `cut` and `unusable` are those of Extraction."""

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
    """The report of a community. `rating` is its importance from 0 to 10, None without one."""

    title: str
    summary: str
    findings: Sequence[FindingText] = ()
    rating: float | None = None
    rating_explanation: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """A point that helps to answer a question. `helpfulness` is a score from 0 to 100."""

    description: str
    helpfulness: int


@dataclass(frozen=True, slots=True)
class Primer:
    """The start of a drift search: a first answer from reports, its score, follow-up questions.

    `score` says how well the answer fits the question, from 0 to 100.
    """

    answer: str
    score: int
    follow_ups: Sequence[str]


LLMTask = Generator[Request, Reply, T]
"""A task for a model: a generator that yields requests, receives replies and returns its result.

It does no I/O, so an endpoint, a batch or a test can run the same task. It raises ReplyError where
a reply is unusable. A task of an extractive backend yields no request.
"""


@dataclass(frozen=True, slots=True)
class StreamedTask:
    """The last step of an answer by a model: one request, whose reply is streamed to the user.

    `check` receives the whole reply at the end and raises ReplyError where it is not an answer.
    """

    request: Request
    check: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ComposedTask:
    """The last step of an extractive answer: `draft` selects what may be quoted.

    The draft composes the text when it is known where each quotation stands, and may then ask the
    sentence encoder. Both take processor time, so they are called in a worker thread.
    """

    draft: Callable[[], Draft]


FinalTask = StreamedTask | ComposedTask


@dataclass(slots=True)
class Usage:
    """The calls of a run, their tokens and their cost.

    `cached_tokens` are part of `input_tokens`. `cost` is in US dollars and includes only calls
    whose price is known; `unpriced` counts the other calls. `estimated` counts the calls for which
    the endpoint gave no number of tokens, or an impossible one. `replaced` counts the characters of
    replies that can't be stored and were replaced. `repaired` counts the parts of replies in JSON
    that were repaired or left out.
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
    repaired: int = 0

    def add(self, more: Self) -> None:
        """Adds another usage to this one."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(more, name))

    @classmethod
    def total(cls, usages: Iterable[Self]) -> Self:
        """The sum of several usages."""
        total = cls()
        for usage in usages:
            total.add(usage)
        return total
