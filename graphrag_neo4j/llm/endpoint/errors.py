"""What an error of an endpoint means: try again, leave out an option, fail one call, or stop.

Endpoints say the same in many ways: in a status, in a body of any form, in a body of status 200, or
in a sentence. All of them are read here, and only here.
"""

import math
import re
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from random import random
from textwrap import shorten
from typing import Final, NamedTuple
from urllib.request import getproxies, proxy_bypass

import httpx2
import openai

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.endpoint.bodies import NO_CHOICE
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import excerpt

# Retries. They are made by us and not by the client, so that a call that waits holds no slot, is
# checked against the cost limit again, and does not time out more than three times.
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds; the wait doubles with each retry
LONGEST_ORDERED: Final = 600.0  # seconds of a wait that the endpoint may order
LONGEST_LOADING: Final = 300.0  # seconds that a server may take to load its model
LOADING_WAIT: Final = 5.0  # seconds
TIMEOUT_RETRIES: Final = 2  # each takes as long as the timeout
RETRIED: Final = frozenset({408, 409, 429})  # and 500 or more, except NOT_IMPLEMENTED
BUSY: Final = frozenset({429, 503, 529})  # whose words may order a wait
WAITED_FOR: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
NOT_IMPLEMENTED: Final = 501  # llama.cpp sends it where it has no embeddings
LOADING: Final = re.compile(
    r"^(?!.*(fail|unable|can.?not|could not|out of memory)).*\b(loading|warming up|still starting)",
    re.IGNORECASE | re.DOTALL,
)
# A wait that is told in words: "Please try again in 7m12.5s", '"retryDelay": "37s"'.
SECONDS_OF: Final[Mapping[str, float]] = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
SPAN: Final = (
    r"(\d+(?:\.\d+)?)\s*(ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d"
    r"|days?)(?![a-z])"
)
ORDER: Final = re.compile(
    rf"(?:retry.?delay|try again|retry|wait)[^\d\n]{{0,30}}((?:{SPAN}(?:[\s,]|and\b)*)+)",
    re.IGNORECASE,
)
DAILY: Final = re.compile(
    r"\b(per|a|each)[ _-]?day\b|PerDay|\bdaily\b|\b[RT]PD\b|today's quota|try again tomorrow"
    r"|\b(weekly|monthly)\b|(per|/) ?month\b|usage limit",
    re.IGNORECASE,
)
NOT_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

# Causes that no other call is free of, whatever the status: words, and the sentence about them.
OF_KEY: Final = (
    r"api.?key.{0,30}\b(invalid|not valid|incorrect|expired|revoked|missing)"
    r"|\b(invalid|incorrect|missing|expired).{0,10}api.?key"
)
OF_CREDIT: Final = (
    r"\bbudget\b.{0,30}exceed|exceed.{0,30}\bbudget\b|arrear|overdue|余额不足|欠费|payment required"
    r"|(in|not )sufficient.{0,20}(balance|credits?|funds|quota)|billing.{0,20}limit"
    r"|spending limit|Exceeded\w*Budget|API usage limits|free tier.{0,40}exhausted"
    r"|service has been paused|organi[sz]ation has been (disabled|restricted|suspended)"
    r"|account.{0,30}\b(suspended|deactivated|disabled|blocked)"
    r"|(balance|credits?)\b.{0,30}(too low|exhausted|used up|depleted|insufficient)"
)
OF_REGION: Final = (
    r"(location|region|country|territory).{0,40}\b(un|not )(supported|available)"
    r"|unsupported_(country|region|location)"
    r"|\bnot (supported|available) in (your|this) (country|region|location)"
)
REFUSED_KEY: Final = "The model endpoint refuses the key: set OPENAI_API_KEY ({})."
USED_UP: Final = "The account of the key has no credit left, or is blocked ({})."
FATAL: Final = (
    (re.compile(OF_KEY, re.IGNORECASE), REFUSED_KEY),
    (re.compile(OF_CREDIT, re.IGNORECASE), USED_UP),
    (
        re.compile(OF_REGION, re.IGNORECASE),
        "The model endpoint doesn't serve this region: use another endpoint ({}).",
    ),
)
FATAL_STATUS: Final = frozenset({400, 401, 402, 403, 412, 422, 429})

