"""The whole index in order: the file to read first.

    documents ─ingest─▶ chunks ─extract─▶ evidence ─merge─▶ entities, pairs ─summarize─▶ described
    ─communities─▶ a tree of communities ─reports─▶ a report of each ─embed─▶ vectors

The graph is the state: each stage asks it what is pending, so a build that was stopped anywhere
is continued by the same call, and several builds in a row are one build.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial

from graphrag_neo4j import tokens
from graphrag_neo4j.errors import BudgetSpentError, InputError
from graphrag_neo4j.events import Advanced, Event, Listener, Notice, Spent, Started, silent
from graphrag_neo4j.extractive.index_backend import KIND, ExtractiveIndexBackend
from graphrag_neo4j.extractive.running import run as run_offline
from graphrag_neo4j.extractive.static_vectors import EMBEDDING_MODEL, embedder
from graphrag_neo4j.graph import (
    Graph,
    await_indexes,
    ensure_fulltext_indexes,
    ensure_schema,
    forget_vectors,
    hold_lease,
    refuse_other_vectors,
)
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.hierarchy import HierarchyLimits as TreeLimits
from graphrag_neo4j.indexing.mode_change import mark_read_offline, refuse_to_go_offline
from graphrag_neo4j.indexing.stage_context import Embedder, StageContext
from graphrag_neo4j.indexing.stages.communities import Leiden, find_communities
from graphrag_neo4j.indexing.stages.embed import EmbedLimits, embed
from graphrag_neo4j.indexing.stages.extract import (
    count_read_otherwise,
    extract,
    extract_claims,
    mark_to_reread,
)
from graphrag_neo4j.indexing.stages.ingest import (
    Cutting,
    Ingested,
    delete_documents,
    document_id,
    ingest,
    known_sources,
)
from graphrag_neo4j.indexing.stages.merge import merge
from graphrag_neo4j.indexing.stages.reports import (
    ReportLimits,
    mark_reported_otherwise,
    write_reports,
)
from graphrag_neo4j.indexing.stages.summarize import (
    SummaryLimits,
    mark_described_otherwise,
    summarize,
)
from graphrag_neo4j.indexing.status import Status, read_status
from graphrag_neo4j.indexing.tree_summarize import SummaryBudget
from graphrag_neo4j.llm import Endpoint, LLMIndexBackend, Usage
from graphrag_neo4j.settings import Settings

__all__ = ["IndexResult", "RebuildOptions", "build", "check_building", "embedder_of", "remove"]

EXTRACTIVE = (
    "Without a model: names and key phrases are found by rules, and everything said is quoted from "
    "the documents (an extractive index)."
)
OFFLINE_WORKERS = 2
EMBEDDED_TOKENS = 30_000  # of one call; endpoints take more, but what fails is tried by halves


@dataclass(frozen=True, slots=True)
class RebuildOptions:
    """What is to be done again, though it was done: `reread`: what was read, described or
    reported on with other settings. `reembed`: all vectors, by the model that is set now.
    `recluster`: the communities, imported ones too.
    """

    reread: bool = False
    reembed: bool = False
    recluster: bool = False


NOTHING_AGAIN = RebuildOptions()


@dataclass(slots=True)
class IndexResult:
    """What a build did, and what the graph holds now.

    `dropped`: sources of documents that were deleted, since their file is gone. `usage`: per step
    of thinking. `notices`: what a person should know about how the files were read. `stopped`: why
    it ended before everything was done.
    """

    ingested: Ingested = field(default_factory=Ingested)
    dropped: Sequence[str] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    notices: Sequence[str] = ()
    status: Status | None = None
    stopped: str | None = None

    @property
    def flawed(self) -> bool:
        """Whether something could not be read, or failed."""
        failures = self.status is None or self.status.failures
        return bool(self.unreadable or self.ingested.repeated or failures)

    @property
    def complete(self) -> bool:
        """Whether nothing failed and nothing is left to do."""
        return not (self.flawed or self.stopped)


def check_building(settings: Settings) -> None:
    """Raises InputError for settings that nothing can be built with, before Neo4j starts."""
    tokens.check(settings.encoding)
    if settings.has_model:
        Endpoint(settings)
        LLMIndexBackend.from_settings(settings)


async def build(
    graph: Graph,
    corpus: Corpus,
    settings: Settings,
    listen: Listener,
    *,
    redo: RebuildOptions = NOTHING_AGAIN,
    gone: Sequence[str] = (),
) -> IndexResult:
    """Brings the graph up to date with the corpus; without a model by rules and quotations.

    `gone`: sources of documents to delete. Raises GraphBusyError while another build runs,
    GraphError and ModelError where nothing can go on; what was saved until then stands.
    """
    built = IndexResult(skipped=corpus.skipped)
    await ensure_schema(graph)
    await ensure_fulltext_indexes(graph, settings.fulltext_analyzer)
    endpoint = Endpoint(settings) if settings.has_model else None
    mind = _mind(graph, settings, endpoint, listen)
    run = {"command": _command(), "origin": mind.stage.backend.origin}
    async with hold_lease(graph, run, lambda: _used(endpoint)) as lease:
        await _refuse_half_imported(graph)
        await _prepare(mind, settings, redo)
        await delete_documents(graph, [document_id(source) for source in gone])
        built.dropped = list(gone)
        built.ingested = await ingest(
            graph,
            corpus.documents(),
            _cutting(settings),
            listen,
            recut=redo.reread,
            started=corpus.started("ingest"),
            size_of=corpus.size_of,
        )
        if rest := corpus.size_of_rest():
            listen(Advanced(rest))
        built.unreadable = corpus.reasons()
        built.notices = corpus.notices()
        for notice in built.notices:  # before a model is paid to read what may be wrong
            listen(Notice(notice, warning=True))
        async with endpoint or nullcontext():
            built.stopped = await _think_on(mind, settings, redo)
        built.usage = dict(endpoint.meter.steps) if endpoint else {}
        await await_indexes(graph)
        built.status = await read_status(graph, claims=settings.claims)
        lease.outcome = "done" if built.complete else "incomplete"
    return built


@dataclass(frozen=True, slots=True)
class _Mind:
    """A way to think, and what makes vectors."""

    stage: StageContext
    embedder: Embedder

    @property
    def extractive(self) -> bool:
        """Whether it is one without a model."""
        return self.stage.backend.origin == "extractive"


def _mind(graph: Graph, settings: Settings, endpoint: Endpoint | None, listen: Listener) -> _Mind:
    """How this build thinks: by a model where one is set, else by rules."""
    if endpoint:
        model = LLMIndexBackend.from_settings(settings)
        heard = _metered(listen, endpoint)
        stage = StageContext(graph, model, endpoint.run, settings.concurrency, heard)
        return _Mind(stage, embedder_of(settings, endpoint))
    rules = ExtractiveIndexBackend(settings.description_tokens, _count(settings))
    stage = StageContext(graph, rules, run_offline, OFFLINE_WORKERS, listen)
    return _Mind(stage, embedder())


async def _prepare(mind: _Mind, settings: Settings, redo: RebuildOptions) -> None:
    """What can't go on is refused before anything is paid for.

    From an extractive graph to a model's all is read again; the other way only if so asked.
    """
    graph = mind.stage.graph
    if mind.extractive:
        mind.stage.listen(Notice(EXTRACTIVE))
        if not redo.reread:
            await refuse_to_go_offline(graph, KIND)
    elif n := await mark_read_offline(graph, KIND):
        mind.stage.listen(Notice(f"{n} chunks were read offline; the model reads them now."))
        await mark_described_otherwise(graph, mind.stage.backend)
        await mark_reported_otherwise(graph, mind.stage.backend, _report_limits(settings))
    made_by = (await graph.read("search/state"))[0]["embedding_model"]
    model = mind.embedder.model
    switched = made_by != model and EMBEDDING_MODEL in (made_by, model)
    if redo.reembed or switched:
        await forget_vectors(graph)
    else:
        await refuse_other_vectors(graph, model, mind.embedder.dimensions)


async def _think_on(mind: _Mind, settings: Settings, redo: RebuildOptions) -> str | None:
    """Runs the stages that think; why they stopped before all was done."""
    if redo.reread:
        await _mark_done_otherwise(mind.stage, settings)
    try:
        await _think(mind, settings, recluster=redo.recluster)
    except BudgetSpentError as error:
        return str(error)
    return None


async def _think(mind: _Mind, settings: Settings, *, recluster: bool) -> None:
    """The stages that think, and those that lead from one to the next."""
    stage, graph, listen = mind.stage, mind.stage.graph, mind.stage.listen
    await _tell_read_otherwise(stage, claims=settings.claims)
    await extract(stage)
    if settings.claims:
        await extract_claims(stage)
    await merge(graph, listen)
    await summarize(stage, _limits(settings))
    leiden = _leiden(settings, by_association=mind.extractive)
    await find_communities(graph, leiden, listen, anew=recluster)
    await write_reports(stage, _report_limits(settings))
    await embed(stage, mind.embedder, _embed_limits(settings))


async def _mark_done_otherwise(stage: StageContext, settings: Settings) -> None:
    """What was made with other prompts, models or settings is to be made again."""
    graph, backend = stage.graph, stage.backend
    await mark_to_reread(graph, backend, claims=settings.claims)
    await mark_described_otherwise(graph, backend)
    await mark_reported_otherwise(graph, backend, _report_limits(settings))


def _metered(listen: Listener, endpoint: Endpoint) -> Listener:
    """A listener that is also told, with each step forward, what the run has used."""

    def heard(event: Event) -> None:
        listen(event)
        if isinstance(event, Advanced):
            total = endpoint.meter.total
            listen(Spent(total.input_tokens + total.output_tokens, total.cost))

    return heard


async def _tell_read_otherwise(stage: StageContext, *, claims: bool) -> None:
    if n := await count_read_otherwise(stage.graph, stage.backend, claims=claims):
        stage.listen(
            Notice(
                f"{n} chunks were read with other prompts, models or settings and stay as they "
                "are; --reread reads them again."
            )
        )


async def remove(
    graph: Graph,
    sources: Sequence[str],
    files: Sequence[str] = (),
    listen: Listener = silent,
) -> list[str]:
    """Deletes documents and brings what they said up to date; gives the sources it found.

    `files`: sources of files, whose rows are documents of theirs.
    What other documents said of the same things is described again by the next build.
    """
    await ensure_schema(graph)
    async with hold_lease(graph, {"command": _command()}, dict):
        await _refuse_half_imported(graph)
        known = await known_sources(graph, sources, files)
        listen(Started("deletion"))
        await delete_documents(graph, [document_id(source) for source in known])
        listen(Advanced(len(known)))
        await merge(graph, listen)
    return known


async def _refuse_half_imported(graph: Graph) -> None:
    """What an import has begun is not read by a model, nor changed, before it is complete."""
    if (await graph.read("import/held"))[0]["importing"]:
        raise InputError(
            "An import into this graph was interrupted: run the same `kg-build import` again to "
            "finish it, or empty the graph."
        )


def _cutting(settings: Settings) -> Cutting:
    return Cutting(
        settings.chunk_tokens,
        settings.chunk_overlap,
        settings.encoding,
        settings.prepend_metadata,
    )


def _leiden(settings: Settings, *, by_association: bool) -> Leiden:
    limits = TreeLimits(settings.max_cluster_size, settings.max_levels, settings.gamma)
    return Leiden(limits, settings.theta, settings.seed, by_association)


def _limits(settings: Settings) -> SummaryLimits:
    budget = SummaryBudget(settings.join_tokens, settings.summary_context_tokens, _count(settings))
    return SummaryLimits(budget, settings.description_tokens)


def _report_limits(settings: Settings) -> ReportLimits:
    return ReportLimits(settings.report_context_tokens, settings.unreported_size, _count(settings))


def _embed_limits(settings: Settings) -> EmbedLimits:
    # In the model's own encoding if tiktoken knows it: endpoints refuse texts that are too long.
    encoding = tokens.encoding_for(settings.embedding_model) or settings.encoding
    count = partial(tokens.count, encoding_name=encoding)
    return EmbedLimits(settings.embedding_tokens, settings.embedding_batch, EMBEDDED_TOKENS, count)


def embedder_of(settings: Settings, endpoint: Endpoint) -> Embedder:
    """The endpoint's model that makes vectors."""
    return Embedder(settings.embedding_model, settings.embedding_dimensions, endpoint.embed)


def _count(settings: Settings) -> Callable[[str], int]:
    return partial(tokens.count, encoding_name=settings.encoding)


def _used(endpoint: Endpoint | None) -> dict[str, object]:
    return asdict(endpoint.meter.total) if endpoint else {}


def _command() -> str:
    """What this run calls itself on its Build: never the arguments, which may hold secrets."""
    return "kg-build" if sys.argv[0].endswith("kg-build") else "python"
