"""What happens before the first stage, in the order in which a run needs it.

The limits of the stages come from the settings. Runs that can't continue are refused before
anything is paid for; a change of the mode, from extractive to a model or back, is prepared; the
sentence encoder is chosen for the language of the documents; and the endpoint is asked for one
vector and, if it may be small, for one long prompt.

A graph that was made without a model stays so, and a notice tells what a model would cost that read
it; with `with_model` it reads all chunks again that were read extractively. An extractive run
refuses to replace the evidence that a model has read, because that was paid for.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypedDict

import anyio.to_thread

from graphrag_neo4j.backends import Backends, IndexSetup, is_free
from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.errors import InputError, ModelError, ReplyError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.evidence import forget_claims, mark_changed, sweep_entities
from graphrag_neo4j.graph.indexes import forget_vectors, refuse_other_vectors
from graphrag_neo4j.graph.rows import CountRow, IdRow, MadeWithRow
from graphrag_neo4j.index.communities.tree import HierarchyLimits, Leiden
from graphrag_neo4j.index.describe.embed import TEXTS_PER_CALL, EmbedLimits, probe_dimensions
from graphrag_neo4j.index.describe.summarize import SummaryLimits, mark_described_otherwise
from graphrag_neo4j.index.read.documents import document_id
from graphrag_neo4j.index.read.extract import count_read_otherwise
from graphrag_neo4j.index.read.ingest import Ingested
from graphrag_neo4j.index.reports.stage import ReportLimits, mark_reported_otherwise
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.index.status import RebuildOptions
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.model.types import DESCRIPTION_TOKENS, Origin, Step
from graphrag_neo4j.rules import DESCRIBED, SIGNATURE_PREFIX
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.languages import language_of

if TYPE_CHECKING:
    from graphrag_neo4j.llm.endpoint import Endpoint

UNREPORTED_SIZE: Final = 2  # members of a community whose report needs no model
TOKENS_PER_CALL: Final = 30_000  # of texts to embed; endpoints take more, a failed call is halved
PAGE: Final = 500
# All signatures that begin with the prefix and a space, as a range that an index can serve.
EXTRACTIVE_RANGE = {"extractive": f"{SIGNATURE_PREFIX} ", "beyond": f"{SIGNATURE_PREFIX}!"}
SAMPLE: Final = 100  # chunks whose language is detected
MOST: Final = 0.8  # share of these chunks that must have the same language
STATIC: Final = "passages are found by static word vectors and by their words"
READ_STEPS: Final[frozenset[Step]] = frozenset({"extraction", "claims", "summary", "report"})
FEW_CHUNKS: Final = 20  # for fewer, a long prompt would cost more than it can save


class FoundRow(TypedDict):
    """Whether there is such a thing."""

    found: bool


class ReadByRow(TypedDict):
    """How chunks were read."""

    origin: Origin


class SizeRow(TypedDict):
    """The number of chunks of the graph, and of their tokens."""

    chunks: int
    tokens: int


class SampleRow(TypedDict):
    """The text of a chunk."""

    text: str


class HeldRow(TypedDict):
    """What an import finds in a graph.

    `held` says whether the graph holds anything, `importing` is the hash of the tables whose import
    has begun, and `given` holds the last ref of each kind.
    """

    held: bool
    importing: str | None
    given: dict[str, int | None] | None


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run, by stage. `claims` says whether claims are extracted."""

    claims: bool
    chunks: Cutting
    summaries: SummaryLimits
    communities: Leiden
    reports: ReportLimits
    vectors: EmbedLimits

    @classmethod
    def from_settings(cls, settings: Settings, embedder: Embedder, *, quotes: bool) -> Self:
        """The limits for these settings. `quotes` is that of the index backend.

        If the settings do not say whether claims are extracted, only an extractive backend does.
        """
        s = settings
        longest = DESCRIBED if quotes else DESCRIPTION_TOKENS
        join = min(s.join_tokens, DESCRIBED) if quotes else s.join_tokens
        # Endpoints refuse texts that are too long in the encoding of the embedding model.
        encoding = tokens.encoding_for(embedder.model) or tokens.ENCODING
        return cls(
            claims=quotes if s.claims is None else s.claims,
            chunks=Cutting(s.chunk_tokens, s.chunk_overlap, s.prepend_metadata),
            summaries=SummaryLimits(join, s.report_context_tokens, tokens.count, longest),
            communities=Leiden(HierarchyLimits(s.max_cluster_size), by_npmi=quotes),
            reports=ReportLimits(
                s.report_context_tokens,
                UNREPORTED_SIZE,
                tokens.count_line,
                0.0 if quotes else s.report_drift,  # quotations cost nothing to bring up to date
            ),
            vectors=EmbedLimits(
                s.embedding_tokens,
                TEXTS_PER_CALL,
                TOKENS_PER_CALL,
                partial(tokens.count, name=encoding),
            ),
        )


