"""Imports an index of microsoft/graphrag, or a graph of another Neo4j, into the graph.

In reading order: graphrag (the first import, whole), tables (its rows), evidence (chunks, evidence
and refs); neo4j (the second), mapping (its file).
"""

from graphrag_neo4j.index.importing.evidence import Counted
from graphrag_neo4j.index.importing.graphrag import ImportSummary, import_graphrag
from graphrag_neo4j.index.importing.tables import Tables, read_tables

__all__ = ["Counted", "ImportSummary", "Tables", "import_graphrag", "read_tables"]
