"""Before the first stage: refuses runs that can't continue, and marks items to make again."""

import sys

from graphrag_neo4j import tokens
from graphrag_neo4j.backends import Backends, IndexSetup, is_free
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.graph import Graph, forget_vectors, refuse_other_vectors
from graphrag_neo4j.graph.rows import CountRow, MadeWithRow
from graphrag_neo4j.indexing.limits import Limits
from graphrag_neo4j.indexing.mode_change import (
    forget_claims_without_model,
    mark_read_without_model,
    refuse_to_lose_model,
)
from graphrag_neo4j.indexing.result import RebuildOptions
from graphrag_neo4j.indexing.rows import HeldRow
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.indexing.stages.extract import count_read_otherwise, mark_to_reread
from graphrag_neo4j.indexing.stages.reports import mark_reported_otherwise
from graphrag_neo4j.indexing.stages.summarize import mark_described_otherwise
from graphrag_neo4j.settings import Settings

__all__ = [
    "NAMES_UNCOMPARED",
    "check_building",
    "command_name",
    "mark_for_rebuild",
    "prepare",
    "prepare_vectors",
    "refuse_half_imported",
    "tell_claimless",
    "tell_names_uncompared",
    "tell_read_otherwise",
]

EXTRACTIVE = (
    "Without a model: names and key phrases are found by rules, and all sentences are quoted from "
    "the documents (an extractive index)."
)
NAMES_UNCOMPARED = (
    "The names of this graph have not all been compared with each other: `kg-build resolve` does "
    "it, and makes one entity of several names of one thing."
)


def check_building(settings: Settings) -> None:
    """Raises InputError for settings that indexing can't use, before Neo4j is started."""
    tokens.check(settings.encoding)
    Backends(settings).for_indexing()


async def prepare(
    stage: StageContext, setup: IndexSetup, limits: Limits, rebuild: RebuildOptions
) -> None:
    """Refuses runs that can't continue, before anything is paid for, and prepares a mode change.

    A run with a model reads an extractive graph again. An extractive run reads a graph that a model
    has read only with `rebuild.reread`. Raises InputError.
    """
    await refuse_half_imported(stage.graph)
    if stage.backend.quotes:
        stage.listen(Notice(EXTRACTIVE))
        if not rebuild.reread:
            await refuse_to_lose_model(stage.graph)
    elif n := await mark_read_without_model(stage.graph):
        stage.listen(Notice(f"{n} chunks were read without a model; the model reads them now."))
        await mark_described_otherwise(stage.graph, stage.backend)
        await mark_reported_otherwise(stage.graph, stage.backend, limits.reports)
    await _prepare_claims(stage, wanted=limits.claims)
    if setup.encoder == "no":  # otherwise the embedder is chosen when the documents are known
        await prepare_vectors(stage.graph, setup, reembed=rebuild.reembed)


async def _prepare_claims(stage: StageContext, *, wanted: bool) -> None:
    """Saves whether claims are extracted; where not, claims of an extractive index go."""
    await stage.graph.write("extract/want_claims", claims=wanted)
    if not wanted and not stage.backend.quotes:
        await forget_claims_without_model(stage.graph)


async def tell_claimless(stage: StageContext) -> None:
    """Sends a notice of chunks that get no claims in a graph where other chunks have claims."""
    rows = await stage.graph.read("extract/count_claimless", CountRow)
    if n := int(rows[0]["n"]):
        chunks = "1 chunk gets" if n == 1 else f"{n:,} chunks get"
        stage.listen(
            Notice(
                f"{chunks} no claims, although other chunks of this graph have claims: set "
                "KG_CLAIMS=true (or give --claims) to extract claims from all chunks."
            )
        )


async def tell_names_uncompared(graph: Graph, listen: Listener) -> None:
    """Sends a notice where names of an imported graph, or of an older one, were not compared."""
    if (await graph.read("resolve/names_uncompared", CountRow))[0]["n"]:
        listen(Notice(NAMES_UNCOMPARED))


async def prepare_vectors(graph: Graph, setup: IndexSetup, *, reembed: bool) -> None:
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


async def mark_for_rebuild(stage: StageContext, limits: Limits) -> None:
    """Marks the items that were made with other prompts, models or settings to be made again."""
    await mark_to_reread(stage.graph, stage.backend, claims=limits.claims)
    await mark_described_otherwise(stage.graph, stage.backend)
    await mark_reported_otherwise(stage.graph, stage.backend, limits.reports)


async def tell_read_otherwise(stage: StageContext, *, claims: bool) -> None:
    """Sends a notice of the chunks that were read with other prompts, models or settings."""
    if n := await count_read_otherwise(stage.graph, stage.backend, claims=claims):
        stage.listen(
            Notice(
                f"{n} chunks were read with other prompts, models or settings and stay as they "
                "are; --reread reads them again."
            )
        )


async def refuse_half_imported(graph: Graph) -> None:
    """Raises InputError where an import into this graph was interrupted."""
    if (await graph.read("import/held", HeldRow))[0]["importing"]:
        raise InputError(
            "An import into this graph was interrupted: run the same `kg-build import` again to "
            "finish it, or empty the graph."
        )


def command_name() -> str:
    """The name of the command for its Build node; never its arguments, which may hold secrets."""
    return "kg-build" if sys.argv[0].endswith("kg-build") else "python"
