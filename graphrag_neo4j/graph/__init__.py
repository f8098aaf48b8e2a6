"""The door to Neo4j: every statement of the package goes through it."""

from graphrag_neo4j.graph.door import Graph, Row, Transaction, connect
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.evidence import (
    forget_chunks,
    forget_claims,
    forget_extraction,
    give_refs,
    mark_changed,
    sweep_entities,
    sweep_pairs,
)
from graphrag_neo4j.graph.lease import VOID_SECONDS, Lease, hold_lease
from graphrag_neo4j.graph.schema import ensure_schema

__all__ = [
    "VOID_SECONDS",
    "Graph",
    "Lease",
    "Row",
    "Transaction",
    "connect",
    "dump",
    "ensure_schema",
    "forget_chunks",
    "forget_claims",
    "forget_extraction",
    "give_refs",
    "hold_lease",
    "mark_changed",
    "sweep_entities",
    "sweep_pairs",
]
