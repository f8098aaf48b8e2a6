"""The parts of a tree of communities, and its limits. No array is needed to know them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from graphrag_neo4j.ids import identify

__all__ = ["HierarchyLimits", "TreeCommunity", "community_row"]


@dataclass(frozen=True, slots=True)
class HierarchyLimits:
    """The limits of the hierarchy.

    Communities of more than `max_size` members are split (0: all that can be split), on at most
    `max_levels` levels. `gamma` is the resolution of the Leiden algorithm.
    """

    max_size: int = 10
    max_levels: int = 10
    gamma: float = 1.0


@dataclass(frozen=True, slots=True)
class TreeCommunity:
    """A community and its place in the tree. `of` makes its id from its members alone."""

    id: str
    level: int
    members: tuple[str, ...]
    parent: str | None

    @classmethod
    def of(cls, level: int, members: Iterable[str], parent: str | None) -> Self:
        """The community of these members, with its id."""
        ordered = tuple(sorted(members))
        return cls(identify("community", *ordered), level, ordered, parent)


def community_row(community: TreeCommunity, ref: int | None) -> dict[str, object]:
    """A community as `communities/save` takes it; `ref`: None for one that has its ref already."""
    return {
        "id": community.id,
        "ref": ref,
        "level": community.level,
        "size": len(community.members),
        "parent": community.parent,
    }
