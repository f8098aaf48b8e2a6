"""Writes the graph for other programs: as GraphML, or as CSV for `neo4j-admin database import`.

Each row is written as it comes from Neo4j, so a large graph needs no more memory than a small one.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final, NamedTuple, TypedDict
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import UNFINISHED, lock, opened, remove_unfinished, whole_file
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import TYPES, UNIQUE_NODES

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
GRAPHML: Final = "http://graphml.graphdrawing.org/xmlns"
ENTITY: Final = {"name": "string", "type": "string", "description": "string", "degree": "long"}
PAIR: Final = {"weight": "double", "description": "string", "predicate": "string"}
# By the types of Neo4j's values, those of its import; all others are texts.
KINDS: Final = {
    "INTEGER": "long",
    "FLOAT": "double",
    "BOOLEAN": "boolean",
    "ZONED DATETIME": "datetime",
}


class ExportSizeRow(TypedDict):
    """The number of entities, and the levels of the communities."""

    entities: int
    levels: list[int]


class ExportedEntityRow(TypedDict):
    """An entity; each of `communities` is a level and a title."""

    id: str
    name: str
    type: str | None
    description: str | None
    degree: int
    communities: list[tuple[int, str]]


class ExportedPairRow(TypedDict):
    """A relationship; its ends are ids."""

    id: str
    source: str
    target: str
    weight: float | None
    description: str | None
    predicate: str | None


class ColumnRow(TypedDict):
    """A property of a label or type, and the types of its values."""

    table: str
    name: str
    kinds: list[str]


class ExportedRow(TypedDict):
    """A node or a relationship; `own` holds what isn't a property, such as its id or its ends."""

    table: str
    own: list[str]
    properties: dict[str, object]


def check_name(path: Path) -> None:
    """Raises InputError for a name from which `export` can't know what to write."""
    if path.suffix not in {".graphml", ".zip", ""}:
        raise InputError(f"{path} must end in .graphml or .zip, or must be a new folder.")
    if not path.suffix and path.exists():
        raise InputError(f"{path} exists already. Name a new folder.")


async def export(graph: Graph, path: Path) -> None:
    """Writes the graph to `path`, completely or not at all.

    A name that ends in .graphml gets the entities and relationships. One that ends in .zip, or the
    name of a new folder, gets all nodes and relationships as CSV. Raises InputError for an empty
    graph, and where nothing can be written.
    """
    [size] = await graph.read("export/size", ExportSizeRow)
    if not size["entities"]:
        raise InputError("The graph has no entities yet. Run `kg-build index PATHS` first.")
    try:
        if path.suffix == ".graphml":
            with whole_file(path) as file:
                await _write_graphml(graph, size["levels"], file)
        else:
            with _whole_folder(path) as folder:
                await _write_tables(graph, folder, NODES)
                await _write_tables(graph, folder, RELATIONSHIPS)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error}). Name another file.") from error


# GraphML


