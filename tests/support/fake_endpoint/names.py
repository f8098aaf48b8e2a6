"""Verdicts about pairs of names: the same where they differ in an initial only, else unsure."""

import re

from tests.support.fake_endpoint.chat import Chat

__all__ = ["compare"]

PAIR = re.compile(r"^Pair (\d+)\nA: (.+?) \| .*\nB: (.+?) \| .*$", re.MULTILINE)


def compare(chat: Chat) -> object:
    """A verdict for each pair that the text lists."""
    return {
        "pairs": [
            {"pair": int(number), "verdict": _verdict(one, other), "reason": f"{one}, {other}"}
            for number, one, other in PAIR.findall(chat.text)
        ]
    }


def _verdict(one: str, other: str) -> str:
    ends = sorted((one.casefold().split(), other.casefold().split()))
    if len(ends[0]) != len(ends[1]):
        return "unsure"
    alike = [a == b or f"{b[0]}." == a or f"{a[0]}." == b for a, b in zip(*ends, strict=True)]
    return "same" if all(alike) else "unsure"
