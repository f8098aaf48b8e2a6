"""Drives steps that ask nothing."""

import anyio.to_thread

from graphrag_neo4j.model import T, Think

__all__ = ["run"]


async def run(think: Think[T]) -> T:
    """The result of a step of `offline`, in a worker thread."""
    return await anyio.to_thread.run_sync(_finished, think)


def _finished(think: Think[T]) -> T:
    try:
        next(think)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("nothing is asked offline")
