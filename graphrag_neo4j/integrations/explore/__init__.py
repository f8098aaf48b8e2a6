"""Shows a graph: a guide and a style sheet for Neo4j Browser, and a map as one web page.

The queries of the guide are the files `cypher/browse/*.cypher`. The files in `cypher/map/` read the
data of the map.
"""

from graphrag_neo4j.integrations.explore.guide import (
    Section,
    example_values,
    guide,
    saved,
    sections,
    served,
)
from graphrag_neo4j.integrations.explore.map import Map, read_map

__all__ = ["Map", "Section", "example_values", "guide", "read_map", "saved", "sections", "served"]
