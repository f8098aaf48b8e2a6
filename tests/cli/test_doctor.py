"""The doctor: what is sound is called so, and whatever is broken is named with its fix."""

import os
import subprocess
import sys
from typing import Any

import pytest

from graphrag_neo4j.cli.doctor import Check, check_version, check_writing, examine
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.indexes import ensure_fulltext_indexes, ensure_vector_indexes
from graphrag_neo4j.settings import Settings, load_settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.odd_endpoint import nothing_listens
from tests.support.servers import TestServer

OF_NEO4J = ["Neo4j", "Writing", "Indexes", "Schema", "Communities"]
ALL = [*OF_NEO4J, "Model", "Embedding"]
OF_MODEL = ["Model", "Streaming", "JSON", "Context window", "Embedding"]


def ok_by_name(checks: list[Check]) -> dict[str, bool | None]:
    return {check.name: check.ok for check in checks}


def only_wrong(checks: list[Check]) -> Check:
    """The one check that found something wrong."""
    [wrong] = [check for check in checks if check.ok is False]
    return wrong


def without_model(settings: Settings) -> Settings:
    return settings.model_copy(update={"openai_api_key": None, "openai_base_url": None})


async def test_where_nothing_is_wrong_every_check_says_so(
    settings: Make, endpoint: FakeEndpoint
) -> None:
    checks = await examine(settings())
    assert ok_by_name(checks) == dict.fromkeys([*ALL, *OF_MODEL], True)
    says = {check.name: check.says for check in checks}
    assert "256 dimensions" in says["Embedding"]
    assert "13,5" in says["Context window"]  # thousands of tokens, as for a local answer
    assert "follows a schema" in says["JSON"]
    endpoint.change(rejects=["response_format", "stream_options"])
    assert "refuses schemas" in (await of_endpoint(openai_base_url=endpoint.url))["JSON"].says


async def all_of_it(graph: Graph) -> list[object]:
    return [
        await dump(graph),
        await graph.run_plain("MATCH (node) RETURN count(node)"),
        await graph.run_plain("SHOW INDEXES YIELD name RETURN name ORDER BY name"),
        await graph.run_plain("CALL gds.graph.list() YIELD graphName RETURN graphName"),
    ]


async def test_nothing_is_left_behind_and_indexes_of_a_build_are_no_obstacle(
    graph: Graph, settings: Make
) -> None:
    before = await all_of_it(graph)
    await examine(without_model(settings()))
    assert await all_of_it(graph) == before
    await ensure_fulltext_indexes(graph, "standard-no-stop-words")
    await ensure_vector_indexes(graph, 8, replace=True)
    before = await all_of_it(graph)
    assert [check.ok for check in await check_writing(graph)] == [True] * 3
    for given, word in (({"dimensions": 4097}, "4096"), ({"analyzer": "nonesuch"}, "nonesuch")):
        _, indexes, _ = await check_writing(graph, **given)
        assert (indexes.ok, word in indexes.says, "5.26" in indexes.fix) == (False, True, True)
    assert await all_of_it(graph) == before


async def test_a_neo4j_that_does_not_answer_is_wrong_and_the_rest_is_not_checked() -> None:
    with nothing_listens() as url:
        checks = await examine(load_settings(neo4j_uri=url.replace("http", "bolt")[:-3]))
    wrong = only_wrong(checks)
    assert wrong.name == "Neo4j"
    assert "does not answer" in wrong.says
    assert "NEO4J_URI" in wrong.says
    unmade = [check for check in checks if check.name in OF_NEO4J[1:]]
    assert [check.name for check in unmade] == OF_NEO4J[1:]
    assert {(check.ok, check.says) for check in unmade} == {
        (None, "Not checked, since Neo4j can't be used.")
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"neo4j_uri": "localhost"}, "NEO4J_URI=localhost"),
        ({"neo4j_uri": None, "embedded": False}, "NEO4J_URI"),
        ({"neo4j_password": "guessed-in-vain"}, "NEO4J_PASSWORD"),
        ({"neo4j_database": "nonesuch"}, "NEO4J_DATABASE"),
    ],
)
async def test_a_setting_that_can_not_be_right_is_named_without_a_secret(
    given: dict[str, object], said: str, settings: Make
) -> None:
    wrong = only_wrong(await examine(without_model(settings(**given))))
    assert wrong.name == "Neo4j"
    assert said in wrong.says
    assert "guessed" not in wrong.says + wrong.fix


async def test_a_database_that_refuses_writing_is_wrong(graph: Graph, settings: Make) -> None:
    graph.database = "system"
    writing, *others = await check_writing(graph)
    assert writing.ok is False
    assert "NEO4J_DATABASE" in writing.fix
    assert {other.ok for other in others} == {None}
    found = {check.name: check for check in await examine(settings(neo4j_database="system"))}
    assert found["Neo4j"].ok is False
    assert "NEO4J_DATABASE" in found["Neo4j"].says


@pytest.mark.parametrize("edition", ["community", "enterprise"])
def test_releases_from_5_26_on_will_do_in_both_editions(edition: str) -> None:
    judged = {"5.26.0": True, "5.27-aura": True, "2026.01.4": True, "4.4.40": False, "5.9.0": False}
    for version, ok in {**judged, "dev": True}.items():  # "dev" is not judged
        check = check_version("bolt://a", version, edition)
        assert check.ok is ok
        assert f"{version}, {edition.capitalize()}" in check.says
        assert ("5.26" in check.fix) is not ok


# From here on Neo4j is left out: it is known to be wrong.


async def of_endpoint(**given: object) -> dict[str, Check]:
    """The checks of the model endpoint, by name."""
    settings = load_settings(embedded=False, max_retries=0, **given)
    checks = {check.name: check for check in await examine(settings)}
    return {name: check for name, check in checks.items() if name in OF_MODEL}


