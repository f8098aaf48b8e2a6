"""docker-compose.yml: no Docker engine runs here, so it is held to the specification's schema.

`data/compose-spec.json` is under Apache-2.0, as the package check-jsonschema carries it.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from graphrag_neo4j import files
from tests.support.paths import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
NEO4J: dict[str, Any] = COMPOSE["services"]["neo4j"]
SERVE: dict[str, Any] = COMPOSE["services"]["serve"]


def test_it_follows_the_compose_specification() -> None:
    schema = json.loads((ROOT / "tests/data/compose-spec.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(COMPOSE)] == []
    assert not validator.is_valid(COMPOSE | {"services": {"neo4j": {"imag": "neo4j"}}})


def test_it_is_a_community_edition_that_we_test_reachable_from_this_machine_alone() -> None:
    version = NEO4J["image"].removeprefix("neo4j:").removesuffix("-community")
    assert NEO4J["image"] == f"neo4j:{version}-community"
    assert files.data(f"neo4j/{version}.lock").is_file()
    assert json.loads(NEO4J["environment"]["NEO4J_PLUGINS"]) == ["graph-data-science"]
    folders = dict(mount.split(":") for mount in NEO4J["volumes"])
    assert folders == {"data": "/data", "logs": "/logs", "plugins": "/plugins"}
    assert COMPOSE["volumes"].keys() == {*folders, "home"}
    assert NEO4J["ports"] == ["127.0.0.1:7474:7474", "127.0.0.1:7687:7687"]
    asked_for = r"neo4j/\$\{NEO4J_PASSWORD:\?set NEO4J_PASSWORD in \.env[^}]*\}"
    assert re.fullmatch(asked_for, NEO4J["environment"]["NEO4J_AUTH"])


def test_the_program_is_started_with_its_profile_alone_for_this_machine_and_by_no_root() -> None:
    assert SERVE["profiles"] == ["serve"]
    assert SERVE["ports"] == ["127.0.0.1:8321:8321"]
    steps = SERVE["build"]["dockerfile_inline"].splitlines()
    kinds = [step.split()[0] for step in steps]
    assert kinds == [
        "FROM",
        "RUN",
        "COPY",
        "WORKDIR",
        "RUN",
        "RUN",
        "USER",
        "WORKDIR",
        "ENTRYPOINT",
    ]
    assert steps[6] == "USER kg"
    assert '--constraint constraints.txt ".[local,docs,watch,serve,mcp]"' in steps[5]
    [mount] = SERVE["volumes"]
    folder = mount.removeprefix("home:")
    assert f"--owner kg {folder}" in steps[1]
    # Uploads are beside the home, so the volume holds the folder of both.
    assert Path(SERVE["environment"]["KG_HOME"]).parent == Path(folder)
    # Compose demands a value of `${…:?}` also from those who start Neo4j alone.
    assert ":?" not in json.dumps(SERVE)


def test_the_program_takes_what_it_is_given_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "graphrag_neo4j.cli", *SERVE["command"]]
    given = {
        name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value)
        for name, value in SERVE["environment"].items()
    }
    ended = subprocess.run(  # noqa: S603 - our own Python on our own code
        command,
        env={"PATH": os.environ["PATH"], **given, "KG_HOME": str(tmp_path), "NEO4J_PASSWORD": "x"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: KG_SERVE_TOKEN is empty: "), ended
    kind, _, _, code = SERVE["healthcheck"]["test"]
    assert (kind, "/healthz" in code) == ("CMD", True)
    compile(code, "healthcheck", "exec")


def test_the_image_gets_no_key_and_no_environment() -> None:
    left_out = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".env", ".venv*", ".git", ".home"} <= set(left_out)
    assert not {"README.md", "LICENSE", "cypher", "prompts", "constraints.txt"} & set(left_out)


def test_it_is_healthy_when_graph_data_science_answers_the_password(tmp_path: Path) -> None:
    shell = tmp_path / "cypher-shell"
    shell.write_text('#!/bin/sh\necho "$NEO4J_PASSWORD"\nfor word; do echo "$word"; done\n')
    shell.chmod(0o755)
    kind, command = NEO4J["healthcheck"]["test"]
    environment = {"NEO4J_AUTH": "neo4j/pass word", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = command.replace("$$", "$")
    answer = subprocess.run(  # noqa: S602 - the command is the file's own
        command, shell=True, env=environment, capture_output=True, text=True, check=True
    )
    assert kind == "CMD-SHELL"
    given = answer.stdout.splitlines()
    assert given == ["pass word", "--username", "neo4j", "RETURN gds.version()"]
