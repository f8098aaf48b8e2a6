"""Trees of communities: their limits, the settings of Leiden, and the ids of what lives on.

No array is needed to know these.

A community lives on in another one if, of all entities of either that the graph held before and
still holds, more than half are in both. So it keeps its id while members come and go, and at most
one community of each level can be its successor; where two levels have one, the more similar one
gets the id.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Final, Self

from graphrag_neo4j.text.strings import identify

ROOT: Final = ""  # the id of the whole graph, whose parts are the communities of level 0


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
class Leiden:
    """The settings of the Leiden algorithm: limits of the tree, and the randomness `theta`, `seed`.

    With `by_npmi` True, the weight of a pair is its number of statements times its NPMI, which
    suits a graph of co-occurrences, and falls with the share of documents that name its ends.
    Otherwise the weight is the number of statements.
    """

    limits: HierarchyLimits = field(default_factory=HierarchyLimits)
    theta: float = 0.01
    seed: int = 42
    by_npmi: bool = False

    @property
    def signature(self) -> str:
        """A hash of these settings."""
        parts = [str(part) for part in (*astuple(self.limits), self.theta, self.seed)]
        return identify("leiden", *parts, *["association, rareness and place"] * self.by_npmi)


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


def lasting_ids(
    communities: Sequence[TreeCommunity],
    paths: Mapping[str, Sequence[str]],
    taken: Iterable[str] = (),
) -> dict[str, str]:
    """Returns the lasting id of each community, by its id.

    `paths` holds for each entity of the old tree the ids of its communities from level 0 down. A
    new community keeps its id, unless an older one that lives on has it, or one elsewhere has it
    (`taken`).
    """
    sizes = Counter(id_ for path in paths.values() for id_ in path)
    found = [pair for community in communities for pair in _successions(community, paths, sizes)]
    lasting: dict[str, str] = {}
    given = set(taken)
    for _, _, former, now in sorted(found):
        if now not in lasting and former not in given:
            lasting[now] = former
            given.add(former)
    for community in communities:
        if community.id not in lasting:
            id_, n = community.id, 1
            while id_ in given:  # an older one has it
                id_, n = identify("community", *community.members, n), n + 1
            lasting[community.id] = id_
            given.add(id_)
    return lasting


def with_ids(communities: Sequence[TreeCommunity], ids: Mapping[str, str]) -> list[TreeCommunity]:
    """The communities with other ids; `ids` holds the new id of each."""
    return [
        replace(one, id=ids[one.id], parent=None if one.parent is None else ids[one.parent])
        for one in communities
    ]


def _successions(
    community: TreeCommunity, paths: Mapping[str, Sequence[str]], sizes: Mapping[str, int]
) -> list[tuple[float, int, str, str]]:
    """The old communities that may live on in this one, as (-similarity, levels apart, old, new).

    The similarity is that of Jaccard, over the entities that both trees have.
    """
    known = [path for member in community.members if (path := paths.get(member))]
    shared = Counter((id_, level) for path in known for level, id_ in enumerate(path))
    return [
        (-n / union, abs(level - community.level), former, community.id)
        for (former, level), n in shared.items()
        for union in [sizes[former] + len(known) - n]
        if 2 * n > union
    ]
