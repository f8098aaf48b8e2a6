"""Finds names and key phrases in CJK text: Chinese and Japanese, which use no spaces.

Chinese words and their tags come from jieba (the package rjieba). In Japanese, runs of Chinese
characters and of katakana are taken, because most names and nouns are written so.
"""

from collections import Counter
from collections.abc import Iterator

import regex

from graphrag_neo4j.nlp.entity_types import CONCEPT, ORGANIZATION, PERSON, PLACE
from graphrag_neo4j.nlp.languages import is_stop_word
from graphrag_neo4j.nlp.names import NameSpan
from graphrag_neo4j.nlp.sentences import Passage

__all__ = ["CJK", "spans_in"]

CJK = frozenset({"zh", "ja"})
KINDS = {"nr": PERSON, "nrfg": PERSON, "ns": PLACE, "nt": ORGANIZATION, "nz": "", "nrt": ""}
NOUNS = frozenset({"n", "an", "b", "j", "eng", "ng"})
BODIES = frozenset(
    {"集团", "公司", "大学", "银行", "学院", "研究院", "研究所", "委员会", "中心", "协会",
     "基金会", "医院", "法院"}
)  # fmt: skip
LONGEST = 10  # characters of a key phrase
OFTEN = 2  # a key phrase must occur this often in a chunk, unless it is long
LONG = 4  # characters of a long noun, which may occur only once
KATAKANA = regex.compile(r"[\p{Katakana}ー]{3}")
JAPANESE = regex.compile(
    r"[\p{Katakana}ー]{3,}\p{Han}*|\p{Han}{2,10}|\p{Lu}[\p{L}\p{N}]+(?: \p{Lu}\p{L}+)*"
)
BODY = regex.compile(r"(?:大学|会社|銀行|研究所|委員会|協会|財団|学院|庁|省)$")


def spans_in(passage: Passage, language: str) -> list[NameSpan]:
    """Returns all occurrences of the names and key phrases in a chunk."""
    read = _chinese if language == "zh" else _japanese
    found = [s for sentence in passage.sentences for s in read(sentence.text, sentence.start)]
    counts = Counter(span.name for span in found)
    return [
        span
        for span in found
        if not is_stop_word(span.name, language)
        and (span.kind != CONCEPT or counts[span.name] >= OFTEN or _is_long(span.name))
    ]


def _is_long(name: str) -> bool:
    """Tells whether a noun is a key phrase even if it occurs only once."""
    return len(name) >= LONG or KATAKANA.match(name) is not None


def _chinese(text: str, start: int) -> Iterator[NameSpan]:
    """Yields names by their tags, with a following word such as "university", and noun phrases."""
    import rjieba  # noqa: PLC0415 - it takes a moment

    run, tags, begin, at = "", list[str](), start, start
    for word, tag in [*rjieba.tag(text), ("", "x")]:
        names, noun = tag in KINDS, tag in NOUNS
        goes_on = bool(run) and noun and len(run + word) <= LONGEST
        named = any(tag in KINDS for tag in tags)
        if not goes_on or (named and word not in BODIES):
            yield from _span(run, tags, begin)
            run, tags, begin = "", [], at
        if names or noun:
            run, tags = run + word, [*tags, tag]
        at += len(word)


def _span(run: str, tags: list[str], begin: int) -> Iterator[NameSpan]:
    if len(run) < 2:
        return
    body = any(run.endswith(body) and run != body for body in BODIES)
    named = [KINDS[tag] for tag in tags if tag in KINDS]
    kind = ORGANIZATION if body and named else named[0] if named else CONCEPT
    yield NameSpan(begin, begin + len(run), run, kind)


def _japanese(text: str, start: int) -> Iterator[NameSpan]:
    for found in JAPANESE.finditer(text):
        kind = ORGANIZATION if BODY.search(found[0]) and len(found[0]) > LONG - 1 else CONCEPT
        yield NameSpan(start + found.start(), start + found.end(), found[0], kind)
