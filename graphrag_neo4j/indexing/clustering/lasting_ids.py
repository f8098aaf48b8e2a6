"""Gives communities that live on the ids that they had.

A community lives on in another one if, of all entities of either that the graph held before and
still holds, more than half are in both. So it keeps its id while members come and go, and at most
one community of each level can be its successor; where two levels have one, the more similar one
gets the id.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.clustering.tree import TreeCommunity

__all__ = ["lasting_ids", "with_ids"]


def lasting_ids(
    communities: Sequence[TreeCommunity], paths: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Returns the lasting id of each community, by its id.

    `paths` holds for each entity of the old tree the ids of its communities from level 0 down. A
    new community keeps its id, unless an older one that lives on has it.
    """
    sizes = Counter(id_ for path in paths.values() for id_ in path)
    found = [pair for community in communities for pair in _successions(community, paths, sizes)]
    lasting: dict[str, str] = {}
    given: set[str] = set()
    for _, _, former, now in sorted(found):
        if now not in lasting and former not in given:
            lasting[now] = former
            given.add(former)
    for community in communities:
        if community.id not in lasting:
            lasting[community.id] = _unused(community, given)
            given.add(lasting[community.id])
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


def _unused(community: TreeCommunity, given: Set[str]) -> str:
    """The id of a new community; with a number where an older one has it."""
    id_, n = community.id, 1
    while id_ in given:
        id_, n = identify("community", *community.members, n), n + 1
    return id_
