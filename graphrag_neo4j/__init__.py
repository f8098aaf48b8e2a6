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
    from graphrag_neo4j.indexing.status import Failure, Status
    from graphrag_neo4j.indexing.status_rows import BehindRow, BuildRow, LevelCoverRow
    from graphrag_neo4j.loaders import ReadOptions
    from graphrag_neo4j.options import QueryOptions, SearchOptions, SettingsOptions
    from graphrag_neo4j.query.answer import Answer, Citation, Method, Source
    from graphrag_neo4j.query.lookup import (
        Communities,
        Community,
        CommunityReport,
        Entity,
        FoundEntity,
    )
    from graphrag_neo4j.query.question import Question
    from graphrag_neo4j.query.stream import AsyncStream
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
    "Advanced": "graphrag_neo4j.events",
    "Answer": "graphrag_neo4j.query.answer",
    "BatchRow": "graphrag_neo4j.indexing.batching.rows",
    "BehindRow": "graphrag_neo4j.indexing.status_rows",
    "BuildRow": "graphrag_neo4j.indexing.status_rows",
    "LevelCoverRow": "graphrag_neo4j.indexing.status_rows",
    "AsyncGraphRAG": "graphrag_neo4j.client",
    "AsyncStream": "graphrag_neo4j.query.stream",
    "Citation": "graphrag_neo4j.query.answer",
    "CitationKind": "graphrag_neo4j.context.citations",
    "Communities": "graphrag_neo4j.query.lookup",
    "Community": "graphrag_neo4j.query.lookup",
    "CommunityReport": "graphrag_neo4j.query.lookup",
    "ContextRecord": "graphrag_neo4j.context.context_table",
    "ContextTable": "graphrag_neo4j.context.context_table",
    "Corpus": "graphrag_neo4j.indexing.corpus",
    "Counted": "graphrag_neo4j.importers",
    "Entity": "graphrag_neo4j.query.lookup",
    "EntityType": "graphrag_neo4j.tuning",
    "Event": "graphrag_neo4j.events",
    "Failure": "graphrag_neo4j.indexing.status",
    "FoundEntity": "graphrag_neo4j.query.lookup",
    "Graph": "graphrag_neo4j.graph",
    "GraphRAG": "graphrag_neo4j.sync_client",
    "ImportSummary": "graphrag_neo4j.importers",
    "IndexResult": "graphrag_neo4j.indexing.result",
    "IndexSource": "graphrag_neo4j.client",
    "Ingested": "graphrag_neo4j.indexing.stages.ingest",
    "Listener": "graphrag_neo4j.events",
    "Method": "graphrag_neo4j.query.answer",
    "NameDecision": "graphrag_neo4j.indexing.resolution.decisions",
    "Notice": "graphrag_neo4j.events",
    "QueryOptions": "graphrag_neo4j.options",
    "Passage": "graphrag_neo4j.tuning",
    "Question": "graphrag_neo4j.query.question",
    "ReadOptions": "graphrag_neo4j.loaders",
    "SearchOptions": "graphrag_neo4j.options",
    "Settings": "graphrag_neo4j.settings",
    "SettingsOptions": "graphrag_neo4j.options",
    "Source": "graphrag_neo4j.query.answer",
    "Spent": "graphrag_neo4j.events",
    "Started": "graphrag_neo4j.events",
    "Status": "graphrag_neo4j.indexing.status",
    "Stream": "graphrag_neo4j.sync_client",
    "Suggestion": "graphrag_neo4j.query.suggestions",
    "Suggestions": "graphrag_neo4j.query.suggestions",
    "Tables": "graphrag_neo4j.importers",
    "TunedExample": "graphrag_neo4j.tuning",
    "Tuning": "graphrag_neo4j.tuning",
    "Waiting": "graphrag_neo4j.events",
    "load_settings": "graphrag_neo4j.settings",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of ours
    from importlib import import_module, metadata  # noqa: PLC0415

    if name == "__version__":
        return metadata.version("graphrag-neo4j")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
