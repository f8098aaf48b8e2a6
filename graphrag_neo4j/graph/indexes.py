"""The indexes for vector search (by cosine) and for full-text search (by an analyser).

They are made without `IF NOT EXISTS`: with it, Neo4j gives no error where another index has the
same name or the same label and properties. An existing index of our name is compared with the one
that is wanted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import AnalyzerRow, SearchIndexRow

__all__ = [
    "INDEXED_KINDS",
    "NAME_LABELS",
    "IndexedKind",
    "NameLabel",
    "await_indexes",
    "drop_vector_indexes",
    "ensure_fulltext_indexes",
    "ensure_name_indexes",
    "ensure_vector_indexes",
    "name_index",
    "vector_index",
]

IndexedKind = Literal["entity", "chunk", "community"]
INDEXED_KINDS: Final[tuple[IndexedKind, ...]] = ("entity", "chunk", "community")
NameLabel = Literal["Entity", "Spelling"]
NAME_LABELS: Final[tuple[NameLabel, ...]] = ("Entity", "Spelling")
LABELS: Final[Mapping[IndexedKind, str]] = {
    "entity": "Entity",
    "chunk": "Chunk",
    "community": "Community",
}
WORDS: Final[Mapping[IndexedKind, tuple[str, ...]]] = {
    "entity": ("name", "aliases", "description"),
    "chunk": ("text",),
    "community": ("title", "summary", "report"),
}
LONGEST_SECONDS = 24 * 60 * 60  # limit of the wait; an index that can't be filled ends it at once
Config = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Index:
    """An index that is wanted."""

    name: str
    type: Literal["VECTOR", "FULLTEXT"]
    label: str
    properties: tuple[str, ...]
    of: Literal["node", "relationship"] = "node"

    @property
    def statement(self) -> str:
        on = ", ".join(f"x.{name}" for name in self.properties)
        on = f"EACH [{on}]" if self.type == "FULLTEXT" else f"({on})"
        pattern = f"(x:{self.label})" if self.of == "node" else f"()-[x:{self.label}]-()"
        return f"CREATE {self.type} INDEX {self.name} FOR {pattern} ON {on} OPTIONS $options"

    def is_like(self, row: SearchIndexRow) -> bool:
        """Whether an index of the database is on the same label and properties."""
        found = (row["type"], row["of"].lower(), row["labels"], row["properties"])
        return found == (self.type, self.of, [self.label], list(self.properties))


def vector_index(kind: IndexedKind) -> str:
    """The name of the vector index of this kind."""
    return f"kg_{kind}_vector"


async def ensure_vector_indexes(
    graph: Graph, dimensions: int, *, replace: bool, elements: int | None = None
) -> None:
    """Makes the vector indexes that are missing.

    `dimensions` are those of all vectors, or only of chunks where `elements` gives those of
    entities and communities. With `replace` True, an index of other dimensions is made again;
    otherwise it raises InputError with both numbers. Raises GraphError where another index has
    our name.
    """
    other = elements or dimensions
    wanted = {
        index: _of_vectors(dimensions if index.label == LABELS["chunk"] else other)
        for index in _vector_indexes()
    }
    lacking = await _lacking(graph, wanted)
    for index, found in lacking.items():
        if found and not replace:
            raise InputError(
                f"The index {index.name} is for vectors of {found['config']['vector.dimensions']} "
                f"dimensions, but the graph's vectors have {wanted[index]['vector.dimensions']}: "
                "run `kg-build index PATHS --reembed`, which makes all vectors and their indexes "
                "again."
            )
    await _make(graph, wanted, lacking)


async def drop_vector_indexes(graph: Graph) -> None:
    """Drops the vector indexes that exist."""
    existing = await _existing(graph)
    for index in _vector_indexes():
        if _found(existing, index):
            await graph.run_plain(f"DROP INDEX {index.name}")


def name_index(label: NameLabel) -> str:
    """The name of the index of the vectors of names."""
    return f"kg_{label.lower()}_name_vector"


async def ensure_name_indexes(graph: Graph, dimensions: int) -> None:
    """Makes the vector indexes by which likely pairs of names are found, if they are missing.

    Raises GraphError where another index has our name.
    """
    wanted = {
        _Index(name_index(label), "VECTOR", label, ("name_vector",)): _of_vectors(dimensions)
        for label in NAME_LABELS
    }
    if lacking := await _lacking(graph, wanted):
        await _make(graph, wanted, lacking)
        await graph.read("graph/await_indexes", seconds=LONGEST_SECONDS)


async def ensure_fulltext_indexes(graph: Graph, analyzer: str) -> None:
    """Makes the full-text indexes that are missing, and makes those of another analyser again.

    Raises InputError that lists the analysers of Neo4j where `analyzer` is not one of them.
    """
    indexes = [_Index(f"kg_{k}_text", "FULLTEXT", LABELS[k], WORDS[k]) for k in INDEXED_KINDS]
    indexes.append(
        _Index("kg_related_text", "FULLTEXT", "RELATED", ("description",), "relationship")
    )
    # Text is indexed after its transaction: inside it, writing would take three times as long.
    config = {"fulltext.analyzer": analyzer, "fulltext.eventually_consistent": True}
    wanted = dict.fromkeys(indexes, config)
    if not (lacking := await _lacking(graph, wanted)):
        return
    known = [row["analyzer"] for row in await graph.read("graph/analyzers", AnalyzerRow)]
    if analyzer not in known:
        raise InputError(
            f"Neo4j has no full-text analyser {analyzer!r}: set KG_FULLTEXT_ANALYZER to one of "
            f"{', '.join(known)}."
        )
    await _make(graph, wanted, lacking)


async def await_indexes(graph: Graph) -> None:
    """Waits until searches find all data that was written.

    Raises GraphError where an index failed.
    """
    await graph.read("graph/await_indexes", seconds=LONGEST_SECONDS)
    await graph.read("graph/await_refresh")


def _vector_indexes() -> Iterable[_Index]:
    return (_Index(vector_index(k), "VECTOR", LABELS[k], ("embedding",)) for k in INDEXED_KINDS)


def _of_vectors(dimensions: int) -> Config:
    return {"vector.dimensions": dimensions, "vector.similarity_function": "COSINE"}


async def _existing(graph: Graph) -> dict[str, SearchIndexRow]:
    return {row["name"]: row for row in await graph.read("graph/search_indexes", SearchIndexRow)}


def _found(existing: Mapping[str, SearchIndexRow], index: _Index) -> SearchIndexRow | None:
    """The index of this name. Raises GraphError if it is on other labels or properties."""
    found = existing.get(index.name)
    if found and not index.is_like(found):
        raise GraphError(
            f"The index {index.name} can't be made: something else in this database has its name; "
            "drop that, or use another database for this graph."
        )
    return found


async def _lacking(
    graph: Graph, wanted: Mapping[_Index, Config]
) -> dict[_Index, SearchIndexRow | None]:
    """The indexes that are missing (None) or are configured in another way. Raises GraphError."""
    existing = await _existing(graph)
    found = {index: _found(existing, index) for index in wanted}
    return {
        index: row
        for index, row in found.items()
        if row is None or not wanted[index].items() <= row["config"].items()
    }


async def _make(
    graph: Graph,
    wanted: Mapping[_Index, Config],
    lacking: Mapping[_Index, SearchIndexRow | None],
) -> None:
    for index, found in lacking.items():
        if found:
            await graph.run_plain(f"DROP INDEX {index.name}")
        await graph.run_plain(index.statement, options={"indexConfig": wanted[index]})
