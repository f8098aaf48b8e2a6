"""The whole graph as one page to look at, which asks the network for nothing.

The page carries its data deflated, in base64; its script unpacks them. Texts of documents and
models never become part of the page's own HTML, and a policy in its head lets only its own script
run.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from string import Template
from typing import Any, Final

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph, Row
from graphrag_neo4j.resources import data
from graphrag_neo4j.visualization.naming import corpus_name
from graphrag_neo4j.visualization.packing import Pool

__all__ = ["Map", "read_map"]

PLACES: Final = 3  # chunks that are shown for an entity or a relationship
LIBRARY: Final = ("color", "dispatch", "timer", "quadtree", "interpolate", "hierarchy", "force")
SCRIPTS: Final = ("tables", "labels", "picture", "gestures", "panel", "main")
# As in `CONTROLS` of tables.js, and what UTF-8 can't hold.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
Table = Sequence[Sequence[object]]
# As in `KINDS` of tables.js; texts quote those of the tables before.
COLUMNS: Final = {
    "documents": "title source",
    "chunks": "ref document start text",
    "entities": "ref name type description degree community chunks",
    "relationships": "ref source target weight description chunks",
    "claims": "ref description status since until chunk start end entities",
    "communities": "ref parent level size title summary rating why origin findings",
}

# The tables whose texts come from documents; those of communities cite what they rest on.
SAID: Final = ("chunks", "entities", "relationships", "claims")


@dataclass(frozen=True, slots=True)
class Map:
    """What a map shows; each row in the order in which `tables.js` reads it."""

    documents: Table
    chunks: Table
    entities: Table
    relationships: Table
    claims: Table
    communities: Table

    def page(self, title: str | None = None) -> str:
        """The page, with all that it needs; without a title, it has one made of its documents."""
        style, script = _text("map.css"), _script()
        return Template(_text("page.html")).substitute(
            title=escape(CONTROLS.sub("\ufffd", title or corpus_name(self.documents))),
            policy=_policy(style, script),
            style=style,
            script=script,
            data=self._packed(),
        )

    def _packed(self) -> str:
        # By columns: what is alike stands together, and packs better.
        tables = {name: list(zip(*rows, strict=True)) for name, rows in self._pooled().items()}
        text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(zlib.compress(text.encode(), 9)).decode()

    def _pooled(self) -> dict[str, list[Sequence[object]]]:
        """The tables with their texts as runs of pieces, and the pieces."""
        pool = Pool()
        put: dict[str, Callable[[Any], object]] = {
            "text": pool.exactly,
            "description": pool.loosely,
            "summary": pool.loosely,
            "findings": lambda found: [[title, pool.loosely(text)] for title, text in found],
        }
        tables: dict[str, list[Sequence[object]]] = {}
        for table, names in COLUMNS.items():
            packs = [put.get(name) for name in names.split()]
            tables[table] = [
                [pack(value) if pack else value for pack, value in zip(packs, row, strict=True)]
                for row in getattr(self, table)
            ]
        return {**tables, "pieces": [[piece] for piece in pool.pieces]}


async def read_map(graph: Graph) -> Map:
    """Reads all of a graph that a map shows; raises InputError where there is no community."""
    communities = await graph.read("map/communities")
    if not communities:
        raise InputError("There are no communities to draw yet: run `kg-build index` first.")
    chunks = await graph.read("map/chunks")
    documents = list(dict.fromkeys((row["source"], row["document"]) for row in chunks))
    place = {document: n for n, document in enumerate(documents)}
    for row in chunks:
        row["document"] = place[row.pop("source"), row["document"]]
    return Map(
        documents=[[neutralised(title), source] for source, title in documents],
        chunks=_table("chunks", chunks),
        entities=_table("entities", await graph.read("map/entities", places=PLACES)),
        relationships=_table("relationships", await graph.read("map/relationships", places=PLACES)),
        claims=_table("claims", await graph.read("map/claims")),
        communities=_table("communities", communities),
    )


def _table(table: str, rows: Iterable[Row]) -> Table:
    """The rows in the order of their columns; what documents say cites nothing."""
    columns = COLUMNS[table].split()
    return [[_shown(table, row[name]) for name in columns] for row in rows]


def _shown(table: str, value: object) -> object:
    return neutralised(value) if isinstance(value, str) and table in SAID else value


def _text(name: str) -> str:
    return data(f"map/{name}").read_text(encoding="utf-8")


def _script() -> str:
    library = [_text(f"d3/{name}.min.js") for name in LIBRARY]
    return "\n".join([*library, *(_text(f"{name}.js") for name in SCRIPTS)])


def _policy(style: str, script: str) -> str:
    """A content security policy: our style and script, and nothing else from anywhere."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
