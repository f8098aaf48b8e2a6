"""Writes the whole graph as one web page, which needs no network.

The page holds its data compressed (deflate) and in base64; its script decompresses them. Texts of
documents and models never become HTML, and a content security policy allows only the page's own
script.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from string import Template
from typing import Any, Final, TypedDict

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import data
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.passage import called
from graphrag_neo4j.web.page import CONTROLS, TextPool, content_policy, packed, shared_parts

PLACES: Final = 3  # chunks that the page shows for an entity or a relationship
LIBRARY: Final = ("color", "dispatch", "timer", "quadtree", "interpolate", "hierarchy", "force")
SCRIPTS: Final = ("tables", "labels", "layout", "legend", "picture", "gestures", "panel", "main")
Table = Sequence[Sequence[object]]
# The tables whose texts come from documents. Only the texts of communities may hold citations.
FROM_DOCUMENTS: Final = ("chunks", "entities", "relationships", "claims")


class MapChunkRow(TypedDict):
    """A chunk; `name`, `title` and `source` are those of its document.

    The others are those of `Passage`.
    """

    ref: int
    name: str
    title: str
    source: str
    start: int
    text: str
    line: int | None
    parts: list[str]
    part_starts: list[int]


class MapEntityRow(TypedDict):
    """An entity; `community` is the ref of its leaf, `chunks` holds refs.

    `aliases` holds its other names and `properties` what was imported ("born: 1964"), None if
    there are none.
    """

    ref: int
    name: str
    aliases: list[str] | None
    type: str
    properties: list[str] | None
    description: str
    degree: int
    community: int | None
    chunks: list[int]


class MapRelationshipRow(TypedDict):
    """A relationship; its ends and its chunks are refs."""

    ref: int
    source: int
    target: int
    weight: float
    predicate: str | None
    description: str
    chunks: list[int]


class MapClaimRow(TypedDict):
    """A claim; `start` and `end` are the place of its quotation in the chunk with this ref."""

    ref: int
    description: str
    status: str | None
    since: str | None
    until: str | None
    chunk: int
    start: int | None
    end: int | None
    entities: list[int]


class MapCommunityRow(TypedDict):
    """A community with its report; each finding is its summary and its explanation."""

    ref: int
    parent: int | None
    level: int
    size: int
    title: str | None
    summary: str | None
    rating: float | None
    why: str | None
    origin: str | None
    findings: list[tuple[str, str]]


# The same columns as in `KINDS` of tables.js. The texts of a table quote those of earlier tables.
COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "documents": ("title", "source"),
    "chunks": ("ref", "document", "start", "text", "line", "parts", "part_starts"),
    "entities": tuple(MapEntityRow.__annotations__),
    "relationships": tuple(MapRelationshipRow.__annotations__),
    "claims": tuple(MapClaimRow.__annotations__),
    "communities": tuple(MapCommunityRow.__annotations__),
}


@dataclass(frozen=True, slots=True)
class Map:
    """The data of a map. The values of each row are in the order that `tables.js` expects."""

    documents: Table
    chunks: Table
    entities: Table
    relationships: Table
    claims: Table
    communities: Table

    def page(self, title: str, graph: str = "") -> str:
        """Returns the complete HTML page. Below its title stands the name of the graph, if any."""
        template, style, script = page_parts()
        policy = content_policy(style, script)
        of = escape(CONTROLS.sub("\ufffd", f" · {graph}")) if graph else ""
        return Template(template).substitute(
            title=escape(CONTROLS.sub("\ufffd", title)),
            name=f"Map of communities{of}",
            head=f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f"<style>{style}</style>",
            doors="",
            ask="",
            script=f'<script id="data" type="application/octet-stream">{self.packed()}</script>\n'
            f"<script>{script}</script>",
        )

    def packed(self) -> str:
        """Packs the tables, with texts as runs of pieces, and the table of these pieces."""
        pool = TextPool()
        put: dict[str, Callable[[Any], object]] = {
            "text": pool.exactly,
            "description": pool.loosely,
            "summary": pool.loosely,
            "findings": lambda found: [[title, pool.loosely(text)] for title, text in found],
        }
        tables: dict[str, list[Sequence[object]]] = {}
        for table, names in COLUMNS.items():
            packs = [put.get(name) for name in names]
            tables[table] = [
                [pack(value) if pack else value for pack, value in zip(packs, row, strict=True)]
                for row in getattr(self, table)
            ]
        tables["pieces"] = [[piece] for piece in pool.pieces]
        # By columns, because similar values next to each other compress better.
        return packed({name: list(zip(*rows, strict=True)) for name, rows in tables.items()})


def page_parts() -> tuple[str, str, str]:
    """The template of a page with a map, its style and its script."""
    style, shared = shared_parts()
    library = [_text(f"d3/{name}.min.js") for name in LIBRARY]
    scripts = [_text(f"{name}.js") for name in SCRIPTS]
    return _text("page.html"), _text("map.css") + style, "\n".join([*library, shared, *scripts])


async def read_map(graph: Graph, places: int = PLACES, *, may_be_empty: bool = False) -> Map:
    """Reads the data of a map from a graph, with at most `places` chunks of each entity.

    Raises InputError if the graph has no communities, unless it may be empty.
    """
    communities = await graph.read("map/communities", MapCommunityRow)
    if not communities and not may_be_empty:
        raise InputError("The graph has no communities yet. Run `kg-build index PATHS` first.")
    chunks = await graph.read("map/chunks", MapChunkRow)
    documents = {row["source"]: called(row["name"], row["title"]) for row in chunks}
    place = {source: n for n, source in enumerate(documents)}
    return Map(
        documents=[[neutralised(name), source] for source, name in documents.items()],
        chunks=_table(
            "chunks",
            (
                {
                    **row,
                    "document": place[row["source"]],
                    "parts": [neutralised(label) for label in row["parts"]],
                }
                for row in chunks
            ),
        ),
        entities=_table("entities", await graph.read("map/entities", MapEntityRow, places=places)),
        relationships=_table(
            "relationships",
            await graph.read("map/relationships", MapRelationshipRow, places=PLACES),
        ),
        claims=_table("claims", await graph.read("map/claims", MapClaimRow)),
        communities=_table("communities", communities),
    )


def _table(table: str, rows: Iterable[Mapping[str, object]]) -> Table:
    """Returns the rows with their values in the order of the columns.

    Text from documents that looks like a citation is neutralised.
    """
    values = ([row[name] for name in COLUMNS[table]] for row in rows)
    if table not in FROM_DOCUMENTS:
        return list(values)
    return [[neutralised(one) if isinstance(one, str) else one for one in row] for row in values]


def _text(name: str) -> str:
    return data(f"map/{name}").read_text(encoding="utf-8")
