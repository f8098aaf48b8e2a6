"""The Batch API of the fake endpoint, seen through the real OpenAI client."""

import json
from typing import Any

import openai
import pytest
from openai.types import Batch

from tests.support.fake_endpoint import FakeEndpoint

TEXT = "Scrooge counted coin number {0} in London."
PROMPT = (
    'Write ("entity"<|><name><|><type><|><description>).\n\n<text {0:04x}>\n{1}\n</text {0:04x}>'
)


def _client(endpoint: FakeEndpoint) -> openai.OpenAI:
    return openai.OpenAI(base_url=endpoint.url, api_key="any", max_retries=0)


def _body(n: int, model: str = "m") -> dict[str, Any]:
    prompt = PROMPT.format(n, TEXT.format(n))
    return {"model": model, "messages": [{"role": "user", "content": prompt}]}


def _send(client: openai.OpenAI, *bodies: dict[str, Any]) -> Batch:
    url = "/v1/chat/completions"
    lines = [
        json.dumps({"custom_id": f"c{n}", "method": "POST", "url": url, "body": body})
        for n, body in enumerate(bodies)
    ]
    file = client.files.create(file=("requests.jsonl", "\n".join(lines).encode()), purpose="batch")
    return client.batches.create(
        input_file_id=file.id,
        endpoint="/v1/chat/completions",
        completion_window="24h",
        metadata={"mark": "one"},
    )


def _results(client: openai.OpenAI, file: str | None) -> list[dict[str, Any]]:
    assert file is not None
    return [json.loads(line) for line in client.files.content(file).content.splitlines()]


def test_a_batch_gives_the_replies_of_direct_calls_in_another_order() -> None:
    with FakeEndpoint(batch_polls=2) as endpoint, _client(endpoint) as client:
        bodies = [_body(n) for n in range(8)]
        sent = _send(client, *bodies)
        assert [sent.status, client.batches.retrieve(sent.id).status] == [
            "validating",
            "in_progress",
        ]
        done = client.batches.retrieve(sent.id)
        rows = _results(client, done.output_file_id)
        direct = [
            client.chat.completions.create(**body).choices[0].message.content for body in bodies
        ]
        found = {
            row["custom_id"]: row["response"]["body"]["choices"][0]["message"]["content"]
            for row in rows
        }
        assert [found[f"c{n}"] for n in range(8)] == direct
        assert [row["custom_id"] for row in rows] != [f"c{n}" for n in range(8)]
        assert (done.status, done.error_file_id) == ("completed", None)
        assert [batch.metadata for batch in client.batches.list()] == [{"mark": "one"}]


def test_requests_fail_and_expire_one_by_one() -> None:
    with (
        FakeEndpoint(batch_expired=0.3, batch_lost=0.1, server_error=0.3) as endpoint,
        _client(endpoint) as client,
    ):
        done = client.batches.retrieve(_send(client, *[_body(n) for n in range(60)]).id)
        failed = _results(client, done.error_file_id)
        answered = _results(client, done.output_file_id)
        assert done.status == "expired"
        assert {row["error"]["code"] for row in failed if row["error"]} == {"batch_expired"}
        assert {row["response"]["status_code"] for row in failed if row["response"]} == {500}
        assert 20 < len(answered) + len(failed) < 60


def test_a_batch_that_breaks_a_rule_is_refused_as_a_whole() -> None:
    with FakeEndpoint() as endpoint, _client(endpoint) as client:
        refused = client.batches.retrieve(_send(client, _body(1), _body(2, "other")).id)
        assert refused.status == "failed"
        assert refused.errors is not None
        assert [error.code for error in refused.errors.data or []] == ["mismatched_model"]


def test_an_endpoint_may_have_no_batch_api() -> None:
    with (
        FakeEndpoint(batches=False) as endpoint,
        _client(endpoint) as client,
        pytest.raises(openai.NotFoundError),
    ):
        _send(client, _body(1))


def test_a_deleted_file_is_gone() -> None:
    with FakeEndpoint() as endpoint, _client(endpoint) as client:
        sent = _send(client, _body(1))
        assert client.files.delete(sent.input_file_id).deleted
        with pytest.raises(openai.NotFoundError):
            client.files.content(sent.input_file_id)