async def test_no_model_is_not_wrong_but_said_with_what_to_set() -> None:
    found = await of_endpoint()
    assert [check.ok for check in found.values()] == [None, True]
    assert "sentence encoder" in found["Embedding"].says
    static = await of_endpoint(embedding_model="static")
    assert "word vectors" in static["Embedding"].says
    named = await of_endpoint(model="gpt-4.1-mini")
    assert named["Model"].says.startswith("KG_MODEL is gpt-4.1-mini, but neither a key nor")
    assert "No model is set" in found["Model"].says
    assert "OPENAI_API_KEY" in found["Model"].fix


async def test_an_endpoint_that_does_not_answer_is_wrong() -> None:
    with nothing_listens() as url:
        place = url.removeprefix("http://").removesuffix("/v1")
        found = await of_endpoint(openai_base_url=f"http://user:hidden@{place}/v1?key=hidden")
    model = found["Model"]
    assert model.ok is False
    assert f"{place}:" in model.says
    assert "hidden" not in model.says + model.fix
    assert "OPENAI_BASE_URL" in model.fix
    assert found["Embedding"] == Check("Embedding", None, "Not checked, since no model replies.")


async def test_each_chat_model_of_a_build_is_asked_once(endpoint: FakeEndpoint) -> None:
    endpoint.change(models=["gpt-4.1-mini", "text-embedding-3-small"])
    given = {"openai_base_url": endpoint.url, "embedded": False}
    assert ok_by_name(await examine(load_settings(**given)))["Model"]
    assert [call.kind for call in endpoint.log].count("embeddings") == 1
    assert endpoint.count("recall") == 1
    assert len(endpoint.log) == 5
    settings = load_settings(**given, extraction_model="nonesuch")
    bad, good = [check for check in await examine(settings) if check.name == "Model"]
    assert good.ok
    assert bad.ok is False
    assert "nonesuch" in bad.says
    # A judge is checked only if it has a model of its own.
    asked = {call.model for call in endpoint.log}
    endpoint.reset()
    endpoint.change(models=["gpt-4.1-mini", "strict", "text-embedding-3-small"])
    await of_endpoint(openai_base_url=endpoint.url, judge_model="strict")
    assert {call.model for call in endpoint.log} - asked == {"strict"}


SMALL = dict.fromkeys(("max_context_tokens", "map_context_tokens", "report_context_tokens"), 600)


@pytest.mark.parametrize(
    ("changed", "given", "name", "words"),
    [
        ({"key": "sk-right"}, {"openai_api_key": "sk-mistaken"}, "Model", "OPENAI_API_KEY"),
        ({}, {"model": "nonesuch", "max_cost": 1}, "Model", "KG_INPUT_PRICE"),
        ({"window": 4096}, {}, "Context window", "silently cut off the beginning"),
        ({"context_tokens": 4096}, {}, "Context window", "maximum context length is 4096"),
        ({"embeds": False}, {}, "Embedding", "static"),
        ({"models": ["gpt-4.1-mini"]}, {}, "Embedding", "text-embedding-3-small"),
        ({"dimensions": 4097}, {}, "Embedding", "4097 dimensions"),
    ],
)
async def test_what_is_wrong_with_an_endpoint_is_named_and_no_key_is_shown(
    changed: dict[str, Any], given: dict[str, Any], name: str, words: str, endpoint: FakeEndpoint
) -> None:
    endpoint.change(**changed)
    found = await of_endpoint(openai_base_url=endpoint.url, **given)
    assert found[name].ok is False
    assert words in found[name].says + found[name].fix
    assert "window" not in changed or "OLLAMA_CONTEXT_LENGTH" in found[name].fix
    assert "sk-" not in str(found)


@pytest.mark.parametrize(
    ("changed", "given"),
    [
        ({"context_tokens": 6000}, SMALL),
        ({"dimensions": 1}, {}),
        ({"dimensions": 4096}, {}),
        ({"embeds": False}, {"embedding_model": "static", "max_cost": 1}),
        ({"embeds": False}, {"embedding_model": "local"}),
    ],
)
async def test_what_an_endpoint_lacks_is_no_obstacle_where_nothing_needs_it(
    changed: dict[str, Any], given: dict[str, Any], endpoint: FakeEndpoint
) -> None:
    endpoint.change(**changed)
    found = await of_endpoint(openai_base_url=endpoint.url, **given)
    assert {check.ok for check in found.values()} == {True}


def run_doctor(**environment: str) -> tuple[int, str]:
    """Exit code and output of the command in a process of its own, as a user runs it."""
    command, env = [sys.executable, "-m", "graphrag_neo4j.cli", "doctor"], os.environ | environment
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_the_command_exits_with_0_where_only_the_model_is_missing(server: TestServer) -> None:
    code, output = run_doctor(**{key.upper(): it or "" for key, it in server.settings.items()})
    assert code == 0
    *others, last = output.splitlines()
    # A model server that answers on this machine adds lines of its own.
    lines = [line for line in others if line.startswith(("ok ", "- ", "wrong "))]
    assert len(lines) == len(ALL)
    assert lines[0].startswith("ok     Neo4j: ")
    assert server.uri in lines[0]
    assert lines[5].startswith("-      Model: No model is set")
    assert last == "No problems were found."


def test_the_command_exits_with_1_and_shows_what_is_wrong_and_the_fix_on_a_terminal() -> None:
    code, output = run_doctor(TTY_COMPATIBLE="1", NO_COLOR="1", COLUMNS="200", NEO4J_URI="[red]")
    assert code == 1
    assert "wrong  Neo4j: " in output
    assert "NEO4J_URI" in output
    assert "[red]" in output
    assert output.endswith("1 of 7 checks failed.\n")
