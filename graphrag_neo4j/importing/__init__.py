"""Brings what other programs have made of documents into the graph.

In reading order: graphrag (the whole), rows (what the tables say) and tables, cells, parquet
(how they are read), placing (chunks), replay (evidence), register (refs), tree, reports, writing.
"""

from graphrag_neo4j.importing.graphrag import Imported, import_graphrag
from graphrag_neo4j.importing.register import Counted
from graphrag_neo4j.importing.rows import Tables
from graphrag_neo4j.importing.tables import read_tables

__all__ = ["Counted", "Imported", "Tables", "import_graphrag", "read_tables"]
