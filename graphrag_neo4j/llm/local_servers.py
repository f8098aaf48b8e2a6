"""Looks for model servers on this machine, at the usual ports of the loopback."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import anyio
import httpx2

from graphrag_neo4j.settings import STATIC

PORTS: Final[Mapping[int, str]] = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp",
    8000: "vLLM",
}
SECONDS: Final = 0.5  # for one server; on the own machine an answer takes milliseconds
EMBEDDING_NAME: Final = "embed"  # in the names of nearly all embedding models


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that lists models. `name` is the program that usually has its port."""

    name: str
    url: str
    models: Sequence[str]

    @property
    def says(self) -> str:
        """A sentence that says where the server is."""
        return f"A model server answers at {self.url} (the usual port of {self.name})."

    @property
    def chat_model(self) -> str | None:
        """The first of its models that is no embedding model; None if there is none."""
        return next((one for one in self.models if EMBEDDING_NAME not in one.lower()), None)

    @property
    def lines(self) -> Sequence[str]:
        """The lines for a shell, or for the file `.env`, with which its models are used."""
        embedding = [model for model in self.models if EMBEDDING_NAME in model.lower()]
        return (
            f"export OPENAI_BASE_URL={self.url}",
            f"export KG_MODEL={self.chat_model or 'MODEL'}",
            f"export KG_EMBEDDING_MODEL={next(iter(embedding), STATIC)}",
        )

    @property
    def advice(self) -> str:
        """A sentence for the first index without a model: what lets this server read documents."""
        exports = "export " + " ".join(line.removeprefix("export ") for line in self.lines)
        return (
            f"{self.says} `{exports}` lets its model {self.chat_model} read the documents, with "
            "--with-model once they have been read without one."
        )


async def find_local_servers(ports: Mapping[int, str] = PORTS) -> list[LocalServer]:
    """Returns the servers that answer on the loopback, in the order of `ports`.

    `ports` holds the name of the usual program for each port. Raises nothing: a server that does
    not answer, or answers something else, is not listed.
    """
    found: dict[int, LocalServer] = {}

    async def look(port: int, name: str) -> None:
        url = f"http://127.0.0.1:{port}/v1"
        try:
            with anyio.fail_after(2 * SECONDS):
                body = (await client.get(f"{url}/models")).json()
            models = [str(row["id"]) for row in body["data"] if _is_plain(row["id"])]
        except (httpx2.HTTPError, TimeoutError, ValueError, LookupError, TypeError, RecursionError):
            return
        if models:
            found[port] = LocalServer(name, url, models)

    # A client takes a moment to make, since it loads certificates. So all servers share one.
    async with (
        httpx2.AsyncClient(timeout=SECONDS, trust_env=False) as client,
        anyio.create_task_group() as tasks,
    ):
        for port, name in ports.items():
            tasks.start_soon(look, port, name)
    return [found[port] for port in ports if port in found]


def _is_plain(name: object) -> bool:
    """Returns whether a name can be printed as a part of a command."""
    return isinstance(name, str) and all(c.isalnum() or c in "-_.:/@+" for c in name) and name != ""
