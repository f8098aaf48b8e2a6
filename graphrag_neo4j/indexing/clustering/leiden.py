"""The settings of the Leiden algorithm."""

from dataclasses import astuple, dataclass, field

from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.clustering.tree import HierarchyLimits

__all__ = ["Leiden"]


@dataclass(frozen=True, slots=True)
class Leiden:
    """The settings of the Leiden algorithm: limits of the tree, and the randomness `theta`, `seed`.

    With `by_npmi` True, the weight of a pair is its number of statements times its NPMI (`npmi`),
    which suits a graph of co-occurrences. An entity that more than half of the documents mention,
    such as the host of a series, then has no edges. Otherwise the weight is the number of
    statements.
    """

    limits: HierarchyLimits = field(default_factory=HierarchyLimits)
    theta: float = 0.01
    seed: int = 42
    by_npmi: bool = False

    @property
    def signature(self) -> str:
        """A hash of these settings."""
        parts = [str(part) for part in (*astuple(self.limits), self.theta, self.seed)]
        return identify(
            "leiden", *parts, *["association without what is everywhere"] * self.by_npmi
        )
