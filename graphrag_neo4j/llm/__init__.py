"""Thinking with a model: prompts to any OpenAI-compatible endpoint."""

from graphrag_neo4j.llm.answerer import ModelAnswerer
from graphrag_neo4j.llm.endpoint import Endpoint, model_of
from graphrag_neo4j.llm.meter import Meter, Usage
from graphrag_neo4j.llm.prices import price_of
from graphrag_neo4j.llm.thinker import ModelThinker

__all__ = [
    "Endpoint",
    "Meter",
    "ModelAnswerer",
    "ModelThinker",
    "Usage",
    "model_of",
    "price_of",
]
