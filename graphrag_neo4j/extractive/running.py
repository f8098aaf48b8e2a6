"""Drives the steps of `offline`."""

import anyio.to_thread

from graphrag_neo4j.model import LLMTask, T, finished

__all__ = ["run"]


async def run(task: LLMTask[T]) -> T:
    """The result of a step of `offline`, in a worker thread."""
    return await anyio.to_thread.run_sync(finished, task)
