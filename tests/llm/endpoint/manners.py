"""The manners of endpoints: what they send, and what must come of it. Add a line for a new one.

A line gives the responses of an endpoint by rules. The first rule whose `when` fits the body of a
request answers it, at most `times` times; a request that none fits gets an ordinary reply.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tests.support.odd_endpoint import EVENTS, JSON, events

Sent = Mapping[str, Any]
WORDS: Final = 700  # of the prompt in each request: as many tokens
LIMIT: Final = 2000  # tokens of the reply that are asked for


@dataclass(frozen=True, slots=True)
class Rule:
    """A response, and the requests that get it."""

    body: object
    status: int = 200
    when: Callable[[Sent], bool] = lambda _: True
    times: int = 1_000_000
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON


@dataclass(frozen=True, slots=True)
class Manner:
    """What an endpoint does, and what comes of it.

    `outcome`: a whole reply; one that is said to be incomplete; a whole reply with a remark; a call
    that fails alone; or an error that ends the run. `says` stands in what is told. `calls` is the
    number of requests that a call takes, `again` that of a second one. `waits` are the seconds that
    are waited for, if any. `way` is the kind of the call.
    """

    name: str
    rules: Sequence[Rule]
    outcome: Literal["whole", "incomplete", "remark", "fails", "ends"] = "whole"
    says: str = ""
    calls: int = 1
    again: int | None = None
    waits: float | None = None
    way: Literal["ask", "schema", "stream", "embed"] = "ask"
    settings: Mapping[str, object] = field(default_factory=dict)


def ended(reason: object, text: str = "So be it.", **more: object) -> dict[str, object]:
    """A whole reply that has ended so."""
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], **more}


def stream(reason: object, text: str = "So be it.", **more: object) -> str:
    """A stream that has ended so."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": reason}
    return events({"choices": [choice]}, {"choices": [last], **more})


def error(message: str, **more: object) -> dict[str, object]:
    """The body of an error."""
    return {"error": {"message": message, **more}}


def streams(body: str) -> Sequence[Rule]:
    """An endpoint that answers everything with a stream."""
    return [Rule(body, content_type=EVENTS)]


def limit_of(sent: Sent) -> int:
    return sent.get("max_tokens") or sent.get("max_completion_tokens") or 0


def has_schema(sent: Sent) -> bool:
    return "response_format" in sent


def above(most: int) -> Callable[[Sent], bool]:
    """Requests that ask for a longer reply, or for one of any length."""
    return lambda sent: not 0 < limit_of(sent) <= most


def longer(most: int) -> Callable[[Sent], bool]:
    """Requests that ask for a longer reply by a number."""
    return lambda sent: limit_of(sent) > most


def counted(message: str, window: int) -> Sequence[Rule]:
    """An endpoint that counts prompt and reply together, and says so in these words."""
    words = {"p": WORDS, "l": LIMIT, "sum": WORDS + LIMIT, "w": window}
    return [Rule(error(message.format(**words)), 400, longer(window - WORDS + 50))]


def beyond(message: str) -> Sequence[Rule]:
    """An endpoint whose window is smaller than the prompt, whatever the limit."""
    prompt, window = WORDS + 5, 512
    return [
        Rule(
            error(message.format(p=prompt, l=limit, sum=prompt + limit, w=window)),
            400,
            lambda sent, limit=limit: limit_of(sent) == limit,  # type: ignore[misc]
        )
        for limit in range(1, LIMIT + 1)
    ] + [Rule(error("The prompt is longer than the context length."), 400)]


def in_part(window: int) -> Sequence[Rule]:
    """An endpoint that counts a prompt only until it is too long (vLLM)."""
    said = "The maximum context length is {w}. You requested {l} output tokens and your prompt "
    said += "contains at least {p} input tokens, for a total of at least {sum} tokens."
    return [
        Rule(
            error(said.format(w=window, l=limit, p=window - limit + 1, sum=window + 1)),
            400,
            lambda sent, limit=limit: limit_of(sent) == limit,  # type: ignore[misc]
        )
        for limit in range(window - WORDS + 1, LIMIT + 1)
    ]


def usage(read: int, cached: int = 0) -> dict[str, object]:
    counts = {"prompt_tokens": read, "completion_tokens": 4}
    return {**counts, "prompt_tokens_details": {"cached_tokens": cached}}


