"""The seeds of graph expansion: the entities and chunks at which PageRank starts.

The entities that the question names have the largest weight. For "Who directed The Glass Orchard?"
this is the entity Glass Orchard, but not the entity orchard, whose name is part of the longer one.
Smaller weights have the entities that are similar to the question, and those whose relationships
match its words. Where a sentence encoder has found the statements nearest to the question, the
entities in these statements replace both.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graphrag_neo4j.text import name_key, spaced_characters

__all__ = ["Hits", "Rows", "Statement", "fused", "named_in", "names", "restart"]

Rows = Sequence[Mapping[str, Any]]
RANK_CONSTANT: Final = 60  # k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)
# The weights of seeds; an entity that the question names has the weight 1.
STATED: Final = 0.5  # for both ends of the relationship that matches the question best
ALIKE: Final = 0.1  # for the entity that is most similar to the question
MEANT: Final = 2.0  # for each entity in the statement whose meaning is nearest to the question
PASSAGES: Final = 0.3  # the share of all chunks together in the total weight
MOST_STATED = 5
MOST_PASSAGES = 20


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that is near to the question: the ids of its entities, and its weight, 0 to 1."""

    ends: Sequence[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Hits:
    """The rows that the indexes found for a question, the best first.

    `near` holds entities by vector search, `named` entities by full-text search of their names,
    `stated` relationships by full-text search, and `chunks` the chunks by vector search and those
    by full-text search. `meant` holds the statements that a sentence encoder has found.
    """

    near: Rows = ()
    named: Rows = ()
    stated: Rows = ()
    chunks: Sequence[Rows] = ()
    meant: Sequence[Statement] = ()

    def entities(self, question: str, k: int) -> dict[str, float]:
        """Returns the weights of the seed entities by id.

        They are the entities that the question names, and those of the nearest statements. Without
        such statements they are at most `k` entities that are similar to the question, and the ends
        of the relationships that match its words.
        """
        found = defaultdict(float, dict.fromkeys(names(question, self.named), 1.0))
        if not self.meant:
            self._add_similar(found, question, k)
        for statement in self.meant:
            for end in statement.ends:
                found[end] += MEANT * statement.weight
        return dict(found)

    def _add_similar(self, found: defaultdict[str, float], question: str, k: int) -> None:
        inside = {row["id"] for row in self.named if named_in(question, row["name"])}
        alike = fused(
            [row for row in rows if row["id"] not in inside] for rows in (self.near, self.named)
        )
        best = list(alike)[:k]
        for id_ in best:
            found[id_] += ALIKE * alike[id_] / alike[best[0]]
        for row in self.stated[:MOST_STATED]:
            for end in {row["source"], row["target"]}:
                found[end] += STATED * row["score"] / self.stated[0]["score"]

    @property
    def passages(self) -> dict[str, float]:
        """The weights of the best chunks by id."""
        found = fused(self.chunks)
        return {id_: found[id_] for id_ in list(found)[:MOST_PASSAGES]}


def restart(
    entities: Mapping[str, float], chunks_of: Mapping[str, int], passages: Mapping[str, float]
) -> dict[str, float]:
    """Returns the share of each seed in the restart of PageRank. The sum is 1, or 0 without seeds.

    `chunks_of` gives the number of chunks that mention an entity. The weight of an entity is
    divided by this number, because an entity that few chunks mention is more specific.
    """
    rare = {id_: entities[id_] / max(chunks_of[id_], 1) for id_ in entities if id_ in chunks_of}
    kept = PASSAGES if rare and passages else float(bool(passages))
    return {**_shared(rare, 1 - kept), **_shared(passages, kept)}


def names(question: str, rows: Rows) -> list[str]:
    """Returns the ids of the rows whose full name occurs in the question.

    A name that occurs there only as part of a longer name is left out.
    """
    left = _spaced(question)
    found = []
    for row in sorted(rows, key=lambda row: (-len(_spaced(row["name"])), row["id"])):
        name = _spaced(row["name"])
        if _tells(name) and name in left:
            left = left.replace(name, " | ")
            found.append(row["id"])
    return found


def named_in(question: str, name: str) -> bool:
    """Tells whether the question contains the full name."""
    return _tells(_spaced(name)) and _spaced(name) in _spaced(question)


def fused(lists: Iterable[Rows]) -> dict[str, float]:
    """Joins ranked lists by reciprocal rank fusion. Returns the scores by id, the best first."""
    score: defaultdict[str, float] = defaultdict(float)
    for rows in lists:
        for rank, row in enumerate(rows):
            score[row["id"]] += 1 / (RANK_CONSTANT + rank)
    return {id_: score[id_] for id_ in sorted(score, key=lambda id_: (-score[id_], id_))}


def _shared(weights: Mapping[str, float], whole: float) -> dict[str, float]:
    total = sum(weights.values())
    return {id_: whole * weight / total for id_, weight in weights.items()} if total else {}


def _tells(name: str) -> bool:
    """Tells whether a spaced name can be looked for. One Chinese character is in many words."""
    single = name.strip()
    return bool(single) and not (len(single) == 1 and spaced_characters(single) != single)


def _spaced(text: str) -> str:
    """Returns the words of a text with one space before and after each word.

    In scripts without spaces, such as Chinese, each character counts as a word. So a name is found
    in a sentence that puts no spaces around it.
    """
    key = spaced_characters(name_key(text))
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in key).split())} "
