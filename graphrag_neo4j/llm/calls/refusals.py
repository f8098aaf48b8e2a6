"""Reads from an error which option of a call the endpoint refuses.

Endpoints say so in many ways: OpenAI names the option in `param`, servers with strict validation
name its place in `loc`, others write a sentence, or nothing. An error about the content of a prompt
names no option, because such a call can't succeed without the content.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

import openai

__all__ = ["LARGE_LIMIT", "LIMITS", "SEVERAL", "error_text", "refused_option"]

LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""The two names of the limit of a reply. OpenAI wants the first; many servers know the second."""
LARGE_LIMIT: Final = "large limit"
"""Stands for a limit of the reply whose name is known, but whose value is too large."""
SEVERAL: Final = "several messages"
"""Stands for several messages, or roles, where the endpoint takes one message of the user only."""

LONGEST: Final = 2000  # characters of an error that are examined; the rest may repeat the prompt
# The names by which an error may speak of an option.
NAMES: Final = {
    "response_format": r"response_format|json.?schema|json.?object|json.?mode|structured.?output"
    r"|schema|grammar",
    "stream": "stream(?:ing)?",
}
REFUSAL: Final = re.compile(
    r"support|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed|invalid"
    r"|unavailable|not available|only the default|not implemented|incompatible|deprecated|must be"
    r"|fail|can ?not|can't|no longer",
    re.IGNORECASE,
)
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
    "stream_options",
    "logit_bias",
    "encoding_format",
    "response_format",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "dimensions",
    "stream",
)
# If the error says nothing of use: what endpoints refuse most, and what a call works without.
VAGUE: Final = ("response_format", "stream", SEVERAL)


def refused_option(error: openai.APIStatusError, sent: Collection[str]) -> str | None:
    """Returns the name of the option in `sent` that the endpoint refuses, or None.

    LARGE_LIMIT stands for a limit of the reply that is too large. If the error refuses an option
    without its name, this is the option that is missed least.
    """
    return _named(error, sent) or _least_missed(error, sent)


def error_text(error: openai.APIError) -> str:
    """Returns an error with its body, of which the client's own text holds only a `message`."""
    body = error.body
    said = body.get("message") if isinstance(body, Mapping) else None
    whole = not body or (isinstance(said, str) and said in str(error))
    return str(error) if whole else f"{error} - {body}"


def _named(error: openai.APIStatusError, sent: Collection[str]) -> str | None:
    text = _text(error)
    limits = [name for name in LIMITS if name in sent]
    if limits and _says_too_large(text, limits[0]):
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
    return _first_named(text, sent) if REFUSAL.search(text) else None


def _least_missed(error: openai.APIStatusError, sent: Collection[str]) -> str | None:
    text = _text(error)
    if error.param or CONTENT.search(text) or PLACE.search(text):
        return None
    order = LEAST_MISSED if NAMELESS.search(text) else VAGUE
    return next((name for name in order if name in sent), None)


def _text(error: openai.APIStatusError) -> str:
    """Returns the beginning of the error without the type that nearly all of them have."""
    return f"{error} {error.body}"[:LONGEST].replace("invalid_request_error", "")


def _says_too_large(text: str, limit: str) -> bool:
    if REPLY_TOO_LARGE.search(text):
        return True
    return limit in text and bool(TOO_LARGE.search(text)) and not UNKNOWN.search(text)


def _first_named(text: str, sent: Collection[str]) -> str | None:
    """Returns the option that the text names first."""
    places = {}
    for name in sent:
        if found := re.search(rf"\b({NAMES.get(name, name)})\b", text, re.IGNORECASE):
            places[name] = found.start()
    return min(places, key=places.__getitem__, default=None)
