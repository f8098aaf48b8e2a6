"""The stages of an index, one file each.

Each stage reads its pending items from the graph, runs a task for each, and saves the results.
"""

from collections.abc import Callable
from dataclasses import dataclass

from graphrag_neo4j.concurrency import Keep
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.contracts import IndexBackend, RunTask
from graphrag_neo4j.model.events import Listener


@dataclass(frozen=True, slots=True)
class StageContext:
    """The dependencies of a stage.

    `run` runs a task of `backend`; the stage runs up to `workers` tasks at the same time. `listen`
    receives the events, and `keep` the replies that wait until their results are saved. `batched`
    says whether requests go to the model in batches; then `waits` tells whether a task of this
    round waits for its reply, so that what needs all results can't be done yet.
    """

    graph: Graph
    backend: IndexBackend
    run: RunTask
    workers: int
    listen: Listener
    keep: Keep | None = None
    batched: bool = False
    waits: Callable[[], bool] = lambda: False
