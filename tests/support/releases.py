"""Graphs that earlier releases made, kept in files that are loaded into a database.

`tests/data/releases/<schema version>/<graph>.jsonl.xz` holds lines of JSON: the Header, then a line
for each node, then one for each relationship, with all their labels and properties. A relationship
names its ends by their places among the nodes, from 0. Two kinds of values that JSON lacks are
objects: {"datetime": "2026-01-31T12:00:00+00:00"}, and {"float32": …}, the numbers of a vector in
little-endian order and Base64.

It runs in checkouts of earlier releases, where it saves graphs: so it uses little of the package.
"""

import json
import lzma
import re
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from neo4j.time import DateTime

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.indexes import await_indexes
from tests.support.paths import DATA

RELEASES: Final = DATA / "releases"
VECTOR = "embedding"  # the property whose numbers Neo4j stores in 32 bits
BATCH = 1000  # rows of a transaction
# What Neo4j adds to the options of a vector index. Each release of Neo4j adds something else, and
# refuses what it does not know.
ADDED = re.compile(r"`vector\.(?!dimensions`|similarity_function`)[\w.]+`: [^,}]+,?")


@dataclass(frozen=True, slots=True)
class Header:
    """What a graph must hold once it is loaded.

    `schema` creates its constraints and indexes. `counts` has the nodes of each label and the
    relationships of each type. `dump` is the `dump_hash` of the graph.
    """

    schema: list[str]
    nodes: int
    counts: dict[str, int]
    dump: str


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """All that a file holds, in its order, with values as the driver gives them."""

    header: Header
    nodes: list[dict[str, Any]]
    relationships: list[dict[str, Any]]


def path_of(name: str) -> Path:
    """The file of a graph; the name is that of its folder and its own: "0001/extractive"."""
    return RELEASES / f"{name}.jsonl.xz"


async def read_graph(graph: Graph) -> StoredGraph:
    """Reads all of a database, in an order that does not depend on how it was written."""
    nodes = await graph.run_plain(
        "MATCH (x) RETURN elementId(x) AS place, labels(x) AS labels, properties(x) AS properties"
    )
    relationships = await graph.run_plain(
        "MATCH (a)-[x]->(b) RETURN type(x) AS type, elementId(a) AS start, elementId(b) AS end, "
        "properties(x) AS properties"
    )
    for row in nodes:
        row["labels"].sort()  # Neo4j gives them in the order in which the database met them
    nodes.sort(key=lambda row: (row["labels"], _line(row["properties"])))
    places = {row.pop("place"): place for place, row in enumerate(nodes)}
    for row in relationships:
        row["start"], row["end"] = places[row["start"]], places[row["end"]]
    relationships.sort(
        key=lambda row: (row["type"], row["start"], row["end"], _line(row["properties"]))
    )
    counts = Counter(label for row in nodes for label in row["labels"])
    counts.update(row["type"] for row in relationships)
    header = Header(
        await _schema(graph), len(nodes), dict(sorted(counts.items())), await dump_hash(graph)
    )
    return StoredGraph(header, nodes, relationships)


async def dump_hash(graph: Graph) -> str:
    """The SHA-256 of the graph's dump."""
    return sha256(_line(await dump(graph)).encode()).hexdigest()


def save(stored: StoredGraph, path: Path) -> None:
    """Writes the file of a graph."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [asdict(stored.header), *stored.nodes, *stored.relationships]
    with lzma.open(path, "wt", preset=9 | lzma.PRESET_EXTREME, encoding="utf-8") as file:
        file.writelines(_line(row) + "\n" for row in rows)


def load(name: str) -> StoredGraph:
    """Reads the file of a graph."""
    with lzma.open(path_of(name), "rt", encoding="utf-8") as file:
        header = Header(**json.loads(next(file)))
        rows = [json.loads(line) for line in file]
    for row in rows:
        row["properties"] = {key: _value(one) for key, one in row["properties"].items()}
    return StoredGraph(header, rows[: header.nodes], rows[header.nodes :])


async def restore(graph: Graph, name: str) -> None:
    """Makes an empty database what it was when the earlier release had made the graph.

    Constraints and indexes that it has now are dropped. Those of the graph are made after its
    nodes, which takes less time, and are waited for.
    """
    stored = load(name)
    await drop_schema(graph)
    ids: list[str] = []
    for rows in _batches(stored.nodes):
        vectors = [row["properties"].pop(VECTOR, None) for row in rows]
        made = await graph.run_plain(
            "UNWIND $rows AS row CREATE (x:$(row.labels)) SET x = row.properties "
            "RETURN elementId(x) AS id",
            rows=rows,
        )
        await graph.run_plain(
            "UNWIND $rows AS row MATCH (x) WHERE elementId(x) = row.id "
            f"CALL db.create.setNodeVectorProperty(x, '{VECTOR}', row.vector)",
            rows=[
                {"id": row["id"], "vector": vector}
                for row, vector in zip(made, vectors, strict=True)
                if vector is not None
            ],
        )
        ids += [row["id"] for row in made]
    for rows in _batches(stored.relationships):
        await graph.run_plain(
            "UNWIND $rows AS row MATCH (a) WHERE elementId(a) = row.start "
            "MATCH (b) WHERE elementId(b) = row.end "
            "CREATE (a)-[x:$(row.type)]->(b) SET x = row.properties",
            rows=[{**row, "start": ids[row["start"]], "end": ids[row["end"]]} for row in rows],
        )
    for statement in stored.header.schema:
        plain: Any = statement
        await graph.run_plain(plain)
    await await_indexes(graph)


async def drop_schema(graph: Graph) -> None:
    """Drops all constraints and indexes but Neo4j's own."""
    for kind, name in await _named(graph):
        drop: Any = f"DROP {kind} `{name}`"
        await graph.run_plain(drop)


async def _named(graph: Graph) -> list[tuple[str, str]]:
    """The constraints, then the indexes that no constraint owns: kind and name."""
    constraints = await graph.run_plain("SHOW CONSTRAINTS YIELD name")
    indexes = await graph.run_plain(
        "SHOW INDEXES YIELD name, type, owningConstraint "
        "WHERE type <> 'LOOKUP' AND owningConstraint IS NULL RETURN name"
    )
    return [
        *(("CONSTRAINT", row["name"]) for row in constraints),
        *(("INDEX", row["name"]) for row in indexes),
    ]


async def _schema(graph: Graph) -> list[str]:
    """The statements that create the constraints and indexes of a database."""
    rows = await graph.run_plain(
        "SHOW INDEXES YIELD type, createStatement WHERE type <> 'LOOKUP' "
        "RETURN createStatement AS made ORDER BY made"
    )
    return [ADDED.sub("", row["made"]) for row in rows]


def _batches(rows: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    return (rows[first : first + BATCH] for first in range(0, len(rows), BATCH))


def _line(row: object) -> str:
    """A line of JSON, which is the same for equal rows."""
    return json.dumps(_plain(row), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _plain(value: object, key: str = "") -> object:
    """A value of the driver as JSON has it."""
    if isinstance(value, DateTime):
        return {"datetime": value.iso_format()}
    if key == VECTOR:
        return {"float32": b64encode(np.asarray(value, "<f4").tobytes()).decode()}
    if isinstance(value, dict):
        return {name: _plain(one, name) for name, one in value.items()}
    return value


def _value(plain: object) -> object:
    """The value of a property in a file, as the driver has it."""
    match plain:
        case {"datetime": str(text)}:
            return DateTime.from_iso_format(text)
        case {"float32": str(text)}:
            return np.frombuffer(b64decode(text), "<f4").tolist()
        case _:
            return plain
