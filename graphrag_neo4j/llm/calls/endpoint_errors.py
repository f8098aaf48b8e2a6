"""Explains the errors of an endpoint: what happened, and what the user can do."""

import math
import re
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

import openai

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.calls.refusals import error_text
from graphrag_neo4j.llm.calls.retries import ordered_wait
from graphrag_neo4j.llm.meter import Meter
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import excerpt

__all__ = ["REFUSED", "Explainer", "Failures"]

# If the first calls all fail, this many failures mean that the endpoint is down. Fewer failures
# may be due to the texts of single chunks.
HOPELESS_AT_FIRST: Final = 5
# Each of these calls was sent several times, so even two take minutes. If no call of their step was
# answered before, the server is too slow for it.
HOPELESS_TIMEOUTS: Final = 2
REFUSED: Final = "the endpoint refuses the request"
LONGEST_PATIENCE: Final = 600.0  # seconds of an ordered wait after which calls are still tried
IN_A_BODY: Final = frozenset({"401", "402"})  # fatal codes, also in a body of status 200
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
EMBEDDING: Final = "KG_EMBEDDING_MODEL"
LONGEST_MESSAGE: Final = 300  # characters of an endpoint's error message, which may be a whole page


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains errors of the endpoint at `address`. No message ever holds the key."""

    settings: Settings
    address: str

    def fatal(self, error: openai.APIError, model: str, setting: str) -> ModelError | None:
        """Returns the error if no call can succeed before the user changes something."""
        message = self.message(error)
        match _status(error):
            case 401 | 403 if not _is_of_text(error):
                return ModelError(
                    f"The model endpoint refuses the key: set OPENAI_API_KEY ({message})."
                )
            case 404:
                hint = f", or set {EMBEDDING}=static or {EMBEDDING}=local, which need no endpoint"
                return ModelError(
                    f"There is no model {model} at {self.address}: set {setting} or "
                    f"OPENAI_BASE_URL{hint if setting == EMBEDDING else ''} ({message}).",
                    missing=True,
                )
            case 402:
                return ModelError(f"The credit of the key is used up ({message}).")
        if error.code == "insufficient_quota":
            return ModelError(f"The quota of the key is used up ({message}).")
        if isinstance(error, openai.APIStatusError):
            return self._of_redirect(error) or self._of_long_wait(error)
        return None

    def _of_redirect(self, error: openai.APIStatusError) -> ModelError | None:
        """Returns the error if the endpoint points to another address."""
        if not (request := error.response.next_request):
            return None
        place = request.url.copy_with(username=None, password=None, query=None, fragment=None)
        call = str(error.request.url).removeprefix(self.address)
        base = excerpt(str(place).removesuffix(call), LONGEST_MESSAGE)
        return ModelError(
            f"The model endpoint at {self.address} redirects calls to another address, and your "
            f"texts are not sent there unasked: set OPENAI_BASE_URL={base} if you trust it."
        )

    def _of_long_wait(self, error: openai.APIStatusError) -> ModelError | None:
        """Returns the error if the endpoint orders a wait in which a run would stand still."""
        ordered = ordered_wait(error.response.headers)
        if not ordered or ordered <= LONGEST_PATIENCE:
            return None
        return ModelError(
            f"The model endpoint orders a wait of {math.ceil(ordered / 60):,} minutes: run the "
            f"same command again after that ({self.message(error)})."
        )

    def of_content(self, error: openai.APIError) -> ReplyError | None:
        """Returns the error if the endpoint refuses this request, and may accept another one."""
        match error:
            case (
                openai.BadRequestError()
                | openai.UnprocessableEntityError()
                | openai.PermissionDeniedError()  # fatal, unless a filter refuses the text
                | openai.APIStatusError(status_code=413)  # too large
            ):
                return ReplyError(f"{REFUSED}: {self.message(error)}", refused=True)
        return None

    def of_failure(self, error: openai.APIError) -> ReplyError:
        """Returns the error of one call that failed."""
        message = self.message(error)
        if isinstance(error, openai.APITimeoutError):
            return ReplyError(
                f"the call failed: it timed out, since the model endpoint at {self.address} did "
                f"not reply within {self.settings.timeout:g} seconds; set KG_TIMEOUT higher, or "
                "use a faster model",
                reached=False,
            )
        if isinstance(error, openai.APIConnectionError):
            return ReplyError(
                f"the call failed: the model endpoint at {self.address} can't be reached "
                f"({message.rstrip('.')}); see that it runs, and that OPENAI_BASE_URL and the "
                "network are right",
                reached=False,
            )
        return ReplyError(f"the call failed: {message}")

    def of_many_failures(self, error: openai.APIError, failures: int) -> ModelError:
        """Returns the error of so many failed calls in a row that the run must stop."""
        begin = f"{failures} calls in a row failed at {self.address}"
        if isinstance(error, openai.APITimeoutError):
            return ModelError(
                f"{begin}: none got a reply within {self.settings.timeout:g} seconds. Set "
                "KG_TIMEOUT higher, or use a faster model."
            )
        return ModelError(
            f"{begin}: see whether OPENAI_BASE_URL and the network are right "
            f"({self.message(error)})."
        )

    def message(self, error: openai.APIError) -> str:
        """Returns the beginning of the error's own message, without the key."""
        key, text = self.settings.openai_api_key, error_text(error)
        shown = text.replace(key.get_secret_value(), "…") if key else text
        # Only its beginning, since `shorten` takes long for a long text.
        return shorten(shown[: 2 * LONGEST_MESSAGE], LONGEST_MESSAGE, placeholder=" …")


def _status(error: openai.APIError) -> int | None:
    """Returns the status of an error, also of one in a body of status 200."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code
    return int(error.code) if error.code in IN_A_BODY else None


def _is_of_text(error: openai.APIError) -> bool:
    """Tells whether an error is about one text, which a filter has found to be harmful."""
    text = error_text(error)
    return _status(error) == 403 and bool(FILTERED.search(text)) and not ACCESS.search(text)


class Failures:
    """Counts the failed calls of one run or question, and decides when it must stop.

    `hopeless` is the number of failures in a row after which it stops, if a call was answered
    before.
    """

    def __init__(self, explain: Explainer, meter: Meter, hopeless: int) -> None:
        self._explain, self._meter, self._hopeless = explain, meter, hopeless
        self._in_a_row = 0

    def end_row(self) -> None:
        """Ends the row of failures, because a call was answered."""
        self._in_a_row = 0

    def count(
        self,
        step: str,
        error: openai.APIError | ReplyError,
        model: str,
        setting: str = "KG_MODEL",
    ) -> ModelError | ReplyError:
        """Counts a failed call, and returns an error that says what to do."""
        self._meter.fail(step)
        if isinstance(error, ReplyError):
            return error
        known = self._explain.fatal(error, model, setting) or self._explain.of_content(error)
        if known:
            return known
        self._in_a_row += 1
        if self._in_a_row >= self._most(step, error):
            return self._explain.of_many_failures(error, self._in_a_row)
        return self._explain.of_failure(error)

    def _most(self, step: str, error: openai.APIError) -> int:
        """Returns the number of failures in a row after which the run must stop."""
        if isinstance(error, openai.APITimeoutError) and not self._meter.steps[step].calls:
            return HOPELESS_TIMEOUTS
        return self._hopeless if self._meter.total.calls else HOPELESS_AT_FIRST
