"""Makes the communities of the tables into a tree.

A community is identified by its members: if a community and its only child have the same members,
they become one, in the place of the upper one. The level of a community is its depth. The leaf of
an entity is the deepest community that contains it. A tree whose communities are not nested is kept
as it is, and its entities that are not nested are counted.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.ids import identify
from graphrag_neo4j.importers.id_map import IdMap
from graphrag_neo4j.importers.rows import CommunityRow
from graphrag_neo4j.indexing.clustering.tree import TreeCommunity

__all__ = ["Tree", "tree_of"]


@dataclass(frozen=True, slots=True)
class Tree:
    """Communities, parents before their children, and the leaf of each entity.

    `astray` counts entities in communities that are not nested in each other.
    """

    communities: Sequence[TreeCommunity]
    leaves: Mapping[str, str]
    id_map: IdMap
    astray: int


def tree_of(rows: Iterable[CommunityRow], entity_of: Mapping[str, str]) -> Tree:
    """The tree of the communities with members; `entity_of` maps row ids to entity ids."""
    members: dict[int, tuple[str, ...]] = {}
    parents: dict[int, int | None] = {}
    for row in rows:
        if row.number is None or row.number in parents:
            continue
        parents[row.number] = row.parent
        if known := {entity_of[id_] for id_ in row.members if id_ in entity_of}:
            members[row.number] = tuple(sorted(known))
    ids = {number: identify("community", *entities) for number, entities in members.items()}
    id_map = IdMap()
    for number, id_ in ids.items():
        id_map.enter(number, id_)
    above = {n: [m for m in _ancestors(n, parents) if m in members] for n in members}
    communities = _communities(members, ids, above)
    leaves = _leaves(communities, id_map)
    return Tree(communities, leaves, id_map, _astray(communities, leaves))


def _ancestors(number: int, parents: Mapping[int, int | None]) -> list[int]:
    """The ancestors from the parent upwards; none if the community is its own ancestor."""
    above: list[int] = []
    at = parents[number]
    while at is not None and at in parents:
        if at == number or at in above:
            return []
        above.append(at)
        at = parents[at]
    return above


def _communities(
    members: Mapping[int, tuple[str, ...]],
    ids: Mapping[int, str],
    above: Mapping[int, Sequence[int]],
) -> list[TreeCommunity]:
    uppermost: dict[str, int] = {}
    for number in sorted(members, key=lambda n: (len(above[n]), n)):
        uppermost.setdefault(ids[number], number)
    made: dict[str, TreeCommunity] = {}
    for id_, number in uppermost.items():  # its parent comes before it
        parent = next((ids[n] for n in above[number] if ids[n] != id_), None)
        level = made[parent].level + 1 if parent else 0
        made[id_] = TreeCommunity.of(level, members[number], parent)
    return sorted(made.values(), key=lambda community: (community.level, community.id))


def _leaves(communities: Sequence[TreeCommunity], id_map: IdMap) -> dict[str, str]:
    """The deepest community of each entity; of several, the one with the smallest ref."""
    ranked = sorted(communities, key=lambda c: (c.level, -id_map.refs[c.id]))
    return {member: community.id for community in ranked for member in community.members}


def _astray(communities: Iterable[TreeCommunity], leaves: Mapping[str, str]) -> int:
    parent = {community.id: community.parent for community in communities}
    within: defaultdict[str, set[str]] = defaultdict(set)
    for community in communities:
        for member in community.members:
            within[member].add(community.id)
    return sum(within[entity] != _line(leaf, parent) for entity, leaf in leaves.items())


def _line(leaf: str, parent: Mapping[str, str | None]) -> set[str]:
    """A leaf and all its ancestors."""
    line, at = {leaf}, parent[leaf]
    while at is not None:
        line.add(at)
        at = parent[at]
    return line
