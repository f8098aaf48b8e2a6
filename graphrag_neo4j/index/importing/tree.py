"""Makes the communities of the tables into a tree, and their reports into rows for the graph.

A community is identified by its members: if a community and its only child have the same members,
they become one, in the place of the upper one. The level of a community is its depth. The leaf of
an entity is the deepest community that contains it. A tree whose communities are not nested is kept
as it is, and its entities that are not nested are counted.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphrag_neo4j.graph import ReportToSave
from graphrag_neo4j.index.clustering.tree import TreeCommunity
from graphrag_neo4j.index.importing.evidence import IdMap
from graphrag_neo4j.index.importing.tables import CommunityRow, ReportRow
from graphrag_neo4j.index.stages.reports import report_row
from graphrag_neo4j.model import FindingText
from graphrag_neo4j.model.citations import CitationKind, rewrite
from graphrag_neo4j.model.context_table import report_tokens
from graphrag_neo4j.text import identify

__all__ = ["Cited", "Tree", "report_rows", "tree_of"]

Cited = Mapping[CitationKind, IdMap]


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
    # The deepest community of each entity; of several, the one with the smallest ref.
    ranked = sorted(communities, key=lambda c: (c.level, -id_map.refs[c.id]))
    leaves = {member: community.id for community in ranked for member in community.members}
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


def _astray(communities: Iterable[TreeCommunity], leaves: Mapping[str, str]) -> int:
    """How many entities are in other communities than their leaf and its ancestors."""
    parent: dict[str | None, str | None] = {one.id: one.parent for one in communities}
    within: defaultdict[str, set[str]] = defaultdict(set)
    for community in communities:
        for member in community.members:
            within[member].add(community.id)
    n = 0
    for entity, leaf in leaves.items():
        at: str | None = leaf
        while at is not None:
            within[entity].symmetric_difference_update({at})
            at = parent[at]
        n += bool(within[entity])
    return n


def report_rows(
    reports: Iterable[ReportRow], cited: Cited, count: Callable[[str], int]
) -> dict[str, ReportToSave]:
    """A row for each community that has a report; of several, the report of the smallest number.

    Citations of rows that the tables do not hold are removed. Where several rows became one node,
    the citations of all of them lead to it. `count` gives the number of tokens of a text.
    """
    known = {kind: {ref: node for node, ref in m.refs.items()} for kind, m in cited.items()}
    rows: dict[str, ReportToSave] = {}
    removed = 0

    def ref(kind: CitationKind | None, number: int) -> int | None:
        nonlocal removed
        if kind is None:
            removed += 1
            return None
        node = cited[kind].ids.get(number)
        return number if node is None else cited[kind].refs[node]

    def renamed(text: str) -> str:
        return rewrite(text, ref)

    numbered = [(row.community, row.report) for row in reports if row.community is not None]
    for number, report in sorted(numbered, key=lambda one: one[0]):
        id_ = cited["Reports"].ids.get(number)
        if id_ is None or id_ in rows:
            continue
        removed = 0
        findings = [
            FindingText(renamed(one.summary), renamed(one.explanation)) for one in report.findings
        ]
        row = report_row(
            id_,
            replace(
                report,
                summary=renamed(report.summary),
                findings=findings,
                rating_explanation=renamed(report.rating_explanation),
            ),
            known,
        )
        properties = row["properties"]
        properties |= {
            "invented": (properties["invented"] or 0) + removed or None,
            "n_tokens": report_tokens(properties["report"], count),
            "origin": "import",
        }
        rows[id_] = row
    return rows
