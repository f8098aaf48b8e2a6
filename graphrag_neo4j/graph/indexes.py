"""Vectors, and the indexes for vector search (by cosine) and full-text search (by an analyser).

Neo4j stores a zero vector or a vector of another length without an error, and never finds it. So
vectors are checked here.

The indexes are made without `IF NOT EXISTS`: with it, Neo4j gives no error where another index has
the same name or the same label and properties. An existing index of our name is compared with the
one that is wanted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypedDict

from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import IdRow, MadeWithRow, ScoredRow
from graphrag_neo4j.settings import MOST_DIMENSIONS

IndexedKind = Literal["entity", "chunk", "community"]
INDEXED_KINDS: Final[tuple[IndexedKind, ...]] = ("entity", "chunk", "community")
SEARCH: Final[Mapping[IndexedKind, str]] = {
    "entity": "vector_search/entity",
    "chunk": "vector_search/chunk",
    "community": "vector_search/community",
}
FORGET: Final[Mapping[IndexedKind, str]] = {
    "entity": "embed/forget_entity",
    "chunk": "embed/forget_chunk",
    "community": "embed/forget_community",
}
WORDS: Final[Mapping[IndexedKind, tuple[str, ...]]] = {
    "entity": ("name", "aliases", "description"),
    "chunk": ("text", "legible", "header"),
    "community": ("title", "summary", "report"),
}
NEUTRAL: Final = "standard-no-stop-words"
"""The analyser for names, for languages without their own one, and for several languages."""
ANALYZERS: Final[Mapping[str, str]] = {
    "ar": "arabic", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "es": "spanish", "fi": "finnish", "fr": "french", "hi": "hindi", "it": "italian", "ja": "cjk",
    "ko": "cjk", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish", "zh": "cjk",
}  # fmt: skip
"""Neo4j's analyser for each language (ISO 639-1): it knows inflected forms and stop words.

