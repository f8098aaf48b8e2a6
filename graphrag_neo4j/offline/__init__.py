"""Thinking without a model, a key or a network: an extractive index, quoted from the documents."""

from graphrag_neo4j.offline.answerer import OfflineAnswerer
from graphrag_neo4j.offline.choosing import content_words
from graphrag_neo4j.offline.passages import read_passage
from graphrag_neo4j.offline.thinker import KIND, OfflineThinker, run
from graphrag_neo4j.offline.vectors import EMBEDDING_MODEL, embedder

__all__ = [
    "EMBEDDING_MODEL",
    "KIND",
    "OfflineAnswerer",
    "OfflineThinker",
    "content_words",
    "embedder",
    "read_passage",
    "run",
]
