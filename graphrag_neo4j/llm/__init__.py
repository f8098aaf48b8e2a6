"""The backends that use a model: prompts to any OpenAI-compatible endpoint."""

from graphrag_neo4j.llm.batches import (
    BatchCalls,
    BatchRequests,
    BatchResult,
    BatchState,
    PassingError,
    UnknownBatchError,
)
from graphrag_neo4j.llm.cost import Meter, price_of
from graphrag_neo4j.llm.endpoint import Endpoint, driven, model_of
from graphrag_neo4j.llm.index_backend import LLMIndexBackend
from graphrag_neo4j.llm.query_backend import LLMQueryBackend
from graphrag_neo4j.llm.server_checks import (
    LocalServer,
    find_local_servers,
    needed_window,
    try_window,
)

__all__ = [
    "BatchCalls",
    "BatchRequests",
    "BatchResult",
    "BatchState",
    "Endpoint",
    "LLMIndexBackend",
    "LLMQueryBackend",
    "LocalServer",
    "Meter",
    "PassingError",
    "UnknownBatchError",
    "driven",
    "find_local_servers",
    "model_of",
    "needed_window",
    "price_of",
    "try_window",
]
