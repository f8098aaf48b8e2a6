"""A judge whose verdicts are known beforehand, so that tests know what an evaluation must find.

`Options.judge` is one of these:

- "fair": the answer with the higher quality mark wins ("Quality mark 7." in its text), whatever
  its place; without marks the longer one does. Equal answers are a tie.
- "first": the answer in the first place wins.
- "longer": the longer answer wins.
- "random": a hash of the request decides among first, second and tie.
- "tie": it is always a tie.

`Options.misjudged` holds the malformed replies to the first request, the second one and so on; ""
stands for a proper reply. Both options also serve for the support of a sentence: "fair" compares
its words with those of the passages, "first" says that it is supported, "tie" that it is partly.
"""

import json
import re
from collections.abc import Mapping

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.dice import pick

__all__ = ["MISJUDGED", "judge", "judge_support"]

MARK = re.compile(r"Quality mark (\d+)\.")
MISJUDGED: Mapping[str, str] = {
    "winner 3": '{"reasoning": "Both are good.", "winner": 3}',
    "two winners": '{"reasoning": "Both are good.", "winner": [1, 2]}',
    "two fields": '{"reasoning": "Both are good.", "winner": 1, "winner": 2}',
    "two verdicts": '{"winner": 1, "reasoning": "Good."} {"winner": 2, "reasoning": "Better."}',
    "both in words": '{"reasoning": "Both are good.", "winner": "1 and 2"}',
    "no winner": '{"reasoning": "Both are good."}',
    "null": '{"reasoning": "Both are good.", "winner": null}',
    "true": '{"reasoning": "Both are good.", "winner": true}',
    "prose": "Answer 1 is better, because it covers more.",
    "empty": "",
}
"""Replies of a judge that are no verdict."""


def judge(chat: Chat, way: str, misjudged: tuple[str, ...], seed: int) -> str:
    """The reply to a request that compares the last two of its marked texts."""
    turn = len(chat.turns)
    if turn < len(misjudged) and misjudged[turn]:
        return MISJUDGED[misjudged[turn]]
    one, other = chat.texts[-2:]
    winner = _winner(way, one, other, pick(3, "judge", seed, chat.prompt))
    reasoning = "They are equal." if winner == 0 else f"Answer {winner} is better."
    return json.dumps({"reasoning": reasoning, "winner": winner})


def judge_support(chat: Chat, way: str, misjudged: tuple[str, ...], seed: int) -> str:
    """The reply to a request whose first marked text is a sentence; the others are passages."""
    turn = len(chat.turns)
    if turn < len(misjudged) and misjudged[turn]:
        return MISJUDGED[misjudged[turn]]
    sentence, *passages = chat.texts
    words, known = _words(sentence), _words(" ".join(passages))
    share = len(words & known) / max(1, len(words))
    fair = 0 if share >= 0.8 else 1 if share >= 0.5 else 2
    chance = pick(3, "support", seed, chat.prompt)
    verdict = {"first": 0, "tie": 1, "random": chance}.get(way, fair)
    reason = f"The passages have {share:.0%} of the words."
    return json.dumps({"reason": reason, "support": ("supported", "partly", "not")[verdict]})


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))


def _winner(way: str, one: str, other: str, chance: int) -> int:
    match way:
        case "first":
            return 1
        case "longer":
            return 1 if len(one) > len(other) else 2
        case "random":
            return chance
        case "tie":
            return 0
        case _:
            gap = _quality(one) - _quality(other) or len(one) - len(other)
            return 0 if gap == 0 else 1 if gap > 0 else 2


def _quality(answer: str) -> int:
    mark = MARK.search(answer)
    return int(mark[1]) if mark else 0
