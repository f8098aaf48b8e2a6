"""Workers on this machine: processes of Python that do the work of the extractive backend.

They are started as programs of their own. The classes of `multiprocessing` would run the user's
script once more in each process, and a script that has no `if __name__ == "__main__"` would build
its index again there.
"""

import os
import pickle
import subprocess
import sys
from functools import partial
from typing import Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from graphrag_neo4j.concurrency import run_in_thread
from graphrag_neo4j.model import LLMTask, T
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.workers.child import LENGTH, Result
from graphrag_neo4j.workers.deferred import Work
from graphrag_neo4j.workers.pool import WorkerEndedError, WorkerPool

__all__ = ["process_pool", "usable_cores"]

FEW = 100
"""Tasks that this process does itself before it starts workers: they take it a few seconds at most,
and the workers take one to begin."""
MOST: Final = 16
"""Workers at most, where the settings do not say how many: a single writer and one Neo4j take about
as much as so many give."""
HERE: Final = 2  # tasks in threads of this process at the same time
PROGRAM: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from graphrag_neo4j.workers.child import main; main()"
)
NOT_STARTED: Final = (
    "A worker process ended before it could begin. KG_WORKERS=1 does the work without such "
    "processes."
)


def usable_cores() -> int:
    """Returns the number of cores that this process may use, at most `MOST`."""
    if hasattr(os, "sched_getaffinity"):  # it knows about limits such as those of taskset
        return min(MOST, len(os.sched_getaffinity(0)))
    return min(MOST, os.cpu_count() or 1)


def process_pool(backend: IndexBackend, n: int, few: int | None = None) -> WorkerPool:
    """Returns a pool of `n` processes for a backend whose tasks yield no request.

    This process runs the first `few` tasks (`FEW` if it is None).
    """
    slots = anyio.CapacityLimiter(HERE)

    async def run_here(task: LLMTask[T]) -> T:
        async with slots:
            return await run_in_thread(task)

    start = partial(ProcessWorker.start, pickle.dumps(backend))
    return WorkerPool(start, n, run_here=run_here, few=FEW if few is None else few)


class ProcessWorker:
    """A worker process, with which one task at a time is exchanged through pipes."""

    slots = 1

    def __init__(self, process: Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("The process needs pipes for its input and its output.")
        self.pid = process.pid
        self._process = process
        self._work, self._results = process.stdin, BufferedByteReceiveStream(process.stdout)

    @classmethod
    async def start(cls, backend: bytes) -> "ProcessWorker":
        """Starts a process and gives it the pickled backend. Raises as `WorkerPool` says.

        The process has a session of its own, so that Ctrl-C in a terminal does not reach it.
        """
        command = [sys.executable, "-c", PROGRAM, *sys.path]
        worker = cls(
            await anyio.open_process(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None,
                start_new_session=True,
            )
        )
        try:
            await worker._exchange(backend)
        except BaseException as error:
            with anyio.CancelScope(shield=True):
                await worker.stop()
            if isinstance(error, WorkerEndedError):
                raise WorkerEndedError(NOT_STARTED) from None
            raise
        return worker

    async def run(self, work: Work) -> object:
        """Has the process do the work, and returns the result. Raises as `Worker` says."""
        done, result = await self._exchange(pickle.dumps(work, pickle.HIGHEST_PROTOCOL))
        if done:
            return result
        if not isinstance(result, Exception):
            raise TypeError(f"A worker process sent no error but {type(result)}.")
        raise result

    async def _exchange(self, data: bytes) -> Result:
        try:
            await self._work.send(data)
            length = int.from_bytes(await self._results.receive_exactly(LENGTH), "big")
            answer = await self._results.receive_exactly(length)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream) as error:
            raise WorkerEndedError from error
        except anyio.IncompleteRead as error:
            raise WorkerEndedError from error
        result: Result = pickle.loads(answer)  # noqa: S301 - our own worker wrote it
        return result

    async def stop(self) -> None:
        """Ends the process at once; it holds nothing that could be lost."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.aclose()
