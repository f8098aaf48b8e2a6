"""A lock on a file, held by one process at a time."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_neo4j.embedded.telling import Telling
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import PRIVATE_FILE
from graphrag_neo4j.installing import install_command

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = ["locked"]


@contextmanager
def locked(path: Path, telling: Telling, why: str) -> Iterator[None]:
    """Holds the lock. If another process has it, `why` is sent as the reason of the wait."""
    try:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise EmbeddedError(
            f"The embedded Neo4j needs more packages: {install_command('local')}; or name a server "
            "in NEO4J_URI."
        ) from error
    lock = FileLock(path, mode=PRIVATE_FILE)
    try:
        held: AbstractContextManager[object] = lock.acquire(timeout=0)
    except Timeout:
        telling.say(f"{why}.")
        held = _acquired(lock, telling, why)
    with held:
        yield


def _acquired(lock: "FileLock", telling: Telling, why: str) -> AbstractContextManager[object]:
    from filelock import Timeout  # noqa: PLC0415 - an extra

    with telling.waiting(why) as waiting:
        while True:
            try:
                return lock.acquire(timeout=1)
            except Timeout:
                waiting.tick()