# An endpoint may refuse a model with status 400.
NO_SUCH_MODEL: Final = re.compile(
    r"model not exist|model.{0,60}(does not exist|not found)|not a valid model|invalid model name",
    re.IGNORECASE,
)

# Stopping. If the first calls all fail, the endpoint is down. Fewer failures may be due to the
# texts of single chunks. A call that timed out was sent several times; if no call of its step was
# answered before, the server is too slow for it.
HOPELESS_AT_FIRST: Final = 5
HOPELESS_TIMEOUTS: Final = 2
REFUSED: Final = "the endpoint refuses the request"
EMBEDDING_SETTING: Final = "KG_EMBEDDING_MODEL"
LONGEST_MESSAGE: Final = 300  # characters of an endpoint's error message, which may be a whole page
# Words of an error of status 403 that is about one text, and of one that is about the access.
FILTERED: Final = re.compile(
    r"moderat|flagged|filter|content|polic|safety|sensitive|harmful|inappropriate|violat",
    re.IGNORECASE,
)
OF_ONE_TEXT: Final = re.compile(
    r"content violates|flagged|SAFETY_CHECK|usage guidelines", re.IGNORECASE
)
ACCESS: Final = re.compile(
    r"\b(api|key|account|organi[sz]ation|project|permissions?|access|credits?|billing|regions?"
    r"|country)\b",
    re.IGNORECASE,
)

# Why an endpoint can't be reached, by the words of the system.
CAUSES: Final = (
    (
        re.compile("CERTIFICATE_VERIFY_FAILED"),
        "its certificate is not trusted: set SSL_CERT_FILE to the certificate of its authority",
    ),
    (
        re.compile("WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|UNKNOWN_PROTOCOL|HTTP_REQUEST"),
        "it does not speak TLS there: let OPENAI_BASE_URL begin with http://",
    ),
    (
        re.compile("(?i)name or service|nodename|getaddrinfo|name resolution|no address assoc"),
        "its host name is not known",
    ),
)
LONGEST_PROXY: Final = 100  # characters of the name of a proxy

# Options.
LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""The two names of the limit of a reply. OpenAI wants the first; many servers know the second."""
LARGE_LIMIT: Final = "large limit"
"""Stands for a limit of the reply whose name is known, but whose value is too large."""
SEVERAL: Final = "several messages"
"""Stands for several messages, or roles, where the endpoint takes one message of the user only."""
LONGEST_ERROR: Final = 2000  # characters that are examined; the rest may repeat the prompt
# The names by which an error may speak of an option.
NAMES: Final = {
    "response_format": r"response_format|json.?schema|json.?object|json.?mode|structured.?output"
    r"|schema|grammar",
    "stream": "stream(?:ing)?",
}
CONTENT: Final = re.compile(
    r"context.?(length|window|size)|maximum context|too long|too many tokens"
    r"|content.?(policy|filter|management|exists risk)|inappropriate|sensitive|敏感|flagged",
    re.IGNORECASE,
)
TOO_LARGE: Final = re.compile(r"too (large|high|big)|at most|less than|exceed", re.IGNORECASE)
UNKNOWN: Final = re.compile(r"unsupported|not supported|unknown|unrecogni|extra", re.IGNORECASE)
# The endpoint wants a stream, or refuses something for calls that are none.
ONLY_STREAMS: Final = re.compile(
    r"non.?stream|without.stream|only.{0,20}\bstream"
    r"|stream\W{0,5}.{0,20}(must|required|mandatory)|(enable|use|set|requires?).{0,10}\bstream",
    re.IGNORECASE,
)
NUMBER: Final = re.compile(r"(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?!\w)")
WINDOW: Final = re.compile("context|model_len|window|inputs", re.IGNORECASE)
LIMIT_NAMED: Final = re.compile(
    r"\bmax(imum)?[ _]?((output|completion|new)[ _]?)?tokens\b", re.IGNORECASE
)
SMALLEST_REPLY: Final = 64  # tokens; with a smaller limit nothing of use is written
# vLLM explains that prompt and reply do not fit together without the name of the limit.
REPLY_TOO_LARGE: Final = re.compile(r"tokens? in the completion|\d+ in the completion")
# An option is refused, but the error does not say which.
NAMELESS: Final = re.compile(
    r"extra (inputs|fields)|requested parameters|additional propert"
    r"|(unknown|unsupported|unrecogni[sz]ed|unexpected|invalid) "
    r"(request )?(field|parameter|argument|option|keyword|propert)",
    re.IGNORECASE,
)
# What errors without a status say, in a body of status 200 or in a stream.
SAID: Final = (
    (401, re.compile("invalid_api_key|authentication_error")),
    (404, re.compile("model_not_found|not_found_error")),
    (429, re.compile("(?i)rate.?limit|too.?many.?requests")),
    (503, re.compile("(?i)(server|internal|api).?error|overload|unavailable")),
    (400, re.compile(f"(?i)invalid_request|unsupported_|not supported|{NAMELESS.pattern}")),
)
ROLES: Final = re.compile(
    r"system.{0,20}(role|message|prompt|instruction)|messages\[\d+\]\.role|'messages', \d+, 'role'"
    r"|roles?\b.{0,40}(support|alternat|allow|must|should|valid)"
    r"|(only|exactly|at most) (a |one |1 )?(single |user )*messages?\b|multi.?turn",
    re.IGNORECASE,
)
PLACE: Final = re.compile(r"""['"]loc['"]\s*:\s*[\[(]([^\])]*)""")
# If the refused option has no name, the options are left out in this order: first those that are
# missed least.
LEAST_MISSED: Final = (
    *("stream_options", "logit_bias", "encoding_format", "response_format", "temperature"),
    *("max_tokens", "max_completion_tokens", "dimensions", "stream"),
)
# If the error says nothing of use: what endpoints refuse most, and what a call works without.
VAGUE: Final = ("response_format", "stream", SEVERAL)


