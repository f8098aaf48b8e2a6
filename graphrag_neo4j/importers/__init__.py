"""Imports an index of another program into the graph.

In reading order: graphrag (the whole import); rows (the data of the tables); tables, cells, parquet
(how they are read); unit_alignment (chunks), evidence, id_map (refs), tree, reports, communities,
summary.
"""

from graphrag_neo4j.importers.graphrag import ImportSummary, import_graphrag
from graphrag_neo4j.importers.id_map import Counted
from graphrag_neo4j.importers.rows import Tables
from graphrag_neo4j.importers.tables import read_tables

__all__ = ["Counted", "ImportSummary", "Tables", "import_graphrag", "read_tables"]
