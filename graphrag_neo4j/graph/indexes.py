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
    "IndexedKind",
    "await_indexes",
    "drop_vector_indexes",
    "ensure_fulltext_indexes",
    "ensure_vector_indexes",
    "vector_index",
]

IndexedKind = Literal["entity", "chunk", "community"]
INDEXED_KINDS: Final[tuple[IndexedKind, ...]] = ("entity", "chunk", "community")
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

    def is_newer_than(self, row: SearchIndexRow) -> bool:
        """Whether an index of the database is on the same label, and lacks some properties."""
        found = (row["type"], row["of"].lower(), row["labels"])
        wanted = (self.type, self.of, [self.label])
        return found == wanted and set(row["properties"] or ()) < set(self.properties)

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
    existing = await _existing(graph)
    for index in _vector_indexes():
        wanted = dimensions if index.label == LABELS["chunk"] else elements or dimensions
        config = {"vector.dimensions": wanted, "vector.similarity_function": "COSINE"}
        found = _found(existing, index)
        if found and not replace and not _agrees(found, config):
            raise InputError(
                f"The index {index.name} is for vectors of {found['config']['vector.dimensions']} "
                f"dimensions, but the graph's vectors have {wanted}: run `kg-build index PATHS "
                "--reembed`, which makes all vectors and their indexes again."
            )
        await _make(graph, index, config, found)


async def drop_vector_indexes(graph: Graph) -> None:
    """Drops the vector indexes that exist."""
    existing = await _existing(graph)
    for index in _vector_indexes():
        if _found(existing, index):
            await graph.run_plain(f"DROP INDEX {index.name}")


async def ensure_fulltext_indexes(graph: Graph, analyzer: str) -> None:
    """Makes the full-text indexes that are missing, and makes those of another analyser again.

    Raises InputError that lists the analysers of Neo4j where `analyzer` is not one of them.
    """
    # Text is indexed after its transaction: inside it, writing would take three times as long.
    config = {"fulltext.analyzer": analyzer, "fulltext.eventually_consistent": True}
    existing = await _existing(graph)
    indexes = [_Index(f"kg_{k}_text", "FULLTEXT", LABELS[k], WORDS[k]) for k in INDEXED_KINDS]
    indexes.append(
        _Index("kg_related_text", "FULLTEXT", "RELATED", ("description",), "relationship")
    )
    lacking = [index for index in indexes if not _is_made(index, _found(existing, index), config)]
    if not lacking:
        return
    known = [row["analyzer"] for row in await graph.read("graph/analyzers", AnalyzerRow)]
    if analyzer not in known:
        raise InputError(
            f"Neo4j has no full-text analyser {analyzer!r}: set KG_FULLTEXT_ANALYZER to one of "
            f"{', '.join(known)}."
        )
    for index in lacking:
        await _make(graph, index, config, _found(existing, index))


async def await_indexes(graph: Graph) -> None:
    """Waits until searches find all data that was written.

    Raises GraphError where an index failed.
    """
    await graph.read("graph/await_indexes", seconds=LONGEST_SECONDS)
    await graph.read("graph/await_refresh")


def _vector_indexes() -> Iterable[_Index]:
    return (_Index(vector_index(k), "VECTOR", LABELS[k], ("embedding",)) for k in INDEXED_KINDS)


async def _existing(graph: Graph) -> dict[str, SearchIndexRow]:
    return {row["name"]: row for row in await graph.read("graph/search_indexes", SearchIndexRow)}


def _found(existing: Mapping[str, SearchIndexRow], index: _Index) -> SearchIndexRow | None:
    """The index of this name, which an older release may have made on fewer properties.

    Raises GraphError if it is on other labels or properties.
    """
    found = existing.get(index.name)
    if found and not (index.is_like(found) or index.is_newer_than(found)):
        raise GraphError(
            f"The index {index.name} can't be made: something else in this database has its name; "
            "drop that, or use another database for this graph."
        )
    return found


def _agrees(found: SearchIndexRow | None, config: Config) -> bool:
    return found is not None and config.items() <= found["config"].items()


def _is_made(index: _Index, found: SearchIndexRow | None, config: Config) -> bool:
    return found is not None and index.is_like(found) and _agrees(found, config)


async def _make(graph: Graph, index: _Index, config: Config, found: SearchIndexRow | None) -> None:
    if _is_made(index, found, config):
        return
    if found:
        await graph.run_plain(f"DROP INDEX {index.name}")
    await graph.run_plain(index.statement, options={"indexConfig": config})