def seconds_before_retry(error: openai.APIError, retries: int) -> float | None:
    """Returns the seconds to wait before the next retry, or None if there should be none.

    `retries` is the number of retries so far. An endpoint may order the wait. A reply without a
    choice is asked for once more.
    """
    usual: float = min(FIRST_WAIT * 2**retries, LONGEST_WAIT)
    usual *= 1 - random() / 4  # noqa: S311 - no secret
    if isinstance(error, openai.APIConnectionError):
        given_up = isinstance(error, openai.APITimeoutError) and retries >= TIMEOUT_RETRIES
        return None if given_up else usual
    if NO_CHOICE in str(error):
        return None if retries else usual
    ordered, status = ordered_wait(error), status_of(error) or 0
    passing = status in RETRIED or (500 <= status < 600 and status != NOT_IMPLEMENTED)
    too_large = "too large" in _text_of(error)[:LONGEST_ERROR]
    if not passing or too_large or ordered > LONGEST_ORDERED or why_none_succeeds(error):
        return None
    return ordered if ordered > 0 else usual


def is_loading(error: openai.APIError) -> bool:
    """Returns whether an error says that the server is still loading its model."""
    status = status_of(error) or 0
    return 500 <= status < 600 and bool(LOADING.search(_text_of(error)[:LONGEST_ERROR]))


def ordered_wait(error: openai.APIError) -> float:
    """Returns the seconds that an error orders to wait, in its headers or in words; 0 for none."""
    headers = error.response.headers if isinstance(error, openai.APIStatusError) else {}
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            if math.isfinite(seconds := float(headers.get(name, ""))):
                return max(0.0, seconds * factor)
    with suppress(ValueError):
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, until.timestamp() - time.time())
    said = ORDER.search(f"{_text_of(error)} {error.body}"[:LONGEST_ERROR])
    if said and status_of(error) in BUSY:
        spans = re.findall(SPAN, said[1], re.IGNORECASE)
        return sum(float(number) * _seconds_of(unit.lower()) for number, unit in spans)
    return 0.0


def _seconds_of(unit: str) -> float:
    return 0.001 if unit.startswith(("ms", "mil")) else SECONDS_OF[unit[0]]


