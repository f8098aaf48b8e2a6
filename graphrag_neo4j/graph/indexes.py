"""The indexes that searches use: vectors by cosine, and words by an analyser.

They are made without `IF NOT EXISTS`, under which Neo4j only says "no effect" where something
else has the name or the place; what has our name already is compared with what is wanted.
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
    "entity": ("name", "description"),
    "chunk": ("text",),
    "community": ("title", "summary", "report"),
}
LONGEST_SECONDS = 24 * 60 * 60  # an index that can't be filled ends the waiting at once
Config = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Index:
    """An index as it is to be."""

    name: str
    type: Literal["VECTOR", "FULLTEXT"]
    label: str
    properties: tuple[str, ...]
    of: Literal["node", "relationship"] = "node"

    @property
    def statement(self) -> str:
        on = ", ".join(f"x.{name}" for name in self.properties)
        on = f"EACH [{on}]" if self.type == "FULLTEXT" else f"({on})"
        what = f"(x:{self.label})" if self.of == "node" else f"()-[x:{self.label}]-()"
        return f"CREATE {self.type} INDEX {self.name} FOR {what} ON {on} OPTIONS $options"

    def is_like(self, row: SearchIndexRow) -> bool:
        """Whether an index in the database is on the same."""
        found = (row["type"], row["of"].lower(), row["labels"], row["properties"])
        return found == (self.type, self.of, [self.label], list(self.properties))


def vector_index(kind: IndexedKind) -> str:
    """The name of the index of vectors of that kind."""
    return f"kg_{kind}_vector"


async def ensure_vector_indexes(graph: Graph, dimensions: int, *, replace: bool) -> None:
    """Makes those that are missing; one of other dimensions is made anew if `replace`.

    Else raises InputError with both numbers; GraphError where something else has our name.
    """
    config = {"vector.dimensions": dimensions, "vector.similarity_function": "COSINE"}
    there = await _there(graph)
    for index in _vector_indexes():
        found = _found(there, index)
        if found and not replace and not _agrees(found, config):
            raise InputError(
                f"The index {index.name} is for vectors of {found['config']['vector.dimensions']} "
                f"dimensions, and the graph's have {dimensions}: run `kg-build index PATHS "
                "--reembed`, which makes all vectors and their indexes anew."
            )
        await _make(graph, index, config, found)


async def drop_vector_indexes(graph: Graph) -> None:
    """Drops those that are there."""
    there = await _there(graph)
    for index in _vector_indexes():
        if _found(there, index):
            await graph.run_plain(f"DROP INDEX {index.name}")


async def ensure_fulltext_indexes(graph: Graph, analyzer: str) -> None:
    """Makes those that are missing, and those of another analyser anew.

    Raises InputError with the analysers that there are, where there is none of this name.
    """
    # What is written is indexed a little later: in the transaction it would take thrice the time.
    config = {"fulltext.analyzer": analyzer, "fulltext.eventually_consistent": True}
    there = await _there(graph)
    indexes = [_Index(f"kg_{k}_text", "FULLTEXT", LABELS[k], WORDS[k]) for k in INDEXED_KINDS]
    indexes.append(
        _Index("kg_related_text", "FULLTEXT", "RELATED", ("description",), "relationship")
    )
    lacking = [index for index in indexes if not _agrees(_found(there, index), config)]
    if not lacking:
        return
    known = [row["analyzer"] for row in await graph.read("graph/analyzers", AnalyzerRow)]
    if analyzer not in known:
        raise InputError(
            f"Neo4j has no full-text analyser {analyzer!r}: set KG_FULLTEXT_ANALYZER to one of "
            f"{', '.join(known)}."
        )
    for index in lacking:
        await _make(graph, index, config, _found(there, index))


async def await_indexes(graph: Graph) -> None:
    """Waits until all that was written can be found; raises GraphError where an index failed."""
    await graph.read("graph/await_indexes", seconds=LONGEST_SECONDS)
    await graph.read("graph/await_refresh")


def _vector_indexes() -> Iterable[_Index]:
    return (_Index(vector_index(k), "VECTOR", LABELS[k], ("embedding",)) for k in INDEXED_KINDS)


async def _there(graph: Graph) -> dict[str, SearchIndexRow]:
    return {row["name"]: row for row in await graph.read("graph/search_indexes", SearchIndexRow)}


def _found(there: Mapping[str, SearchIndexRow], index: _Index) -> SearchIndexRow | None:
    """The index of that name; raises GraphError if it is on something else."""
    found = there.get(index.name)
    if found and not index.is_like(found):
        raise GraphError(
            f"The index {index.name} can't be made: something else in this database has its name; "
            "drop that, or use a database of its own."
        )
    return found


def _agrees(found: SearchIndexRow | None, config: Config) -> bool:
    return found is not None and config.items() <= found["config"].items()


async def _make(graph: Graph, index: _Index, config: Config, found: SearchIndexRow | None) -> None:
    if _agrees(found, config):
        return
    if found:
        await graph.run_plain(f"DROP INDEX {index.name}")
    await graph.run_plain(index.statement, options={"indexConfig": config})
