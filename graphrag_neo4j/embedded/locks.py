"""A lock on a file, held by one process at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.installing import install_command

__all__ = ["locked"]


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock; calls `waiting` once where another process has it."""
    try:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise EmbeddedError(
            f"The embedded Neo4j needs more packages: {install_command('local')}; or name a server "
            "in NEO4J_URI."
        ) from error
    lock = FileLock(path)
    try:
        held = lock.acquire(timeout=0)
    except Timeout:
        waiting()
        held = lock.acquire()
    with held:
        yield
