"""The program of a worker process: it reads work from stdin and writes the results to stdout.

The process ends when its stdin is closed, so it never outlives the process that started it, not
even if that one is killed.
"""

import os
import pickle
import sys
import traceback
from typing import BinaryIO, Final

from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.errors import GraphRAGError
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.workers.deferred import Work

__all__ = ["LENGTH", "Result", "main"]

LENGTH: Final = 8  # bytes of the number before each message to the parent
Result = tuple[bool, object]
"""Whether the work succeeded, and its result or its error."""


def main() -> None:
    """Works until stdin is closed."""
    work, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the results
    try:
        backend = pickle.load(work)  # noqa: S301 - it comes from the process that started this one
        _write(results, (True, None))
        while True:
            _write(results, _result(backend, pickle.load(work)))  # noqa: S301
    except (EOFError, BrokenPipeError):
        os._exit(0)  # without a last attempt to write what nobody reads


def _result(backend: IndexBackend, work: Work) -> Result:
    try:
        return True, result_without_requests(work.task(backend))
    except GraphRAGError as error:
        return False, error
    except Exception as error:  # noqa: BLE001 - the parent raises it
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        return False, error


def _write(results: BinaryIO, result: Result) -> None:
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    results.write(len(data).to_bytes(LENGTH, "big") + data)
    results.flush()
