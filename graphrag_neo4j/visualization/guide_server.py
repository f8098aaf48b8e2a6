"""Pages given to Neo4j Browser on loopback, while somebody looks.

They hold names out of the graph. So they are given to Neo4j Browser alone: a page of another
origin, whatever name of this machine it uses, is refused.
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
    """Serves the pages, by their path, on loopback; gives the port (0: any free one).

    `origins`: those of Neo4j Browser, such as `http://localhost:7474`; no other one gets a page.
    Raises GraphError where the port is taken.
    """
    try:
        server = _Server(pages, origins, port)
    except OSError as error:
        raise GraphError(
            f"Port {port}, where Neo4j Browser looks for the guide, is taken: end the program"
            " there, perhaps another `kg-build browse`, and run this one again."
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
    """A server of pages for some origins."""

    def __init__(self, pages: Pages, origins: Collection[str], port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.pages, self.origins = pages, origins


class _Handler(BaseHTTPRequestHandler):
    """Gives the pages to Neo4j Browser; it asks from another port, hence the permissions."""

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
        # A name that leads here from elsewhere would give a foreign page our own origin.
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
        """Says nothing: a library does not print."""
