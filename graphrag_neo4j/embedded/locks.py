"""A lock on a file, held by one process at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphrag_neo4j.embedded.releases import LOCAL_EXTRA
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import PRIVATE_FILE

__all__ = ["locked"]


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock; calls `waiting` once where another process has it."""
    try:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise EmbeddedError(
            f"The embedded Neo4j needs more packages: {LOCAL_EXTRA}; or name a server in NEO4J_URI."
        ) from error
    lock = FileLock(path, mode=PRIVATE_FILE)
    try:
        held = lock.acquire(timeout=0)
    except Timeout:
        waiting()
        held = lock.acquire()
    with held:
        yield
