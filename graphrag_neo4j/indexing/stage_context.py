"""The stage context: the dependencies of a stage that uses an index backend."""

from dataclasses import dataclass

from graphrag_neo4j.events import Listener
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.protocols import IndexBackend, RunTask

__all__ = ["StageContext"]


@dataclass(frozen=True, slots=True)
class StageContext:
    """The dependencies of a stage.

    `run` runs a task of `backend`; the stage runs up to `workers` tasks at the same time. `listen`
    receives the events.
    """

    graph: Graph
    backend: IndexBackend
    run: RunTask
    workers: int
    listen: Listener
