"""`/openapi.json` describes the server as it is: schemathesis holds all routes against it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.settings import Settings
from tests.support.servers import TestServer, environment_of
from tests.support.serving import Served, served
from tests.support.wiping import wipe

pytestmark = [pytest.mark.slow, pytest.mark.one_release]

TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London."
# A schema can't say that the last message must be one of the user, or that a question must have a
# word (the classes of characters of Unicode aren't the same in all languages' expressions).
CONFIGURATION = """
[[operations]]
include-path = ["/v1/chat/completions", "/api/ask"]
checks.positive_data_acceptance.enabled = false
"""


@pytest.fixture(scope="module")
async def environment_of_graph(
    checked_server: TestServer, alone: Settings
) -> AsyncIterator[dict[str, str]]:
    async with checked_server.connect() as graph, AsyncGraphRAG(alone) as rag:
        await wipe(graph)
        assert (await rag.index([Document(TALE, "tale", "Tale")])).complete
        yield environment_of(alone)
        await wipe(graph)


def description_of(running: Served) -> dict[str, Any]:
    request = urllib.request.Request(f"{running.url}/openapi.json", headers=running.headers)  # noqa: S310 - our server
    with urllib.request.urlopen(request) as response:  # noqa: S310 - our server
        found: dict[str, Any] = json.load(response)
    return found


def test_schemathesis_finds_nothing(environment_of_graph: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION)
    # A probe of it is no HTTP at all, of which the server warns.
    with served(tmp_path, environment_of_graph, killed=True) as running:
        token = f"Authorization: {running.headers['Authorization']}"
        repeatable = ["--generation-deterministic", "--phases", "coverage", "--no-color"]
        done = subprocess.run(  # noqa: S603 - our own Python
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", "-H", token),
                *(*repeatable, f"{running.url}/openapi.json"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout


def test_it_names_the_token_the_errors_and_what_can_be_called(
    environment_of_graph: dict[str, str], tmp_path: Path
) -> None:
    with served(tmp_path, environment_of_graph) as reading:
        described = description_of(reading)
    with served(tmp_path, environment_of_graph, "--write") as writing:
        written = description_of(writing)["paths"]
    read = described["paths"]
    assert {path for path in written if written[path] != read.get(path)} == {
        "/api/documents",
        "/api/documents/{name}",
        "/api/names",
        "/api/run",
    }
    assert written["/api/documents"].keys() - read["/api/documents"].keys() == {"delete"}
    assert "requestBody" in written["/api/documents/{name}"]["put"]
    [(name, scheme)] = described["components"]["securitySchemes"].items()
    assert scheme == {"type": "http", "scheme": "bearer"}
    probes = {path: read.pop(path)["get"] for path in ("/healthz", "/readyz")}
    assert not [one for one in probes.values() if "security" in one]
    assert {"200", "503"} == probes["/readyz"]["responses"].keys()
    for operation in (one for path in read.values() for one in path.values()):
        assert operation["security"] == [{name: []}]
        statuses = operation["responses"].keys()
        assert {"200", "400", "401", "403", "404", "429", "502", "503"} <= statuses
        assert "422" not in statuses
        form = operation["responses"]["404"]["content"]["application/json"]["schema"]
        assert form == {"$ref": "#/components/schemas/ErrorBody"}
    for path, method in (
        ("/api/ask", "post"),
        ("/v1/chat/completions", "post"),
        ("/api/run", "get"),
    ):
        assert "text/event-stream" in read[path][method]["responses"]["200"]["content"]
    assert (
        not {"HTTPValidationError", "ValidationError"} & described["components"]["schemas"].keys()
    )
