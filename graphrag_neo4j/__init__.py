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
    ReplyError,
)
from graphrag_neo4j.model import Document, Usage

if TYPE_CHECKING:
    from graphrag_neo4j.client import AsyncGraphRAG, IndexSource
    from graphrag_neo4j.context.citations import CitationKind
    from graphrag_neo4j.context.context_table import ContextRecord, ContextTable
    from graphrag_neo4j.events import Advanced, Event, Listener, Notice, Spent, Started, Waiting
    from graphrag_neo4j.graph import Graph
    from graphrag_neo4j.importers import Counted, ImportSummary, Tables
    from graphrag_neo4j.indexing.batching.rows import BatchRow
    from graphrag_neo4j.indexing.corpus import Corpus
    from graphrag_neo4j.indexing.resolution.decisions import NameDecision
    from graphrag_neo4j.indexing.result import IndexResult
    from graphrag_neo4j.indexing.stages.ingest import Ingested
    from graphrag_neo4j.indexing.status import BehindRow, BuildRow, Failure, LevelCoverRow, Status
    from graphrag_neo4j.loaders import ReadOptions
    from graphrag_neo4j.options import QueryOptions, SearchOptions, SettingsOptions
    from graphrag_neo4j.query.answer import Answer, Citation, Method, Source
    from graphrag_neo4j.query.engine import AsyncStream
    from graphrag_neo4j.query.lookup import (
        Communities,
        Community,
        CommunityReport,
        Entity,
        FoundEntity,
    )
    from graphrag_neo4j.query.question import Question
    from graphrag_neo4j.query.suggestions import Suggestion, Suggestions
    from graphrag_neo4j.settings import Settings, load_settings
    from graphrag_neo4j.sync_client import GraphRAG, Stream
    from graphrag_neo4j.tuning import EntityType, Passage, TunedExample, Tuning

    __version__: str

__all__ = [
    "Advanced",
    "Answer",
    "AsyncGraphRAG",
    "AsyncStream",
    "BatchRow",
    "BehindRow",
    "BudgetSpentError",
    "BuildRow",
    "Citation",
    "CitationKind",
    "Communities",
    "Community",
    "CommunityReport",
    "ContextRecord",
    "ContextTable",
    "Corpus",
    "Counted",
    "Document",
    "EmbeddedError",
    "Entity",
    "EntityType",
    "Event",
    "Failure",
    "FoundEntity",
    "Graph",
    "GraphBusyError",
    "GraphError",
    "GraphRAG",
    "GraphRAGError",
    "GraphStoppedError",
    "ImportSummary",
    "IndexResult",
    "IndexSource",
    "Ingested",
    "InputError",
    "LevelCoverRow",
    "Listener",
    "Method",
    "ModelError",
    "NameDecision",
    "Notice",
    "Passage",
    "QueryOptions",
    "Question",
    "ReadOptions",
    "ReplyError",
    "SearchOptions",
    "Settings",
    "SettingsOptions",
    "Source",
    "Spent",
    "Started",
    "Status",
    "Stream",
    "Suggestion",
    "Suggestions",
    "Tables",
    "TunedExample",
    "Tuning",
    "Usage",
    "Waiting",
    "__version__",
    "load_settings",
]

# Imported when first used, so that the command line's start-up stays quick.
_LATER = {
    "client": "AsyncGraphRAG IndexSource",
    "context.citations": "CitationKind",
    "context.context_table": "ContextRecord ContextTable",
    "events": "Advanced Event Listener Notice Spent Started Waiting",
    "graph": "Graph",
    "importers": "Counted ImportSummary Tables",
    "indexing.batching.rows": "BatchRow",
    "indexing.corpus": "Corpus",
    "indexing.resolution.decisions": "NameDecision",
    "indexing.result": "IndexResult",
    "indexing.stages.ingest": "Ingested",
    "indexing.status": "BehindRow BuildRow Failure LevelCoverRow Status",
    "loaders": "ReadOptions",
    "options": "QueryOptions SearchOptions SettingsOptions",
    "query.answer": "Answer Citation Method Source",
    "query.engine": "AsyncStream",
    "query.lookup": "Communities Community CommunityReport Entity FoundEntity",
    "query.question": "Question",
    "query.suggestions": "Suggestion Suggestions",
    "settings": "Settings load_settings",
    "sync_client": "GraphRAG Stream",
    "tuning": "EntityType Passage TunedExample Tuning",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of ours
    from importlib import import_module, metadata  # noqa: PLC0415

    if name == "__version__":
        return metadata.version("graphrag-neo4j")
    for module, names in _LATER.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
