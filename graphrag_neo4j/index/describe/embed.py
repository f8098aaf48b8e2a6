"""Makes the vectors of entities, chunks and reports, and their vector indexes.

marked nodes ──▶ texts that changed ──▶ batches ──▶ vectors, each batch saved when it arrives

A statement that changes a text marks its node. A hash of the text is stored with its vector, so
that an unchanged text is not embedded again. All vectors of a graph come from one model.
"""

import sys
from array import array
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Literal, TypedDict, get_args

from graphrag_neo4j.concurrency import Outcome, run_tasks
from graphrag_neo4j.errors import BudgetSpentError, ModelError, ReplyError
from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.indexes import (
    INDEXED_KINDS,
    IndexedKind,
    ensure_vector_indexes,
    flaw_of,
    refuse_length,
    refuse_other_vectors,
)
from graphrag_neo4j.graph.rows import CountRow, pages
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.citations import rewrite
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.events import Advanced, Notice, Started
from graphrag_neo4j.text.strings import identify, legible, shortened

PAGE_OF_TEXTS = 200
PAGES: Final[Mapping[IndexedKind, str]] = {
    "entity": "embed/page_entity",
    "chunk": "embed/page_chunk",
    "community": "embed/page_community",
}
Statement = Literal["embed/save", "embed/flawed", "embed/failed", "embed/refused"]
STATEMENTS: Final = get_args(Statement)
SAVED = 2  # batches that are saved together
ROWS = 50  # vectors in one statement: as a parameter they are lists of numbers, which are large
IN_FLIGHT = 16_000_000  # bytes of the calls that run at the same time, at most
BYTES = 16  # of each number of a vector during a call: the response, its JSON and the array
USUAL_DIMENSIONS = 1536  # of a vector, as long as its length is not known
PROBE = "Neo4j"
PROBES = 3
SMALLEST_LIMIT = 256  # tokens of a text, of the models in use


class TextRow(TypedDict):
    """A text that may have to be embedded; `hash`: of what its vector was made from.

    `error` says why there is no vector; with the same hash it would be refused again.
    """

    id: str
    hash: str | None
    text: str
    error: str | None


TEXTS_PER_CALL: Final = 128  # a call that the endpoint refuses is halved


