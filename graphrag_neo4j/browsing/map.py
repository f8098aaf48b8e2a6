"""The whole graph as one page to look at, which asks the network for nothing.

The page carries its data deflated, in base64; its script unpacks them. Texts of documents and
models never become part of the page's own HTML, and a policy in its head lets only its own script
run.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import Template
from typing import Final

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Graph, Row
from graphrag_neo4j.resources import data

__all__ = ["Map", "read_map"]

PLACES: Final = 3  # chunks that are shown for an entity or a relationship
LIBRARY: Final = ("color", "dispatch", "timer", "quadtree", "interpolate", "hierarchy", "force")
SCRIPTS: Final = ("tables", "picture", "panel", "main")
Table = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Map:
    """What a map shows; each row in the order in which `tables.js` reads it."""

    documents: Table
    chunks: Table
    entities: Table
    relationships: Table
    claims: Table
    communities: Table

    def page(self) -> str:
        """The page, with all that it needs."""
        style, script = _text("map.css"), _script()
        return Template(_text("page.html")).substitute(
            policy=_policy(style, script), style=style, script=script, data=self._packed()
        )

    def _packed(self) -> str:
        tables = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


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
        documents=[[title, source] for source, title in documents],
        chunks=_table(chunks, "ref document start text"),
        entities=_table(
            await graph.read("map/entities", places=PLACES),
            "ref name type description degree community chunks",
        ),
        relationships=_table(
            await graph.read("map/relationships", places=PLACES),
            "ref source target weight description chunks",
        ),
        claims=_table(
            await graph.read("map/claims"),
            "ref description status since until chunk start end entities",
        ),
        communities=_table(
            communities, "ref parent level size title summary rating why origin findings"
        ),
    )


def _table(rows: Iterable[Row], names: str) -> Table:
    return [[row[name] for name in names.split()] for row in rows]


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
