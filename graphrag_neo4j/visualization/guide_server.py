"""Serves the guide to Neo4j Browser on a loopback address while `kg-build browse` runs.

The pages hold names from the graph, so only Neo4j Browser may read them. Requests of web pages with
another origin are refused, whatever host name they use.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from graphrag_neo4j.errors import GraphError

__all__ = ["Pages", "served"]

Pages = Mapping[str, str]
LOOPBACK = "127.0.0.1"
OURS = ("localhost", LOOPBACK)


@contextmanager
def served(pages: Pages, origins: Collection[str], port: int = 0) -> Iterator[int]:
    """Serves the pages by their paths on a loopback address, and yields the port.

    Port 0 chooses a free port. `origins` are the web origins of Neo4j Browser, such as
    `http://localhost:7474`; requests of other origins are refused. Raises GraphError if the port is
    in use.
    """
    try:
        server = _Server(pages, origins, port)
    except OSError as error:
        raise GraphError(
            f"Port {port} is in use, and Neo4j Browser expects the guide there. Stop the program"
            " that uses it, perhaps another `kg-build browse`, and run this command again."
        ) from error
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    """A server that gives its pages only to some origins."""

    def __init__(self, pages: Pages, origins: Collection[str], port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.pages, self.origins = pages, origins


class _Handler(BaseHTTPRequestHandler):
    """Answers Neo4j Browser. It has another origin, so the responses need CORS headers."""

    server: _Server

    def do_OPTIONS(self) -> None:
        self._answer(HTTPStatus.NO_CONTENT if self._from_browser() else HTTPStatus.FORBIDDEN)

    def do_GET(self) -> None:
        page = self.server.pages.get(self.path.partition("?")[0])
        if not self._from_browser():
            self._answer(HTTPStatus.FORBIDDEN)
        elif page is None:
            self._answer(HTTPStatus.NOT_FOUND)
        else:
            self._answer(HTTPStatus.OK, page)

    def _from_browser(self) -> bool:
        # A foreign host name that resolves to this machine would give a foreign page our origin
        # (DNS rebinding), so the Host header is checked, too.
        host, _, port = self.headers.get("Host", "").rpartition(":")
        ours = host in OURS and port == str(self.server.server_port)
        return ours and self.headers.get("Origin") in self.server.origins

    def _answer(self, status: HTTPStatus, page: str = "") -> None:
        body = page.encode()
        kind = "html" if self.path.partition("?")[0].endswith(".html") else "plain"
        self.send_response(status)
        if self._from_browser():
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
