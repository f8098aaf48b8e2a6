"""Measures how much of the material of a report has changed since the report was written.

The context of a report is cut into pieces: the name of an entity, a line of a description, a claim.
A piece has a hash and a number of tokens. Two contexts are compared piece by piece, so a new line
in a description counts as one line, and not as a new description.

A model may write a wholly new text although hardly anything of its material is new. So a text of a
model is not compared by its words. It counts by a sample of the texts that the model has read: if
a tenth of these change, about a tenth of the sample changes. The sample of a report is taken of the
pieces of its own context. So a parent is as far behind as the material of its sub-communities is.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from graphrag_neo4j.context.context_table import ContextRecord, ContextTable
from graphrag_neo4j.context.material import ReportMaterial

__all__ = ["SAMPLE", "Pieces", "drift", "in_sample_order", "pieces_of", "sample_of_texts"]

SAMPLE = 16  # pieces that stand for all texts that a model has read
HASHES = 2**64  # number of different hashes
REMEMBERED = 50_000  # hashes: each piece is in a context of every level, and in those of later runs

Pieces = Mapping[int, int]
"""The number of tokens of each piece of a context, by the hash of the piece."""


def drift(before: Pieces, now: Pieces) -> float:
    """The share of the material that has changed, from 0 (nothing) to 1 (everything).

    It is the share of the larger context that the other one lacks, counted in tokens.
    """
    larger = max(sum(before.values()), sum(now.values()))
    if not larger:
        return 0.0
    common = sum(min(tokens, now.get(piece, 0)) for piece, tokens in before.items())
    return (larger - common) / larger


def pieces_of(table: ContextTable, material: ReportMaterial) -> dict[int, int]:
    """The pieces of a context that was packed from the report material.

    They depend on ids and texts, and never on refs. The tokens of a record are divided among its
    pieces by their lengths.
    """
    kinds = _pieces_by_record(material)
    found: dict[int, int] = {}
    for key, record in table.records.items():
        pieces = kinds.get(key) or {_hash(*key): 1}
        whole = sum(pieces.values())
        for piece, length in pieces.items():
            tokens = max(1, round((record.tokens or 0) * length / whole))
            found[piece] = found.get(piece, 0) + tokens
    return found


def in_sample_order(pieces: Pieces) -> list[int]:
    """The hashes of the pieces, those first that a sample takes first.

    The order is random, but the same in each context; a longer piece tends to come earlier.
    """
    return sorted(pieces, key=lambda piece: ((piece % HASHES + 1) / pieces[piece], piece))


def sample_of_texts(texts: Iterable[str]) -> list[int]:
    """The sample of the texts that a model makes a description of."""
    return in_sample_order({_hash(text): len(text) for text in texts if text})[:SAMPLE]


def _pieces_by_record(material: ReportMaterial) -> dict[tuple[str, str], dict[int, int]]:
    """The lengths of the pieces of each record, by the kind and the id of the record."""
    found: dict[tuple[str, str], dict[int, int]] = {}
    for entity in material.entities.values():
        name = f"{entity.name} | {entity.type}"
        found["Entities", entity.record.id] = _described(entity.record, name, entity.sample)
    for edge in material.edges:
        ends = f"{edge.source} | {edge.target}"
        found["Relationships", edge.record.id] = _described(edge.record, ends, edge.sample)
    for part in material.parts:
        pieces = dict.fromkeys(part.sample, 1)
        found["Reports", part.id] = pieces or {_hash(part.full.text): 1}
    return found


def _described(record: ContextRecord, name: str, sample: Sequence[int]) -> dict[int, int]:
    """The pieces of an entity or a relationship: its name, and its description line by line."""
    lines = {_hash(line): len(line) for line in record.pieces}
    if sample:
        lines = dict.fromkeys(sample, max(1, sum(lines.values()) // len(sample)))
    pieces = {_hash(record.id, line): length for line, length in lines.items()}
    return {_hash(record.id, name): len(name), **pieces}


@lru_cache(REMEMBERED)
def _hash(*parts: str | int) -> int:
    """A hash that Neo4j can store: a signed integer of 64 bits."""
    text = json.dumps(parts, ensure_ascii=False)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
