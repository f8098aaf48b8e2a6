"""The backends that use a model: prompts to any OpenAI-compatible endpoint."""

from graphrag_neo4j.llm.endpoint import Endpoint, model_of
from graphrag_neo4j.llm.index_backend import LLMIndexBackend
from graphrag_neo4j.llm.meter import Meter
from graphrag_neo4j.llm.prices import price_of
from graphrag_neo4j.llm.query_backend import LLMQueryBackend

__all__ = [
    "Endpoint",
    "LLMIndexBackend",
    "LLMQueryBackend",
    "Meter",
    "model_of",
    "price_of",
]
