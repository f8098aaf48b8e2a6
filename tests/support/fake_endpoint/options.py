"""What can be asked of the fake endpoint, by constructor, command line and control address."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

__all__ = ["MODES", "Options", "change", "parse_arguments", "to_arguments"]


def _option(default: Any, help_text: str) -> Any:  # noqa: ANN401 - as dataclasses.field has it
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True, slots=True)
class Options:
    """Rates are 0 to 1 and of all calls of the kinds in `only`; each call meets one fault at most.

    Which calls they hit depends on `seed`, the request's body and how often it was seen.
    """

    seed: int = _option(0, "another one, and other calls fail")
    key: str = _option("", "the only API key that is let in; empty: any")
    models: tuple[str, ...] = _option((), "model names that are known; none given: all")
    rejects: tuple[str, ...] = _option((), "request parameters answered with 400, as logit_bias")
    refuses_as: str = _option("param", "how a parameter is refused: one of endpoint.REFUSALS")
    ignores: tuple[str, ...] = _option((), "request parameters that have no effect")
    reasoning: int = _option(0, "tokens of reasoning before each reply; the limit includes them")
    shows_reasoning: str = _option("", "where the reasoning is shown: content, field, or nowhere")
    window: int = _option(0, "of a longer prompt the beginning is silently cut off; 0: of none")
    one_at_a_time: bool = _option(False, "a call waits until the calls before it are answered")
    cached: float = _option(0.0, "share of a prompt's tokens that are reported as cached")
    embeds: bool = _option(True, "whether there is an embedding model; else 404")
    context_tokens: int = _option(0, "a longer prompt is answered with 400; 0: none is too long")
    output_tokens: int = _option(0, "a longer reply is cut; 0: none is, but by the request")
    dimensions: int = _option(256, "of a vector, where the request does not say")
    held_back: float = _option(0.2, "share of the entities or claims that only a gleaning brings")
    latency: float = _option(0.0, "seconds before each reply")
    pace: float = _option(0.0, "seconds between the pieces of a stream")
    jitter: float = _option(0.0, "latency varies by this share of itself, up or down")
    only: tuple[str, ...] = _option((), "kinds of call that faults may hit; none given: all")
    spared: int = _option(0, "the first so many calls of each kind meet no fault")
    too_many: float = _option(0.0, "rate of 429 with Retry-After")
    retry_after: float = _option(0.05, "seconds in Retry-After")
    server_error: float = _option(0.0, "rate of 500")
    cut: float = _option(0.0, "rate of connections closed without a response")
    half: float = _option(0.0, "rate of connections closed after half a body")
    garbage: float = _option(0.0, "rate of replies that nobody can use")
    messy: float = _option(0.0, "rate of usable replies with real-life mess")
    batches: bool = _option(True, "whether there is a Batch API; else 404")
    batches_away: bool = _option(False, "whether the Batch API answers with 503")
    batch_polls: int = _option(1, "how often a batch is looked at until it is answered")
    batch_expired: float = _option(0.0, "share of a batch's requests that expire")
    batch_lost: float = _option(0.0, "share of a batch's requests without any result")
    batch_refused: str = _option("", "why each batch is refused as a whole; empty: none is")
    batch_room: int = _option(0, "requests that may wait in batches at once; 0: any number")
    judge: str = _option("fair", "how answers are compared: fair, first, longer, random or tie")
    misjudged: tuple[str, ...] = _option((), "malformed verdicts, in turn: see judging.MISJUDGED")


_OLD = (
    "dimensions",
    "encoding_format",
    "logit_bias",
    "max_completion_tokens",
    "response_format",
    "stream_options",
)
MODES: Mapping[str, Mapping[str, Any]] = {
    "reasoning model": {
        "rejects": ("logit_bias", "max_tokens", "temperature"),
        "reasoning": 300,
    },
    "local server": {
        "one_at_a_time": True,
        "window": 4096,
        "ignores": ("logit_bias", "max_completion_tokens"),
    },
    "old server": {"rejects": _OLD, "refuses_as": "unknown field"},
    "strict proxy": {"rejects": _OLD, "refuses_as": "strict"},
    "terse proxy": {"rejects": _OLD, "refuses_as": "nameless"},
}
"""How kinds of real endpoints behave, as options."""


_TYPES: Mapping[type, Callable[[str], Any]] = {bool: lambda text: text == "True"}


def change(options: Options, values: Mapping[str, Any]) -> Options:
    """The options with some values replaced; lists become tuples, as JSON knows no tuples."""
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return replace(options, **plain)


def parse_arguments(arguments: Sequence[str] | None = None) -> tuple[int, Options]:
    """The port and the options that a command line names."""
    parser = ArgumentParser(prog="python -m tests.support.fake_endpoint", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one, see the first line")
    for each in fields(Options):
        many = isinstance(each.default, tuple)
        parser.add_argument(
            "--" + each.name.replace("_", "-"),
            default=each.default,
            help=each.metadata["help"],
            type=str if many else _TYPES.get(type(each.default), type(each.default)),
            nargs="*" if many else None,
        )
    given = vars(parser.parse_args(arguments))
    port = given.pop("port")
    return port, change(Options(), given)


def to_arguments(options: Options) -> list[str]:
    """The command line that gives these options."""
    arguments = []
    for each in fields(options):
        value = getattr(options, each.name)
        if value != each.default:
            values = value if isinstance(value, tuple) else (value,)
            arguments += ["--" + each.name.replace("_", "-"), *map(str, values)]
    return arguments
