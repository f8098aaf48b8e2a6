"""Shows a graph: a guide and a style sheet for Neo4j Browser, and a map as one web page.

The queries of the guide are the files `cypher/browse/*.cypher`. The files in `cypher/map/` read the
data of the map.
"""

from graphrag_neo4j.visualization.guide import guide, saved, style
from graphrag_neo4j.visualization.guide_server import Pages, served
from graphrag_neo4j.visualization.map import Map, read_map
from graphrag_neo4j.visualization.queries import Section, example_values, sections

__all__ = [
    "Map",
    "Pages",
    "Section",
    "example_values",
    "guide",
    "read_map",
    "saved",
    "sections",
    "served",
    "style",
]
