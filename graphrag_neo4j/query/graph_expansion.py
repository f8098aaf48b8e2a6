"""Graph expansion: finds the graph around a question by personalised PageRank.

It needs three round trips to Neo4j, one after the other. The first finds the seeds, with several
index queries at the same time. The second reads the graph around the seeds. The third reads the
details of the entities, relationships and chunks with the highest PageRank. HippoRAG (arXiv
2405.14831) describes this use of PageRank from the entities of a question.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from graphrag_neo4j.graph import Graph, IndexedKind, vector_search
from graphrag_neo4j.graph.rows import IdRow, ScoredPairRow, ScoredRow
from graphrag_neo4j.query.pagerank import pagerank
from graphrag_neo4j.query.query_context import (
    ENTITY_NAMES,
    QueryContext,
    gather,
    lucene_query,
)
from graphrag_neo4j.query.rows import (
    ChunkRow,
    LocalRow,
    NamedRow,
    NeighbourhoodRow,
    RelationshipRow,
    SurroundingsRow,
)
from graphrag_neo4j.query.seeds import MOST_PASSAGES, Hits, Rows, restart
from graphrag_neo4j.query.statements import nearest_statements

__all__ = ["expand_graph"]

# The largest subgraph: entities after one step (near) and after two steps (far), and chunks
# (most). In measurements a larger subgraph did not find more of the right passages.
SIZE: Final = {"near": 60, "far": 150, "most": 120}
TITLED: Final = 4.0  # the weight of a mention in a chunk whose document has the entity as its title
MOST_WORDED: Final = 50  # relationships that match the words of the question
R = TypeVar("R", bound=IdRow)


async def expand_graph(
    query: QueryContext, question: str | None, most: Mapping[str, int]
) -> tuple[list[str], LocalRow]:
    """Returns the ids of the entities with the highest PageRank, and the rows of their context.

    `question` replaces the user's question, for example by a follow-up question. `most` gives the
    largest number of rows of each kind.
    """
    text, k = question or query.question, query.settings.top_k_entities
    hits = await _hits(query, question)
    weights, passages = hits.entities(text, k), hits.passages
    rows = await query.graph.read(
        "search/surroundings",
        SurroundingsRow,
        entities=list(weights),
        chunks=list(passages),
        **SIZE,
    )
    walked = _Walked.over(rows[0], weights, passages)
    entities = walked.entities[:k]
    inner, outward = walked.relationships(entities)
    inner, outward = inner[: most["inner"]], outward[: most["outward"]]
    read = query.graph.read
    found = await gather(
        around=partial(read, "search/neighbourhood", NeighbourhoodRow, ids=entities, **most),
        related=partial(read, "search/relationships", RelationshipRow, ids=[*inner, *outward]),
        chunks=partial(read, "search/chunks", ChunkRow, ids=walked.chunks[: most["chunks"]]),
    )
    around: NeighbourhoodRow = found["around"][0]
    return entities, LocalRow(
        entities=around["entities"],
        claims=around["claims"],
        communities=around["communities"],
        inner=_in_order(found["related"], inner),
        outward=_in_order(found["related"], outward),
        chunks=_in_order(found["chunks"], walked.chunks),
    )


async def _hits(query: QueryContext, question: str | None) -> Hits:
    """Queries the full-text indexes and, if there is a vector, the vector indexes."""
    found = await gather(
        words=partial(_by_words, query, question or query.question),
        vector=partial(_by_vector, query, question),
    )
    rows: defaultdict[str, Rows] = defaultdict(list, found["words"] | found["vector"])
    passages = [rows["chunks"], rows["worded"]]
    meant = await nearest_statements(
        query,
        question,
        dict.fromkeys(row["id"] for one in passages for row in one),
        [row["id"] for row in rows["stated"]],
    )
    return Hits(rows["near"], rows["named"], rows["stated"], passages, meant)


async def _by_words(query: QueryContext, question: str) -> dict[str, Rows]:
    read, words = query.graph.read, lucene_query(question)
    if not words:
        return {}
    names, most = lucene_query(question, *ENTITY_NAMES), 4 * query.settings.top_k_entities
    return await gather(
        named=partial(read, "search/named", NamedRow, words=names, k=most),
        stated=partial(
            read, "search/fulltext_relationships", ScoredPairRow, words=words, k=MOST_WORDED
        ),
        worded=partial(read, "search/fulltext_chunks", ScoredRow, words=words, k=MOST_PASSAGES),
    )


async def _by_vector(query: QueryContext, question: str | None) -> dict[str, Rows]:
    vector = await query.vector(question)
    if vector is None or query.embedder is None:
        return {}
    # A question is embedded once for all kinds of nodes, unless they have models of their own.
    near = await query.vector(question, "entity") if query.embedder.elements else vector
    most = 2 * query.settings.top_k_entities
    return await gather(
        near=partial(_nearest, query.graph, "entity", near, most),
        chunks=partial(query.nearest_chunks, vector),
    )


async def _nearest(
    graph: Graph, kind: IndexedKind, vector: Sequence[float] | None, k: int
) -> Sequence[ScoredRow]:
    return [] if vector is None else await vector_search(graph, kind, vector, k)


@dataclass(frozen=True, slots=True)
class _Walked:
    """The result of PageRank.

    `entities` and `chunks` are ids, those with the highest PageRank first. `mass` is the PageRank
    of each id, and `related` the two ends of each relationship by its id.
    """

    entities: list[str]
    chunks: list[str]
    mass: Mapping[str, float]
    related: Mapping[str, tuple[str, str]]

    @classmethod
    def over(
        cls, around: SurroundingsRow, weights: Mapping[str, float], passages: Mapping[str, float]
    ) -> "_Walked":
        """Computes PageRank over the subgraph `around`, from these entities and chunks."""
        related, mentions, seeds = around["related"], around["mentions"], around["seeds"]
        ends = list(zip(related["source"], related["target"], strict=True))
        edges = [(*two, weight) for two, weight in zip(ends, related["weight"], strict=True)]
        named = zip(mentions["chunk"], mentions["entity"], mentions["titled"], strict=True)
        edges += [(chunk, entity, TITLED if titled else 1.0) for chunk, entity, titled in named]
        chunks_of = dict(zip(seeds["entity"], seeds["chunks"], strict=True))
        mass = pagerank(edges, restart(weights, chunks_of, passages))
        order = sorted(mass, key=lambda id_: (-mass[id_], id_))
        chunks = {*passages, *mentions["chunk"]}
        return cls(
            [id_ for id_ in order if id_ not in chunks],
            [id_ for id_ in order if id_ in chunks],
            mass,
            dict(zip(related["id"], ends, strict=True)),
        )

    def relationships(self, entities: Iterable[str]) -> tuple[list[str], list[str]]:
        """Returns the ids of the relationships between these entities, and of all others.

        Both lists are sorted by the smaller PageRank of the two ends, the highest first.
        """
        own = set(entities)
        rank = {
            id_: min(self.mass.get(end, 0) for end in ends) for id_, ends in self.related.items()
        }
        order = sorted(rank, key=lambda id_: (-rank[id_], id_))
        inner = [id_ for id_ in order if own.issuperset(self.related[id_])]
        between = set(inner)
        return inner, [id_ for id_ in order if id_ not in between]


def _in_order(rows: Iterable[R], ids: Iterable[str]) -> list[R]:
    by_id = {row["id"]: row for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]
