"""Which calls fail and how, and the mess that real models make of right replies."""

from dataclasses import dataclass
from html import escape
from random import Random
from typing import Literal

from tests.support.fake_endpoint.dice import dice
from tests.support.fake_endpoint.options import Options

__all__ = ["FAULTS", "Fate", "decide", "make_messy", "make_messy_json"]

Fault = Literal["", "too_many", "server_error", "cut", "half", "garbage"]
FAULTS: tuple[Fault, ...] = ("too_many", "server_error", "cut", "half", "garbage")


@dataclass(frozen=True, slots=True)
class Fate:
    """What happens to a call: a fault or none, and seconds of waiting before."""

    fault: Fault = ""
    delay: float = 0.0


def decide(options: Options, request: str, attempt: int, kind: str) -> Fate:
    """The fate of a request seen for the `attempt`-th time, so that a retry may succeed."""
    rates = [getattr(options, fault) for fault in FAULTS]
    if not options.latency and not any(rates):
        return Fate()
    chance = dice(options.seed, request, attempt)
    delay = options.latency * (1 + options.jitter * chance.uniform(-1, 1))
    if options.only and kind not in options.only:
        return Fate("", delay)
    point = chance.random()
    for fault, rate in zip(FAULTS, rates, strict=True):
        point -= rate
        if point < 0:
            return Fate(fault, delay)
    return Fate("", delay)


def make_messy(reply: str, chance: Random) -> str:
    """The same records, as real models write them at times: one or two kinds of mess."""
    kinds = (_fence, _drop_mark, _break_line, _change_case, _escape, _stray_quote, _drop_bracket)
    messy = reply
    for kind in chance.sample(kinds, chance.randint(1, 2)):
        messy = kind(messy, chance)
    return messy if messy != reply else _fence(reply, chance)


def make_messy_json(reply: str, chance: Random) -> str:
    """The same values, as real models write JSON at times: one or two kinds of mess."""
    kinds = (_fence, _add_prose, _add_comma, _drop_comma, _unquote_name, _drop_end)
    messy = reply
    for kind in chance.sample(kinds, chance.randint(1, 2)):
        messy = kind(messy, chance)
    return messy


def _add_prose(reply: str, _: Random) -> str:
    return f"Here is the JSON:\n\n{reply}\n\nI hope that it helps!"


def _add_comma(reply: str, chance: Random) -> str:
    return _at_random(reply, "}", ",}", chance)


def _drop_comma(reply: str, chance: Random) -> str:
    return _at_random(reply, ', "', ' "', chance)


def _unquote_name(reply: str, chance: Random) -> str:
    return _at_random(reply, '"score":', "score:", chance)


def _drop_end(reply: str, _: Random) -> str:
    return reply.removesuffix("}")


def _fence(reply: str, chance: Random) -> str:
    return f"```{chance.choice(('', 'text'))}\n{reply}\n```"


def _drop_mark(reply: str, _: Random) -> str:
    return reply.replace("<|COMPLETE|>", "").rstrip()


def _break_line(reply: str, chance: Random) -> str:
    return _at_random(reply, " ", "\n", chance)


def _change_case(reply: str, chance: Random) -> str:
    word = chance.choice((str.capitalize, str.upper))
    for kind in ("entity", "relationship"):
        reply = reply.replace(f'("{kind}"', f'("{word(kind)}"')
    return reply


def _escape(reply: str, _: Random) -> str:
    fields = reply.split("<|>")
    return "<|>".join(part if "##" in part or "(" in part else escape(part) for part in fields)


def _stray_quote(reply: str, chance: Random) -> str:
    return _at_random(reply, '("entity"<|>', '("entity"<|>"', chance)


def _drop_bracket(reply: str, chance: Random) -> str:
    return _at_random(reply, ")\n##", "\n##", chance)


def _at_random(reply: str, old: str, new: str, chance: Random) -> str:
    """The reply with one of the places of `old` replaced."""
    pieces = reply.split(old)
    if len(pieces) == 1:
        return reply
    place = chance.randrange(1, len(pieces))
    return old.join(pieces[:place]) + new + old.join(pieces[place:])
