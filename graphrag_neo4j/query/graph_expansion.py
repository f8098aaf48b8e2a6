"""Explores the graph around a question: by personalised PageRank.

PageRank starts at seeds: entities and chunks. The entities that the question names have the largest
weight. For "Who directed The Glass Orchard?" this is the entity Glass Orchard, but not the entity
orchard, whose name is part of the longer one. Smaller weights have the entities that are similar to
the question, and those whose relationships match its words. If a sentence encoder is used, the
entities of the statements nearest to the question replace both. HippoRAG (arXiv 2405.14831)
describes this use of PageRank.

The indexes are queried at the same time. Then the graph is read three times: around the seeds, for
the vectors of the chunks that PageRank reaches, and for the details of what comes first. Chunks are
in the order of their PageRank times their nearness to the question.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul
from typing import Any, Final, TypedDict, TypeVar

from graphrag_neo4j.graph.rows import IdRow, ScoredPairRow, ScoredRow
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.types import WeightedEdge
from graphrag_neo4j.query.query_context import (
    ENTITY_NAMES,
    ChunkRow,
    QueryContext,
    ReportRow,
    gather,
    lucene_query,
)
from graphrag_neo4j.rules.ranking import language_read
from graphrag_neo4j.text.languages import is_stop_word
from graphrag_neo4j.text.sentences import read_passage, written
from graphrag_neo4j.text.strings import name_key, spaced_characters

STARTS: Final = 10  # entities that local search starts from
# The largest subgraph: entities after one step (near) and after two steps (far), and chunks (most).
SIZE: Final = {"near": 100, "far": 300, "most": 240}
TITLED: Final = 4.0  # the weight of a mention in a chunk whose document has the entity as its title
COMMON: Final = 0.1  # the factor of a weight for each end that is a common noun: a name identifies
MOST_WORDED: Final = 50  # relationships that match the words of the question
RANK_CONSTANT: Final = 60  # k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)
# The weights of seeds; an entity that the question names has the weight 1.
STATED: Final = 0.5  # for both ends of the relationship that matches the question best
ALIKE: Final = 0.1  # for the entity that is most similar to the question
MEANT: Final = 4.0  # for all entities together in the statement nearest to the question by meaning
PASSAGES: Final = 0.2  # the share of all chunks together in the total weight
CHUNK_CONSTANT: Final = 10  # k for chunks: the first has three times the weight of the twentieth
MOST_STATED = 5
MOST_PASSAGES = 20
READ: Final = 30  # statements that the encoder reads; as many found as with 200
NEAREST_STATEMENTS: Final = 2
FALL: Final = 0.05  # the weight of a statement falls to 1/e if its cosine is lower by this
AGAIN: Final = 0.3  # seeds say where to start, not what to return: with 0.5 they keep their places
CLOSE: Final = 1e-7  # the iteration ends when a step changes less than this part of the mass


class NamedRow(ScoredRow):
    """An entity that the full-text index has found."""

    name: str
    aliases: list[str]


class ShownEntityRow(TypedDict):
    """An entity that a model is shown."""

    id: str
    ref: int
    name: str
    type: str
    description: str


class RelationshipRow(TypedDict):
    """A relationship with the names of its ends in the direction of most of its statements.

    `weight` is the number of its statements; `opposite` of them go the other way.
    """

    id: str
    ref: int
    source: str
    target: str
    predicate: str | None
    description: str
    weight: float
    opposite: int | None


class PredicateRow(TypedDict):
    """A predicate of entities, and the types of what stands at its other ends."""

    predicate: str
    types: list[str]


class PredicatedRow(TypedDict):
    """A relationship `id` with all that is stated with a predicate in one direction."""

    id: str
    ref: int
    source: str
    target: str
    subject: str
    object: str
    subject_type: str | None
    object_type: str | None
    predicate: str
    texts: list[str]


class ClaimRow(TypedDict):
    """A claim with the names of its subject and object."""

    id: str
    ref: int
    subject: str
    object: str | None
    type: str
    status: str | None
    start: str | None
    end: str | None
    description: str


class NeighbourhoodRow(TypedDict):
    """Entities, the claims about them, and the communities with a report that they are in."""

    entities: list[ShownEntityRow]
    claims: list[ClaimRow]
    communities: list[ReportRow]


class LocalRow(NeighbourhoodRow):
    """All that a local context is made from: also relationships, and the chunks nearest to them."""

    inner: list[RelationshipRow]
    outward: list[RelationshipRow]
    chunks: list[ChunkRow]


class StatementRow(TypedDict):
    """The text of a statement, and the ids of the entities between which it stands.

    `chunk` is the id of a chunk that states it.
    """

    text: str
    ends: list[str]
    chunk: str


class SeedColumns(TypedDict):
    """The ids of entities, and how many chunks mention each."""

    entity: list[str]
    chunks: list[int]


class RelatedColumns(TypedDict):
    """The ids of relationships and of their ends; `weight` is the number of their statements."""

    id: list[str]
    source: list[str]
    target: list[str]
    weight: list[float]


class MentionColumns(TypedDict):
    """The ids of chunks and of the entities that they mention.

    `titled` says whether the title of the chunk's document is the name of the entity.
    """

    chunk: list[str]
    entity: list[str]
    titled: list[bool]


class SurroundingsRow(TypedDict):
    """The graph around entities and chunks, in columns: lists of the same length by name.

    `common` holds the ids of the entities that are common nouns, which only an extractive index
    tells from names.
    """

    seeds: SeedColumns
    related: RelatedColumns
    mentions: MentionColumns
    common: list[str]


R = TypeVar("R", bound=IdRow)
Rows = Sequence[Mapping[str, Any]]


async def expand_graph(
    query: QueryContext, best: "RankedGraph", most: Mapping[str, int]
) -> LocalRow:
    """Returns the rows of what has the highest PageRank, at most `most` of each kind."""
    read = query.graph.read
    found = await gather(
        around=partial(read, "search/neighbourhood", NeighbourhoodRow, ids=best.entities, **most),
        related=partial(
            read, "search/relationships", RelationshipRow, ids=[*best.inner, *best.outward]
        ),
        chunks=partial(read, "search/chunks", ChunkRow, ids=best.chunks[: most["chunks"]]),
    )
    known: NeighbourhoodRow = found["around"][0]
    return {
        **known,
        "inner": in_order(found["related"], best.inner),
        "outward": in_order(found["related"], best.outward),
        "chunks": in_order(found["chunks"], best.chunks),
    }


@dataclass(frozen=True, slots=True)
class RankedGraph:
    """The ids of what has the highest PageRank, the highest first; of chunks, times nearness.

    The relationships are between the entities (`inner`), or lead from them to others (`outward`).
    `reached` are the chunks by PageRank alone.
    """

    entities: list[str]
    inner: list[str]
    outward: list[str]
    chunks: list[str]
    reached: list[str]


async def ranked_graph(
    query: QueryContext, question: str | None, most: Mapping[str, int]
) -> RankedGraph:
    """Ranks the graph around the seeds of a question.

    `question` replaces the user's question, for example by a follow-up question. `most` gives the
    largest number of relationships of each kind.
    """
    weights, passages = await _seeds(query, question)
    read, given = query.graph.read, {"entities": [*weights], "chunks": [*passages], **SIZE}
    if query.documents is None:
        [around] = await read("search/surroundings", SurroundingsRow, **given)
    else:
        given["documents"] = query.documents
        [around] = await read("selection/surroundings", SurroundingsRow, **given)
    related, mentions, seeds = around["related"], around["mentions"], around["seeds"]
    edges = list(zip(related["source"], related["target"], related["weight"], strict=True))
    named = zip(mentions["chunk"], mentions["entity"], mentions["titled"], strict=True)
    edges += [(chunk, entity, TITLED if titled else 1.0) for chunk, entity, titled in named]
    common = frozenset(around["common"])
    edges = [(a, b, weight * COMMON ** ((a in common) + (b in common))) for a, b, weight in edges]
    chunks_of = dict(zip(seeds["entity"], seeds["chunks"], strict=True))
    mass = pagerank(edges, restart_shares(weights, chunks_of, passages))
    order = sorted(mass, key=lambda id_: (-mass[id_], id_))
    held = {*passages, *mentions["chunk"]}
    entities = [id_ for id_ in order if id_ not in held][:STARTS]
    reached = [id_ for id_ in order if id_ in held]
    near = await _nearness(query, question, reached)
    chunks = sorted(reached, key=lambda id_: -mass[id_] * near[id_])
    pairs = zip(related["source"], related["target"], strict=True)
    ends = dict(zip(related["id"], pairs, strict=True))
    # Relationships have the smaller PageRank of their two ends; inner ones are between entities.
    rank = {id_: min(mass.get(end, 0) for end in two) for id_, two in ends.items()}
    ranked = sorted(rank, key=lambda id_: (-rank[id_], id_))
    own = set(entities)
    inner = [id_ for id_ in ranked if own.issuperset(ends[id_])][: most["inner"]]
    outward = [id_ for id_ in ranked if not own.issuperset(ends[id_])][: most["outward"]]
    return RankedGraph(entities, inner, outward, chunks, reached)


async def _nearness(
    query: QueryContext, question: str | None, chunks: Sequence[str]
) -> dict[str, float]:
    """Returns how near chunks are to the question, from 1 for the nearest to 0 for the farthest.

    PageRank says which chunks belong to a question, and their texts which of these answer it. All
    are equally near where there are no vectors. A chunk without one counts as the farthest.
    """
    vector = await query.vector(question)
    found: Sequence[ScoredRow] = []
    if vector is not None:
        given = {"ids": chunks, "vector": vector}
        found = await query.graph.read("search/nearness", ScoredRow, **given)
    scores = {row["id"]: row["score"] for row in found}
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    if low == high:
        return dict.fromkeys(chunks, 1.0)
    return {id_: (scores.get(id_, low) - low) / (high - low) for id_ in chunks}


def in_order(rows: Iterable[R], ids: Iterable[str]) -> list[R]:
    by_id = {row["id"]: row for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]


async def _seeds(
    query: QueryContext, question: str | None
) -> tuple[dict[str, float], dict[str, float]]:
    """Returns the weights of the seeds by id: of entities, and of the best chunks.

    It queries the full-text indexes and, if there is a vector, the vector indexes.
    """
    text = question or query.question
    words, by_words = lucene_query(text), query.by_words
    names = lucene_query(text, *ENTITY_NAMES)

    async def by_vector() -> tuple[Rows, Rows]:
        """Entities and chunks."""
        vector = await query.vector(question)
        if vector is None or query.embedder is None:
            return [], []
        # A question is embedded once for all kinds of nodes, unless they have separate models.
        other = await query.vector(question, "entity") if query.embedder.elements else vector
        found = await gather(
            near=partial(query.nearest, "entity", other, 2 * STARTS),
            chunks=partial(query.nearest, "chunk", vector),
        )
        return found["near"], found["chunks"]

    found = await gather(
        named=partial(by_words, "search/named", NamedRow, names, 4 * STARTS),
        stated=partial(
            by_words, "search/fulltext_relationships", ScoredPairRow, words, MOST_WORDED
        ),
        worded=partial(by_words, "search/fulltext_chunks", ScoredRow, words, MOST_PASSAGES),
        vector=by_vector,
    )
    near, chunks = found["vector"]
    passages = [chunks, found["worded"]]
    meant = await nearest_statements(
        query,
        question,
        dict.fromkeys(row["id"] for one in passages for row in one),
        [row["id"] for row in found["stated"]],
    )
    best = fused(passages, CHUNK_CONSTANT)
    weights = _entities(text, near, found["named"], found["stated"], meant)
    return weights, {id_: best[id_] for id_ in list(best)[:MOST_PASSAGES]}


@dataclass(frozen=True, slots=True)
class NearStatement:
    """A statement that is near to the question: the ids of its entities, and its weight, 0 to 1."""

    ends: Sequence[str]
    weight: float


def _entities(
    question: str, near: Rows, named: Rows, stated: Rows, meant: Sequence[NearStatement]
) -> dict[str, float]:
    """Returns the weights of the seed entities by id.

    They are the entities that the question names, and those of the nearest statements (`meant`).
    Without such statements they are those that are similar to the question (`near` by vector
    search, `named` by their names), and the ends of the relationships that match its words
    (`stated`). All rows have the best first.
    """
    found = defaultdict(float, dict.fromkeys(names(question, named), 1.0))
    for statement in meant:
        for end in statement.ends:  # a list of names doesn't outweigh a statement about two
            found[end] += MEANT * statement.weight / len(statement.ends)
    if meant:
        return dict(found)
    inside = {row["id"] for row in named if named_in(question, row["name"])}
    alike = fused([row for row in rows if row["id"] not in inside] for rows in (near, named))
    best = list(alike)[:STARTS]
    for id_ in best:
        found[id_] += ALIKE * alike[id_] / alike[best[0]]
    for row in stated[:MOST_STATED]:
        for end in {row["source"], row["target"]}:
            found[end] += STATED * row["score"] / stated[0]["score"]
    return dict(found)


def restart_shares(
    entities: Mapping[str, float], chunks_of: Mapping[str, int], passages: Mapping[str, float]
) -> dict[str, float]:
    """Returns the share of each seed in the restart of PageRank. The sum is 1, or 0 without seeds.

    `chunks_of` gives the number of chunks that mention an entity. The weight of an entity is
    divided by this number, because an entity that few chunks mention is more specific.
    """
    rare = {id_: entities[id_] / max(chunks_of[id_], 1) for id_ in entities if id_ in chunks_of}
    kept = PASSAGES if rare and passages else float(bool(passages))
    found: dict[str, float] = {}
    for weights, whole in ((rare, 1 - kept), (passages, kept)):
        total = sum(weights.values())
        found |= {id_: whole * one / total for id_, one in weights.items() if total}
    return found


def names(question: str, rows: Rows) -> list[str]:
    """Returns the ids of the rows whose full name occurs in the question.

    A name that occurs there only as part of a longer name is left out.
    """
    left = spaced(question)
    found = []
    for row in sorted(rows, key=lambda row: (-len(spaced(row["name"])), row["id"])):
        name = spaced(row["name"])
        if name in left and _is_meant(row["name"], question):
            left = left.replace(name, " | ")
            found.append(row["id"])
    return found


def named_in(question: str, name: str) -> bool:
    """Returns whether the question contains the full name."""
    return spaced(name) in spaced(question) and _is_meant(name, question)


def fused(lists: Iterable[Rows], k: int = RANK_CONSTANT) -> dict[str, float]:
    """Joins ranked lists by reciprocal rank fusion. Returns the scores by id, the best first."""
    score: defaultdict[str, float] = defaultdict(float)
    for rows in lists:
        for rank, row in enumerate(rows):
            score[row["id"]] += 1 / (k + rank)
    return {id_: score[id_] for id_ in sorted(score, key=lambda id_: (-score[id_], id_))}


def _is_meant(name: str, question: str) -> bool:
    """Returns whether a question that contains a name means it: "it" doesn't mean IT.

    One Chinese character is in many words.
    """
    single = spaced(name).strip()
    if not single or (len(single) == 1 and spaced_characters(single) != single):
        return False
    if is_stop_word(single, language_read(question)):
        return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question))
    return True


def spaced(text: str) -> str:
    """Returns the words of a text with one space before and after each word.

    In scripts without spaces, such as Chinese, each character counts as a word. So a name is found
    in a sentence that puts no spaces around it.
    """
    key = spaced_characters(name_key(text))
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in key).split())} "


async def nearest_statements(
    query: QueryContext, question: str | None, chunks: Iterable[str], relationships: Iterable[str]
) -> list[NearStatement]:
    """Returns the statements nearest to the question, with weights from 0 to 1, the nearest first.

    `question` replaces the user's question. `chunks` and `relationships` are the ids of those whose
    statements are candidates. Returns nothing where no sentence encoder is used.
    """
    embedder = query.embedder
    vector = await query.vector(question) if embedder and embedder.elements else None
    if embedder is None or embedder.elements is None or vector is None:
        return []
    rows = await query.graph.read(
        "search/statements", StatementRow, chunks=list(chunks), relationships=list(relationships)
    )
    if static := await query.vector(question, "entity"):
        rows = [row for _, row in await _ranked(rows, embedder.elements, static)]
    spoken = await _with_speakers(query, rows[:READ])
    found = (await _ranked(spoken, embedder, vector))[:NEAREST_STATEMENTS]
    return [
        NearStatement(tuple(row["ends"]), math.exp((cosine - found[0][0]) / FALL))
        for cosine, row in found
    ]


async def _with_speakers(query: QueryContext, rows: Sequence[StatementRow]) -> list[StatementRow]:
    """Puts before each statement that is a sentence of its chunk who says it."""
    ids = sorted({row["chunk"] for row in rows})
    said = {
        (chunk["id"], sentence.text): sentence.speaker
        for chunk in await query.graph.read("search/chunks", ChunkRow, ids=ids)
        for sentence in read_passage(chunk["text"], chunk["speaker"]).sentences
    }
    speakers = [said.get((row["chunk"], row["text"])) for row in rows]
    return [
        {**row, "text": f"{written(speaker)}: {row['text']}" if speaker else row["text"]}
        for row, speaker in zip(rows, speakers, strict=True)
    ]


async def _ranked(
    rows: Sequence[StatementRow], embedder: Embedder, vector: Sequence[float]
) -> list[tuple[float, StatementRow]]:
    """Returns the rows with their cosines to a vector, the nearest first."""
    cosines = await embedder.cosines(vector, [row["text"] for row in rows])
    pairs = zip(cosines, rows, strict=True)
    return sorted(pairs, key=lambda pair: (-pair[0], pair[1]["text"]))


def pagerank(
    edges: Iterable[WeightedEdge], seeds: Mapping[str, float], again: float = AGAIN
) -> dict[str, float]:
    """Returns the PageRank of each node. The sum over all nodes is 1.

    `edges` are undirected (node, node, weight) triples; edges with weights of 0 or less are
    ignored. `seeds` gives the weight of each seed. `again`, from 0 to 1, is the probability of a
    return to the seeds, so a seed has at least `again` times its share of the seeds' weight. The
    result does not depend on the order of edges and seeds. It is empty if no seed has a weight
    above 0.
    """
    weights: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    # The edges are sorted, so that rounding gives the same sums for any order of the input.
    for one, other, weight in sorted((min(a, b), max(a, b), weight) for a, b, weight in edges):
        if weight > 0:
            weights[one][other] += weight
            weights[other][one] += weight
    nodes = sorted({*weights, *seeds})
    seed_weights = [max(seeds.get(node, 0.0), 0.0) for node in nodes]
    total = sum(seed_weights)
    if not total:
        return {}
    number = {node: n for n, node in enumerate(nodes)}
    whole = {node: sum(near.values()) for node, near in weights.items()}
    # By node: the places of its neighbours, and the share of their mass that comes from each.
    places: list[list[int]] = []
    shares: list[list[float]] = []
    for node in nodes:
        near: Mapping[str, float] = weights.get(node, {})
        places.append([number[other] for other in near])
        shares.append([weight / whole[other] for other, weight in near.items()])
    mass = restart = [weight / total for weight in seed_weights]
    moved = 1.0
    while moved > CLOSE:
        onward = [(1 - again) * here for here in mass].__getitem__
        # `map` and `sum` take a third of the time of a loop.
        each = zip(places, shares, strict=True)
        walked = [sum(map(mul, map(onward, there), part)) for there, part in each]
        back = 1 - sum(walked)  # the mass of nodes without edges also returns to the seeds
        after = [there + back * seed for there, seed in zip(walked, restart, strict=True)]
        moved = sum(abs(a - b) for a, b in zip(after, mass, strict=True))
        mass = after
    return dict(zip(nodes, mass, strict=True))
