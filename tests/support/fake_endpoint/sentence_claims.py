"""The three steps that find claims, without any understanding: by the form of a sentence.

A question and a sentence with "I think" state nothing that can be checked. A sentence that begins
with "It" is ambiguous. Others are divided at ", and ". A sentence with "Lie here" gets a claim with
a name and a number that nobody said.
"""

import re

from tests.support.fake_endpoint.chat import Chat

__all__ = ["decompose", "disambiguate", "select"]

NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)


def select(chat: Chat) -> object:
    """Which sentences state something."""
    return {
        "selected": [
            {"number": number, "verdict": "none" if _is_opinion(text) else "keep", "text": ""}
            for number, text in _sentences(chat)
        ]
    }


def disambiguate(chat: Chat) -> object:
    """Which sentences have one meaning."""
    return {
        "resolved": [
            {
                "number": number,
                "verdict": "ambiguous" if text.startswith("It ") else "clear",
                "text": "",
            }
            for number, text in _sentences(chat)
        ]
    }


def decompose(chat: Chat) -> object:
    """The claims of each sentence."""
    return {
        "decomposed": [
            {"number": number, "claims": _claims(text)} for number, text in _sentences(chat)
        ]
    }


def _claims(text: str) -> list[str]:
    parts = [f"{part.strip().rstrip('.')}." for part in text.split(", and ")]
    return [*parts, "Zarathustra said so in 1885."] if "Lie here" in text else parts


def _is_opinion(text: str) -> bool:
    return "I think" in text or text.endswith("?")


def _sentences(chat: Chat) -> list[tuple[int, str]]:
    return [(int(number), text) for number, text in NUMBERED.findall(chat.text)]
