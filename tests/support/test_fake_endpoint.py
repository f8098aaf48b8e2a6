"""The fake endpoint, seen through the real OpenAI client."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.faults import FAULTS

TALK = """\
KEVIN SCOTT: Our guest today is Grace Okafor of Stanford University. In 1998 she founded Helio
Labs in San Francisco with Peter Lind, where they built a compiler for telescopes.

GRACE OKAFOR: Thank you, Kevin. Peter Lind and I met at Stanford University. The telescopes came
later, when Helio Labs had 40 people and NASA asked for a better compiler.

KEVIN SCOTT: And what did astronomy teach Helio Labs? Peter Lind once told me that astronomy is
patience. I remember that Grace Okafor disagreed in Paris, at the conference of 2011.
"""
ASKED = 'Write ("entity"<|><name><|><type><|><description>).'
PROMPT = f"{ASKED}\n\n<text 0f3a9c>\n{TALK}\n</text 0f3a9c>"


@pytest.fixture
def client(endpoint: FakeEndpoint) -> Iterator[openai.OpenAI]:
    with _client(endpoint) as connected:
        yield connected


def _client(endpoint: FakeEndpoint) -> openai.OpenAI:
    return openai.OpenAI(base_url=endpoint.url, api_key="any", max_retries=0)


def _ask(client: openai.OpenAI, said: str, **options: Any) -> str:  # noqa: ANN401 - the client's own
    answer: ChatCompletion = client.chat.completions.create(
        model="gpt-4.1-mini", messages=[{"role": "user", "content": said}], **options
    )
    return answer.choices[0].message.content or ""


def _outcomes(seed: int) -> list[tuple[str, int]]:
    faults = dict.fromkeys(FAULTS, 0.15)
    with FakeEndpoint(process=False, seed=seed, **faults) as endpoint, _client(endpoint) as client:
        for number in [*range(8), *range(8)]:
            try:
                _ask(client, f"Tell me of number {number}.")
            except openai.APIError:
                continue
        return [(call.fault, call.attempt) for call in endpoint.log]


def test_the_same_calls_fail_on_every_run_and_a_second_try_may_succeed() -> None:
    outcomes = _outcomes(seed=1)
    assert outcomes == _outcomes(seed=1)
    assert outcomes != _outcomes(seed=2)
    first, second = outcomes[:8], outcomes[8:]
    assert [attempt for _, attempt in second] == [2] * 8
    assert any(a[0] and not b[0] for a, b in zip(first, second, strict=True))


def test_a_process_of_its_own_replies_the_same_and_knows_the_prompts_of_other_programs(
    client: openai.OpenAI,
) -> None:
    with (
        FakeEndpoint(process=True, replies="scripts.bench.peers_replies") as endpoint,
        _client(endpoint) as other,
    ):
        assert _ask(other, PROMPT) == _ask(client, PROMPT)
        assert endpoint.count("extraction") == 1
        form = {"type": "json_schema", "json_schema": {"name": "Neo4jGraph", "schema": {}}}
        graph = json.loads(_ask(other, f"Input text:\n\n{TALK}", response_format=form))
        ids = {node["id"] for node in graph["nodes"]}
        assert {one["end_node_id"] for one in graph["relationships"]} <= ids
