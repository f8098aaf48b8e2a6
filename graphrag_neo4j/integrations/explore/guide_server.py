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

__all__ = ["served"]

LOOPBACK = "127.0.0.1"


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


class _Handler(BaseHTTPRequestHandler):
    """Answers Neo4j Browser. It has another origin, so the responses need CORS headers."""

    server: ThreadingHTTPServer

    def answer(self, page: str | None, origins: Collection[str]) -> None:
        """Sends a page to Neo4j Browser, and refuses everybody else."""
        # A foreign host name that resolves to this machine would give a foreign page our origin
        # (DNS rebinding), so the Host header is checked, too.
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
