"""The connection to Neo4j. Every statement of the package is run by it."""

from graphrag_neo4j.graph.connection import Graph, PlainRow, Row, Transaction, connect, lend_driver
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.evidence import (
    FindingToSave,
    PieceProperties,
    RefKind,
    ReportToSave,
    forget_chunks,
    forget_claims,
    forget_extraction,
    give_refs,
    mark_changed,
    save_reports,
    sweep_entities,
    sweep_pairs,
)
from graphrag_neo4j.graph.indexes import (
    INDEXED_KINDS,
    IndexedKind,
    await_indexes,
    ensure_fulltext_indexes,
    ensure_vector_indexes,
    flaw_of,
    forget_vectors,
    refuse_length,
    refuse_other_vectors,
    vector_search,
)
from graphrag_neo4j.graph.lease import VOID_SECONDS, hold_lease
from graphrag_neo4j.graph.schema import (
    SCHEMA_VERSION,
    ensure_schema,
    refuse_foreign,
    refuse_other_version,
    schema_version,
)
