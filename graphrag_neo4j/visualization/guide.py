"""Writes the queries as a guide for Neo4j Browser and as saved Cypher, and the style sheet."""

import io
import zipfile
from collections.abc import Sequence
from html import escape

from graphrag_neo4j.resources import data
from graphrag_neo4j.visualization.queries import Query, Section

__all__ = ["guide", "saved", "style"]

TITLE = "The communities of this corpus"
FOLDER = "graphrag-neo4j"
# The earliest time that a zip archive can hold. It is always the same, so that the same queries
# make the same file.
NO_TIME = (1980, 1, 1, 0, 0, 0)
HOW = (
    "Click a query to copy it into the editor, then run it. Some queries draw nodes and"
    " relationships; double-click a node to show its neighbours. If a query names a community or"
    " an entity, you can replace it by another one. Neo4j Browser draws at most 300 nodes;"
    " <code>kg-build map</code> draws all of them."
)


def guide(sections: Sequence[Section]) -> str:
    """Returns the HTML page for the command `:guide`, with one slide for each section."""
    slides = "".join(_slide(n, section) for n, section in enumerate(sections))
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{TITLE}</title></head><body>"
        f'<article class="guide"><title>{TITLE}</title>'
        f'<carousel class="deck container-fluid">{slides}</carousel></article></body></html>'
    )


def style() -> str:
    """Returns the style sheet for the command `:style`: colours, sizes and captions."""
    return data("browser/style.grass").read_text(encoding="utf-8")


def saved(sections: Sequence[Section], *, archive: bool) -> bytes:
    """Returns the queries for "Saved Cypher" as one text, or as a zip archive of one file each."""
    queries = [query for section in sections for query in section.queries]
    if not archive:
        return "\n\n".join(f"{query.text};" for query in queries).encode() + b"\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for query in queries:
            name = zipfile.ZipInfo(f"{FOLDER}/{query.name}.cypher", NO_TIME)
            file.writestr(name, query.text)
    return packed.getvalue()


def _slide(n: int, section: Section) -> str:
    how = "" if n else f"<p>{HOW}</p>"
    queries = "".join(map(_figure, section.queries))
    return (
        '<slide class="row-fluid"><div class="col-sm-12">'
        f"<h3>{escape(section.title)}</h3>{how}{queries}</div></slide>"
    )


def _figure(query: Query) -> str:
    kind = "programlisting cm-s-neo code runnable standalone-example ng-binding"
    return (
        f"<p>{escape(query.about)}</p>"
        f'<figure><pre mode="cypher" class="pre-scrollable {kind}" data-lang="cypher"'
        f' lang="cypher">{escape(query.statement)}</pre></figure>'
    )
