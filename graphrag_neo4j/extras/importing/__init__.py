"""Imports an index of microsoft/graphrag, or a graph of another Neo4j, into the graph.

In reading order: graphrag (the first import, whole), tables (its rows), evidence (chunks, evidence
and refs); neo4j (the second), mapping (its file).
"""

from graphrag_neo4j.extras.importing.evidence import Counted
from graphrag_neo4j.extras.importing.graphrag import ImportSummary, import_graphrag
from graphrag_neo4j.extras.importing.mapping import read_mapping
from graphrag_neo4j.extras.importing.neo4j import NodeImport, OtherNeo4j
from graphrag_neo4j.extras.importing.tables import Tables, read_tables

__all__ = [
    "Counted",
    "ImportSummary",
    "NodeImport",
    "OtherNeo4j",
    "Tables",
    "import_graphrag",
    "read_mapping",
    "read_tables",
]
