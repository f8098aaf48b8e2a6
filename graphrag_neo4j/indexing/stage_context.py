"""What every stage that asks a backend is given."""

from dataclasses import dataclass

from graphrag_neo4j.events import Listener
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.protocols import IndexBackend, RunTask

__all__ = ["StageContext"]


@dataclass(frozen=True, slots=True)
class StageContext:
    """The dependencies of a stage.

    `run` drives the tasks of `backend`, up to `workers` of them at the same time; `listen` hears
    of progress.
    """

    graph: Graph
    backend: IndexBackend
    run: RunTask
    workers: int
    listen: Listener
