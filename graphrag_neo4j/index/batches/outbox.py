"""The requests that the next round of batches sends."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Final, Self

MOST_BYTES: Final = 200_000_000  # of a file that a provider takes


@dataclass(slots=True)
class RequestFile:
    """A file of requests for one model, without a name, so a killed process leaves none behind.

    `cost` is the largest possible cost in US dollars, None where no price is known.
    """

    content: IO[bytes] = field(default_factory=TemporaryFile)
    keys: list[str] = field(default_factory=list)
    size: int = 0
    cost: float | None = 0.0


class Outbox:
    """The requests of the next round in files, each with at most `most`; they go with the context.

    Only the keys of the requests are held in memory.
    """

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

    def add(self, model: str, key: str, line: bytes, cost: float | None) -> None:
        """Adds a request that the outbox does not hold yet."""
        file = self._last.get(model)
        if not file or len(file.keys) >= self._most or file.size + len(line) > MOST_BYTES:
            file = self._last[model] = RequestFile()
            self._files.append(file)
        file.content.write(line)
        file.keys.append(key)
        file.size += len(line)
        file.cost = None if cost is None or file.cost is None else file.cost + cost
        self._keys.add(key)

    def take(self) -> Iterator[RequestFile]:
        """Yields the files one by one, each of which is gone after its use."""
        while self._files:
            file = self._files.pop(0)
            with file.content:
                yield file
        self._last.clear()
        self._keys.clear()
