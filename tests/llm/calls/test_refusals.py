"""Which option an error refuses, in the words of many endpoints."""

import httpx2
import openai
import pytest

from graphrag_neo4j.llm.calls.refusals import LARGE_LIMIT, refused_option

SENT = ("temperature", "stream_options", "max_tokens", "logit_bias", "response_format")


def refused(body: object, sent: tuple[str, ...] = SENT, status: int = 400) -> str | None:
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://127.0.0.1/v1"))
    inner = body.get("error", body) if isinstance(body, dict) else body
    said = f"Error code: {status} - {body}"
    error = openai.APIStatusError(said, response=response, body=inner)
    if isinstance(inner, dict):
        error.param = inner.get("param")
    return refused_option(error, sent)


def of(message: str, param: str | None = None) -> dict[str, object]:
    return {"error": {"message": message, "param": param, "type": "invalid_request_error"}}


def forbidden(*place: str) -> list[dict[str, object]]:
    return [{"type": "extra_forbidden", "loc": ["body", *place], "msg": "Extra inputs are no"}]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (
            of(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.",
                "max_tokens",
            ),
            "max_tokens",
        ),
        (
            of(
                "Unsupported value: 'temperature' does not support 0.0 with this model. Only the "
                "default (1) value is supported.",
                "temperature",
            ),
            "temperature",
        ),
        (of("Unrecognized request argument supplied: stream_options"), "stream_options"),
        (of("Invalid 'stream_options.include_usage'", "stream_options.usage"), "stream_options"),
        (of('json: unknown field "logit_bias"'), "logit_bias"),
        (of("Extra inputs are not permitted, field: 'stream_options'"), "stream_options"),
        ({"detail": forbidden("stream_options")}, "stream_options"),
        ({"object": "error", "message": {"detail": forbidden("max_tokens")}}, "max_tokens"),
        (
            {"message": "[{'type': 'extra_forbidden', 'loc': ('body', 'logit_bias')}]"},
            "logit_bias",
        ),
        (of("`temperature` is deprecated for this model."), "temperature"),
        (of("This model does not support JSON schema outputs"), "response_format"),
        (of("'response_format.type' must be 'json_schema' or 'text'"), "response_format"),
        (of("failed to parse grammar"), "response_format"),
        (of("max_tokens is too large: 100000. This model supports at most 4096."), LARGE_LIMIT),
        (
            of(
                "This model's maximum context length is 8192 tokens. However, you requested 9000 "
                "tokens (1000 in the messages, 8000 in the completion)."
            ),
            LARGE_LIMIT,
        ),
        (of("Extra inputs are not permitted"), "stream_options"),
        (of("Unknown parameter in request"), "stream_options"),
    ],
)
def test_an_option_that_is_refused_is_found(body: object, name: str) -> None:
    assert refused(body) == name


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("This model does not support specifying dimensions.", "dimensions"),
        ("Model does not support matryoshka representation, changing output dimensions", "dim"),
        ("unknown field: encoding_format", "encoding_format"),
    ],
)
def test_options_of_embeddings_are_found(message: str, name: str) -> None:
    found = refused(of(message), ("encoding_format", "dimensions"))
    assert found is not None
    assert found.startswith(name)


@pytest.mark.parametrize(
    "body",
    [
        of("This model's maximum context length is 8192 tokens; your messages have 9000."),
        of("the request exceeds the available context size. try increasing the context size"),
        of("Invalid 'messages[0].content': temperature of 30 is not supported", "messages"),
        of("The response was filtered by the content policy: json_schema is not allowed"),
        of("The temperature was 30 degrees."),
        of("Bad Request"),
        {"detail": forbidden("messages", "0", "content")},
        {},
        [],
        "temperature",
        None,
    ],
)
def test_an_error_about_the_content_refuses_no_option(body: object) -> None:
    assert refused(body) is None
