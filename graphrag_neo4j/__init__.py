"""GraphRAG on Neo4j: documents to a knowledge graph, its communities, and cited answers."""

from typing import TYPE_CHECKING, Any

from graphrag_neo4j.errors import (
    BudgetSpentError,
    EmbeddedError,
    EmptyGraphError,
    GraphBusyError,
    GraphError,
    GraphRAGError,
    GraphStoppedError,
    InputError,
    ModelError,
    NotFoundError,
    ReplyError,
)
from graphrag_neo4j.model import Document, Usage

if TYPE_CHECKING:
    from graphrag_neo4j.client.async_client import AsyncGraphRAG, IndexSource
    from graphrag_neo4j.client.sync_client import GraphRAG, Stream
    from graphrag_neo4j.documents import ReadOptions
    from graphrag_neo4j.graph.connection import Graph
    from graphrag_neo4j.index.corpus import Corpus
    from graphrag_neo4j.index.importing import Counted, ImportSummary, Tables
    from graphrag_neo4j.index.resolution.decisions import NameDecision
    from graphrag_neo4j.index.stages.ingest import Ingested
    from graphrag_neo4j.index.status import (
        BatchRow,
        BehindRow,
        BuildRow,
        Failure,
        IndexResult,
        LevelCoverRow,
        MetadataRow,
        Status,
    )
    from graphrag_neo4j.index.tuning.result import EntityType, TunedExample, Tuning
    from graphrag_neo4j.index.tuning.sample import Passage
    from graphrag_neo4j.model.citations import CitationKind
    from graphrag_neo4j.model.context_table import ContextRecord, ContextTable
    from graphrag_neo4j.model.events import (
        Advanced,
        Event,
        Listener,
        Notice,
        Spent,
        Started,
        Waiting,
    )
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
    from graphrag_neo4j.settings.options import QueryOptions, SearchOptions, SettingsOptions

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
    "EmptyGraphError",
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
    "MetadataRow",
    "Method",
    "ModelError",
    "NameDecision",
    "NotFoundError",
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
    "client.async_client": "AsyncGraphRAG IndexSource",
    "client.sync_client": "GraphRAG Stream",
    "documents": "ReadOptions",
    "graph.connection": "Graph",
    "index.corpus": "Corpus",
    "index.importing": "Counted ImportSummary Tables",
    "index.resolution.decisions": "NameDecision",
    "index.stages.ingest": "Ingested",
    "index.status": (
        "BatchRow BehindRow BuildRow Failure IndexResult LevelCoverRow MetadataRow Status"
    ),
    "index.tuning.result": "EntityType TunedExample Tuning",
    "index.tuning.sample": "Passage",
    "model.citations": "CitationKind",
    "model.context_table": "ContextRecord ContextTable",
    "model.events": "Advanced Event Listener Notice Spent Started Waiting",
    "query.answer": "Answer Citation Method Source",
    "query.engine": "AsyncStream",
    "query.lookup": "Communities Community CommunityReport Entity FoundEntity",
    "query.question": "Question",
    "query.suggestions": "Suggestion Suggestions",
    "settings": "Settings load_settings",
    "settings.options": "QueryOptions SearchOptions SettingsOptions",
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