The analyser "thai" is left out: it fails in a Java without locale data, as in the embedded server.
"""
LONGEST_SECONDS = 24 * 60 * 60  # limit of the wait; an index that can't be filled ends it at once
Config = Mapping[str, object]
PAGE = 1000
REEMBED = "`kg-build index PATHS --again vectors`, which makes all vectors and their indexes again"
# The clause SEARCH is a preview in 2026.01, and the procedure is deprecated in 2026.04.
SEARCH_SINCE = (2026, 2)
FILTERS_SINCE = (2026, 6)  # IN, with any number of values


class AnalyzerRow(TypedDict):
    """An analyser of full-text indexes."""

    analyzer: str


class SearchIndexRow(TypedDict):
    """An index of any type, and how it is configured; `unique`: a constraint owns it."""

    name: str
    type: str
    of: str
    labels: list[str]
    properties: list[str]
    config: dict[str, object]
    unique: bool


@dataclass(frozen=True, slots=True)
class _Index:
    """An index that is wanted. A vector index may hold `filters`, which a search can test."""

    name: str
    type: Literal["VECTOR", "FULLTEXT"]
    label: str
    properties: tuple[str, ...]
    of: Literal["node", "relationship"] = "node"
    filters: tuple[str, ...] = ()

    def statement(self, version: tuple[int, int]) -> str:
        on = ", ".join(f"x.{name}" for name in self.properties)
        on = f"EACH [{on}]" if self.type == "FULLTEXT" else f"({on})"
        pattern = f"(x:{self.label})" if self.of == "node" else f"()-[x:{self.label}]-()"
        make = f"CREATE {self.type} INDEX {self.name} FOR {pattern} ON {on}"
        if self.held(version) != [*self.properties]:
            make = f"CYPHER 25 {make} WITH [{', '.join(f'x.{name}' for name in self.filters)}]"
        return f"{make} OPTIONS $options"

    def held(self, version: tuple[int, int]) -> list[str]:
        """All properties in the index, as this release of Neo4j can make it."""
        return [*self.properties, *(self.filters if version >= FILTERS_SINCE else ())]

    def is_like(self, row: SearchIndexRow) -> bool:
        """Whether an index of the database is this one, perhaps with fewer properties."""
        found = (row["type"], row["of"].lower(), row["labels"])
        same = found == (self.type, self.of, [self.label])
        return same and {*row["properties"]} <= {*self.properties, *self.filters}


def vector_index(kind: IndexedKind) -> str:
    """The name of the vector index of this kind."""
    return f"kg_{kind}_vector"


VECTOR_INDEXES = [
    _Index(
        vector_index(k), "VECTOR", k.capitalize(), ("embedding",),
        filters=("document",) if k == "chunk" else (),
    )
    for k in INDEXED_KINDS
]  # fmt: skip
FULLTEXT_INDEXES = [
    *(_Index(f"kg_{k}_text", "FULLTEXT", k.capitalize(), WORDS[k]) for k in INDEXED_KINDS),
    _Index("kg_related_text", "FULLTEXT", "RELATED", ("description",), "relationship"),
]


async def ensure_vector_indexes(
    graph: Graph, dimensions: int, *, replace: bool, elements: int | None = None
) -> None:
    """Makes the vector indexes that are missing.

    `dimensions` are those of all vectors, or only of chunks where `elements` gives those of
    entities and communities. With `replace` True, an index of other dimensions is made again;
    otherwise it raises InputError with both numbers. One that lacks a filter is also made again.
    Raises GraphError where another index has our name.
    """
    other = elements or dimensions
    wanted: dict[_Index, Config] = {
        index: {
            "vector.dimensions": dimensions if index.label == "Chunk" else other,
            "vector.similarity_function": "COSINE",
        }
        for index in VECTOR_INDEXES
    }
    lacking = await _lacking(graph, wanted)
    for index, found in lacking.items():
        if found and not replace and not wanted[index].items() <= found["config"].items():
            raise InputError(
                f"The index {index.name} is for vectors of {found['config']['vector.dimensions']} "
                f"dimensions, but the graph's vectors have {wanted[index]['vector.dimensions']}: "
                f"run {REEMBED}."
            )
    await _make(graph, wanted, lacking)


async def ensure_fulltext_indexes(graph: Graph, analyzer: str | None) -> None:
    """Makes the full-text indexes that are missing, and makes those of another analyser again.

    With None, the analysers stay as they are. The index of entities always has the neutral one: a
    name is asked for as it is written, and a stem would be another name. An index of an earlier
    version that lacks a property is also made again.

    Raises InputError that lists the analysers of Neo4j where `analyzer` is not one of them.
    """
    # Text is indexed after its transaction: inside it, writing would take three times as long.
    wanted: dict[_Index, Config] = {}
    for index in FULLTEXT_INDEXES:
        of = NEUTRAL if index.label == "Entity" else analyzer
        set_ = {"fulltext.analyzer": of} if of else {}
        wanted[index] = {"fulltext.eventually_consistent": True, **set_}
    if not (lacking := await _lacking(graph, wanted)):
        return
    known = [row["analyzer"] for row in await graph.read("graph/analyzers", AnalyzerRow)]
    if analyzer and analyzer not in known:
        raise InputError(
            f"Neo4j has no full-text analyser {analyzer!r}: set KG_FULLTEXT_ANALYZER to one of "
            f"{', '.join(known)}."
        )
    neutral = {"fulltext.analyzer": NEUTRAL}
    await _make(graph, {index: neutral | {**of} for index, of in wanted.items()}, lacking)


async def await_indexes(graph: Graph) -> None:
    """Waits until searches find all data that was written.

    Raises GraphError where an index failed.
    """
    await graph.read("graph/await_indexes", seconds=LONGEST_SECONDS)
    await graph.read("graph/await_refresh")


async def _lacking(
    graph: Graph, wanted: Mapping[_Index, Config]
) -> dict[_Index, SearchIndexRow | None]:
    """The indexes that are missing (None) or are configured in another way.

    Raises GraphError if the index of a name is on other labels or properties.
    """
    rows = await graph.read("graph/search_indexes", SearchIndexRow)
    existing = {row["name"]: row for row in rows}
    lacking = {}
    for index, config in wanted.items():
        found = existing.get(index.name)
        if found and not index.is_like(found):
            raise GraphError(
                f"The index {index.name} can't be made: something else in this database has its "
                "name; drop that, or use another database for this graph."
            )
        made = found and found["properties"] == index.held(graph.version)
        if found is None or not made or not config.items() <= found["config"].items():
            lacking[index] = found
    return lacking


async def _make(
    graph: Graph, wanted: Mapping[_Index, Config], lacking: Mapping[_Index, SearchIndexRow | None]
) -> None:
    for index, found in lacking.items():
        if found:
            await graph.change_schema(f"DROP INDEX {index.name}")
        await graph.change_schema(
            index.statement(graph.version), options={"indexConfig": wanted[index]}
        )


# Vectors


async def refuse_other_vectors(graph: Graph, model: str, wanted: int | None) -> int | None:
    """Returns the dimensions of the graph's vectors, None as long as it has no vectors.

    Raises InputError where the vectors come from another model than `model`, or where their
    dimensions are not `wanted` (None: any).
    """
    made = (await graph.read("embed/known", MadeWithRow))[0]
    by, dimensions = made["model"], made["dimensions"]
    if by is None:
        return None
    if by != model:
        raise InputError(
            f"The graph's vectors come from {by} ({dimensions} dimensions), and "
            f"KG_EMBEDDING_MODEL is {model}: set it back, or run {REEMBED}."
        )
    if wanted not in (None, dimensions):
        raise InputError(
            f"The graph's vectors have {dimensions} dimensions, and KG_EMBEDDING_DIMENSIONS is "
            f"{wanted}: set it back, or run {REEMBED}."
        )
    return dimensions


def refuse_length(model: str, found: int, known: int | None, wanted: int | None) -> None:
    """Raises InputError where vectors of `found` dimensions can't be used.

    `known` are the dimensions of the graph's vectors, `wanted` those that the model was asked for.
    """
    if known and found != known:
        raise InputError(
            f"The graph's vectors have {known} dimensions, and {model} gives {found} now: set "
            "KG_EMBEDDING_MODEL, KG_EMBEDDING_DIMENSIONS and OPENAI_BASE_URL to their old values, "
            f"or run {REEMBED}."
        )
    if wanted and found != wanted:
        raise InputError(
            f"KG_EMBEDDING_DIMENSIONS is {wanted}, and {model} gives {found} dimensions all the "
            "same: unset it, or set KG_EMBEDDING_MODEL to a model that can shorten its vectors."
        )
    if found > MOST_DIMENSIONS:
        raise InputError(
            f"{model} gives vectors of {found} dimensions, and Neo4j indexes {MOST_DIMENSIONS} at "
            "most: let KG_EMBEDDING_DIMENSIONS ask for fewer, or set KG_EMBEDDING_MODEL to "
            "another model."
        )


def flaw_of(vector: Sequence[float]) -> str | None:
    """The reason why Neo4j would not index a vector of the right length, None if it would."""
    length = math.hypot(*vector)
    if length == 0:
        return "the vector is zero"
    return None if math.isfinite(length) else "the vector is not finite"


async def forget_vectors(graph: Graph) -> None:
    """Removes all vectors and their indexes, and marks all nodes to be embedded."""
    indexes: dict[_Index, Config] = {index: {} for index in VECTOR_INDEXES}
    missing = await _lacking(graph, indexes)
    for index in indexes:
        if index not in missing or missing[index]:
            await graph.change_schema(f"DROP INDEX {index.name}")
    for kind in INDEXED_KINDS:
        after = ""
        while rows := await graph.write(FORGET[kind], IdRow, after=after, limit=PAGE):
            after = rows[-1]["id"]
    await graph.write("embed/unmade")  # last: until then another model is still refused


async def vector_search(
    graph: Graph, kind: IndexedKind, vector: Sequence[float], k: int
) -> list[ScoredRow]:
    """The `k` nodes of a kind nearest to a vector: {id, score}, the nearest first.

    `score` is (1 + cosine) / 2, from 0 to 1. Raises GraphError for a vector whose dimensions are
    not those of the index.
    """
    if graph.version >= SEARCH_SINCE:
        return await graph.read(SEARCH[kind], ScoredRow, vector=vector, k=k)
    return await graph.read(
        "vector_search/procedure", ScoredRow, index=vector_index(kind), vector=vector, k=k
    )


async def filters_documents(graph: Graph) -> bool:
    """Whether the vector index of chunks can filter by document: a new one, in a new Neo4j."""
    if graph.version < FILTERS_SINCE:
        return False
    rows = await graph.read("graph/search_indexes", SearchIndexRow)
    return any(r["name"] == vector_index("chunk") and "document" in r["properties"] for r in rows)
