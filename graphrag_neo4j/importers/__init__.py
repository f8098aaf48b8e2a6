"""Brings what other programs have made of documents into the graph.

In reading order: graphrag (the whole), rows (what the tables say) and tables, cells, parquet
(how they are read), placing (chunks), replay (evidence), register (refs), tree, reports, writing.
"""

from graphrag_neo4j.importers.graphrag import ImportSummary, import_graphrag
from graphrag_neo4j.importers.id_map import Counted
from graphrag_neo4j.importers.rows import Tables
from graphrag_neo4j.importers.tables import read_tables

__all__ = ["Counted", "ImportSummary", "Tables", "import_graphrag", "read_tables"]