def check_building(settings: Settings) -> None:
    """Raises InputError for settings that indexing can't use, before Neo4j is started."""
    backends = Backends(settings)
    backends.for_indexing(backends.origin)


def command_name() -> str:
    """The name of the command for its Build node; never its arguments, which may hold secrets."""
    return "kg-build" if sys.argv[0].endswith("kg-build") else "python"


async def prepare(
    stage: StageContext, setup: IndexSetup, limits: Limits, rebuild: RebuildOptions
) -> None:
    """Refuses runs that can't continue, and prepares a change of the mode. Raises InputError."""
    await refuse_half_imported(stage.graph)
    if stage.backend.quotes:
        stage.listen(
            Notice(
                "Without a model: names and key phrases are found by rules, and all sentences are "
                "quoted from the documents (an extractive index)."
            )
        )
        if "extraction" not in rebuild.again:
            await refuse_to_lose_model(stage.graph)
    elif n := await mark_read_without_model(stage.graph):
        stage.listen(Notice(f"{n} chunks were read without a model; the model reads them now."))
        await mark_described_otherwise(stage.graph, stage.backend)
        await mark_reported_otherwise(stage.graph, stage.backend, limits.reports)
    await stage.graph.write("extract/want_claims", claims=limits.claims)
    if not limits.claims and not stage.backend.quotes:
        # A model that extracts no claims replaces all evidence of these chunks but their claims.
        while rows := await stage.graph.read(
            "mode_change/claimed", IdRow, limit=PAGE, **EXTRACTIVE_RANGE
        ):
            await stage.graph.transact(partial(_forget_claims, [row["id"] for row in rows]))
    if setup.encoder == "no":  # otherwise the embedder is chosen when the documents are known
        await _prepare_vectors(stage.graph, setup, reembed="vectors" in rebuild.again)


async def refuse_half_imported(graph: Graph) -> None:
    """Raises InputError where an import into this graph was interrupted."""
    if (await graph.read("import/held", HeldRow))[0]["importing"]:
        raise InputError(
            "An import into this graph was interrupted: run the same `kg-build import` again to "
            "finish it, or empty the graph."
        )


async def origin_of(graph: Graph) -> Origin | None:
    """Returns "model" where a model has read a chunk of the graph, None where nothing is read."""
    rows = await graph.read("mode_change/read_by", ReadByRow, **EXTRACTIVE_RANGE)
    return rows[0]["origin"] if rows else None


async def chosen_origin(
    graph: Graph, settings: Settings, rebuild: RebuildOptions, listen: Listener
) -> Origin:
    """Returns how a run reads documents: as the graph was made, else as the settings say.

    A notice tells what it would cost to have the model that is set read a graph that was made
    without one. Raises InputError for `with_model` where no model is set.
    """
    if not settings.has_model:
        if rebuild.with_model:
            raise InputError(
                "No model is set that could read the documents: set OPENAI_API_KEY (or, for your "
                "own endpoint, OPENAI_BASE_URL and KG_MODEL), or leave out --with-model."
            )
        return "extractive"
    if rebuild.with_model or await origin_of(graph) != "extractive":
        return "model"
    [size] = await graph.read("mode_change/size", SizeRow)
    price = _price(size, settings)
    listen(
        Notice(
            "This graph was made without a model, so documents are read without one. "
            f"--with-model has {settings.model_for('extraction')} read all of it{price}."
        )
    )
    return "extractive"


