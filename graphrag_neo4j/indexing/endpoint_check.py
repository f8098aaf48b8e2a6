"""Checks the endpoint before the first chunk is paid for.

The embedding model is asked for one short vector. A server that is not a large provider gets one
long prompt, because its context window may be smaller than our prompts.
"""

from typing import Final

from graphrag_neo4j.backends import IndexSetup
from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.indexing.rows import FoundRow
from graphrag_neo4j.indexing.stages.embed import probe_dimensions
from graphrag_neo4j.llm import Endpoint, needed_window, try_window
from graphrag_neo4j.model import Step
from graphrag_neo4j.settings import Settings

__all__ = ["check_before_paying"]

READ_STEPS: Final[frozenset[Step]] = frozenset({"extraction", "claims", "summary", "report"})
FEW_CHUNKS: Final = 20
"""For fewer chunks the long prompt would cost more than it can save."""


async def check_before_paying(
    graph: Graph, setup: IndexSetup, settings: Settings, listen: Listener
) -> int | None:
    """Returns the dimensions of the embedding model, None where nothing was asked.

    Nothing is asked where no chunk waits for a model. Raises ModelError where the endpoint gives no
    vectors, or where it does not read long prompts whole.
    """
    if setup.endpoint is None:
        return None
    waiting = int((await graph.read("extract/count_extraction", CountRow))[0]["n"])
    if not waiting:
        return None
    dimensions = await probe_dimensions(graph, setup.embedder)
    doubtful = waiting >= FEW_CHUNKS and not setup.endpoint.calls.of_large_provider
    if doubtful and not (await graph.read("extract/any_done", FoundRow))[0]["found"]:
        await _check_window(setup.endpoint, settings, listen)
    return dimensions


async def _check_window(endpoint: Endpoint, settings: Settings, listen: Listener) -> None:
    listen(Notice("Checking with one long prompt that the server reads our prompts whole."))
    try:
        test = await try_window(endpoint, settings, "report", needed_window(settings, READ_STEPS))
    except ReplyError as error:
        listen(Notice(f"A long prompt was not answered, since {error}.", warning=True))
        return
    if test.verdict in {"cut", "refused"}:
        raise ModelError(f"The model server can't be used yet: {test.problem} {test.fix}")
    if test.verdict == "unclear":
        listen(
            Notice(
                "The model did not find a word in a text, so its extractions may be poor, too.",
                warning=True,
            )
        )