async def _write_graphml(graph: Graph, levels: Sequence[int], file: IO[bytes]) -> None:
    def write(text: str) -> None:
        file.write(f"{text}\n".encode())

    entity = ENTITY | {_level_name(level): "string" for level in levels}
    write(f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{GRAPHML}">')
    for kind, fields in (("node", entity), ("edge", PAIR)):
        for name, type_ in fields.items():
            key = f'id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"'
            write(f"<key {key}/>")
    write('<graph edgedefault="directed">')
    async for node in graph.stream("export/entities", ExportedEntityRow):
        titles = {_level_name(level): title for level, title in node["communities"]}
        write(_element("node", {"id": node["id"]}, entity, {**node, **titles}))
    async for edge in graph.stream("export/pairs", ExportedPairRow):
        ends = {"id": edge["id"], "source": edge["source"], "target": edge["target"]}
        write(_element("edge", ends, PAIR, {**edge}))
    write("</graph>\n</graphml>")


def _level_name(level: int) -> str:
    return f"community_{level}" if level else "community"


def _element(
    kind: str,
    attributes: Mapping[str, str],
    fields: Mapping[str, str],
    values: Mapping[str, object],
) -> str:
    """A node or an edge, without the fields that have no value.

    >>> _element("node", {"id": "a"}, {"name": "string"}, {"name": "R&D"})
    '<node id="a"><data key="node_name">R&amp;D</data></node>'
    """
    held = "".join(
        f'<data key="{kind}_{name}">{_escaped(values[name])}</data>'
        for name in fields
        if values.get(name) is not None
    )
    own = "".join(
        f" {name}={quoteattr(NOT_XML.sub('', value))}" for name, value in attributes.items()
    )
    return f"<{kind}{own}>{held}</{kind}>"


def _escaped(value: object) -> str:
    # XML would read a carriage return as a line feed.
    return escape(NOT_XML.sub("", str(value)), {"\r": "&#13;"})


# CSV


@dataclass(frozen=True, slots=True)
class ExportTable:
    """The file of a label or of a type, and the names of the properties in its columns."""

    file: IO[str]
    names: Sequence[str]

    def write(self, cells: Sequence[str]) -> None:
        """Writes a line."""
        csv.writer(self.file, lineterminator="\n").writerow(cells)


@contextmanager
def _whole_folder(path: Path) -> Iterator[Path]:
    """Lends a folder. At the end of the block its files become an archive, or it gets its name."""
    beside = path.absolute().parent
    remove_unfinished(beside, path.name)
    made = TemporaryDirectory(UNFINISHED, f".{path.name}.", beside, ignore_cleanup_errors=True)
    with made as name, opened(folder := Path(name)) as descriptor:
        lock(descriptor)  # so that another export takes it for no folder of a killed one
        yield folder
        if path.suffix:
            with whole_file(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:
                for one in sorted(folder.iterdir()):
                    archive.write(one, one.name)
        else:
            folder.rename(path)


class ExportedKind(NamedTuple):
    """Nodes or relationships: their statements, and the columns before those of properties."""

    columns: str
    rows: str
    own: tuple[str, ...]


NODES: Final = ExportedKind("export/node_columns", "export/nodes", (":ID", ":LABEL"))
RELATIONSHIPS: Final = ExportedKind(
    "export/relationship_columns",
    "export/relationships",
    (":START_ID", ":END_ID", ":TYPE"),
)


async def _write_tables(graph: Graph, folder: Path, kind: ExportedKind) -> None:
    """Writes a file for each label or type.

    Labels and types name the files, so those of somebody else are left out.
    """
    given = {"labels": [*UNIQUE_NODES], "types": TYPES}
    columns = await graph.read(kind.columns, ColumnRow, **given)
    tables: dict[str, ExportTable] = {}
    with ExitStack() as opened:
        for name in dict.fromkeys(row["table"] for row in columns):
            held = {row["name"]: row["kinds"] for row in columns if row["table"] == name}
            held.pop("", None)
            file = (folder / f"{name}.csv").open("w", encoding="utf-8", newline="")
            tables[name] = ExportTable(opened.enter_context(file), [*held])
            tables[name].write([*kind.own, *(_column(*one) for one in held.items())])
        async for row in graph.stream(kind.rows, ExportedRow, **given):
            table = tables.get(row["table"])  # none, if this label is new since the files began
            if table:
                table.write([*row["own"], *(_cell(row["properties"].get(n)) for n in table.names)])


def _column(name: str, kinds: Sequence[str]) -> str:
    """The head of a column, from the types that Neo4j gives for its values.

    >>> _column("names", ["LIST<STRING NOT NULL> NOT NULL", "LIST<NOTHING> NOT NULL"])
    'names:string[]'
    """
    inner = {re.sub("LIST<|>| NOT NULL", "", kind) for kind in kinds} - {"NOTHING"}
    known = KINDS.get(inner.pop(), "string") if len(inner) == 1 else "string"
    return f"{name}:{known}{'[]' if all(kind.startswith('LIST') for kind in kinds) else ''}"


def _cell(value: object) -> str:
    """A value as the import reads it. A semicolon in a list's text becomes a comma.

    >>> _cell(["a; b", "c"]), _cell(True), _cell(None)
    ('a, b;c', 'true', '')
    """
    if isinstance(value, list):
        return ";".join(_cell(one).replace(";", ",") for one in value)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
