"""The content of a message: how much of a text is kept, what is said below it, and its history.

A chat client shows nothing but the content, and sends it back with the next question. What stands
there beside the text of an answer is then taken off again.
"""

import re
from collections.abc import Sequence
from math import inf
from typing import Final, Literal

from graphrag_neo4j.model.citations import CITATION_KINDS, escaped
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import flat

WORD: Final = re.compile(r"\s*\S+|\s+")
CUT: Final = "The answer is cut off, because the request limits its tokens (max_tokens)."
MARK: Final = re.compile(r"(?<!\\)\[\^(\d+)\]")
FENCE: Final = re.compile(r"^ ?(`{3,}|~{3,})", re.MULTILINE)  # not in a list, whose end closes it
NOTICE: Final = re.compile(r"^\*Notice: .*\n?", re.MULTILINE)
NOTE: Final = re.compile(
    r"^\[\^\d+\]: (?=.*\]\(https?://[^)\s]{1,300}/source/\d+-\d+-\d+\)"
    rf"|(?:{'|'.join(CITATION_KINDS)}) \(\d+\)).*\n?",
    re.MULTILINE,
)
OTHER_NOTE: Final = re.compile(r"^\[\^(\d+)\]:", re.MULTILINE)
# Code, or a mark or a note of a model that imitates ours: nothing belongs to it.
IMITATED: Final = re.compile(r"(`[^`]*`)|\n\s{0,9}\[\^\d+\]:[^\n]*|[ \t]{0,9}\[\^\d+\]")
IMITATED_NOTE: Final = re.compile(r"\n\s{0,9}\[\^\d+\]:[^\n]*\Z")  # whose end has not come yet


class Kept:
    """The part of a text that a request wants: up to a stop string, or a number of tokens.

    `text` is what is kept so far. `ended` says by what the text was cut.
    """

    def __init__(self, stops: Sequence[str], most: float) -> None:
        self._stops, self._left = [one for one in stops if one], most
        self._longest = max(map(len, self._stops), default=1)
        self._held, self.text = "", ""
        self.ended: Literal["stop", "length"] | None = None

    def add(self, text: str, *, last: bool = False) -> str:
        """What is kept with further text, which consists of whole words."""
        for word in [] if self.ended else WORD.findall(text):
            self._left -= tokens.count(word) if self._left < inf else 0
            if self._left < 0:
                self.ended, last = "length", True
                break
            self._held += word
        # At the end of the text, a stop string may have begun.
        end = len(self._held) if last else max(0, len(self._held) - self._longest + 1)
        if places := [at for one in self._stops if (at := self._held.find(one)) >= 0]:
            end, self.ended = min(places), "stop"
        kept, self._held = self._held[:end], self._held[end:]
        self.text += kept
        return kept


def said_below(text: str, said: Sequence[str]) -> list[str]:
    """Sentences about an answer, as what follows its text: an italic line for each."""
    fences = FENCE.findall(text)
    closed = [f"\n{fences[-1]}"] if len(fences) % 2 else [""]  # else all would be code
    lines = [escaped(flat(one)).replace("*", r"\*") for one in said]
    return [*closed, *(f"*Notice: {line}*" for line in lines)]


def without_notes(content: str) -> str:
    """The text of an answer of ours, as a client sends it back, without notes, marks and notices.

    Notes of others stay.
    """
    text = NOTE.sub("", content)
    others = set(OTHER_NOTE.findall(text))
    text = MARK.sub(lambda mark: mark[0] if mark[1] in others else "", text)
    return NOTICE.sub("", text).strip()
