"""What every stage that thinks is given."""

from dataclasses import dataclass
from typing import Protocol

from graphrag_neo4j.events import Listener
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model import T, Think, Thinker

__all__ = ["Context", "Run"]


class Run(Protocol):
    """Drives a think step to its result; raises ReplyError where a reply is unusable."""

    async def __call__(self, think: Think[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Context:
    """The graph, a way to think and to drive it, how many at once, and who listens."""

    graph: Graph
    thinker: Thinker
    run: Run
    workers: int
    listen: Listener
