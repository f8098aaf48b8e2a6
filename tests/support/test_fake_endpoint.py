"""The fake endpoint, seen through the real OpenAI client."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

from graphrag_neo4j.llm.replies.lists import read_list
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.fake_endpoint.book import CAROL
from tests.support.fake_endpoint.faults import FAULTS

TALK = """\
KEVIN SCOTT: Our guest today is Grace Okafor of Stanford University. In 1998 she founded Helio
Labs in San Francisco with Peter Lind, where they built a compiler for telescopes.

GRACE OKAFOR: Thank you, Kevin. Peter Lind and I met at Stanford University. The telescopes came
later, when Helio Labs had 40 people and NASA asked for a better compiler.

KEVIN SCOTT: And what did astronomy teach Helio Labs? Peter Lind once told me that astronomy is
patience. I remember that Grace Okafor disagreed in Paris, at the conference of 2011.
"""
TEXT = "\n\n<text 0f3a9c>\n{0}\n</text 0f3a9c>"
EXTRACT = f'Write ("entity"<|><name><|><type><|><description>).{TEXT}'
CLAIMS = f"Write (<subject><|><object><|><type><|><status><|>…).{TEXT}"
MISSED = "Were entities missed? Answer with one word, Yes or No."
MORE = "MANY entities were missed. Add them."
GO_ON = "Your list was cut off. Go on exactly where it stopped."
O200K = {"13022": 100, "3160": 100}  # Yes, No
PROMPT = EXTRACT.format(TALK)


@pytest.fixture
def client(endpoint: FakeEndpoint) -> Iterator[openai.OpenAI]:
    with _client(endpoint) as connected:
        yield connected


def _client(endpoint: FakeEndpoint, key: str = "any", retries: int = 0) -> openai.OpenAI:
    return openai.OpenAI(base_url=endpoint.url, api_key=key, max_retries=retries)


def _complete(client: openai.OpenAI, *said: str, **options: Any) -> ChatCompletion:  # noqa: ANN401 - the client's own
    """A conversation in which the user speaks first."""
    roles = ("user", "assistant")
    messages: Any = [{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]
    answer: ChatCompletion = client.chat.completions.create(
        model="gpt-4.1-mini", messages=messages, **options
    )
    return answer


def _ask(client: openai.OpenAI, *said: str, **options: Any) -> str:  # noqa: ANN401 - the client's own
    return _complete(client, *said, **options).choices[0].message.content or ""


def _lines(reply: str) -> set[str]:
    return {line for line in reply.splitlines() if line.startswith("(")}


def test_passages_of_the_carol_bring_what_a_real_model_found(client: openai.OpenAI) -> None:
    book = (CAROL / "book.txt").read_text(encoding="utf-8")
    start = book.index("Marley was dead, to begin with.")
    reply = _ask(client, EXTRACT.format(book[start : start + 2600]))
    found = {fields[1]: fields[2:] for fields in read_list(reply).records if len(fields) == 4}
    index = json.loads((CAROL / "index.json").read_text(encoding="utf-8"))
    real = {row["name"]: row for row in index["entities"]}
    assert {"SCROOGE", "MARLEY"} <= found.keys()
    for name, (kind, description) in found.items():
        assert kind == real[name]["type"]
        assert description == " ".join(real[name]["description"].split())
    assert "TINY TIM" not in found


def test_a_gleaning_brings_what_the_first_reading_held_back(
    endpoint: FakeEndpoint, client: openai.OpenAI
) -> None:
    first = _ask(client, PROMPT)
    forced = _complete(client, PROMPT, first, MISSED, logit_bias=O200K, max_tokens=1)
    assert forced.choices[0].message.content == "Yes"
    assert forced.choices[0].finish_reason == "length"
    assert _ask(client, PROMPT, first, MISSED) == "Yes."
    rest = _ask(client, PROMPT, first, MISSED, "Yes", MORE)
    said = (PROMPT, first, MISSED, "Yes", MORE, rest, MISSED)
    assert _ask(client, *said, logit_bias=O200K, max_tokens=1) == "No"
    endpoint.change(held_back=0)
    assert _lines(first) | _lines(rest) == _lines(_ask(client, PROMPT))
    assert _lines(rest)
    assert not _lines(first) & _lines(rest)
    kinds = ["extraction", "extraction:missed", "extraction:gleaning"]
    assert [endpoint.count(kind) for kind in kinds] == [2, 3, 1]


def test_a_cut_reply_goes_on_exactly_where_it_was_cut(client: openai.OpenAI) -> None:
    whole = _ask(client, PROMPT)
    text = ""
    while text != whole:
        said = (text, GO_ON) if text else ()
        part = _complete(client, PROMPT, *said, max_tokens=150)
        assert part.usage is not None
        assert part.usage.completion_tokens <= 150
        text += part.choices[0].message.content or ""
        assert part.choices[0].finish_reason == ("stop" if text == whole else "length")
    assert _ask(client, PROMPT, whole, GO_ON) == "<|COMPLETE|>"


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
