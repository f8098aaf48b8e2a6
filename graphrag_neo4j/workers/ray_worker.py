"""What runs on the workers of a Ray cluster: tasks with their calls, reading and cutting of files.

A worker has its share of the limits of the run (calls at the same time, calls and tokens a minute),
so that all workers together keep them. The cost limit holds for the whole: each task comes with the
cost of the run so far, and the worker adds what it has spent itself since then.
"""

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.errors import GraphRAGError
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.loaders import ReadOptions, Unreadable, read
from graphrag_neo4j.model import Document, Usage
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.workers.deferred import Work

__all__ = ["Answer", "ReadFile", "TaskRunner", "Version", "read_file", "version_of"]

Version = tuple[int, int]
"""The size of a file in bytes and the time of its last change in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a task: its result or its error, and what it used of the endpoint."""

    result: object = None
    error: Exception | None = None
    usage: dict[str, Usage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The items of a file, and the encodings that were guessed for it."""

    items: Sequence[Document | Unreadable]
    encodings: Sequence[str]


class TaskRunner:
    """Runs the tasks of a backend in the process of one worker.

    `settings` have no key; they are None for a backend that asks no model.
    """

    def __init__(self, backend: IndexBackend, settings: Settings | None) -> None:
        self._backend, self._settings = backend, settings
        self._elsewhere = Meter()
        self._endpoint: Endpoint | None = None

    async def begin(self, keys: Sequence[Any]) -> str:
        """Opens the endpoint with a key, and returns the signature of extractions.

        `keys` holds a reference to the key in Ray's store, or nothing. The reference stands in a
        list, because Ray would replace a reference that is an argument itself by what it refers to.
        """
        if self._settings:
            settings = self._settings.with_key(await keys[0] if keys else None)
            self._elsewhere.limit = settings.max_cost
            self._endpoint = Endpoint(settings, self._elsewhere)
        return self._backend.signature("extraction")

    async def run(self, work: Work, spent: float) -> Answer:
        """Runs a task. `spent` is the cost of the run so far in US dollars, as the driver knows it.

        Errors are returned, because Ray would print a traceback into the text of an error.
        """
        try:
            result = await self._result(work, spent)
        except GraphRAGError as error:
            return Answer(error=error, usage=self._used())
        except Exception as error:  # noqa: BLE001 - the driver raises it
            error.add_note(f"On a Ray worker:\n{traceback.format_exc()}")
            return Answer(error=error, usage=self._used())
        return Answer(result, usage=self._used())

    async def _result(self, work: Work, spent: float) -> object:
        task = work.task(self._backend)
        if self._endpoint is None:
            return result_without_requests(task)
        own = self._endpoint.meter.total.cost  # not yet reported to the driver
        self._elsewhere.steps.clear()
        self._elsewhere.steps["elsewhere"] = Usage(cost=spent + own)
        return await self._endpoint.run(task)

    def _used(self) -> dict[str, Usage]:
        return self._endpoint.meter.take() if self._endpoint else {}


def version_of(path: Path) -> Version:
    """The version of a file. Raises OSError if the file is not there."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def read_file(path: Path, version: Version, options: ReadOptions) -> ReadFile | None:
    """Reads a file. Returns None if this machine has not the same version of the file."""
    try:
        if version_of(path) != version:
            return None
    except OSError:
        return None
    encodings: list[str] = []
    return ReadFile(list(read(path, options, encodings.append)), encodings)