def _price(size: SizeRow, settings: Settings) -> str:
    """What it costs to index chunks of this size by a model, where its price is known."""
    from graphrag_neo4j.index.estimate import steps_of  # noqa: PLC0415 - slow to import

    costs = [step.cost for step in steps_of(size["chunks"], size["tokens"], settings)]
    known = [cost for cost in costs if cost is not None]
    return f" for about ${sum(known):,.2f}" if len(known) == len(costs) else ""


async def ingest_notices(
    graph: Graph, ingested: Ingested, settings: Settings, origin: Origin
) -> list[str]:
    """What users are told of documents that are in the graph, but not as their files say."""
    found = [
        f"{n:,} document{'s have' if n > 1 else ' has'} metadata {name!r} that can't be kept: make "
        "it a text, a number, yes or no, a date, or a list of these."
        for name, n in sorted(ingested.unkept.items())
    ]
    if ids := [document_id(source) for source in ingested.read_before]:
        [size] = await graph.read("ingest/size", SizeRow, ids=ids)
        price = _price(size, settings) if origin == "model" else ""
        keep = "documents keep their texts" if len(ids) > 1 else "document keeps its text"
        found.append(
            f"{len(ids):,} {keep} as an earlier version of this program read the same file; "
            f"--again documents reads {'them' if len(ids) > 1 else 'it'} again{price}."
        )
    return found


async def refuse_to_lose_model(graph: Graph) -> None:
    """Raises InputError where a model has read a chunk of the graph."""
    if await origin_of(graph) == "model":
        raise InputError(
            "A model has read this graph: set its key and endpoint again, or run `kg-build index "
            "PATHS --again extraction` to replace what it found by an extractive index."
        )


async def mark_read_without_model(graph: Graph) -> int:
    """Makes the chunks pending that were read extractively, and returns their number.

    Their evidence stays until it is replaced.
    """
    rows = await graph.write("mode_change/extraction", CountRow, **EXTRACTIVE_RANGE)
    await graph.write("mode_change/claims", CountRow, **EXTRACTIVE_RANGE)
    return int(rows[0]["n"])


async def _forget_claims(chunks: Sequence[str], tx: Transaction) -> None:
    entities = await forget_claims(tx, chunks)
    await tx.run("mode_change/unread_claims", chunks=chunks)
    await sweep_entities(tx, entities)
    await mark_changed(tx)


async def _prepare_vectors(graph: Graph, setup: IndexSetup, *, reembed: bool) -> None:
    """Refuses vectors of another model, unless they are to be made again or cost nothing.

    With a model, vectors that need no endpoint replace those of an endpoint only on demand, as
    these were paid.
    """
    old_model = (await graph.read("embed/known", MadeWithRow))[0]["model"]
    model = setup.embedder.model
    unpaid = is_free(old_model) or (setup.endpoint is None and is_free(model))
    # An empty graph keeps its indexes: Neo4j plans all statements again when one is dropped.
    if reembed or (old_model and old_model != model and unpaid):
        await forget_vectors(graph)
    else:
        await refuse_other_vectors(graph, model, setup.embedder.dimensions)