@dataclass(frozen=True, slots=True)
class EmbedLimits:
    """The limits of the stage embed.

    `text_tokens` is the largest number of tokens of one text; `batch_texts` and `batch_tokens` are
    those of texts and tokens in one call; `count` counts the tokens of a text.
    """

    text_tokens: int
    batch_texts: int
    batch_tokens: int
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a node that is to be embedded."""

    kind: IndexedKind
    id: str
    text: str
    n_tokens: int
    hash: str


@dataclass(frozen=True, slots=True)
class _Result:
    """The result for one text: its vector, or the reason why there is none.

    `statement` saves it. A "flawed" vector can't be indexed, and would be the same again; "failed"
    is what may come by the next run; "refused" is a text that the endpoint does not embed.
    """

    text: _Text
    statement: Statement
    value: "array[float] | str"

    @property
    def failed(self) -> bool:
        """Whether there is no vector yet."""
        return self.statement in {"embed/failed", "embed/refused"}


async def embed(
    stage: StageContext, embedder: Embedder, limits: EmbedLimits, found: int | None = None
) -> None:
    """Embeds the texts of all marked nodes.

    `found` are the dimensions that `probe_dimensions` has returned in this run. Raises InputError
    where the model is not that of the graph's vectors, or where it gives vectors of another length
    or of a length that Neo4j can't index. Raises ModelError where it gives no vectors. Vector
    search finds the new vectors once `graph.await_indexes` has returned.
    """
    known = await refuse_other_vectors(stage.graph, embedder.model, embedder.dimensions)
    await _Embedding(stage, embedder, limits, known, found).run()


async def probe_dimensions(graph: Graph, embedder: Embedder) -> int:
    """Returns the dimensions of the model's vectors, for which it embeds one word.

    Raises what `embed` raises.
    """
    known, wanted = await refuse_other_vectors(graph, embedder.model, None), embedder.dimensions
    found = await _ask_dimensions(embedder, known or wanted)
    refuse_length(embedder.model, found, known, wanted)
    return found


async def prepare_vectors(graph: Graph, embedder: Embedder, found: int | None) -> None:
    """Makes the vector indexes of a graph without vectors, if the dimensions are known.

    `found` is that of `embed`. A new index makes Neo4j forget how it runs every statement. So
    indexes are made first: after them each statement is planned once, and a small change that
    follows a long run does not wait for this.
    """
    dimensions = found or embedder.dimensions
    if dimensions and await refuse_other_vectors(graph, embedder.model, None) is None:
        await _ensure_indexes(graph, embedder, dimensions, replace=True)


async def _ensure_indexes(
    graph: Graph, embedder: Embedder, dimensions: int, *, replace: bool
) -> None:
    elements = embedder.elements.dimensions if embedder.elements else None
    await ensure_vector_indexes(graph, dimensions, replace=replace, elements=elements)


class _Embedding:
    """One run over all marked nodes. `dimensions` is None until it is known.

    `found` are the dimensions of a vector that the model has given already in this run.
    """

    def __init__(
        self,
        stage: StageContext,
        embedder: Embedder,
        limits: EmbedLimits,
        dimensions: int | None,
        found: int | None,
    ) -> None:
        self.stage, self.embedder, self.limits = stage, embedder, limits
        self.graph, self.dimensions, self.found = stage.graph, dimensions, found
        self.ready = False
        self.flawed = 0
        self.most = sys.maxsize  # texts of one call, as far as the endpoint is known to bear them
        self.spent: BudgetSpentError | None = None

    async def run(self) -> None:
        waiting = await self.graph.read("embed/count", CountRow)
        self.stage.listen(Started("embed", int(waiting[0]["n"])))
        if self.dimensions:  # the indexes exist, unless a run was killed before it made them
            await _ensure_indexes(self.graph, self.embedder, self.dimensions, replace=False)
        # The calls at the same time are those of the stage, if memory allows so many.
        dimensions = self.dimensions or self.found or self.embedder.dimensions or USUAL_DIMENSIONS
        texts = self.embedder.batch or self.limits.batch_texts
        workers = max(1, min(self.stage.workers, IN_FLIGHT // (BYTES * dimensions * texts)))
        await run_tasks(self._batches(), self._answer, self._save, workers=workers, together=SAVED)
        if self.spent:
            raise self.spent
        if self.flawed:
            text = f"{self.flawed} texts have a vector that can't be indexed; status names them."
            self.stage.listen(Notice(text, warning=True))

    async def _batches(self) -> AsyncIterator[list[_Text]]:
        """The texts in batches within the limits of one call, which embeds texts of one model."""
        batch: list[_Text] = []
        n_tokens, of = 0, self.embedder.of
        async for text in self._texts():
            full = len(batch) == (of(text.kind).batch or self.limits.batch_texts)
            full = full or n_tokens + text.n_tokens > self.limits.batch_tokens
            if batch and (full or of(text.kind) is not of(batch[0].kind)):
                yield batch
                batch, n_tokens = [], 0
            batch.append(text)
            n_tokens += text.n_tokens
        if batch:
            yield batch

    async def _texts(self) -> AsyncIterator[_Text]:
        """The texts of marked nodes that have changed; the mark of the others is removed."""
        for kind in INDEXED_KINDS:
            after = ""
            while rows := await self.graph.read_bulk(
                PAGES[kind], TextRow, after=after, limit=PAGE_OF_TEXTS
            ):
                rows.sort(key=itemgetter("id"))
                known = {row["id"]: row for row in rows}
                texts = [self._text(kind, row) for row in rows]
                changed = [text for text in texts if text.hash != known[text.id]["hash"]]
                kept = known.keys() - {text.id for text in changed}
                if refused := [id_ for id_ in kept if known[id_]["error"]]:
                    self.stage.listen(Advanced(0, len(refused)))
                if same := sorted(kept - {*refused}):
                    await self.graph.write("embed/same", ids=same)
                    self.stage.listen(Advanced(len(same)))
                if changed and not self.ready:
                    await self._make_ready()
                for text in changed:
                    yield text
                after = rows[-1]["id"]

    def _text(self, kind: IndexedKind, row: TextRow) -> _Text:
        # What a report cites are numbers: of no meaning, and others in another build.
        text = (
            rewrite(row["text"], lambda *_: None) if kind == "community" else legible(row["text"])
        )
        text = text.strip()
        n_tokens, most = self.limits.count(text), self.limits.text_tokens
        if n_tokens > most:
            text, n_tokens = shortened(text, most, self.limits.count), most
        model = self.embedder.of(kind).model
        return _Text(kind, row["id"], text, n_tokens, identify("embedding", model, text))

    async def _make_ready(self) -> None:
        """Before the first call, asks for the length of vectors and makes their indexes."""
        known, wanted = self.dimensions, self.embedder.dimensions
        found = self.found or await _ask_dimensions(self.embedder, known or wanted)
        refuse_length(self.embedder.model, found, known, wanted)
        if known is None:
            await _ensure_indexes(self.graph, self.embedder, found, replace=True)
        self.dimensions, self.ready = found, True

    async def _answer(self, batch: list[_Text]) -> list[_Result]:
        """The result for each text of a batch."""
        results: list[_Result] = []
        try:
            most = min(self.most, len(batch))
            for part in pages(batch, most):
                await self._embed(part, results)
        except BudgetSpentError as error:
            if not results:
                raise
            self.spent = error  # the results so far are saved first
        return results

    async def _embed(self, part: list[_Text], results: list[_Result]) -> None:
        """Adds the result for each text of a part; if its call fails, each half is tried alone."""
        try:
            vectors = await self.embedder.of(part[0].kind).embed([text.text for text in part])
            results += map(self._outcome, part, vectors)
        except ReplyError as error:
            if len(part) == 1:
                reason = str(error)
                if error.reached and part[0].n_tokens > SMALLEST_LIMIT:
                    reason += ". If it is too long for the model, set KG_EMBEDDING_TOKENS lower"
                statement: Statement = "embed/refused" if error.refused else "embed/failed"
                results.append(_Result(part[0], statement, reason))
                return
            first, middle = len(results), len(part) // 2
            await self._embed(part[:middle], results)
            await self._embed(part[middle:], results)
            if error.refused and not any(one.failed for one in results[first:]):
                # No text was refused alone: they were too many.
                self.most = min(self.most, len(part) - middle)

    def _outcome(self, text: _Text, numbers: Sequence[float]) -> _Result:
        elements = self.embedder.elements
        wanted = self.dimensions if text.kind == "chunk" or not elements else elements.dimensions
        if len(numbers) != wanted:
            wrong = f"the vector has {len(numbers)} dimensions, not {wanted}"
            return _Result(text, "embed/failed", wrong)
        vector = array("f", numbers)
        flaw = flaw_of(vector)
        return _Result(text, "embed/flawed", flaw) if flaw else _Result(text, "embed/save", vector)

    async def _save(self, outcomes: Sequence[Outcome[list[_Text], list[_Result]]]) -> None:
        results = [one for outcome in outcomes for one in outcome.result or ()]
        await self.graph.transact(lambda tx: self._write(tx, results))
        failed = sum(one.failed for one in results)
        self.flawed += sum(one.statement == "embed/flawed" for one in results)
        self.stage.listen(Advanced(len(results) - failed, failed))

    async def _write(self, tx: Transaction, results: Sequence[_Result]) -> None:
        """Writes the vectors, or the reasons why there is none, and the model of the vectors."""
        if not all(one.failed for one in results):
            await tx.run("embed/made_with", model=self.embedder.model, dimensions=self.dimensions)
        for some in pages(results, ROWS):
            for statement in STATEMENTS:
                rows: list[Row] = []
                for one in some:
                    if one.statement == statement:
                        row: Row = {"id": one.text.id, "hash": one.text.hash}
                        value = one.value
                        said = {"reason": value} if isinstance(value, str) else {"vector": [*value]}
                        rows.append(row | said)
                if rows:
                    await tx.run(statement, rows=rows)
                    rows.clear()  # the driver keeps the parameters until the transaction ends


async def _ask_dimensions(embedder: Embedder, expected: int | None) -> int:
    """The length of the model's vectors; an unexpected reply is asked for again."""
    found, reason, reached = 0, "they are empty", True
    for _ in range(PROBES):
        try:
            [vector] = await embedder.embed([PROBE])
        except ReplyError as error:
            reason, reached = str(error), error.reached
            continue
        if flaw := flaw_of(vector):
            reason = flaw
            continue
        found = len(vector)
        if found == (expected or found):
            break
    if not (found or reached):
        raise ModelError(f"Texts can't be embedded, since {reason}.")
    if not found:
        raise ModelError(
            f"The embedding model {embedder.model} gives no vectors ({reason}): set "
            "KG_EMBEDDING_MODEL to an embedding model of the endpoint, or to `local` or `static`, "
            "which need no endpoint."
        )
    return found
