"""The outbox: the requests of the next round, in files on the disk.

A provider takes at most 50,000 requests and 200 MB in a file, all for one model. Only the keys of
the requests are held in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self

__all__ = ["Outbox", "RequestFile"]

MOST_REQUESTS: Final = 50_000
MOST_BYTES: Final = 200_000_000


@dataclass(slots=True)
class RequestFile:
    """A file of requests for one model.

    `cost` is the largest possible cost in US dollars, None where no price is known.
    """

    path: Path
    keys: list[str] = field(default_factory=list)
    size: int = 0
    cost: float | None = 0.0

    def has_room(self, line: bytes) -> bool:
        """Whether the provider takes one more line in this file."""
        return len(self.keys) < MOST_REQUESTS and self.size + len(line) <= MOST_BYTES

    def add(self, key: str, line: bytes, cost: float | None) -> None:
        """Appends a request."""
        with self.path.open("ab") as file:
            file.write(line)
        self.keys.append(key)
        self.size += len(line)
        self.cost = None if cost is None or self.cost is None else self.cost + cost


class Outbox:
    """The files of a round, in a folder that goes with the context."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="kg-batch-")
        self._last: dict[str, RequestFile] = {}  # by model
        self._files: list[RequestFile] = []
        self._keys: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._folder.cleanup()

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._folder.name)

    @property
    def cost(self) -> float:
        """The largest possible cost of all requests in US dollars, as far as prices are known."""
        return sum(file.cost or 0.0 for file in self._files)

    def add(self, model: str, key: str, line: bytes, cost: float | None) -> None:
        """Adds a request that the outbox does not hold yet."""
        last = self._last.get(model)
        if last is None or not last.has_room(line):
            last = RequestFile(self.path / f"requests-{len(self._files)}.jsonl")
            self._files.append(last)
            self._last[model] = last
        last.add(key, line, cost)
        self._keys.add(key)

    def take(self) -> Iterator[RequestFile]:
        """Yields the files one by one, and removes each from the disk after its use."""
        while self._files:
            file = self._files.pop(0)
            yield file
            file.path.unlink()
        self._last.clear()
        self._keys.clear()
