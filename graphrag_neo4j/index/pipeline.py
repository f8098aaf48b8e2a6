"""The whole index in order. Read this file first.

    documents ─ingest─▶ chunks ─extract─▶ evidence ─merge─▶ entities, pairs
    ─resolve─▶ one entity for each thing ─summarize─▶ descriptions ─communities─▶ communities
    ─reports─▶ reports ─embed─▶ vectors

The graph is the state: each stage asks it for its pending items. So the same call continues a build
that was stopped anywhere, and several builds in a row give the result of one build.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from functools import cache, partial

import anyio.to_thread

from graphrag_neo4j.backends import Backends, Cluster, IndexSetup
from graphrag_neo4j.documents.chunking import Cuts
from graphrag_neo4j.errors import BudgetSpentError
from graphrag_neo4j.files import KeyCounts
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import await_indexes, ensure_fulltext_indexes
from graphrag_neo4j.graph.lease import command_name
from graphrag_neo4j.index.batches.outbox import Outbox
from graphrag_neo4j.index.batches.use import (
    BatchUse,
    BatchWaitsError,
    UntilAnswered,
    refuse_without_model,
    use_batches,
)
from graphrag_neo4j.index.communities.gds import check_gds_access
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.describe.embed import embed, prepare_vectors
from graphrag_neo4j.index.describe.language import follow_language
from graphrag_neo4j.index.describe.summarize import (
    mark_described_otherwise,
    summarize,
)
from graphrag_neo4j.index.entities.joining import (
    resolve_names,
)
from graphrag_neo4j.index.entities.label import label_entities
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.limits import Limits
from graphrag_neo4j.index.mode_change import SizeRow, chosen_origin, price_of_reading
from graphrag_neo4j.index.preparation import check_before_paying, prepare
from graphrag_neo4j.index.read.documents import document_id, drop_moved, name_files
from graphrag_neo4j.index.read.extract import (
    extract,
    extract_claims,
    mark_to_reread,
    tell_claimless,
    tell_read_otherwise,
)
from graphrag_neo4j.index.read.ingest import Ingested, ingest, tell_of_others
from graphrag_neo4j.index.removal import drop_gone, drop_vanished_parts, drop_vanished_rows
from graphrag_neo4j.index.reports.stage import mark_reported_otherwise, write_reports
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.index.status import (
    REBUILD_NOTHING,
    Again,
    IndexResult,
    RebuildOptions,
    read_status,
)
from graphrag_neo4j.index.upgrade import hold_graph
from graphrag_neo4j.model.events import Advanced, Event, Listener, Notice, Spent
from graphrag_neo4j.model.types import Origin
from graphrag_neo4j.settings import Settings

MOVED = "Documents that moved, or of which a copy is gone, and that are not read again: {:,}."


async def build(
    graph: Graph,
    corpus: Corpus,
    backends: Backends,
    listen: Listener,
    *,
    rebuild: RebuildOptions = REBUILD_NOTHING,
    gone: Sequence[str] = (),
    prune_rows: bool = False,
    batches: BatchUse = "no",
    cluster: Cluster | None = None,
) -> IndexResult:
    """Brings the graph up to date with the corpus.

    `gone` holds the sources of documents that are deleted first. `batches` says whether requests
    go to the model in batches of the provider, and whether the run waits for them. The workers of a
    `cluster` read the files and run the tasks, and this process writes to the graph. Raises
    InputError for batches of an extractive index, GraphBusyError while another run writes to the
    graph, and GraphError or ModelError where the run can't continue; the data that was saved before
    stays in the graph.
    """
    start, settings = time.monotonic(), backends.settings
    origin = await chosen_origin(graph, backends, rebuild, listen)
    setup = backends.for_indexing(origin, cluster)
    refuse_without_model(batches, setup)
    limits = Limits.from_settings(settings, setup.embedder, quotes=setup.backend.quotes)
    cuts: Cuts = limits.chunks
    if cluster:
        corpus.read_files, cuts = cluster.read_files, cluster.cutting(limits.chunks)

    def listen_with_cost(event: Event) -> None:
        listen(event)
        if setup.endpoint and isinstance(event, Advanced):
            total = setup.endpoint.meter.total
            listen(Spent(total.input_tokens + total.output_tokens, total.cost))

    stage = StageContext(graph, setup.backend, setup.run, setup.workers, listen_with_cost)
    result = IndexResult(origin=origin, skipped=corpus.skipped)
    await anyio.to_thread.run_sync(check_gds_access, settings, listen)
    meter = backends.meter.name if backends.meter else None
    run = {"command": command_name(), "origin": origin, "meter": meter}

    def used() -> dict[str, object]:
        return asdict(setup.endpoint.meter.total) if setup.endpoint else {}

    async with hold_graph(graph, run, used, listen) as lease, setup.opened(stage.listen):
        await ensure_fulltext_indexes(graph, settings.fulltext_analyzer)
        await prepare(stage, setup, limits, rebuild)
        if corpus.places:
            await tell_of_others(graph, corpus.places, settings, listen)
        if corpus.nodes:
            result.ingested, vanished = await corpus.nodes.write(graph, limits.chunks, listen)
        else:
            result.ingested, vanished = await _ingest(
                graph, corpus, cuts, listen, again=rebuild.again, prune_rows=prune_rows
            )
        # After the documents were read: what has moved is not read again.
        left = [source for source in gone if source not in {*result.ingested.moved}]
        await drop_gone(graph, left, listen)
        result.dropped = [*left, *vanished]
        if corpus.find_lost:
            corpus.lost = await corpus.find_lost()
        if result.ingested.added or result.ingested.moved or result.dropped:
            await name_files(graph)
        # What is odd about the documents is told before a model is paid to read wrong text.
        odd = await ingest_notices(graph, result.ingested, settings, origin)
        result.unreadable = corpus.reasons()
        result.notices = _warned([*corpus.notices(), *odd], listen)
        setup = await follow_language(stage, setup, backends, reembed="vectors" in rebuild.again)
        with Outbox(settings.batch_requests) as outbox:
            stage, until = await use_batches(stage, setup, outbox, batches)
            result.stopped = await _run_stages(
                stage, setup, limits, rebuild, settings, until_answered=until
            )
        result.usage = setup.usage
        result.notices = [*result.notices, *_warned(setup.remarks, listen)]
        await await_indexes(graph)
        result.status = await read_status(graph, claims=limits.claims)
        lease.outcome = "done" if result.complete else "incomplete"
    result.seconds = time.monotonic() - start
    return result


def _warned(notices: Sequence[str], listen: Listener) -> Sequence[str]:
    """Tells notices, and returns them."""
    for notice in notices:
        listen(Notice(notice, warning=True))
    return notices


async def _ingest(
    graph: Graph,
    corpus: Corpus,
    cuts: Cuts,
    listen: Listener,
    *,
    again: Collection[Again],
    prune_rows: bool,
) -> tuple[Ingested, list[str]]:
    """Writes the documents of the corpus and their chunks.

    Deletes the parts of texts, and the rows if `prune_rows` says so, that files no longer have;
    also returns their sources.
    """
    seen = KeyCounts()
    ingested = await ingest(
        graph,
        corpus.read("ingest", listen),
        cuts,
        recut="extraction" in again,
        reread="documents" in again,
        seen=seen,
    )
    dropped = []
    if moved := await drop_moved(graph, cache(corpus.is_lost)):
        ingested.moved, ingested.added = moved, max(0, ingested.added - len(moved))
        listen(Notice(MOVED.format(len(moved))))
    if corpus.paths:  # a program may give its own documents such sources
        dropped += await drop_vanished_parts(graph, seen, corpus.reasons(), listen)
    if prune_rows:
        dropped += await drop_vanished_rows(graph, corpus.tables, seen, listen)
    return ingested, dropped


async def _run_stages(
    stage: StageContext,
    setup: IndexSetup,
    limits: Limits,
    rebuild: RebuildOptions,
    settings: Settings,
    *,
    until_answered: UntilAnswered,
) -> str | None:
    """Runs the stages after ingest. Returns the reason where they stopped early.

    That is the cost limit, or a batch that the run does not wait for.
    """
    if "extraction" in rebuild.again:
        await mark_to_reread(stage.graph, stage.backend, claims=limits.claims)
        await mark_described_otherwise(stage.graph, stage.backend)
    if rebuild.fresh or not {"extraction", "communities"}.isdisjoint(rebuild.again):
        await mark_reported_otherwise(stage.graph, stage.backend, limits.reports)
    await tell_read_otherwise(stage, claims=limits.claims)
    try:
        dimensions = await check_before_paying(stage.graph, setup, settings, stage.listen)
        await prepare_vectors(stage.graph, setup.embedder, dimensions)

        async def read_chunks() -> None:
            await extract(stage)
            if limits.claims:
                await extract_claims(stage)

        await until_answered(read_chunks, "extraction", "claims")
        if not limits.claims:
            await tell_claimless(stage)
        await merge(stage.graph, stage.listen)
        await until_answered(partial(resolve_names, stage, settings), "names")
        await label_entities(stage.graph, stage.listen)
        await until_answered(partial(summarize, stage, limits.summaries), "summary")
        await find_communities(
            stage.graph,
            limits.communities,
            stage.listen,
            anew="communities" in rebuild.again,
            fresh=rebuild.fresh,
            settings=settings,
        )
        tolerance = 0.0 if rebuild.fresh else limits.reports.tolerance
        reports = replace(limits.reports, tolerance=tolerance)
        await until_answered(partial(write_reports, stage, reports), "report")
        await embed(stage, setup.embedder, limits.vectors, dimensions)
    except (BudgetSpentError, BatchWaitsError) as error:
        return str(error)
    return None


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
        price = price_of_reading(size, settings) if origin == "model" else ""
        keep = "documents keep their texts" if len(ids) > 1 else "document keeps its text"
        found.append(
            f"{len(ids):,} {keep} as an earlier version of this program read the same file; "
            f"--again documents reads {'them' if len(ids) > 1 else 'it'} again{price}."
        )
    return found
