"""The dump of a graph: two graphs are equal if their dumps are equal.

The id of a community tells its history: it was made from the members that the community had first.
So the dump names communities, and their findings, by the members that they have now.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final, TypedDict

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import UNIQUE_NODES
from graphrag_neo4j.model.citations import CitationKind, rewrite
from graphrag_neo4j.text.strings import identify

Dump = dict[str, dict[str, Any]]

# Numbers and marks that depend on how a graph was built, and not on its content.
IGNORED = frozenset({
    *("ref", "stale", "undescribed", "unlabelled", "unembedded", "unplaced", "unchecked"),
    "placed_weight",
})  # fmt: skip

CITED_AS: Final[dict[str, CitationKind]] = {
    "Entity": "Entities",
    "Claim": "Claims",
    "Community": "Reports",
    "Chunk": "Sources",
}
CITING = frozenset({"Community", "Finding"})


class DumpedNodeRow(TypedDict):
    """A node with all its properties; `ref` is None where it has none."""

    labels: list[str]
    id: str
    ref: int | None
    properties: dict[str, object]


class DumpedRelationshipRow(TypedDict):
    """A relationship with the ids of its ends and all its properties.

    `id` and `ref` are None where the relationship has none.
    """

    type: str
    start: str
    end: str
    id: str | None
    ref: int | None
    properties: dict[str, object]


async def dump(graph: Graph) -> Dump:
    """All nodes and relationships by id with what they hold, without Build, Counter and State.

    The keys are "Label:id" ("Entity:Person:id" with the label of a type), and "TYPE:id of start>id
    of end:own id", in sorted order.
    """
    nodes = await graph.read("graph/dump_nodes", DumpedNodeRow)
    relationships = await graph.read("graph/dump_relationships", DumpedRelationshipRow)
    ids = _ids_by_members(nodes, relationships)
    for node in nodes:
        node["id"] = ids.get(node["id"], node["id"])
        if "id" in node["properties"]:
            node["properties"]["id"] = node["id"]
    for row in relationships:
        row["start"], row["end"] = (ids.get(end, end) for end in (row["start"], row["end"]))
    named = _ids_of_refs(nodes, relationships)

    def rename(kind: CitationKind | None, ref: int) -> str | None:
        return named.get((kind, ref), "nothing") if kind else None

    found: Dump = {}
    for node in nodes:
        cites = not CITING.isdisjoint(node["labels"])  # its citations get ids in place of refs
        labels = sorted(node["labels"], key=lambda label: (label not in UNIQUE_NODES, label))
        found[f"{':'.join(labels)}:{node['id']}"] = {
            name: rewrite(value, rename) if cites and isinstance(value, str) else value
            for name, value in node["properties"].items()
        }
    for row in relationships:
        key = f"{row['type']}:{row['start']}>{row['end']}:{row['id'] or ''}"
        while key in found:  # a second equal relationship makes a different graph
            key += "+"
        found[key] = row["properties"]
    return {
        key: {name: found[key][name] for name in sorted(found[key]) if name not in IGNORED}
        for key in sorted(found)
    }


def _ids_by_members(
    nodes: Sequence[DumpedNodeRow], relationships: Sequence[DumpedRelationshipRow]
) -> dict[str, str]:
    """By the ids of communities and findings, those that follow from the communities' members."""
    parent = {r["start"]: r["end"] for r in relationships if r["type"] == "PARENT"}
    members: defaultdict[str, list[str]] = defaultdict(list)
    for row in relationships:
        home = row["end"] if row["type"] == "IN_COMMUNITY" else None
        while home:
            members[home].append(row["start"])
            home = parent.get(home)
    communities = [row["id"] for row in nodes if "Community" in row["labels"]]
    ids = {id_: identify("community", *sorted(members[id_])) for id_ in communities}
    index = {row["id"]: str(row["properties"].get("index")) for row in nodes}
    for row in relationships:
        if row["type"] == "HAS_FINDING":
            ids[row["end"]] = identify("finding", ids[row["start"]], index[row["end"]])
    return ids


def _ids_of_refs(
    nodes: list[DumpedNodeRow], relationships: list[DumpedRelationshipRow]
) -> dict[tuple[CitationKind, int], str]:
    """The id of each ref."""
    found: dict[tuple[CitationKind, int], str] = {
        (CITED_AS[label], row["ref"]): row["id"]
        for row in nodes
        for label in row["labels"]
        if label in CITED_AS and row["ref"] is not None
    }
    for pair in relationships:
        if pair["type"] == "RELATED" and pair["id"] and pair["ref"] is not None:
            found["Relationships", pair["ref"]] = pair["id"]
    return found
