"""Tasks of an index backend that have not begun, so that another process can begin them."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import cast, overload

from graphrag_neo4j.context.material import ReportMaterial
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model import (
    ChunkText,
    Claims,
    DescribedThing,
    Extraction,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    Reply,
    Request,
    Step,
    T,
    WrittenReport,
)
from graphrag_neo4j.protocols import IndexBackend

__all__ = ["DeferredTask", "DeferringBackend", "Work"]


@dataclass(frozen=True, slots=True)
class Work:
    """What a task is made of: the name of a method of the index backend, and its arguments.

    It can be pickled, and the process that receives it has the same backend.
    """

    method: str
    arguments: tuple[object, ...]

    def task(self, backend: IndexBackend) -> LLMTask[object]:
        """Makes the task with this backend."""
        return cast("LLMTask[object]", getattr(backend, self.method)(*self.arguments))


class DeferredTask(Generator[Request, Reply, T]):
    """An LLM task that begins when it is asked for its first request.

    Until then, its `work` can be sent to another process instead.
    """

    def __init__(self, backend: IndexBackend, method: str, *arguments: object) -> None:
        self.work = Work(method, arguments)
        self._backend = backend
        self._task: LLMTask[T] | None = None

    def send(self, value: Reply) -> Request:
        """Sends a reply to the task and returns its next request."""
        return self._begun().send(value)

    @overload
    def throw(
        self, typ: type[BaseException], val: object = ..., tb: TracebackType | None = ..., /
    ) -> Request: ...

    @overload
    def throw(
        self, typ: BaseException, val: None = ..., tb: TracebackType | None = ..., /
    ) -> Request: ...

    def throw(
        self,
        typ: type[BaseException] | BaseException,
        val: object = None,
        tb: TracebackType | None = None,
        /,
    ) -> Request:
        """Raises an error in the task and returns its next request."""
        error = typ if isinstance(typ, BaseException) else typ(*([] if val is None else [val]))
        return self._begun().throw(error.with_traceback(tb) if tb else error)

    def _begun(self) -> LLMTask[T]:
        if self._task is None:
            self._task = cast("LLMTask[T]", self.work.task(self._backend))
        return self._task


class DeferringBackend:
    """An index backend whose tasks are deferred; everything else is that of `backend`."""

    def __init__(self, backend: IndexBackend) -> None:
        self._backend = backend

    @property
    def origin(self) -> Origin:
        """The origin of the reports."""
        return self._backend.origin

    @property
    def quotes(self) -> bool:
        """Whether the reports quote their sources."""
        return self._backend.quotes

    @property
    def summary_batch(self) -> int:
        """The largest number of things that are described together."""
        return self._backend.summary_batch

    def signature(self, step: Step) -> str:
        """Identifies everything, apart from the chunk, that a step's result depends on."""
        return self._backend.signature(step)

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """Extracts the entities and relationships of a chunk."""
        return DeferredTask(self._backend, "extract", chunk)

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """Extracts the claims of a chunk."""
        return DeferredTask(self._backend, "claims", chunk)

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Makes one description of several for each thing."""
        return DeferredTask(self._backend, "summarize", things)

    def report(self, context: str, material: ReportMaterial) -> LLMTask[WrittenReport]:
        """Writes a report.

        The context is text made from the material. Only what this backend reads is kept, because
        both may be large.
        """
        if self._backend.quotes:
            return DeferredTask(self._backend, "report", "", material)
        return DeferredTask(self._backend, "report", context, ReportMaterial({}, (), ()))

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Decides for each pair of names whether they are one thing."""
        return DeferredTask(self._backend, "compare", pairs)
