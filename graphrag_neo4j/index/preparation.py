"""Refuses runs that can't continue, before the first stage and before anything is paid for.

The endpoint is asked for one vector and, if its window may be small, for one long prompt.
"""

from typing import TYPE_CHECKING, Final, TypedDict

from graphrag_neo4j.backends import Backends, IndexSetup
from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.lease import refuse_half_imported
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.describe.embed import probe_dimensions
from graphrag_neo4j.index.describe.language import settle_vectors
from graphrag_neo4j.index.describe.summarize import mark_described_otherwise
from graphrag_neo4j.index.limits import Limits
from graphrag_neo4j.index.mode_change import (
    forget_extractive_claims,
    mark_read_without_model,
    refuse_to_lose_model,
)
from graphrag_neo4j.index.reports.stage import mark_reported_otherwise
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.index.status import RebuildOptions
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.model.types import Step
from graphrag_neo4j.settings import Settings

if TYPE_CHECKING:
    from graphrag_neo4j.llm.endpoint import Endpoint

READ_STEPS: Final[frozenset[Step]] = frozenset({"extraction", "claims", "summary", "report"})
FEW_CHUNKS: Final = 20  # for fewer, a prompt as long as that of a chunk is enough


class FoundRow(TypedDict):
    """Whether there is such a thing."""

    found: bool


def check_building(settings: Settings) -> None:
    """Raises InputError for settings that indexing can't use, before Neo4j is started."""
    backends = Backends(settings)
    backends.for_indexing(backends.origin)


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
        await forget_extractive_claims(stage.graph)
    if setup.encoder == "no":  # otherwise the embedder is chosen when the documents are known
        await settle_vectors(stage.graph, setup, reembed="vectors" in rebuild.again)


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
    doubtful = not setup.endpoint.calls.of_large_provider
    if doubtful and not (await graph.read("extract/any_done", FoundRow))[0]["found"]:
        await _check_window(setup.endpoint, settings, listen, few=waiting < FEW_CHUNKS)
    return dimensions


async def _check_window(
    endpoint: "Endpoint", settings: Settings, listen: Listener, *, few: bool
) -> None:
    from graphrag_neo4j.llm.endpoint.server_checks import needed_window, try_window  # noqa: PLC0415 - slow to import

    listen(Notice("Testing the context window with one long prompt."))
    step: Step = "extraction" if few else "report"
    steps = frozenset[Step]({step}) if few else READ_STEPS
    try:
        test = await try_window(endpoint, step, needed_window(settings, steps))
    except ReplyError as error:
        listen(Notice(f"A long prompt was not answered, since {error}.", warning=True))
        return
    if test.verdict in {"cut", "refused"}:
        if not few:
            raise ModelError(f"The model server can't be used yet: {test.problem} {test.fix}")
        # The prompts of a few short documents may fit all the same.
        listen(Notice(f"The model server has little room: {test.problem} {test.fix}", warning=True))
    if test.verdict == "unclear":
        text = "The model did not find a word in a text, so its extractions may also be poor."
        listen(Notice(text, warning=True))
