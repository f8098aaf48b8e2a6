"""What can be asked of the fake endpoint, by constructor, command line and control address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """Rates are 0 to 1 and of all calls of the kinds in `only`; each call meets one fault at most.

    Which calls they hit depends on `seed`, the request's body and how often it was seen.
    """

    seed: int = 0
    key: str = ""  # the only API key that is let in; empty: any
    models: tuple[str, ...] = ()  # model names that are known; none given: all
    rejects: tuple[str, ...] = ()  # parameters of a request that are refused
    refuses_as: str = "param"  # how they are refused: one of endpoint.REFUSALS
    ignores: tuple[str, ...] = ()  # parameters of a request that have no effect
    reasoning: int = 0  # tokens of reasoning before each reply; the limit includes them
    shows_reasoning: str = ""  # where the reasoning is shown: content, field, or nowhere
    window: int = 0  # of a longer prompt the beginning is silently cut off; 0: of none
    one_at_a_time: bool = False  # a call waits until the calls before it are answered
    cached: float = 0.0  # share of a prompt's tokens that are reported as cached
    embeds: bool = True  # whether there is an embedding model; else 404
    context_tokens: int = 0  # a longer prompt is answered with 400; 0: none is too long
    output_tokens: int = 0  # a longer reply is cut; 0: only by the request
    dimensions: int = 256  # of a vector, where the request does not say
    held_back: float = 0.2  # share of the entities or claims that only a gleaning brings
    latency: float = 0.0  # seconds before each reply
    pace: float = 0.0  # seconds between the pieces of a stream
    only: tuple[str, ...] = ()  # kinds of call that faults may hit; none given: all
    spared: int = 0  # the first so many calls of each kind meet no fault
    too_many: float = 0.0  # rate of 429 with Retry-After
    retry_after: float = 0.05  # seconds in Retry-After
    server_error: float = 0.0  # rate of 500
    cut: float = 0.0  # rate of connections closed without a response
    half: float = 0.0  # rate of connections closed after half a body
    garbage: float = 0.0  # rate of replies that nobody can use
    batches: bool = True  # whether there is a Batch API; else 404
    batches_away: bool = False  # whether the Batch API answers with 503
    batch_polls: int = 1  # how often a batch is looked at until it is answered
    batch_expired: float = 0.0  # share of a batch's requests that expire
    batch_lost: float = 0.0  # share of a batch's requests without any result
    batch_refused: str = ""  # why each batch is refused as a whole; empty: none is
    batch_room: int = 0  # requests that may wait in batches at once; 0: any number
    judge: str = "fair"  # how answers are compared: see `judging`
    replies: str = ""  # a module that adds kinds of replies when it is imported
    misjudged: tuple[str, ...] = ()  # malformed verdicts, in turn: see judging.MISJUDGED


_NEWER = (
    *("dimensions", "encoding_format", "logit_bias"),
    *("max_completion_tokens", "response_format", "stream_options"),
)
MODES: Mapping[str, Mapping[str, Any]] = {
    "reasoning model": {"rejects": ("logit_bias", "max_tokens", "temperature"), "reasoning": 300},
    "local server": {
        "one_at_a_time": True,
        "window": 4096,
        "ignores": ("logit_bias", "max_completion_tokens"),
    },
    "old server": {"rejects": _NEWER, "refuses_as": "unknown field"},
    "strict proxy": {"rejects": _NEWER, "refuses_as": "strict"},
    "terse proxy": {"rejects": _NEWER, "refuses_as": "nameless"},
}
"""How kinds of real endpoints behave, as options."""


def change(options: Options, values: Mapping[str, Any]) -> Options:
    """The options with some values replaced; lists become tuples, as JSON knows no tuples."""
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return replace(options, **plain)
