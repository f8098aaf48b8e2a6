"""What travels to the workers of a Ray cluster, and what runs there.

A task is a generator, which can't be sent to another process. So a `DeferredTask` holds the method
of the backend and its arguments, and a worker, which has the same backend, begins it.

A worker has its share of the limits of the run (calls at the same time, calls and tokens a minute),
so that all workers together keep them. The cost limit holds for the whole: each task comes with the
cost of the run so far, and the worker adds what it has spent itself since then.
"""

import traceback
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from graphrag_neo4j.documents import ReadOptions, Unreadable, read
from graphrag_neo4j.errors import GraphRAGError
from graphrag_neo4j.llm import Endpoint, Meter
from graphrag_neo4j.model import Document, LLMTask, Reply, Request, T, Usage
from graphrag_neo4j.model.concurrency import result_without_requests
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.protocols import IndexBackend
from graphrag_neo4j.settings import Settings

__all__ = ["DeferredTask", "TaskRunner", "deferring", "read_file", "version_of"]

TASKS = ("extract", "claims", "summarize", "compare")  # methods of a backend that give tasks
Work = tuple[str, tuple[object, ...]]
"""What a task is made of: the name of a method of the index backend, and its arguments."""
Answer = tuple[object, Exception | None, dict[str, Usage]]
"""The result of a task, or None and its error, and what it used of the endpoint."""


class DeferredTask(Generator[Request, Reply, T]):
    """An LLM task that begins on a worker. Here it only holds its `work`."""

    def __init__(self, method: str, *arguments: object) -> None:
        self.work: Work = (method, arguments)

    def send(self, _value: Reply) -> Request:
        raise TypeError("This task runs on a worker.")

    def throw(self, *_error: Any) -> Request:  # noqa: ANN401 - as its base has it
        raise TypeError("This task runs on a worker.")


class _Deferring:
    """An index backend whose tasks are deferred; everything else is that of `backend`."""

    def __init__(self, backend: IndexBackend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> object:
        return partial(DeferredTask, name) if name in TASKS else getattr(self._backend, name)

    def report(self, context: str, material: ReportMaterial) -> DeferredTask[object]:
        """Writes a report. Of context and material, only what the backend reads travels."""
        if self._backend.quotes:
            return DeferredTask("report", "", material)
        return DeferredTask("report", context, ReportMaterial({}, (), ()))


def deferring(backend: IndexBackend) -> IndexBackend:
    """The same backend, but its tasks are deferred."""
    return cast("IndexBackend", _Deferring(backend))


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
        result: object = None
        error: Exception | None = None
        try:
            result = await self._result(work, spent)
        except GraphRAGError as found:
            error = found
        except Exception as found:  # noqa: BLE001 - the driver raises it
            found.add_note(f"On a Ray worker:\n{traceback.format_exc()}")
            error = found
        return result, error, self._endpoint.meter.take() if self._endpoint else {}

    async def _result(self, work: Work, spent: float) -> object:
        task = cast("LLMTask[object]", getattr(self._backend, work[0])(*work[1]))
        if self._endpoint is None:
            return result_without_requests(task)
        own = self._endpoint.meter.total.cost  # not yet reported to the driver
        self._elsewhere.steps.clear()
        self._elsewhere.steps["elsewhere"] = Usage(cost=spent + own)
        return await self._endpoint.run(task)


def version_of(path: Path) -> tuple[int, int] | None:
    """The size of a file in bytes and its last change in nanoseconds; None if it is not there."""
    try:
        found = path.stat()
    except OSError:  # reading the file reports it
        return None
    return found.st_size, found.st_mtime_ns


def read_file(
    path: Path, version: tuple[int, int], options: ReadOptions
) -> tuple[Sequence[Document | Unreadable], Sequence[str]] | None:
    """The items of a file, and the encodings that were guessed for it.

    It is None if this machine has not the same version of the file.
    """
    if version_of(path) != version:
        return None
    encodings: list[str] = []
    return list(read(path, options, encodings.append)), encodings