def status_of(error: openai.APIError) -> int | None:
    """Returns the status of an error, also of one in a body of status 200 or in a stream."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code
    if isinstance(error, openai.APIConnectionError | openai.APIResponseValidationError):
        return None
    code = error.code or ""
    if len(code) == 3 and code.isdecimal():
        return int(code)
    text = f"{code} {error.type} {_text_of(error)}"[:LONGEST_ERROR]
    return next((status for status, words in SAID if words.search(text)), None)


def why_none_succeeds(error: openai.APIError) -> str:
    """Returns a sentence, with a place for the endpoint's message, on why no call can succeed.

    "" if others may: the error is about one call, or passes.
    """
    # The prompt may be repeated, whose text must not end a run.
    text, body = _text_of(error).partition("'input':")[0], str(error.body)[:LONGEST_ERROR]
    said = f"{error.code} {text[:LONGEST_MESSAGE]}"
    if "#token-limit" in body:  # DashScope says so of a limit by the minute
        return ""
    if "insufficient_quota" in {error.code, error.type}:
        return "The quota of the key is used up ({})."
    status = status_of(error)
    if status == 429 and DAILY.search(f"{said} {body}"):
        return (
            "The endpoint's quota for the day or longer is used up ({}): run the same command when "
            "it allows calls again, and it goes on with what is left."
        )
    found = (sentence for words, sentence in FATAL if words.search(said))
    return next(found, "") if status in FATAL_STATUS else ""


def costs_nothing(error: Exception) -> bool:
    """Returns whether a call with this error surely cost nothing: it was refused, or not sent."""
    if isinstance(error, openai.APIConnectionError):
        return isinstance(error.__cause__, NOT_SENT)
    return type(error) is openai.APIError or isinstance(error, openai.APIStatusError)


def refused_option(
    error: openai.APIError, sent: Collection[str], *, vague: bool = True
) -> str | None:
    """Returns the name of the option in `sent` that the endpoint refuses, or None.

    OpenAI names the option in `param`, servers with strict validation name its place in `loc`,
    others write a sentence, or nothing. LARGE_LIMIT stands for a limit of the reply that is too
    large. If the error refuses an option without its name, this is the option that is missed least;
    if it says nothing of options, one that a call works without, but only where it may be `vague`.
    An error about the content of a prompt refuses no option: the call can't succeed without it.
    """
    # Nearly all errors have this type.
    text = str(error.body or error)[:LONGEST_ERROR].replace("invalid_request_error", "")
    if _says_too_large(text, sent):
        return LARGE_LIMIT
    if SEVERAL in sent and ROLES.search(text):
        return SEVERAL
    param = re.split(r"[.\[/]", error.param)[0] if isinstance(error.param, str) else ""
    if param in sent:
        return param
    if param in {"messages", "input"} or CONTENT.search(text):
        return None
    if places := PLACE.findall(text):
        return _first_named(" ".join(places), sent)
    order = LEAST_MISSED if NAMELESS.search(text) else VAGUE if vague else ()
    spare = next((name for name in order if name in sent), None)
    return _first_named(text, sent) or (None if error.param else spare)


def wants_stream(error: openai.APIError) -> bool:
    """Returns whether an error says that only streams are allowed, or asks for more elsewhere."""
    return ONLY_STREAMS.search(_text_of(error)[:LONGEST_ERROR]) is not None


def smaller_limit(error: openai.APIError, limit: int, sent: int) -> "SmallerLimit | None":
    """Returns the limit of the reply that an error names by its numbers, whatever its words.

    `limit` is the one that was sent, in tokens, and `sent` our count of the prompt. The error may
    say how many tokens prompt and reply may have together (a window, or a quota that counts both),
    or how many a reply may have.

        maximum context length is 8192 … 5000 in the messages, 4000 in the completion   ──▶  3192
        the valid range of max_tokens is [1, 4096]                                      ──▶  4096
    """
    said = error.body.get("message") if isinstance(error.body, Mapping) else None
    text = str(said or error.body)[:LONGEST_ERROR]  # not the codes beside a message
    numbers = {int(one.replace(",", "")) for one in NUMBER.findall(text)}
    if status_of(error) == 429 and "too large" not in text:
        return None  # it counts other calls
    # The prompt as the endpoint counts it: a number of its own, or what the reply leaves of a sum.
    prompts = numbers if limit in numbers else {one - limit for one in numbers}
    likely = {one for one in prompts if sent / 2 <= one <= 2 * sent + SMALLEST_REPLY}
    if not likely and limit in numbers and WINDOW.search(text):
        likely = {sent}
    if likely:
        prompt = min(likely - {limit} or likely, key=lambda one: abs(one - sent))
        others = numbers - {prompt, limit, prompt + limit}
        windows = {one for one in others if prompt + SMALLEST_REPLY <= one < prompt + limit}
        if not others and prompt + limit in numbers and limit >= prompt + SMALLEST_REPLY:
            windows = {limit}  # as large as the limit that was sent
        if window := max(windows, default=0):
            # vLLM counts a prompt only as far as it must.
            left = window - max(prompt, sent)
            return SmallerLimit(left if left >= SMALLEST_REPLY else window - prompt, window)
        if WINDOW.search(text):
            return None  # the prompt alone is too long
    named = LIMIT_NAMED.search(text) and not UNKNOWN.search(text)
    most = max((one for one in numbers if SMALLEST_REPLY <= one < limit), default=0)
    if not most or not (named or limit in numbers):
        return None
    below = re.search(rf"(lower|less|smaller|fewer) than {most}\b|\b{most} \(exclusive", text)
    return SmallerLimit(most - 1 if below else most)


def _says_too_large(text: str, sent: Collection[str]) -> bool:
    limit = next((name for name in LIMITS if name in sent), None)
    if limit is None or REPLY_TOO_LARGE.search(text):
        return limit is not None
    return limit in text and bool(TOO_LARGE.search(text)) and not UNKNOWN.search(text)


def _first_named(text: str, sent: Collection[str]) -> str | None:
    """Returns the option that the text names first."""
    places = {}
    for name in sent:
        if found := re.search(rf"\b({NAMES.get(name, name)})\b", text, re.IGNORECASE):
            places[name] = found.start()
    return min(places, key=places.__getitem__, default=None)


class SmallerLimit(NamedTuple):
    """The tokens that a reply may have, and those of prompt and reply together if these decide."""

    reply: int
    window: int | None = None


class Failures:
    """Explains the errors of the endpoint at `address`, and decides when they end a run.

    `meter` holds the calls of the run or question. No message ever holds the key.
    """

    def __init__(self, settings: Settings, address: str, meter: Meter) -> None:
        self._settings, self._address, self._meter = settings, address, meter
        self._in_a_row = 0

    def end_row(self) -> None:
        """Ends the row of failures, because a call was answered."""
        self._in_a_row = 0

    def count(
        self, step: str, error: openai.APIError | ReplyError, model: str, setting: str
    ) -> ModelError | ReplyError:
        """Counts a failed call of the row, and returns an error that says what to do."""
        if isinstance(error, ReplyError):
            return error
        known = self.explain(error, model, setting)
        if isinstance(known, ModelError) or known.refused:
            return known
        self._in_a_row += 1
        timed_out = isinstance(error, openai.APITimeoutError)
        most = HOPELESS_AT_FIRST
        if timed_out and not self._meter.steps[step].calls:
            most = HOPELESS_TIMEOUTS
        elif self._meter.total.calls:
            most = 2 * self._settings.concurrency
        if self._in_a_row < most:
            return known
        reason = f"see whether OPENAI_BASE_URL and the network are right ({self.message(error)})."
        if timed_out:
            reason = (
                f"none got a reply within {self._settings.timeout:g} seconds. Set KG_TIMEOUT "
                "higher, or use a faster model."
            )
        begin = f"{self._in_a_row} calls in a row failed at {self._address}"
        return ModelError(f"{begin}: {reason}")

    def explain(
        self, error: openai.APIError, model: str = "", setting: str = "KG_MODEL"
    ) -> ModelError | ReplyError:
        """Returns the error of one call as an error that says what to do, and counts nothing.

        A ModelError means that no call can succeed before the user changes something. A ReplyError
        that is `refused` means that the endpoint may accept another request: it refuses this text,
        which is too large (413) or which a filter does not let pass (403).
        """
        said = self._of_response(error) or self._stops(error, model, setting)
        if said:
            return ModelError(said, missing=status_of(error) == 404 or _is_of_model(error))
        message = self.message(error)
        if isinstance(error, openai.APIStatusError) and error.status_code in {400, 403, 413, 422}:
            return ReplyError(f"{REFUSED}: {message}", refused=True)
        reached = not isinstance(error, openai.APIConnectionError)
        if isinstance(error, openai.APITimeoutError):
            message = (
                f"it timed out, since the model endpoint at {self._address} did not reply within "
                f"{self._settings.timeout:g} seconds; set KG_TIMEOUT higher, or use a faster model"
            )
        elif not reached:
            message = (
                f"the model endpoint at {self._address} can't be reached ({message.rstrip('.')}); "
                "see that it runs, and that OPENAI_BASE_URL and the network are right"
            )
        return ReplyError(f"the call failed: {message}", reached=reached)

    def message(self, error: openai.APIError) -> str:
        """Returns the beginning of the endpoint's own message, without the key."""
        key, text = self._settings.openai_api_key, _text_of(error)
        shown = text.replace(key.get_secret_value(), "…") if key else text
        # Only its beginning, since `shorten` takes long for a long text.
        return shorten(shown[: 2 * LONGEST_MESSAGE], LONGEST_MESSAGE, placeholder=" …")

    def _stops(self, error: openai.APIError, model: str, setting: str) -> str:
        """Returns why no call can succeed, "" if others may."""
        message = self.message(error)
        if said := why_none_succeeds(error):
            return said.format(message)
        match 404 if _is_of_model(error) else status_of(error):
            case 401 | 403 if not _is_of_text(error):
                return REFUSED_KEY.format(message)
            case 404:
                name = EMBEDDING_SETTING
                hint = f", or set {name}=static or {name}=local, which need no endpoint"
                bare = ", most of which end with /v1" if self._address.count("/") <= 3 else ""
                hint = hint if setting == EMBEDDING_SETTING else ""
                return (
                    f"There is no model {model} at {self._address}: set {setting} or "
                    f"OPENAI_BASE_URL{bare}{hint} ({message})."
                )
            case 402:
                return USED_UP.format(message)
        return ""

    def _of_response(self, error: openai.APIError) -> str:
        """Returns what a redirect means, or an order to wait in which a run would stand still."""
        if isinstance(error, openai.APIStatusError) and (request := error.response.next_request):
            place = request.url.copy_with(username=None, password=None, query=None, fragment=None)
            call = str(error.request.url).removeprefix(self._address)
            base = excerpt(str(place).removesuffix(call), LONGEST_MESSAGE)
            return (
                f"The model endpoint at {self._address} redirects calls to another address, and "
                f"your texts are not sent there unasked: set OPENAI_BASE_URL={base} if you trust "
                "it."
            )
        seconds = ordered_wait(error) if status_of(error) in WAITED_FOR else 0.0
        return (
            f"The model endpoint orders a wait of {math.ceil(seconds / 60):,} minutes: run the "
            f"same command again after that ({self.message(error)})."
            if seconds > LONGEST_ORDERED
            else ""
        )


