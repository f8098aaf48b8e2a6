"""Imports an index of another program into the graph.

In reading order: graphrag (the whole import), tables (its rows), evidence (chunks, evidence and
refs), tree (communities and reports).
"""

from graphrag_neo4j.index.importing.evidence import Counted
from graphrag_neo4j.index.importing.graphrag import ImportSummary, import_graphrag
from graphrag_neo4j.index.importing.tables import Tables, read_tables

__all__ = ["Counted", "ImportSummary", "Tables", "import_graphrag", "read_tables"]
