"""The dump, by which two graphs are called equal."""

from typing import Any

from graphrag_neo4j.graph.door import Graph

__all__ = ["Dump", "dump"]

Dump = dict[str, dict[str, Any]]

# Numbers and marks that depend on the way a graph was built, not on what it holds.
IGNORED = frozenset({"ref", "stale", "undescribed"})


async def dump(graph: Graph) -> Dump:
    """All nodes and relationships by id with what they hold, without Build and Counter.

    Keys are "Label:id" and "TYPE:id of start>id of end:own id"; the order is theirs.
    """
    nodes = await graph.read("graph/dump_nodes")
    relationships = await graph.read("graph/dump_relationships")
    found = {f"{':'.join(row['labels'])}:{row['id']}": row["properties"] for row in nodes}
    for row in relationships:
        own = row["properties"].get("id", "")
        key = f"{row['type']}:{row['start']}>{row['end']}:{own}"
        while key in found:  # a second one between the same two makes another graph
            key += "+"
        found[key] = row["properties"]
    return {key: _kept(found[key]) for key in sorted(found)}


def _kept(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: properties[name] for name in sorted(properties) if name not in IGNORED}
