"""What surrounds a question by a walk through the graph: personalised PageRank from what it names.

Three round trips to Neo4j, one after another: where to start (several indexes, at once), the graph
around that, and (at once) what is to be shown of the places where the walk was most.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from graphrag_neo4j.graph import Row, fulltext_relationships, vector_search
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.query.pagerank import pagerank
from graphrag_neo4j.query.query_context import QueryContext, gather, lucene_query
from graphrag_neo4j.query.rows import NamedRow
from graphrag_neo4j.query.seeds import MOST_PASSAGES, MOST_STATED, Hits, Rows, restart

__all__ = ["expand_graph"]

# Entities after one step and after two, and chunks: more of them find no more passages.
SIZE: Final = {"near": 60, "far": 150, "most": 120}


async def expand_graph(
    query: QueryContext, question: str | None, most: Mapping[str, int]
) -> tuple[list[str], Row]:
    """The entities where the walk is most, and around them what `search/neighbourhood` gives.

    `question`: another one than the user's. `most`: of each kind.
    """
    asked, k = question or query.question, query.settings.top_k_entities
    hits = await _hits(query, question)
    weights, passages = hits.entities(asked, k), hits.passages
    rows = await query.graph.read(
        "search/surroundings", entities=list(weights), chunks=list(passages), **SIZE
    )
    walked = _Walked.over(rows[0], weights, passages)
    entities = walked.entities[:k]
    inner, outward = walked.relationships(entities)
    inner, outward = inner[: most["inner"]], outward[: most["outward"]]
    read = query.graph.read
    found = await gather(
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


async def _hits(query: QueryContext, question: str | None) -> Hits:
    """What the indexes find for a question; by words alone where there is no vector."""
    found = await gather(
        words=partial(_by_words, query, question or query.question),
        vector=partial(_by_vector, query, question),
    )
    rows: defaultdict[str, Rows] = defaultdict(list, found["words"] | found["vector"])
    passages = [rows["chunks"], rows["worded"]]
    return Hits(rows["near"], rows["named"], rows["stated"], passages)


async def _by_words(query: QueryContext, question: str) -> dict[str, Rows]:
    read, words = query.graph.read, lucene_query(question)
    if not words:
        return {}
    names, most = lucene_query(question, "name"), 4 * query.settings.top_k_entities
    return await gather(
        named=partial(read, "search/named", NamedRow, words=names, k=most),
        stated=partial(fulltext_relationships, query.graph, words, MOST_STATED),
        worded=partial(read, "search/worded_chunks", ScoredRow, words=words, k=MOST_PASSAGES),
    )


async def _by_vector(query: QueryContext, question: str | None) -> dict[str, Rows]:
    vector = await query.vector(question)
    if vector is None:
        return {}
    most = 2 * query.settings.top_k_entities
    return await gather(
        near=partial(vector_search, query.graph, "entity", vector, most),
        chunks=partial(vector_search, query.graph, "chunk", vector, MOST_PASSAGES),
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