THINKING: Final = "parameter.enable_thinking must be set to false for non-streaming calls"
QUOTA: Final = "Request too large for model `llama3-70b-8192` on tokens per minute (TPM): "
DAY: Final = "Rate limit reached for requests per day (RPD): Limit 50, Used 50, Requested 1."
GEMINI_DAY: Final = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}
COMPLETE: Final = (
    "stop",
    "STOP",
    "eos",
    "EOS_TOKEN",
    "end_turn",
    "stop_sequence",
    "COMPLETE",
    None,
)
INCOMPLETE: Final = {
    "RECITATION": "filter stopped it (recitation)",
    "SAFETY": "(safety)",
    "FinishReason.BLOCKLIST": "(blocklist)",
    "PROHIBITED_CONTENT": "(prohibited_content)",
    "content_filter": "filter stopped it",
    "MAX_TOKENS": "limit of its length",
    "length": "limit of its length",
    "error": "reported an error",
    "insufficient_system_resource": "reported an error",
    "model_context_window_exceeded": "limit of its length",
    "ERROR_TOXIC": "(error_toxic)",
}
OVER_WINDOW: Final = (  # p: of the prompt, l: limit of the reply, w: window
    "The maximum context length is {w}. You requested {sum} ({p} in messages, {l} in completion).",
    "`inputs` + `max_new_tokens` must be <= {w}. Given: {p} `inputs` and {l} `max_new_tokens`",
    "Kontext zu klein: {p} + {l} > {w}",
    "the prompt and the answer need {sum} positions, the model has {w}",
)
OVER_LIMIT: Final = (
    "Invalid max_tokens value, the valid range of max_tokens is [1, 1024]",
    "`max_tokens` must be less than or equal to `1024`",
    "max_tokens is too large: 2000. This model supports at most 1024 completion tokens.",
    "Range of max_tokens should be [1, 1024]",
)
ECHO: Final = {
    "loc": ["body", "messages", 0, "content"],
    "msg": "String should have at most 1000 characters",
    "input": "His payment is overdue and his account was suspended.",
}
MANNERS: Final = [
    # How a reply ends
    *(Manner(f"a reply ends with {end}", [Rule(ended(end))]) for end in COMPLETE),
    *(Manner(f"a stream ends: {end}", streams(stream(end)), way="stream") for end in COMPLETE),
    *(
        Manner(f"a stream stops: {end}", streams(stream(end)), "incomplete", said, way="stream")
        for end, said in INCOMPLETE.items()
    ),
    Manner("SAFETY", [Rule(ended("SAFETY"))], "fails", "withheld the reply (safety)"),
    Manner("error", [Rule(ended("error"))], "fails", "broke the reply off"),
    Manner("an unknown ending", [Rule(ended("Weary"))], "remark", "(finish_reason weary)"),
    Manner("a stream's", streams(stream("Weary")), "remark", "finish_reason weary", way="stream"),
    # The limit of the reply
    *(Manner(f"a window: {said}", counted(said, 1500), calls=2, again=1) for said in OVER_WINDOW),
    *(
        Manner(
            f"a quota that counts the reply, status {status}",
            [Rule(error(f"{QUOTA}Limit 1500, Requested {WORDS + LIMIT}"), status, longer(850))],
            calls=2, again=1,
        )
        for status in (413, 429)
    ),
    *(
        Manner(f"a limit: {said}", [Rule(error(said), 400, above(1024))], calls=2, again=1)
        for said in OVER_LIMIT
    ),
    *(Manner(f"a long prompt: {said}", beyond(said), "fails") for said in OVER_WINDOW[:2]),
    Manner("a window and a prompt that is counted in part", in_part(2400), calls=2, again=1),
    Manner(
        "a limit that is excluded",
        [
            Rule(
                error("it has a maxOutputTokens value of 2000 but the supported range is from 1 "
                      "(inclusive) to 1025 (exclusive)"), 400, above(1024),
            )
        ],
        calls=2, again=1,
    ),
    Manner(
        "a limit that is called otherwise",
        [Rule(error("The maximum tokens you requested exceeds the model limit of 1024."), 400,
              above(1024))],
        calls=2, again=1,
    ),
    Manner(
        "a limit by another name, beside a code",
        [
            Rule(
                error("Unsupported: 'max_tokens'. Use 'max_completion_tokens'.", code=1214),
                400, lambda sent: "max_tokens" in sent,
            ),
            Rule(ended("length"), when=lambda sent: sent.get("max_completion_tokens") != LIMIT),
        ],
        calls=2, again=1,
    ),
    # How much was read
    Manner("half is read", [Rule(ended("stop", usage=usage(300)))], "remark", "read 300 of about"),
    Manner("half is cached", [Rule(ended("stop", usage=usage(300, 250)))]),
    # What is missing, and what is refused
    Manner(
        "only streams",
        [
            Rule(error(THINKING), 400, lambda sent: not sent.get("stream")),
            Rule(stream("stop"), content_type=EVENTS),
        ],
        calls=2, again=1,
    ),
    Manner("a stream unasked", streams(stream("stop"))),
    Manner("a stream unasked, cut", streams('data: {"choices": []}\n\n'), "fails", "ended without"),
    Manner(
        "a field of the user",
        [Rule(error("thinking is missing"), 400, lambda sent: "thinking" not in sent)],
        settings={"extra_body": {"thinking": False}},
    ),
    Manner(
        "a field for embeddings",
        [Rule(error("input_type is required"), 400, lambda sent: "input_type" not in sent)],
        settings={"embedding_extra_body": '{"input_type": "passage"}'}, way="embed",
    ),
    Manner(
        "an option that is refused with 404",
        [Rule(error("No endpoints found that support response_format"), 404, has_schema)],
        calls=3, again=1, way="schema",
    ),
    Manner(
        "an option that is refused with 500",
        [Rule(error("json_schema is not implemented"), 500, has_schema)],
        calls=7, again=1, way="schema",
    ),
    Manner(
        "a schema gives blanks",
        [Rule(ended("length", " \n" * 200), when=has_schema)],
        calls=2, way="schema",
    ),
    # Waits
    Manner(
        "a delay in the body",
        [Rule(error("Busy.", details=[{"retryDelay": "37s"}]), 429, times=1)], calls=2, waits=37,
    ),
    Manner(
        "a delay in words",
        [Rule(error("Rate limit. Please try again in 7m12s."), 429, times=1)], calls=2, waits=432,
    ),
    Manner(
        "milliseconds",
        [Rule(error("Busy."), 429, times=1, headers={"retry-after-ms": "1500"})],
        calls=2, waits=1.5,
    ),
    Manner("no choice", [Rule({"choices": []}, times=1)], calls=2),
    Manner("never a choice", [Rule({"choices": []})], "fails", "holds no choice", calls=2),
    Manner("a model that loads", [Rule(error("Loading model"), 503, times=7)], calls=8, waits=5),
    Manner(
        "milliseconds in words",
        [Rule(error("Please retry after 500 milliseconds."), 429, times=1)], calls=2, waits=0.5,
    ),
    Manner(
        "two units",
        [Rule(error("Please try again in 1 minute and 30 seconds."), 429, times=1)],
        calls=2, waits=90,
    ),
    Manner(
        "a limit by the minute, where other calls count",
        [Rule(error("Limit 6000, Used 5034, Requested 2700. Try again in 17.34s."), 429, times=2)],
        calls=3, waits=17.34,
    ),
    Manner(
        "a limit by the minute in the words of a quota",
        [
            Rule(
                error("See /error-code#token-limit", code="insufficient_quota"), 429, times=1,
            )
        ],
        calls=2,
    ),
    # What is about one text
    *(
        Manner(said, [Rule(body, status)], "fails", calls=1, way="schema")
        for status, said, body in (
            (400, "content of DashScope", error("It may contain inappropriate content.")),
            (400, "content of DeepSeek", error("Content Exists Risk")),
            (400, "content of Zhipu", error("系统检测到输入或生成内容可能包含不安全或敏感内容")),
            (403, "content of xAI", error("Content violates usage guidelines. API key ID: abcd")),
            (403, "content elsewhere", error("It was flagged. No credits were charged.")),
            (422, "a prompt that is repeated", {"detail": [ECHO]}),
        )
    ),
    # What no other call is free of
    *(
        Manner(f"{status}: {said}", [Rule(error(said, **more), status)], "ends", told)
        for status, said, more, told in (
            (400, "Budget has been exceeded! Current cost: 10.2, Max budget: 10.0", {}, "credit"),
            (400, "Access denied, your account is in arrears.", {"code": "Arrearage"}, "credit"),
            (400, "API key not valid. Please pass a valid API key.", {}, "OPENAI_API_KEY"),
            (400, "User location is not supported for the API use.", {}, "region"),
            (403, "Country, region, or territory not supported", {}, "region"),
            (412, "Insufficient balance", {}, "credit"),
            (400, "Your credit balance is too low to access the API.", {}, "credit"),
            (403, "The account has been suspended.", {}, "credit"),
            (400, "Billing hard limit has been reached", {}, "credit"),
            (403, "This model is not available in your region", {}, "region"),
            (429, DAY, {}, "quota for the day"),
            (429, "Rate limit exceeded: free-models-per-day", {}, "quota for the day"),
            (429, "You exceeded your quota.", {"details": [GEMINI_DAY]}, "quota for the day"),
            (404, "The model `x` does not exist", {}, "There is no model"),
            (400, "Model Not Exist", {}, "There is no model"),
            (400, "foo/bar is not a valid model ID", {}, "There is no model"),
            (400, "You have reached your specified API usage limits.", {}, "credit"),
            (400, "This organization has been disabled.", {}, "credit"),
            (400, "ExceededTokenBudget: Current spend: 7.2e-05; Max Budget: 2e-07", {}, "credit"),
            (403, "The free tier of the model has been exhausted.", {}, "credit"),
            (429, "the model service has been paused", {}, "credit"),
            (429, "Daily token limit reached for this key.", {}, "quota for the day"),
            (429, "You have exceeded today's quota, please try again tomorrow", {}, "the day or"),
            (429, "you have reached your weekly usage limit", {}, "the day or longer"),
            (429, "You are limited to 1000 API calls / month.", {}, "the day or longer"),
            (429, "You exceeded your quota.", {"type": "insufficient_quota"}, "quota of the key"),
        )
    ),
]  # fmt: skip
