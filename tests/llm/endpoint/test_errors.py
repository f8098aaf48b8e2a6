"""Which option an error refuses, in the words of many endpoints."""

import json

import httpx2
import openai
import pytest

from graphrag_neo4j.llm.endpoint.errors import LARGE_LIMIT, SEVERAL, refused_option

SENT = ("temperature", "stream_options", "max_tokens", "logit_bias", "response_format")


def refused(body: object, sent: tuple[str, ...] = SENT, status: int = 400) -> str | None:
    """The option that is refused by this body, in the error that the client makes of it."""
    reply = httpx2.Response(status, text=body if isinstance(body, str) else json.dumps(body))
    transport = httpx2.MockTransport(lambda _request: reply)
    with (
        httpx2.Client(transport=transport) as http,
        openai.OpenAI(api_key="x", http_client=http, max_retries=0) as client,
        pytest.raises(openai.APIStatusError) as raised,
    ):
        client.post("/chat/completions", cast_to=httpx2.Response)
    return refused_option(raised.value, sent)


def of(message: str, param: str | None = None) -> dict[str, object]:
    return {"error": {"message": message, "param": param, "type": "invalid_request_error"}}


def forbidden(*place: str) -> list[dict[str, object]]:
    return [{"type": "extra_forbidden", "loc": ["body", *place], "msg": "Extra inputs are no"}]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (of("Unsupported parameter: 'max_tokens'. Use another one.", "max_tokens"), "max_tokens"),
        (of("Unrecognized request argument supplied: stream_options"), "stream_options"),
        (of('json: unknown field "logit_bias"'), "logit_bias"),
        ({"detail": forbidden("stream_options")}, "stream_options"),
        ({"error": "temperature is not supported"}, "temperature"),
        ({"object": "error", "message": {"detail": forbidden("max_tokens")}}, "max_tokens"),
        ({"message": "[{'type': 'extra_forbidden', 'loc': ('body', 'logit_bias')}]"}, "logit_bias"),
        (of("This model does not support JSON schema outputs"), "response_format"),
        (of("failed to parse grammar"), "response_format"),
        (of("max_tokens is too large: 100000. This model supports at most 4096."), LARGE_LIMIT),
        (of("Extra inputs are not permitted"), "stream_options"),
        (of("Bad Request"), "response_format"),
        (None, "response_format"),
        (of("Streaming is not supported for this model"), "stream"),
        (of("System role not supported"), SEVERAL),
    ],
)
def test_an_option_that_is_refused_is_found(body: object, name: str) -> None:
    assert refused(body, (*SENT, "stream", SEVERAL)) == name


@pytest.mark.parametrize(
    "body",
    [
        of("This model's maximum context length is 8192 tokens; your messages have 9000."),
        of("the request exceeds the available context size. try increasing the context size"),
        of("Invalid 'messages[0].content': temperature of 30 is not supported", "messages"),
        of("The response was filtered by the content policy: json_schema is not allowed"),
        {"detail": forbidden("messages", "0", "content")},
    ],
)
def test_an_error_about_the_content_refuses_no_option(body: object) -> None:
    assert refused(body) is None


@pytest.mark.parametrize("body", [of("It was 30 degrees."), {}, [], None, "Sorry."])
def test_an_error_that_says_nothing_of_options_refuses_those_that_can_be_spared(
    body: object,
) -> None:
    sent = ("temperature", "max_tokens")
    assert refused(body, sent) is None
    assert refused(body, (*sent, "stream")) == "stream"
