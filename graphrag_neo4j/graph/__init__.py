"""The connection to Neo4j. Every statement of the package is run by it."""

from graphrag_neo4j.graph.connection import Graph, PlainRow, Row, Transaction, connect, lend_driver
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.evidence import (
    RefKind,
    forget_chunks,
    forget_claims,
    forget_extraction,
    give_refs,
    mark_changed,
    sweep_entities,
    sweep_pairs,
)
from graphrag_neo4j.graph.fulltext_search import fulltext_relationships
from graphrag_neo4j.graph.indexes import (
    INDEXED_KINDS,
    IndexedKind,
    await_indexes,
    ensure_fulltext_indexes,
    ensure_vector_indexes,
)
from graphrag_neo4j.graph.lease import VOID_SECONDS, Lease, hold_lease
from graphrag_neo4j.graph.own import OwnServer
from graphrag_neo4j.graph.reports import (
    FindingToSave,
    PieceProperties,
    ReportToSave,
    save_reports,
)
from graphrag_neo4j.graph.schema import ensure_schema, refuse_foreign
from graphrag_neo4j.graph.state import SCHEMA_VERSION, refuse_other_version, schema_version
from graphrag_neo4j.graph.vector_search import vector_search
from graphrag_neo4j.graph.vectors import (
    flaw_of,
    forget_vectors,
    refuse_length,
    refuse_other_vectors,
)

__all__ = [
    "INDEXED_KINDS",
    "SCHEMA_VERSION",
    "VOID_SECONDS",
    "FindingToSave",
    "Graph",
    "IndexedKind",
    "Lease",
    "OwnServer",
    "PieceProperties",
    "PlainRow",
    "RefKind",
    "ReportToSave",
    "Row",
    "Transaction",
    "await_indexes",
    "connect",
    "dump",
    "ensure_fulltext_indexes",
    "ensure_schema",
    "ensure_vector_indexes",
    "flaw_of",
    "forget_chunks",
    "forget_claims",
    "forget_extraction",
    "forget_vectors",
    "fulltext_relationships",
    "give_refs",
    "hold_lease",
    "lend_driver",
    "mark_changed",
    "refuse_foreign",
    "refuse_length",
    "refuse_other_vectors",
    "refuse_other_version",
    "save_reports",
    "schema_version",
    "sweep_entities",
    "sweep_pairs",
    "vector_search",
]
