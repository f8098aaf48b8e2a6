"""Runs a program beside the endpoint of the tests, and measures what it takes.

Memory is the resident memory of the program with all its children, several times a second; what
several processes share is counted for each of them. Calls and tokens are counted by the endpoint.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from tests.support.fake_endpoint import Call, FakeEndpoint

__all__ = ["MEASURED", "ProgramTooSlowError", "Run", "chat_kinds", "resident", "run"]

MEASURED = ("/v1/chat/completions", "/v1/embeddings")
EVERY = 0.3  # seconds between two looks at the program
TAIL = 12  # last lines of a program that are kept


class ProgramTooSlowError(Exception):
    """The program did not end in its time; the text has its last lines."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run took.

    `code` is the exit code, below 0 for a signal. `calls` are all that reached the endpoint, and
    `failed` those of them that met a fault. `memory` and `server_memory` are peaks in MB, of the
    program and of the Neo4j beside it (0 where there is none). `tail` are the last lines that the
    program printed.
    """

    seconds: float
    code: int
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    memory: int
    server_memory: int
    tail: str


def run(
    command: Sequence[str],
    endpoint: FakeEndpoint,
    *,
    environment: Mapping[str, str],
    folder: Path,
    deadline: float,
    server: int = 0,
    kill_after: int = 0,
) -> Run:
    """Runs a command in `folder` until it ends, and counts what it asks of the endpoint.

    `deadline` is a time of `time.monotonic`; ProgramTooSlowError is raised when it has passed.
    `server` is the process id of a Neo4j. After `kill_after` calls, if that is not 0, the program
    and its children are killed with a signal that they cannot catch.
    """
    endpoint.reset()
    began = time.monotonic()
    path = folder / "output.log"
    with path.open("w+b") as output:
        process = _start(command, environment, folder, output)
        try:
            peaks = _watch(process, server, deadline, lambda: _reached(endpoint, kill_after))
        finally:
            _kill(process)
        seconds = time.monotonic() - began
        tail = _tail(output)
    if peaks is None:
        raise ProgramTooSlowError(tail)
    return _measured(endpoint.log, seconds, process.returncode, peaks, tail)


def chat_kinds(calls: Sequence[Call]) -> list[str]:
    """The kinds of all calls but those for embeddings."""
    return sorted({call.kind for call in calls if call.path == MEASURED[0] and call.kind})


def resident(pid: int) -> int:
    """The resident memory of a process and its children, in MB; 0 if it is gone."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        return sum(map(_bytes, family)) // 1_000_000
    return 0


def _bytes(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):
        return int(process.memory_info().rss)
    return 0


def _start(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _watch(
    process: subprocess.Popen[bytes], server: int, deadline: float, reached: Callable[[], bool]
) -> tuple[int, int] | None:
    """The peaks of memory of the program and of the server; None if it had no time to end."""
    program_peak, server_peak = 0, 0
    while process.poll() is None:
        program_peak = max(program_peak, resident(process.pid))
        server_peak = max(server_peak, resident(server) if server else 0)
        if time.monotonic() > deadline:
            return None
        if reached():
            _kill(process)
        time.sleep(EVERY)
    return program_peak, server_peak


def _reached(endpoint: FakeEndpoint, calls: int) -> bool:
    return bool(calls) and len(endpoint.log) >= calls


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kills the program with its children; a program that has ended may have left some."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(output: IO[bytes]) -> str:
    output.seek(0)
    lines = output.read().decode("utf-8", "replace").splitlines()
    return "\n".join(lines[-TAIL:])


def _measured(
    log: Sequence[Call], seconds: float, code: int, peaks: tuple[int, int], tail: str
) -> Run:
    calls = [call for call in log if call.path in MEASURED]
    return Run(
        seconds=round(seconds, 1),
        code=code,
        calls=len(calls),
        failed=sum(bool(call.fault) for call in calls),
        tokens_in=sum(call.prompt_tokens for call in calls),
        tokens_out=sum(call.completion_tokens for call in calls),
        memory=peaks[0],
        server_memory=peaks[1],
        tail=tail,
    )
