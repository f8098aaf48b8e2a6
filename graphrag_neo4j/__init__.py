"""GraphRAG on Neo4j: documents to a knowledge graph, its communities, and cited answers."""

from typing import TYPE_CHECKING, Any

from graphrag_neo4j.errors import (
    BudgetSpentError,
    EmbeddedError,
    GraphBusyError,
    GraphError,
    GraphRAGError,
    GraphStoppedError,
    InputError,
    ModelError,
)
from graphrag_neo4j.model import Document

if TYPE_CHECKING:
    from graphrag_neo4j.client import AsyncGraphRAG
    from graphrag_neo4j.loaders import ReadOptions
    from graphrag_neo4j.query.answer import Answer
    from graphrag_neo4j.settings import Settings
    from graphrag_neo4j.sync_client import GraphRAG

__all__ = [
    "Answer",
    "AsyncGraphRAG",
    "BudgetSpentError",
    "Document",
    "EmbeddedError",
    "GraphBusyError",
    "GraphError",
    "GraphRAG",
    "GraphRAGError",
    "GraphStoppedError",
    "InputError",
    "ModelError",
    "ReadOptions",
    "Settings",
]

# Imported when first used, so that the command line's start-up stays quick.
_LATER = {
    "Answer": "graphrag_neo4j.query.answer",
    "AsyncGraphRAG": "graphrag_neo4j.client",
    "GraphRAG": "graphrag_neo4j.sync_client",
    "ReadOptions": "graphrag_neo4j.loaders",
    "Settings": "graphrag_neo4j.settings",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of ours
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_LATER[name]), name)
