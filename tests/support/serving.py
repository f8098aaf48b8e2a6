"""`kg-build serve` in a process of its own, as a person starts it."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

COMMAND = [sys.executable, "-m", "graphrag_neo4j.cli", "serve", "--no-browser"]
TOKEN = "a-token-of-25-characters!"


class Served(NamedTuple):
    """The address of a server, and the headers of a program that has its token."""

    url: str
    headers: dict[str, str]


@contextmanager
def served(
    folder: Path,
    environment: dict[str, str],
    *options: str,
    killed: bool = False,
    log: Path | None = None,
) -> Iterator[Served]:
    """A server at a free port, which is ended by Ctrl-C, or is `killed`.

    Its log goes to the file `log`, if one is given.
    """
    quiet = [] if log else ["--log", "off"]
    with (
        log.open("w") if log else nullcontext(subprocess.PIPE) as errors,
        subprocess.Popen(  # noqa: S603 - our own Python on our own code
            [*COMMAND, "--port", "0", *quiet, *options],
            env={**environment, "KG_SERVE_TOKEN": TOKEN},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout
        try:
            line = process.stdout.readline()
            found = re.fullmatch(r"Ask at (http://\S+)/#token=\S+\n", line)
            assert found, line
            yield Served(found[1], {"Authorization": f"Bearer {TOKEN}"})
        finally:
            process.send_signal(signal.SIGKILL if killed else signal.SIGINT)
            _, err = process.communicate()
    if killed:
        return
    assert process.returncode == 0, err
    assert not err, err  # also of questions nothing is told there
