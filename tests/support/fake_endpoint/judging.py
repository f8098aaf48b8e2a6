"""A judge whose verdicts are known beforehand, so that tests know what an evaluation must find.

`Options.judge` is "fair": the answer with the higher quality mark wins ("Quality mark 7." in its
text), without marks the longer one, and equal answers are a tie; or it is the answer that wins:
"first", "longer", "random" (by a hash of the request) or "tie". Of the support of a sentence "fair"
compares the words with those of the passages, "first" says that it is supported, "tie" partly.
"""

import re
from collections.abc import Mapping

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.words import pick

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
"""Replies of a judge that aren't verdicts."""


def misjudge(chat: Chat, options: Options) -> str | None:
    """The malformed reply that is due at this turn, if one is."""
    due = options.misjudged[len(chat.turns) :]
    return MISJUDGED[due[0]] if due and due[0] else None


def judge(chat: Chat, options: Options) -> object:
    """Which of the last two marked texts is better."""
    one, other = chat.texts[-2:]
    marks = [re.search(r"Quality mark (\d+)\.", answer) for answer in (one, other)]
    quality, its = (int(mark[1]) if mark else 0 for mark in marks)
    gap = quality - its or len(one) - len(other)
    winners = {
        "fair": 0 if gap == 0 else 1 if gap > 0 else 2,
        "first": 1,
        "longer": 1 if len(one) > len(other) else 2,
        "random": pick(3, "judge", options.seed, chat.prompt),
        "tie": 0,
    }
    winner = winners[options.judge]
    return {"reasoning": f"Answer {winner} is better.", "winner": winner}


def judge_support(chat: Chat, options: Options) -> object:
    """Whether the first marked text, a sentence, is supported by the others, the passages."""
    both = (chat.texts[0], " ".join(chat.texts[1:]))
    words, known = (set(re.findall(r"\w{3,}", text.casefold())) for text in both)
    share = len(words & known) / max(1, len(words))
    fair = 0 if share >= 0.8 else 1 if share >= 0.5 else 2
    chance = pick(3, "support", options.seed, chat.prompt)
    verdict = {"first": 0, "tie": 1, "random": chance}.get(options.judge, fair)
    reason = f"The passages have {share:.0%} of the words."
    return {"reason": reason, "support": ("supported", "partly", "not")[verdict]}
