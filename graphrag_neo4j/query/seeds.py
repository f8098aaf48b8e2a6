"""Where a walk through the graph starts: what a question names, what is said in its words.

"Who directed The Glass Orchard?"  ──▶  Glass Orchard, not orchard; then what is like it
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graphrag_neo4j.text import name_key

__all__ = ["Hits", "Rows", "fused", "named_in", "names", "restart"]

Rows = Sequence[Mapping[str, Any]]
RANK_CONSTANT: Final = 60  # of reciprocal rank fusion
# Beside 1 for an entity that the question names.
STATED: Final = 0.5  # for the ends of the relationship that its words fit best
ALIKE: Final = 0.1  # for the entity most like it
PASSAGES: Final = 0.1  # of the whole, for chunks
MOST_STATED = 5
MOST_PASSAGES = 20


@dataclass(frozen=True, slots=True)
class Hits:
    """What indexes found for a question, the best first.

    `near`, `named`: entities by vector and by words of their names. `stated`: relationships by
    words. `chunks`: by vector, and by words.
    """

    near: Rows = ()
    named: Rows = ()
    stated: Rows = ()
    chunks: Sequence[Rows] = ()

    def entities(self, question: str, k: int) -> dict[str, float]:
        """The weights of entities: those named, at most `k` that are alike, those stated of."""
        whole = names(question, self.named)
        inside = {row["id"] for row in self.named if named_in(question, row["name"])}
        alike = fused(
            [row for row in rows if row["id"] not in inside] for rows in (self.near, self.named)
        )
        found: defaultdict[str, float] = defaultdict(float)
        for id_ in whole:
            found[id_] += 1
        best = list(alike)[:k]
        for id_ in best:
            found[id_] += ALIKE * alike[id_] / alike[best[0]]
        for row in self.stated[:MOST_STATED]:
            for end in {row["source"], row["target"]}:
                found[end] += STATED * row["score"] / self.stated[0]["score"]
        return dict(found)

    @property
    def passages(self) -> dict[str, float]:
        """The weights of the best chunks."""
        found = fused(self.chunks)
        return {id_: found[id_] for id_ in list(found)[:MOST_PASSAGES]}


def restart(
    entities: Mapping[str, float], chunks_of: Mapping[str, int], passages: Mapping[str, float]
) -> dict[str, float]:
    """The shares of entities and chunks where a walk starts: in sum 1, but for no seed at all.

    `chunks_of`: how many chunks mention an entity. What few mention says more: an entity's weight
    is divided by their number.
    """
    rare = {id_: entities[id_] / max(chunks_of[id_], 1) for id_ in entities if id_ in chunks_of}
    kept = PASSAGES if rare and passages else float(bool(passages))
    return {**_shared(rare, 1 - kept), **_shared(passages, kept)}


def names(question: str, rows: Rows) -> list[str]:
    """The ids of rows whose whole name stands in the question, and in no longer name there."""
    left = _spaced(question)
    found = []
    for row in sorted(rows, key=lambda row: (-len(_spaced(row["name"])), row["id"])):
        name = _spaced(row["name"])
        if name.strip() and name in left:
            left = left.replace(name, " | ")
            found.append(row["id"])
    return found


def named_in(question: str, name: str) -> bool:
    """Whether a whole name stands in the question."""
    return bool(_spaced(name).strip()) and _spaced(name) in _spaced(question)


def fused(lists: Iterable[Rows]) -> dict[str, float]:
    """Ids by reciprocal ranks in several lists, the best first."""
    score: defaultdict[str, float] = defaultdict(float)
    for rows in lists:
        for rank, row in enumerate(rows):
            score[row["id"]] += 1 / (RANK_CONSTANT + rank)
    return {id_: score[id_] for id_ in sorted(score, key=lambda id_: (-score[id_], id_))}


def _shared(weights: Mapping[str, float], whole: float) -> dict[str, float]:
    total = sum(weights.values())
    return {id_: whole * weight / total for id_, weight in weights.items()} if total else {}


def _spaced(text: str) -> str:
    """The words of a text, each between spaces."""
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in name_key(text)).split())} "
