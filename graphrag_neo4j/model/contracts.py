"""The interfaces between indexing or queries and the backends that do their work.

A backend gives LLM tasks and does no I/O itself. There are two index backends and two query
backends: those of `llm` write prompts for a model, those of `extractive` use rules and quotations.
`backends` chooses between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Protocol

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model.computation import Computation, KnownProperty
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.material import DraftQuestion, ReportMaterial, SuggestionMaterial
from graphrag_neo4j.model.types import (
    ChunkText,
    Claims,
    DescribedThing,
    Extraction,
    FinalTask,
    LLMTask,
    Message,
    NamePair,
    NameVerdict,
    Origin,
    Point,
    Primer,
    Step,
    T,
    WrittenReport,
)


class RunTask(Protocol):
    """Runs an LLM task to its end and returns its result.

    Raises ReplyError where a reply is unusable, and ReplyPendingError where a reply is still to
    come from a batch.
    """

    async def __call__(self, task: LLMTask[T]) -> T: ...


class Embed(Protocol):
    """Returns one vector for each text, in the order of the texts.

    A vector is a list of numbers, or an array of them, which takes less memory. Raises ReplyError
    where the endpoint gives none.
    """

    async def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


@dataclass(frozen=True, slots=True)
class Embedder:
    """An embedding model.

    `dimensions` is the length of the vectors that the model is asked for; None leaves it to the
    model. `embed_questions` embeds questions, where the model embeds them otherwise than passages;
    None means `embed`. `elements` embeds entities and reports, where the model is too slow for
    them and embeds only chunks; None means the model itself. `batch` is the largest number of texts
    in one call, None where the settings say it. `meant` is that of an `Encoder`.
    """

    model: str
    dimensions: int | None
    embed: Embed
    embed_questions: Embed | None = None
    elements: "Embedder | None" = None
    batch: int | None = None
    meant: float = 1.0

    def of(self, kind: str) -> "Embedder":
        """The embedder of a kind of node: "chunk", "entity" or "community"."""
        return self if kind == "chunk" else self.elements or self

    async def embed_question(self, text: str) -> list[float]:
        """Returns the vector of a question."""
        return list((await (self.embed_questions or self.embed)([text]))[0])

    async def cosines(self, vector: Sequence[float], texts: Sequence[str]) -> list[float]:
        """Returns the cosine of each text to a vector, where all vectors have the length 1."""
        return [sum(map(mul, vector, other)) for other in await self.embed(texts)]


class IndexBackend(Protocol):
    """Reads chunks, compares names, summarises descriptions and writes reports as LLM tasks.

    `origin` says how its reports are made: written by a model, or quoted from the documents.
    `quotes` is True where a report needs all report material with its sources, because the backend
    quotes from it. `reads_material` is True where `reports` reads the report material; otherwise
    the context is enough, a text within a budget of tokens, and each material is empty.
    `summarize` gets at most `summary_batch` things; an error stands for one that has no summary.
    `reports` gets the contexts of one level: one, or several that have at most `shared_tokens`
    tokens together; an error stands for one that has no report.
    `signature(step)` identifies everything, apart from the chunk, that a step's result depends on:
    the model, the prompts and the settings.
    """

    @property
    def origin(self) -> Origin: ...

    @property
    def quotes(self) -> bool: ...

    @property
    def reads_material(self) -> bool: ...

    def signature(self, step: Step) -> str: ...

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]: ...

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]: ...

    @property
    def summary_batch(self) -> int: ...

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]: ...

    @property
    def shared_tokens(self) -> int: ...

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> LLMTask[list[WrittenReport | ReplyError]]: ...

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]: ...


class QueryBackend(Protocol):
    """Answers questions from context tables.

    `answer` and `reduce` give the last step, which writes the text that a user reads; `history`
    holds the messages before the question. `points` gives the rated points of a context that
    help to answer a question. `rate` gives the refs of the reports that are relevant to a
    question. `prime` gives a first answer and follow-up questions. `chooses_global` decides
    whether a question is about the whole corpus rather than about one thing. `contradicts` decides
    whether two statements on an entity contradict each other. `computation` gives
    what answers a question that the rules can't read, None if nothing does; `predicates` are those
    of the `names` in it, with the types at their other ends. `self_contained`
    gives a question in a form that can be understood without the messages before it, None if
    the backend can't rewrite questions. `questions` gives questions that the material may
    answer, about `n` on the whole and `n` on particular things, or about `n` that follow on an
    answer. `quotes` is True where an answer consists of quotations, so that more passages than
    fit into a context help to answer.
    """

    @property
    def quotes(self) -> bool: ...

    def answer(
        self, question: str, context: ContextTable, history: Sequence[Message]
    ) -> FinalTask: ...

    def reduce(
        self, question: str, points: Sequence[Point], history: Sequence[Message]
    ) -> FinalTask: ...

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]: ...

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]: ...

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]: ...

    def chooses_global(self, question: str) -> LLMTask[bool]: ...

    def contradicts(self, entity: str, one: str, other: str) -> LLMTask[bool]: ...

    def computation(
        self,
        question: str,
        known: Sequence[KnownProperty],
        names: Sequence[str],
        predicates: Mapping[str, Sequence[str]],
    ) -> LLMTask[Computation | None]: ...

    def self_contained(self, question: str, history: Sequence[Message]) -> LLMTask[str | None]: ...

    def questions(
        self, material: SuggestionMaterial, n: int
    ) -> LLMTask[Sequence[DraftQuestion]]: ...
