"""Takes the mentions of an entity apart by spelling, and puts them together again; without I/O.

One MENTIONS relationship holds all that a chunk says about an entity. If several spellings of the
entity meet in a chunk, their parts are put together: first the described names, which are parallel
to the types and descriptions, then the names without a description.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.graph import Row
from graphrag_neo4j.ids import entity_id

__all__ = ["Part", "Parts", "parts_of", "put_together"]


@dataclass(frozen=True, slots=True)
class Part:
    """What a chunk says about one spelling: (name, type, description) triples, or names alone.

    Both are empty for a spelling that only a claim of the chunk names.
    """

    described: tuple[tuple[str, str, str], ...] = ()
    named: tuple[str, ...] = ()


Parts = dict[str, Part]
"""The parts of a mention by spelling id."""


def parts_of(
    names: Sequence[str], types: Sequence[str], descriptions: Sequence[str], claimed: Iterable[str]
) -> Parts:
    """The parts of one mention; `claimed` holds the names that the claims of its chunk use."""
    triples = list(zip(names, types, descriptions, strict=False))
    spelled = {entity_id(name): name for name in (*names, *claimed)}
    return {
        spelling: Part(
            tuple(one for one in triples if entity_id(one[0]) == spelling),
            tuple(name for name in names[len(triples) :] if entity_id(name) == spelling),
        )
        for spelling in sorted(spelled)
    }


def put_together(parts: Mapping[str, Part]) -> Row:
    """The names, types and descriptions of the mention that holds these parts."""
    described = sorted(one for part in parts.values() for one in part.described)
    named = sorted(name for part in parts.values() if not part.described for name in part.named)
    return {
        "names": [*(name for name, _, _ in described), *named],
        "types": [type_ for _, type_, _ in described],
        "descriptions": [text for _, _, text in described],
    }
