"""Looking at a graph: a guide and a style for Neo4j Browser, and a map as one page.

The queries of the guide are the files `cypher/browse/*.cypher`; the map is read by those of
`cypher/map/`.
"""

from graphrag_neo4j.browsing.guide import guide, saved, style
from graphrag_neo4j.browsing.map import Map, read_map
from graphrag_neo4j.browsing.queries import Section, chosen, sections
from graphrag_neo4j.browsing.serving import Pages, served

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
