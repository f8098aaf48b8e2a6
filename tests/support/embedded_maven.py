"""A Maven repository of a few tiny jars on loopback, with its lock; it can misbehave."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Semaphore, Thread

from graphrag_neo4j.embedded.releases import Jar, read_lock


class Repository(ThreadingHTTPServer):
    """Gives `files` by path, those of `cut` by half, after `busy` answers 503; `asked` counts."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, n_jars: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = {f"org/jar-{i}/jar-{i}.jar": bytes([i]) * (i + 100) for i in range(n_jars)}
        self.asked: Counter[str] = Counter()
        self.busy = Semaphore(0)
        self.cut: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/maven2"

    def jars(self) -> Sequence[Jar]:
        """The lock of the files as they are now."""
        lines = ["# jars of a test"]
        for number, (path, content) in enumerate(self.files.items()):
            kind = "plugins" if number % 2 else "lib"
            lines.append(f"{kind} {path} {len(content)} {sha256(content).hexdigest()}")
        return read_lock("\n".join(lines))


class _Handler(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        path = self.path.removeprefix("/maven2/")
        self.server.asked[path] += 1
        if self.server.busy.acquire(blocking=False):
            self.send_error(503)
        elif path not in self.server.files:
            self.send_error(404)
        else:
            content = self.server.files[path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            cut = len(content) // 2 if path in self.server.cut else None
            self.wfile.write(content[:cut])

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def running_repository(n_jars: int = 5) -> Iterator[Repository]:
    with Repository(n_jars) as repository:
        thread = Thread(target=repository.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield repository
        finally:
            repository.shutdown()
            thread.join()
