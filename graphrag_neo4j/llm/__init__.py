"""The backends that use a model: prompts to any OpenAI-compatible endpoint."""

from graphrag_neo4j.llm.batch_calls import (
    BatchCalls,
    BatchState,
    PassingError,
    UnknownBatchError,
)
from graphrag_neo4j.llm.batch_requests import BatchRequests, BatchResult
from graphrag_neo4j.llm.calls.local_servers import LocalServer, find_local_servers
from graphrag_neo4j.llm.calls.window import (
    WindowTest,
    needed_window,
    try_window,
    window_fix,
    window_problem,
)
from graphrag_neo4j.llm.endpoint import Endpoint, model_of
from graphrag_neo4j.llm.index_backend import LLMIndexBackend
from graphrag_neo4j.llm.meter import Meter
from graphrag_neo4j.llm.prices import price_of
from graphrag_neo4j.llm.query_backend import LLMQueryBackend

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
    "WindowTest",
    "find_local_servers",
    "model_of",
    "needed_window",
    "price_of",
    "try_window",
    "window_fix",
    "window_problem",
]
