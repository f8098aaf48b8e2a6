"""Shows a graph: a guide and a style sheet for Neo4j Browser, a map as one web page, and exports.

The queries of the guide are the files `cypher/browse/*.cypher`. The files in `cypher/map/` read the
data of the map, and those in `cypher/export/` that of exports.
"""

from graphrag_neo4j.extras.explore.export import check_name, export
from graphrag_neo4j.extras.explore.guide import (
    Section,
    example_values,
    guide,
    saved,
    sections,
    served,
)
from graphrag_neo4j.web.map import Map, read_map

__all__ = [
    "Map",
    "Section",
    "check_name",
    "example_values",
    "export",
    "guide",
    "read_map",
    "saved",
    "sections",
    "served",
]