def _text_of(error: openai.APIError) -> str:
    """Returns an error with its body, of which the client's own text holds only a `message`.

    Of an error without a response it is the cause.
    """
    if isinstance(error, openai.APIConnectionError) and (cause := _cause_of(error)):
        return cause
    body = error.body
    said = body.get("message") if isinstance(body, Mapping) else None
    whole = not body or (isinstance(said, str) and said in str(error))
    return str(error) if whole else f"{error} - {body}"


def _cause_of(error: openai.APIConnectionError) -> str:
    """Returns why an endpoint can't be reached, as a part of a sentence, "" if it is not known."""
    said: list[str] = []
    cause: BaseException | None = error.__cause__
    while cause is not None:
        said.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    whole = " ".join(said)
    known = next((text for words, text in CAUSES if words.search(whole)), "")
    first = next(filter(None, (one.strip() for one in said)), "")
    return f"{known or first}{f' ({first})' if known else ''}{_proxy_of(error)}" if first else ""


def _proxy_of(error: openai.APIConnectionError) -> str:
    """Returns the name of the proxy that a call went through, without what it may hold of a key."""
    url, proxies = error.request.url, getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return ""
    name = excerpt(proxy.rpartition("@")[2].rpartition("//")[2], LONGEST_PROXY)
    return f", through the proxy {name} of the environment"


def _is_of_model(error: openai.APIError) -> bool:
    """Returns whether an error with status 400 says that there is no such model."""
    text = _text_of(error)[:LONGEST_MESSAGE]
    return status_of(error) == 400 and NO_SUCH_MODEL.search(text) is not None


def _is_of_text(error: openai.APIError) -> bool:
    """Returns whether an error is about one text, which a filter has found to be harmful."""
    text = _text_of(error)
    filtered = OF_ONE_TEXT.search(text) or (FILTERED.search(text) and not ACCESS.search(text))
    return status_of(error) == 403 and bool(filtered)
