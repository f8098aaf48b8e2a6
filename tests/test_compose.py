"""docker-compose.yml: no Docker engine runs here, so it is held to the specification's schema.

`data/compose-spec.json` is the schema of the Compose Specification, under Apache-2.0, as the
package check-jsonschema carries it.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from graphrag_neo4j.text import files
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return content


@pytest.fixture(scope="module")
def neo4j(compose: dict[str, Any]) -> dict[str, Any]:
    service: dict[str, Any] = compose["services"]["neo4j"]
    return service


def test_it_follows_the_compose_specification(compose: dict[str, Any]) -> None:
    schema = json.loads((ROOT / "tests/data/compose-spec.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(compose)] == []
    assert not validator.is_valid(compose | {"services": {"neo4j": {"imag": "neo4j"}}})


def test_it_is_a_community_edition_that_we_test_with_gds_and_lasting_data(
    compose: dict[str, Any], neo4j: dict[str, Any]
) -> None:
    version = neo4j["image"].removeprefix("neo4j:").removesuffix("-community")
    assert neo4j["image"] == f"neo4j:{version}-community"
    assert files.data(f"neo4j/{version}.lock").is_file()
    assert json.loads(neo4j["environment"]["NEO4J_PLUGINS"]) == ["graph-data-science"]
    folders = dict(mount.split(":") for mount in neo4j["volumes"])
    assert folders == {"data": "/data", "logs": "/logs", "plugins": "/plugins"}
    assert compose["volumes"].keys() == folders.keys()


def test_it_is_reachable_from_this_machine_alone_with_a_password_that_is_asked_for(
    neo4j: dict[str, Any],
) -> None:
    assert neo4j["ports"] == ["127.0.0.1:7474:7474", "127.0.0.1:7687:7687"]
    assert re.fullmatch(
        r"neo4j/\$\{NEO4J_PASSWORD:\?set NEO4J_PASSWORD in \.env[^}]*\}",
        neo4j["environment"]["NEO4J_AUTH"],
    )


def test_it_is_healthy_when_graph_data_science_answers_the_password(
    neo4j: dict[str, Any], tmp_path: Path
) -> None:
    shell = tmp_path / "cypher-shell"
    shell.write_text('#!/bin/sh\necho "$NEO4J_PASSWORD"\nfor word; do echo "$word"; done\n')
    shell.chmod(0o755)
    kind, command = neo4j["healthcheck"]["test"]
    environment = {"NEO4J_AUTH": "neo4j/pass word", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    answer = subprocess.run(  # noqa: S602 - the command is the file's own
        command.replace("$$", "$"),
        shell=True,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert kind == "CMD-SHELL"
    assert answer.stdout.splitlines() == [
        "pass word",
        "--username",
        "neo4j",
        "RETURN gds.version()",
    ]
