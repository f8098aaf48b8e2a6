"""What an error of an endpoint means: try again, leave out an option, fail one call, or stop.

Endpoints say the same in many ways: in a status, in a body of any form, in a body of status 200, or
in a sentence. All of them are read here, and only here.
"""

import math
import re
from collections.abc import Collection, Mapping
from random import random
from textwrap import shorten
from typing import Final

import httpx2
import openai

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.endpoint.cost import Meter
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import excerpt

# Retries. They are made by us and not by the client, so that a call that waits holds no slot, is
# checked against the cost limit again, and does not time out more than three times.
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds; the wait doubles with each retry
LONGEST_ORDERED: Final = 120.0  # seconds of a wait that the endpoint may order
LONGEST_PATIENCE: Final = 10  # minutes of an ordered wait after which calls are still tried
TIMEOUT_RETRIES: Final = 2  # each takes as long as the timeout
RETRIED: Final = frozenset({408, 409, 429})  # and 500 or more, except NOT_IMPLEMENTED
NOT_IMPLEMENTED: Final = 501  # llama.cpp sends it where it has no embeddings
NOT_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

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
ACCESS: Final = re.compile(
    r"\b(api|key|account|organi[sz]ation|project|permissions?|access|credits?|billing|regions?"
    r"|country)\b",
    re.IGNORECASE,
)

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
    r"|content.?(policy|filter|management)",
    re.IGNORECASE,
)
TOO_LARGE: Final = re.compile(r"too (large|high|big)|at most|less than|exceed", re.IGNORECASE)
UNKNOWN: Final = re.compile(r"unsupported|not supported|unknown|unrecogni|extra", re.IGNORECASE)
# vLLM explains that prompt and reply do not fit together without the name of the limit.
REPLY_TOO_LARGE: Final = re.compile(r"tokens? in the completion|\d+ in the completion")
# An option is refused, but the error does not say which.
NAMELESS: Final = re.compile(
    r"extra (inputs|fields)|(unknown|unsupported|unrecogni[sz]ed|unexpected|invalid) "
    r"(request )?(field|parameter|argument|option|keyword|propert)|additional propert",
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

    `retries` is the number of retries so far. An endpoint may order the wait (Retry-After).
    """
    usual: float = min(FIRST_WAIT * 2**retries, LONGEST_WAIT)
    usual *= 1 - random() / 4  # noqa: S311 - no secret
    if isinstance(error, openai.APIConnectionError):
        given_up = isinstance(error, openai.APITimeoutError) and retries >= TIMEOUT_RETRIES
        return None if given_up else usual
    ordered = (
        _ordered_wait(error.response.headers) if isinstance(error, openai.APIStatusError) else 0.0
    )
    status = status_of(error) or 0
    passing = status in RETRIED or (500 <= status < 600 and status != NOT_IMPLEMENTED)
    if not passing or ordered > LONGEST_ORDERED or error.code == "insufficient_quota":
        return None
    return ordered if ordered > 0 else usual


def _ordered_wait(headers: httpx2.Headers) -> float:
    """Returns the seconds that the headers order to wait, 0 for no readable order."""
    try:
        seconds = float(headers.get("retry-after", 0))
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) else 0.0


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


def costs_nothing(error: Exception) -> bool:
    """Returns whether a call with this error surely cost nothing: it was refused, or not sent."""
    if isinstance(error, openai.APIConnectionError):
        return isinstance(error.__cause__, NOT_SENT)
    return type(error) is openai.APIError or isinstance(error, openai.APIStatusError)


def refused_option(error: openai.APIError, sent: Collection[str]) -> str | None:
    """Returns the name of the option in `sent` that the endpoint refuses, or None.

    OpenAI names the option in `param`, servers with strict validation name its place in `loc`,
    others write a sentence, or nothing. LARGE_LIMIT stands for a limit of the reply that is too
    large. If the error refuses an option without its name, this is the option that is missed least.
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
    order = LEAST_MISSED if NAMELESS.search(text) else VAGUE
    spare = next((name for name in order if name in sent), None)
    return _first_named(text, sent) or (None if error.param else spare)


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
        if said := self._stops(error, model, setting):
            return ModelError(said, missing=status_of(error) == 404)
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
        match status_of(error):
            case 401 | 403 if not _is_of_text(error):
                return f"The model endpoint refuses the key: set OPENAI_API_KEY ({message})."
            case 404:
                name = EMBEDDING_SETTING
                hint = f", or set {name}=static or {name}=local, which need no endpoint"
                return (
                    f"There is no model {model} at {self._address}: set {setting} or "
                    f"OPENAI_BASE_URL{hint if setting == EMBEDDING_SETTING else ''} ({message})."
                )
            case 402:
                return f"The credit of the key is used up ({message})."
        if error.code == "insufficient_quota":
            return f"The quota of the key is used up ({message})."
        return self._of_response(error) if isinstance(error, openai.APIStatusError) else ""

    def _of_response(self, error: openai.APIStatusError) -> str:
        """Returns what a redirect means, or an order to wait in which a run would stand still."""
        if request := error.response.next_request:
            place = request.url.copy_with(username=None, password=None, query=None, fragment=None)
            call = str(error.request.url).removeprefix(self._address)
            base = excerpt(str(place).removesuffix(call), LONGEST_MESSAGE)
            return (
                f"The model endpoint at {self._address} redirects calls to another address, and "
                f"your texts are not sent there unasked: set OPENAI_BASE_URL={base} if you trust "
                "it."
            )
        minutes = math.ceil(_ordered_wait(error.response.headers) / 60)
        return (
            f"The model endpoint orders a wait of {minutes:,} minutes: run the same command again "
            f"after that ({self.message(error)})."
            if minutes > LONGEST_PATIENCE
            else ""
        )


def _text_of(error: openai.APIError) -> str:
    """Returns an error with its body, of which the client's own text holds only a `message`."""
    body = error.body
    said = body.get("message") if isinstance(body, Mapping) else None
    whole = not body or (isinstance(said, str) and said in str(error))
    return str(error) if whole else f"{error} - {body}"


def _is_of_text(error: openai.APIError) -> bool:
    """Returns whether an error is about one text, which a filter has found to be harmful."""
    text = _text_of(error)
    return status_of(error) == 403 and bool(FILTERED.search(text)) and not ACCESS.search(text)
