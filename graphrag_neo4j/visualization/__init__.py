"""Looking at a graph: a guide and a style for Neo4j Browser, and a map as one page.

The queries of the guide are the files `cypher/browse/*.cypher`; the map is read by those of
`cypher/map/`.
"""

from graphrag_neo4j.visualization.guide import guide, saved, style
from graphrag_neo4j.visualization.guide_server import Pages, served
from graphrag_neo4j.visualization.map import Map, read_map
from graphrag_neo4j.visualization.queries import Section, chosen, sections

__all__ = [
    "Map",
    "Pages",
    "Section",
    "chosen",
    "guide",
    "read_map",
    "saved",
    "sections",
    "served",
    "style",
]
