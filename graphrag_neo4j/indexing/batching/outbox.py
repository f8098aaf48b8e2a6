"""The outbox: the requests of the next round, in temporary files.

A provider takes at most 50,000 requests and 200 MB in a file, all for one model. Only the keys of
the requests are held in memory. The files have no names, so a killed process leaves none behind.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Final, Self

__all__ = ["Outbox", "RequestFile"]

MOST_BYTES: Final = 200_000_000


@dataclass(slots=True)
class RequestFile:
    """A file of requests for one model.

    `cost` is the largest possible cost in US dollars, None where no price is known. It takes at
    most `most` requests.
    """

    most: int
    content: IO[bytes] = field(default_factory=TemporaryFile)
    keys: list[str] = field(default_factory=list)
    size: int = 0
    cost: float | None = 0.0

    def has_room(self, line: bytes) -> bool:
        """Whether the provider takes one more line in this file."""
        return len(self.keys) < self.most and self.size + len(line) <= MOST_BYTES

    def add(self, key: str, line: bytes, cost: float | None) -> None:
        """Appends a request."""
        self.content.write(line)
        self.keys.append(key)
        self.size += len(line)
        self.cost = None if cost is None or self.cost is None else self.cost + cost


class Outbox:
    """The files of a round, each with at most `most` requests; they go with the context."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._last: dict[str, RequestFile] = {}  # by model
        self._files: list[RequestFile] = []
        self._keys: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for file in self._files:
            file.content.close()

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    @property
    def cost(self) -> float:
        """The largest possible cost of all requests in US dollars, as far as prices are known."""
        return sum(file.cost or 0.0 for file in self._files)

    def add(self, model: str, key: str, line: bytes, cost: float | None) -> None:
        """Adds a request that the outbox does not hold yet."""
        last = self._last.get(model)
        if last is None or not last.has_room(line):
            last = RequestFile(self._most)
            self._files.append(last)
            self._last[model] = last
        last.add(key, line, cost)
        self._keys.add(key)

    def take(self) -> Iterator[RequestFile]:
        """Yields the files one by one, each of which is gone after its use."""
        while self._files:
            file = self._files.pop(0)
            with file.content:
                yield file
        self._last.clear()
        self._keys.clear()
