"""The queries of `cypher/browse/` as a guide for Neo4j Browser and as saved Cypher; its server.

Neo4j Browser demands the parameters of a query before it runs the query. So each parameter is
replaced by a value from the graph: the largest community, the community with the most links to it,
or an entity. A user can edit this value in the query.

The pages hold names from the graph, so only Neo4j Browser may read them: the server listens on a
loopback address, and refuses web pages of another origin, whatever host name they use.
"""

import io
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, TypedDict

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.web.page import CONTROLS

ExampleValues = Mapping[str, int | str | None]
PARAMETER = re.compile(r"\$(\w+)")
ORDER: Final = (
    ("The largest communities", ("browse/overview",)),
    ("The corpus", ("browse/glance", "browse/documents", "browse/predicates", "browse/cited")),
    ("The communities", ("browse/communities", "browse/tree", "browse/ties")),
    ("One community", ("browse/report", "browse/members", "browse/parts", "browse/below")),
    ("The evidence for a report", ("browse/evidence", "browse/sentences")),
    ("Two communities", ("browse/shared", "browse/together")),
    ("One entity", ("browse/entity", "browse/neighbours")),
    ("Claims and pending work", ("browse/timeline", "browse/disputed", "browse/waiting")),
)
NAMES: Final = tuple(name.removeprefix("browse/") for _, names in ORDER for name in names)
LOOPBACK = "127.0.0.1"
TITLE = "The communities of this corpus"
# The earliest time that a zip archive can hold. It is always the same, so that the same queries
# make the same file.
NO_TIME = (1980, 1, 1, 0, 0, 0)
HOW = (
    "Click a query to copy it into the editor, then run it; this one draws a picture. Double-click"
    " a node to show its neighbours. <code>:clear</code> removes the results, and first of all the"
    " style sheet that Browser has loaded. If a query names a community or"
    " an entity, you can replace it by another one. Neo4j Browser draws at most 300 nodes;"
    " <code>kg-build map</code> draws all of them. By itself, Browser also draws all other"
    " relationships between the nodes of a result, such as STATED beside RELATED."
    " <code>:config autoComplete: false</code> ends this."
)


class ExampleRow(TypedDict):
    """The refs of two related communities, and the name of an entity of the first one."""

    community: int | None
    other: int | None
    entity: str | None


@dataclass(frozen=True, slots=True)
class Query:
    """A query that can be run without changes. `about` describes its result."""

    name: str
    about: str
    text: str

    @property
    def statement(self) -> str:
        """The text without its comment in the first line."""
        return self.text.partition("\n")[2] if self.text.startswith("//") else self.text


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the guide: a title and queries on one topic."""

    title: str
    queries: Sequence[Query]


async def example_values(graph: Graph) -> ExampleValues:
    """Reads example values for the parameters `community`, `other` and `entity` from a graph.

    A value is None if the graph has no such element.
    """
    rows = await graph.read("lookup/chosen", ExampleRow)
    row = rows[0] if rows else ExampleRow(community=None, other=None, entity=None)
    return {"community": row["community"], "other": row["other"], "entity": row["entity"]}


def sections(values: ExampleValues) -> list[Section]:
    """Returns all queries by section, with `values` in place of their parameters."""

    def query(statement: str) -> Query:
        name, text = statement.removeprefix("browse/"), read_statement(statement)
        about = text.partition("\n")[0].removeprefix("//").strip()
        return Query(name, about, PARAMETER.sub(lambda m: literal(values[m[1]]), text).strip())

    return [Section(title, [query(name) for name in names]) for title, names in ORDER]


def literal(value: int | str | None) -> str:
    """Returns a value as a literal in Cypher.

    >>> print(literal("the Ghost's \\\\"))
    'the Ghost\\'s \\\\'
    """
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + text.replace("\n", "\\n").replace("\r", "\\r") + "'"


def guide(sections: Sequence[Section], graph: str = "") -> str:
    """Returns the HTML page for the command `:guide`, with one slide for each section.

    `graph` is the name of the graph, for the title.
    """
    title = escape(CONTROLS.sub("\ufffd", f"{TITLE}: {graph}" if graph else TITLE))
    kind = "programlisting cm-s-neo code runnable standalone-example ng-binding"
    slides = ""
    for n, section in enumerate(sections):
        how = "" if n else f"<p>{HOW}</p>"
        slides += '<slide class="row-fluid"><div class="col-sm-12">'
        slides += f"<h3>{escape(section.title)}</h3>{how}"
        for query in section.queries:
            slides += (
                f"<p>{escape(query.about)}</p>"
                f'<figure><pre mode="cypher" class="pre-scrollable {kind}" data-lang="cypher"'
                f' lang="cypher">{escape(query.statement)}</pre></figure>'
            )
        slides += "</div></slide>"
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title></head><body>"
        f'<article class="guide"><title>{title}</title>'
        f'<carousel class="deck container-fluid">{slides}</carousel></article></body></html>'
    )


def saved(sections: Sequence[Section], *, archive: bool) -> bytes:
    """Returns the queries for "Saved Cypher" as one text, or as a zip archive of one file each."""
    queries = [query for section in sections for query in section.queries]
    if not archive:
        return "\n\n".join(f"{query.text};" for query in queries).encode() + b"\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for query in queries:
            name = zipfile.ZipInfo(f"graphrag-neo4j/{query.name}.cypher", NO_TIME)
            file.writestr(name, query.text)
    return packed.getvalue()


# The server


@contextmanager
def served(pages: Mapping[str, str], origins: Collection[str], port: int = 0) -> Iterator[int]:
    """Serves the pages by their paths on a loopback address, and yields the port.

    Port 0 chooses a free port. `origins` are the web origins of Neo4j Browser, such as
    `http://localhost:7474`; requests of other origins are refused. Raises GraphError if the port is
    in use.
    """

    class Handler(_Handler):
        def do_GET(self) -> None:
            self.answer(pages.get(self.path.partition("?")[0]), origins)

        def do_OPTIONS(self) -> None:
            self.answer("", origins)

    try:
        server = ThreadingHTTPServer((LOOPBACK, port), Handler)
    except OSError as error:
        raise GraphError(
            f"Port {port} is in use, and Neo4j Browser expects the guide there. Stop the program"
            " that uses it, perhaps another `kg-build browse`, or have Neo4j choose another port by"
            " `kg-build neo4j stop`; then run this command again."
        ) from error
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers Neo4j Browser. It has another origin, so the responses need CORS headers."""

    server: ThreadingHTTPServer

    def answer(self, page: str | None, origins: Collection[str]) -> None:
        """Sends a page to Neo4j Browser, and refuses everybody else."""
        # A foreign host name that resolves to this machine would give a foreign page our origin
        # (DNS rebinding), so the Host header is also checked.
        host, _, port = self.headers.get("Host", "").rpartition(":")
        ours = host in ("localhost", LOOPBACK) and port == str(self.server.server_port)
        allowed = ours and self.headers.get("Origin") in origins
        if not allowed:
            status, page = HTTPStatus.FORBIDDEN, None
        elif page is None:
            status = HTTPStatus.NOT_FOUND
        else:
            status = HTTPStatus.OK if page else HTTPStatus.NO_CONTENT
        body = (page or "").encode()
        kind = "html" if self.path.partition("?")[0].endswith(".html") else "plain"
        self.send_response(status)
        if allowed:
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
            self.send_header("Access-Control-Allow-Headers", "*")
            self.send_header("Access-Control-Allow-Private-Network", "true")
        self.send_header("Vary", "Origin")
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:  # noqa: A002 - its name
        """Prints nothing, because a library does not print."""
