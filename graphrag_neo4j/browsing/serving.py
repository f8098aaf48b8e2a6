"""Pages given to Neo4j Browser on loopback, while somebody looks."""

from collections.abc import Iterator, Mapping
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
def served(pages: Pages, port: int = 0) -> Iterator[int]:
    """Serves the pages, by their path, on loopback; gives the port (0: any free one).

    Raises GraphError where the port is taken.
    """
    try:
        server = ThreadingHTTPServer((LOOPBACK, port), _handler(pages))
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


def _handler(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Gives the pages to any Browser; it asks from another port, hence the permissions."""

        def do_OPTIONS(self) -> None:
            self._answer(HTTPStatus.NO_CONTENT, "")

        def do_GET(self) -> None:
            page = pages.get(self.path.partition("?")[0])
            # A name that leads here from elsewhere could let a foreign page read along.
            host = self.headers.get("Host", "").rpartition(":")[0]
            if page is None or host not in OURS:
                self._answer(HTTPStatus.NOT_FOUND, "")
            else:
                self._answer(HTTPStatus.OK, page)

        def _answer(self, status: HTTPStatus, page: str) -> None:
            body = page.encode()
            kind = "html" if self.path.endswith(".html") else "plain"
            self.send_response(status)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "*")
            self.send_header("Access-Control-Allow-Private-Network", "true")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:  # noqa: A002 - its name
            """Says nothing: a library does not print."""

    return Handler
