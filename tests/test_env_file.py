"""What a file `.env` in the working folder may do, and what not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_neo4j import InputError
from graphrag_neo4j.settings import Settings, load_settings
from tests.support.fake_endpoint import FakeEndpoint

KEY, OTHER_KEY = "sk-of-the-user", "sk-of-the-folder"


def put(**values: str) -> None:
    """Writes `.env` into the working folder."""
    Path(".env").write_text("".join(f"{name}={value}\n" for name, value in values.items()))


def key_of(settings: Settings) -> str | None:
    return settings.openai_api_key.get_secret_value() if settings.openai_api_key else None


@pytest.mark.parametrize(
    ("address", "secret"), [("OPENAI_BASE_URL", "OPENAI_API_KEY"), ("NEO4J_URI", "NEO4J_PASSWORD")]
)
@pytest.mark.parametrize("how", ["environment", "argument"])
def test_a_secret_from_elsewhere_is_refused_to_an_address_from_the_file(
    monkeypatch: pytest.MonkeyPatch, address: str, secret: str, how: str
) -> None:
    put(**{address: "bolt://evil.example"})
    given = {secret.lower(): KEY} if how == "argument" else {}
    if how == "environment":
        monkeypatch.setenv(secret, KEY)
    with pytest.raises(InputError) as refused:
        load_settings(**given)
    said = str(refused.value)
    assert f"sets {address}, and {secret} comes from elsewhere" in said
    assert "KG_TRUST_ENV_FILE=true in the environment" in said
    assert KEY not in said
    assert said.count("\n") == 0


@pytest.mark.parametrize("secret", ["KG_GDS_PASSWORD", "NEO4J_PASSWORD"])
def test_no_password_from_elsewhere_goes_to_a_gds_that_the_file_names(
    monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    put(KG_GDS="bolt://evil.example")
    monkeypatch.setenv(secret, KEY)
    with pytest.raises(InputError, match=f"sets KG_GDS, and {secret} comes from") as refused:
        load_settings()
    assert "put its KG_GDS_PASSWORD into the same .env" in str(refused.value)
    assert KEY not in str(refused.value)
    put(KG_GDS="bolt://elsewhere", KG_GDS_PASSWORD="folder's")
    used = load_settings().gds_password
    assert used
    assert used.get_secret_value() == "folder's"
    put(KG_GDS="embedded")
    assert load_settings().gds == "embedded"


def test_an_address_from_the_file_brings_its_own_secret_though_the_environment_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(OPENAI_BASE_URL="http://localhost:1/v1")  # without any key
    assert load_settings().openai_base_url == "http://localhost:1/v1"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NEO4J_PASSWORD", "user's")
    monkeypatch.setenv("NEO4J_USERNAME", "user")
    put(
        OPENAI_BASE_URL="http://localhost:1/v1",
        OPENAI_API_KEY=OTHER_KEY,
        NEO4J_URI="bolt://elsewhere",
        NEO4J_PASSWORD="folder's",
    )
    settings = load_settings()
    assert settings.neo4j_password
    assert (key_of(settings), settings.neo4j_username) == (OTHER_KEY, "neo4j")
    assert settings.neo4j_password.get_secret_value() == "folder's"
    with pytest.raises(InputError, match="OPENAI_API_KEY comes from elsewhere"):
        load_settings(openai_api_key=KEY)


def test_a_key_in_the_file_goes_to_an_address_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(OPENAI_API_KEY=OTHER_KEY)  # without any address
    settings = load_settings().changed(max_calls=3)
    assert (settings.max_calls, key_of(settings)) == (3, OTHER_KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    put(OPENAI_BASE_URL="http://evil.example", OPENAI_API_KEY=OTHER_KEY)
    settings = load_settings()
    assert (settings.openai_base_url, key_of(settings)) == ("http://localhost:1/v1", OTHER_KEY)


def test_trust_counts_from_the_environment_and_not_from_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    put(OPENAI_BASE_URL="http://localhost:1/v1", KG_TRUST_ENV_FILE="true")
    with pytest.raises(InputError, match="KG_TRUST_ENV_FILE"):
        load_settings()
    monkeypatch.setenv("KG_TRUST_ENV_FILE", "true")
    settings = load_settings()
    assert (settings.openai_base_url, key_of(settings)) == ("http://localhost:1/v1", KEY)
    assert load_settings(openai_base_url="http://other").openai_base_url == "http://other"


def test_places_that_the_file_names_are_said_and_their_secrets_not() -> None:
    assert load_settings().named_by_env_file() is None
    put(KG_GLEANINGS="0", OPENAI_API_KEY=OTHER_KEY)
    assert load_settings().named_by_env_file() is None
    address = "http://me:secret@localhost:1/v1?key=secret"
    put(OPENAI_BASE_URL=address, KG_PROMPTS="prompts", KG_GLEANINGS="0")
    said = load_settings().named_by_env_file()
    assert said == (
        "The file .env in this folder sets OPENAI_BASE_URL=http://localhost:1/v1,"
        " KG_PROMPTS=prompts."
    )
    said = load_settings(openai_base_url="http://x").named_by_env_file()
    assert said == "The file .env in this folder sets KG_PROMPTS=prompts."


def kg_build(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command, env = (
        [sys.executable, "-m", "graphrag_neo4j.cli", *arguments],
        os.environ | environment,
    )
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - ours


def test_no_key_of_the_environment_reaches_an_endpoint_that_a_folder_names() -> None:
    with FakeEndpoint() as endpoint:
        put(OPENAI_BASE_URL=endpoint.url, NEO4J_URI="bolt://127.0.0.1:1")
        ran = kg_build("doctor", OPENAI_API_KEY=KEY)
        assert ran.returncode == 1
        assert ran.stderr.startswith("Error: The file .env in this folder sets OPENAI_BASE_URL")
        assert ran.stderr.count("\n") == 1
        assert not endpoint.log


def test_commands_say_what_the_file_names_also_where_they_print_json() -> None:
    put(NEO4J_URI="bolt://127.0.0.1:1", NEO4J_PASSWORD="folder's")
    for arguments in (["status", "--json"], ["query", "What?", "--json"], ["status"]):
        ran = kg_build(*arguments)
        said, error = ran.stderr.splitlines()
        assert said == "The file .env in this folder sets NEO4J_URI=bolt://127.0.0.1:1."
        assert error.startswith("Error: Neo4j at bolt://127.0.0.1:1 does not answer")
        assert ran.stdout == ""


def test_a_home_that_comes_with_a_folder_is_not_used_but_one_of_the_user_is(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(KG_HOME=str(home), KG_TRUST_ENV_FILE="true")
    for arguments in (["neo4j", "status"], ["status"], ["index", "."], ["neo4j", "start"]):
        ran = kg_build(*arguments)
        assert ran.returncode == 1
        assert ran.stderr.count("\n") == 1
        assert "KG_HOME in the environment" in ran.stderr
    assert not home.exists()
    put(KG_HOME="theirs")
    assert kg_build("--home", "other", "neo4j", "status").stderr == ""
    assert kg_build("neo4j", "status", KG_HOME=str(tmp_path / "mine")).stderr == ""
    trusted = kg_build("neo4j", "status", KG_TRUST_ENV_FILE="true")
    assert (trusted.returncode, "KG_HOME=theirs" in trusted.stderr) == (0, True)


def test_a_token_that_whoever_wrote_the_file_knows_is_named_without_its_value() -> None:
    put(KG_SERVE_TOKEN=OTHER_KEY, NEO4J_DATABASE="theirs")
    database = "The file .env in this folder sets NEO4J_DATABASE=theirs"
    assert load_settings(serve_token=KEY).named_by_env_file() == f"{database}."
    settings = load_settings()
    assert settings.serve_token
    assert settings.serve_token.get_secret_value() == OTHER_KEY
    assert settings.named_by_env_file() == f"{database}, KG_SERVE_TOKEN."
