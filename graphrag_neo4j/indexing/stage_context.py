"""What every stage that thinks is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from graphrag_neo4j.events import Listener
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.model import IndexBackend, LLMTask, T

__all__ = ["Embed", "Embedder", "Run", "StageContext"]


class Run(Protocol):
    """Drives a think step to its result; raises ReplyError where a reply is unusable."""

    async def __call__(self, task: LLMTask[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class StageContext:
    """The graph, a way to think and to drive it, how many at once, and who listens."""

    graph: Graph
    backend: IndexBackend
    run: Run
    workers: int
    listen: Listener


class Embed(Protocol):
    """Gives a vector for each text, in their order; raises ReplyError where none came."""

    async def __call__(self, texts: Sequence[str]) -> list[list[float]]: ...


@dataclass(frozen=True, slots=True)
class Embedder:
    """A model that makes vectors; `dimensions`: those asked of it, None for its own."""

    model: str
    dimensions: int | None
    embed: Embed
