"""What surrounds a question by a walk through the graph: personalised PageRank from what it names.

Three round trips to Neo4j, one after another: where to start (several indexes, at once), the graph
around that, and (at once) what is to be shown of the places where the walk was most.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from graphrag_neo4j.asking import Asking, escaped, together
from graphrag_neo4j.graph import Row, nearest, worded_relationships
from graphrag_neo4j.pagerank import pagerank
from graphrag_neo4j.seeds import MOST_PASSAGES, MOST_STATED, Hits, restart

__all__ = ["walk"]

# Entities after one step and after two, and chunks: more of them find no more passages.
SIZE: Final = {"near": 60, "far": 150, "most": 120}


async def walk(
    asking: Asking, question: str | None, most: Mapping[str, int]
) -> tuple[list[str], Row]:
    """The entities where the walk is most, and around them what `search/neighbourhood` gives.

    `question`: another one than the user's. `most`: of each kind.
    """
    asked, k = question or asking.question, asking.settings.top_k_entities
    hits = await _hits(asking, question)
    weights, passages = hits.entities(asked, k), hits.passages
    rows = await asking.graph.read(
        "search/surroundings", entities=list(weights), chunks=list(passages), **SIZE
    )
    walked = _Walked.over(rows[0], weights, passages)
    entities = walked.entities[:k]
    inner, outward = walked.relationships(entities)
    inner, outward = inner[: most["inner"]], outward[: most["outward"]]
    read = asking.graph.read
    found = await together(
        around=partial(read, "search/neighbourhood", ids=entities, **most),
        related=partial(read, "search/relationships", ids=[*inner, *outward]),
        chunks=partial(read, "search/chunks", ids=walked.chunks[: most["chunks"]]),
    )
    return entities, {
        **found["around"][0],
        "inner": _in_order(found["related"], inner),
        "outward": _in_order(found["related"], outward),
        "chunks": _in_order(found["chunks"], walked.chunks),
    }


async def _hits(asking: Asking, question: str | None) -> Hits:
    """What the indexes find for a question; by words alone where there is no vector."""
    found = await together(
        words=partial(_by_words, asking, question or asking.question),
        vector=partial(_by_vector, asking, question),
    )
    rows: defaultdict[str, list[Row]] = defaultdict(list, found["words"] | found["vector"])
    passages = [rows["chunks"], rows["worded"]]
    return Hits(rows["near"], rows["named"], rows["stated"], passages)


async def _by_words(asking: Asking, question: str) -> dict[str, list[Row]]:
    read, words = asking.graph.read, escaped(question)
    if not words:
        return {}
    names, most = escaped(question, "name"), 4 * asking.settings.top_k_entities
    return await together(
        named=partial(read, "search/named", words=names, k=most),
        stated=partial(worded_relationships, asking.graph, words, MOST_STATED),
        worded=partial(read, "search/worded_chunks", words=words, k=MOST_PASSAGES),
    )


async def _by_vector(asking: Asking, question: str | None) -> dict[str, list[Row]]:
    vector = await asking.vector(question)
    if vector is None:
        return {}
    most = 2 * asking.settings.top_k_entities
    return await together(
        near=partial(nearest, asking.graph, "entity", vector, most),
        chunks=partial(nearest, asking.graph, "chunk", vector, MOST_PASSAGES),
    )


@dataclass(frozen=True, slots=True)
class _Walked:
    """Entities and chunks, where the walk is most first; `mass` of each; the ends of relationships
    by id."""

    entities: list[str]
    chunks: list[str]
    mass: Mapping[str, float]
    related: Mapping[str, tuple[str, str]]

    @classmethod
    def over(
        cls, around: Row, weights: Mapping[str, float], passages: Mapping[str, float]
    ) -> "_Walked":
        """A walk over what surrounds the entities of these weights and these chunks."""
        related = _rows(around["related"], "id", "source", "target", "weight")
        mentions = [(*row, 1.0) for row in _rows(around["mentions"], "chunk", "entity")]
        edges = [(source, target, weight) for _, source, target, weight in related]
        chunks_of = dict(_rows(around["seeds"], "entity", "chunks"))
        mass = pagerank(edges + mentions, restart(weights, chunks_of, passages))
        order = sorted(mass, key=lambda id_: (-mass[id_], id_))
        chunks = {*passages, *(chunk for chunk, _, _ in mentions)}
        return cls(
            [id_ for id_ in order if id_ not in chunks],
            [id_ for id_ in order if id_ in chunks],
            mass,
            {id_: (source, target) for id_, source, target, _ in related},
        )

    def relationships(self, entities: Iterable[str]) -> tuple[list[str], list[str]]:
        """The ids of those between these entities, and of all others, as near as their farther
        end."""
        own = set(entities)
        near = {
            id_: min(self.mass.get(end, 0) for end in ends) for id_, ends in self.related.items()
        }
        order = sorted(near, key=lambda id_: (-near[id_], id_))
        inner = [id_ for id_ in order if own.issuperset(self.related[id_])]
        between = set(inner)
        return inner, [id_ for id_ in order if id_ not in between]


def _rows(columns: Row, *names: str) -> list[tuple[Any, ...]]:
    """Rows of a table that came as columns."""
    return list(zip(*(columns[name] for name in names), strict=True))


def _in_order(rows: Iterable[Row], ids: Iterable[str]) -> list[Row]:
    by_id = {row["id"]: row for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]
