"""Which failed calls are sent again, and after how many seconds."""

import email.utils
import math
import time
from random import random
from typing import Final

import httpx2
import openai

__all__ = ["ordered_wait", "seconds_before_retry"]

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0  # seconds; the wait doubles with each retry
LONGEST_ORDERED: Final = 120.0  # seconds of a wait that the endpoint may order
TIMEOUT_RETRIES: Final = 2
"""Retries of a call that timed out. Each takes as long as the timeout."""
RETRIED: Final = frozenset({408, 409, 429})  # and 500 or more, except NOT_IMPLEMENTED
NOT_IMPLEMENTED: Final = 501  # llama.cpp sends it where it has no embeddings


def seconds_before_retry(error: openai.APIError, retries: int) -> float | None:
    """Returns the seconds to wait before the next retry, or None if there should be none.

    `retries` is the number of retries so far. An endpoint may order the wait (Retry-After).
    """
    usual: float = min(FIRST_WAIT * 2**retries, LONGEST_WAIT)
    usual *= 1 - random() / 4  # noqa: S311 - no secret
    match error:
        case openai.APITimeoutError():
            return usual if retries < TIMEOUT_RETRIES else None
        case openai.APIConnectionError():
            return usual
        case openai.RateLimitError(code="insufficient_quota"):
            return None
        case openai.APIStatusError():
            return _after_status(error.response, usual)
        case openai.APIResponseValidationError():
            return None
    return usual if _is_passing(error.body) else None


def _after_status(response: httpx2.Response, usual: float) -> float | None:
    ordered = ordered_wait(response.headers)
    if ordered is not None and ordered > LONGEST_ORDERED:
        return None
    said = response.headers.get("x-should-retry")
    passing = _passes(response.status_code)
    if said == "false" or not (passing or said == "true"):
        return None
    return ordered if ordered and ordered > 0 else usual


def ordered_wait(headers: httpx2.Headers) -> float | None:
    """Returns the seconds that the headers order to wait, or None for an unreadable order."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return seconds if math.isfinite(seconds) else None
    try:
        return email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
    except (KeyError, ValueError, TypeError, OverflowError, OSError):
        return None


def _is_passing(error: object) -> bool:
    """Tells whether an error within a body of status 200 may not occur again."""
    code = error.get("code") if isinstance(error, dict) else None
    return isinstance(code, int) and _passes(code)


def _passes(status: int) -> bool:
    return status in RETRIED or (500 <= status < 600 and status != NOT_IMPLEMENTED)