async def with_encoder(
    stage: StageContext, setup: IndexSetup, backends: Backends, *, reembed: bool
) -> IndexSetup:
    """Returns the setup with the sentence encoder for the documents' language, if it is wanted.

    Otherwise, and where there is no encoder for this language, the embedder stays. A notice says
    what was chosen, unless the graph's vectors were made so before. Raises InputError where an
    encoder is required and can't be used.
    """
    if setup.encoder == "no":
        return setup
    before = (await stage.graph.read("embed/known", MadeWithRow))[0]["model"]
    # The ids of chunks are hashes, so the first ones are random ones.
    rows = await stage.graph.read("embed/sample", SampleRow, limit=SAMPLE)
    if rows:
        language = main_language([row["text"] for row in rows])
        try:
            load = partial(backends.local_embedder, language or "", stage.listen)
            embedder = await anyio.to_thread.run_sync(load)
            of = f"in this language ({language})" if language else "in several languages"
            notice = f"There is no sentence encoder for documents {of}, so {STATIC}"
        except InputError as error:
            if setup.encoder == "required":
                raise InputError(f"{error} Or set KG_EMBEDDING_MODEL=static.") from error
            embedder = None
            notice = f"{str(error).rstrip('.')}. Until then {STATIC}"
        if embedder:
            notice = (
                f"Passages are found by their meaning with the sentence encoder {embedder.model}"
            )
            setup = replace(setup, embedder=embedder)
        if before != setup.embedder.model:
            again = ", and all vectors are made again" if before else ""
            stage.listen(Notice(f"{notice}{again}."))
    await _prepare_vectors(stage.graph, setup, reembed=reembed)
    return setup


def main_language(texts: Sequence[str]) -> str | None:
    """Returns the language (ISO 639-1) of nearly all texts, None if they have several."""
    votes = Counter(language_of(text, re.findall(r"\w+", text)) for text in texts)
    [(language, count)] = votes.most_common(1)
    return language if count >= MOST * len(texts) else None


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


async def tell_of_others(
    graph: Graph, places: Sequence[str], settings: Settings, listen: Listener
) -> None:
    """Sends a notice where the graph holds documents, but none of a source that begins so."""
    if n := (await graph.read("ingest/elsewhere", CountRow, places=places))[0]["n"]:
        held = "a document" if n == 1 else f"{n:,} documents"
        apart = "give another folder by `kg-build --home FOLDER index`"
        if settings.neo4j_uri:
            apart = (
                "set NEO4J_DATABASE to another database or, if this server has only one, give "
                "--home FOLDER without NEO4J_URI"
            )
        listen(
            Notice(
                f"The graph already holds {held} from elsewhere, and these are added to it. For a "
                f"graph of their own, {apart}."
            )
        )


async def tell_names_uncompared(graph: Graph, listen: Listener) -> None:
    """Sends a notice where names of an imported graph were not compared."""
    if (await graph.read("resolve/names_uncompared", CountRow))[0]["n"]:
        listen(
            Notice(
                "The names of this graph have not all been compared with each other: `kg-build "
                "resolve` does it, and makes one entity of several names of one thing."
            )
        )


async def check_before_paying(
    graph: Graph, setup: IndexSetup, settings: Settings, listen: Listener
) -> int | None:
    """Returns the dimensions of the embedding model, None where nothing was asked.

    Nothing is asked where no chunk waits for a model. A server that is not a large provider gets
    one long prompt, because its context window may be smaller than our prompts. Raises ModelError
    where the endpoint gives no vectors, or where it does not read long prompts whole.
    """
    if setup.endpoint is None:
        return None
    waiting = (await graph.read("extract/count_extraction", CountRow))[0]["n"]
    if not waiting:
        return None
    dimensions = await probe_dimensions(graph, setup.embedder)
    doubtful = waiting >= FEW_CHUNKS and not setup.endpoint.calls.of_large_provider
    if doubtful and not (await graph.read("extract/any_done", FoundRow))[0]["found"]:
        await _check_window(setup.endpoint, settings, listen)
    return dimensions


async def _check_window(endpoint: "Endpoint", settings: Settings, listen: Listener) -> None:
    from graphrag_neo4j.llm.endpoint.server_checks import needed_window, try_window  # noqa: PLC0415 - slow to import

    listen(Notice("Testing the context window with one long prompt."))
    try:
        test = await try_window(endpoint, "report", needed_window(settings, READ_STEPS))
    except ReplyError as error:
        listen(Notice(f"A long prompt was not answered, since {error}.", warning=True))
        return
    if test.verdict in {"cut", "refused"}:
        raise ModelError(f"The model server can't be used yet: {test.problem} {test.fix}")
    if test.verdict == "unclear":
        text = "The model did not find a word in a text, so its extractions may also be poor."
        listen(Notice(text, warning=True))
