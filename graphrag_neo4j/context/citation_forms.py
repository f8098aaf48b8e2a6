"""Reads the forms in which models write citations, and neutralises these forms in documents.

    [Data: Entities (5, 7); Reports (2)]     the form that the prompts ask for
    【Data：实体（5、7）】                    full-width characters, translated kinds
    [Data: Entities 5, 7]                    without brackets around the numbers
    [Data: Entity #5, Report id 2]           with marks before the numbers
    (Data: Entities (5, 7))                  in round brackets

In round brackets all of the text must have this form, with a kind that is known: `(Data: see page
5)` is prose.

Other forms are citations only if a record has the number, and may be text of a document otherwise:

    [6], [^6], 【6†source】                  the number alone
    (Source: 6), [Reports 1, 2], Reports (1-3)
    [Daten: Quellen (6)]                     with another word for the data
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from graphrag_neo4j.text import without_unseen

__all__ = [
    "CITATION_KINDS",
    "DATA",
    "LOOSE",
    "NOTE",
    "CitationKind",
    "CitedPart",
    "found_at",
    "loose_in",
    "neutral",
    "read_parts",
]

CitationKind = Literal["Entities", "Relationships", "Claims", "Reports", "Sources"]
CITATION_KINDS: Final[tuple[CitationKind, ...]] = (
    "Entities",
    "Relationships",
    "Claims",
    "Reports",
    "Sources",
)
# The words for a kind in English, German, French and Spanish, and in Chinese and Japanese.
SPACED: Final[Mapping[CitationKind, str]] = {
    "Entities": "entity entities entität entitäten entité entités entidad entidades",
    "Relationships": (
        "relationship relationships relation relations beziehung beziehungen relación relaciones"
    ),
    "Claims": (
        "claim claims behauptung behauptungen affirmation affirmations afirmación afirmaciones"
    ),
    "Reports": "report reports bericht berichte rapport rapports informe informes",
    "Sources": "source sources quelle quellen fuente fuentes",
}
UNSPACED: Final[Mapping[CitationKind, str]] = {
    "Entities": "实体 實體 実体 エンティティ",
    "Relationships": "关系 關係 関係 リレーションシップ リレーション",
    "Claims": "声明 聲明 主张 主張 クレーム",
    "Reports": "报告 報告 報告書 レポート",
    "Sources": "来源 來源 出典 情報源 ソース",
}
WORDS: Final[Mapping[str, CitationKind]] = {
    word: kind
    for words in (SPACED, UNSPACED)
    for kind, listed in words.items()
    for word in listed.split()
}
LONGEST_REF = 18  # digits; a longer number does not fit an integer of Neo4j


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first."""
    listed = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, listed))})"


# Each pattern begins at the start of a run of characters and does not backtrack into the run:
# otherwise a text of spaces or letters alone would take quadratic time.
OPEN, CLOSE, ROUND_OPEN, ROUND_CLOSE = r"[\[［【]", r"[\]］】]", "[(（]", "[)）]"
SEPARATORS = r"(?:[\s,，、;；/&]|and|und|和|及|と)*+"
ENDS = r"(?![^\W\d_])"  # no letter follows
LABEL = rf"(?:\s*+(?:ids?|nos?|nr|refs?|编号|番号){ENDS}\.?)?+"
NUMBER = rf"(?:(?:ids?|nos?|nr|refs?){ENDS}[\s.:：]*+)?+[#＃№]?+\s*+\d++(?:\s*+[-–]\s*+\d++)?+"
NUMBERS = rf"(?:{NUMBER}|\+\s*+[^\W\d_]++)(?:{SEPARATORS}(?:{NUMBER}|\+\s*+[^\W\d_]++))*+"
IN_BRACKETS = rf"[(（\[［【]\s*+(?:{NUMBERS})\s*+[)）\]］】]"
LISTED = rf"{LABEL}\s*+[:：]?+\s*+(?:(?P<enclosed>{IN_BRACKETS})|(?P<bare>{NUMBERS})){SEPARATORS}"
UNSPACED_WORD = _any_of(word for words in UNSPACED.values() for word in words.split())
SPACED_WORD = _any_of(word for words in SPACED.values() for word in words.split())
# A mark at the beginning of a line is a note, or a line of a list of notes.
NOTE = re.compile(r"^[\s>*-]*+(\[\^?\d+\])", re.MULTILINE)
# The parts of a bracket whose text consists of nothing else, and those among other text.
PART = re.compile(rf"(?P<word>{UNSPACED_WORD}|[^\W\d_]++){LISTED}", re.IGNORECASE)
PART_IN_TEXT = re.compile(
    rf"(?<![^\W\d_])(?P<word>[^\W\d_]++)\s*+{ROUND_OPEN}(?P<enclosed>[^()（）]*+){ROUND_CLOSE}"
)
ITEM = re.compile(r"(\d++)\s*+[-–]\s*+(\d++)|\d++|\+\s*+[^\W\d_]++")
LONGEST_RANGE = 100  # refs that "1-100" stands for at most
FIRST = re.compile(SEPARATORS)

SQUARE = (
    rf"{OPEN}\s*+data\s*+[:：]"
    rf"(?P<square>(?:[^\[\]［］【】]++|{OPEN}[\d\s,，、;；#]*+{CLOSE})*+){CLOSE}"
)
KNOWN = rf"(?:{UNSPACED_WORD}|{SPACED_WORD}{ENDS})"
LISTED_KINDS = rf"(?:{KNOWN}{LABEL}\s*+[:：]?+\s*+(?:{IN_BRACKETS}|{NUMBERS}){SEPARATORS})++"
ROUND = rf"{ROUND_OPEN}\s*+data\s*+[:：]\s*+(?P<round>{LISTED_KINDS}){ROUND_CLOSE}"
CITATION = re.compile(rf"{SQUARE}|{ROUND}", re.IGNORECASE)
LOOSE = re.compile(
    rf"{SQUARE}|{ROUND}"
    rf"|[(（\[［【]\s*+(?:(?!data\b)[^\W\d_]++\s*+[:：]\s*+)?(?P<kinds>{LISTED_KINDS})[)）\]］】]"
    rf"|(?<![^\W\d_])(?P<kind>{KNOWN}\s*+{ROUND_OPEN}(?:{NUMBERS}){ROUND_CLOSE})"
    rf"|{OPEN}\s*+\^?+(?P<bare>{NUMBERS})(?:†[^\[\]【】]*+)?+{CLOSE}(?![(:：])",
    re.IGNORECASE,
)
DATA = re.compile(rf"(?<!\s)(\s*+)(?:{SQUARE}|{ROUND})", re.IGNORECASE)

# The start of a citation, without white space, case and invisible characters; also the start of one
# at the end of a text, because another text can follow it. Of the words for a kind only the first
# letters are compared, which have no accents.
ROUND_STARTS = [
    *(f"data:{word[:3]}" for words in SPACED.values() for word in words.split()),
    *(f"data:{word[:1]}" for words in UNSPACED.values() for word in words.split()),
]


def _beginnings(words: Iterable[str]) -> str:
    """A pattern for a text that ends within one of these words, or before it."""
    return _any_of(word[:end] for word in words for end in range(len(word))) + r"\Z"


MARK = re.compile(
    rf"[\[【](?=data:|{_beginnings(['data:'])})"
    rf"|\((?={_any_of(ROUND_STARTS)}|{_beginnings(ROUND_STARTS)})",
    re.IGNORECASE,
)
NEXT_SQUARE = re.compile(r"[^\[\]【】]*+(?P<end>[\]】])")
NEXT_ROUND = re.compile(r"[^()]*+(?:\([^()]*+\)[^()]*+)*+(?P<end>\))")
# All characters that Unicode NFKC turns into an opening bracket of a citation.
OPENERS = re.compile("[\\[［﹇【︻(（﹙⁽₍︵]")
# Of the same length; no normalisation of Unicode turns them back.
NEUTRAL: Final = {"[": "⟦", "]": "⟧", "【": "⟦", "】": "⟧", "(": "❨", ")": "❩"}
INVISIBLE = frozenset({"Cc", "Cf", "Me", "Mn"})  # categories of Unicode


@dataclass(frozen=True, slots=True)
class CitedPart:
    """A part of a citation: a kind with its refs. The kind is None if the word is unknown.

    `more` tells whether the model wrote "+more". `unread` is the number of refs that no record can
    have.
    """

    kind: CitationKind | None
    refs: tuple[int, ...]
    more: bool
    unread: int


def read_parts(found: re.Match[str]) -> list[CitedPart]:
    """The parts of a citation that `DATA` has found; none if its bracket holds no refs."""
    inside = found["round"] if found["square"] is None else found["square"]
    return _parts(inside) or [
        _part(part["enclosed"], _kind(part["word"])) for part in PART_IN_TEXT.finditer(inside)
    ]


def loose_in(found: re.Match[str]) -> list[CitedPart] | None:
    """The parts of a citation that `LOOSE` has found: the kind of numbers alone is None.

    None for a citation in a form that is always read.
    """
    if found["bare"] is not None:
        return [_part(found["bare"], None)]
    inside = found["kinds"] or found["kind"]
    return _parts(inside) if inside else None


def found_at(text: str, place: int) -> bool:
    """Whether a citation begins at this place of a text."""
    return CITATION.match(text, place) is not None


def neutral(text: str, wanted: Callable[[int], bool]) -> str:
    """The text with other brackets around whatever looks like a citation at a wanted place.

    The time that it takes is linear in the length of the text.
    """
    if not OPENERS.search(text):
        return text
    folded = [(letter, place) for place, one in enumerate(text) for letter in _folded(one)]
    plain = "".join(letter for letter, _ in folded)
    characters = list(text)
    for mark in MARK.finditer(plain):
        if not wanted(folded[mark.start()][1]):
            continue
        end = (NEXT_ROUND if mark[0] == "(" else NEXT_SQUARE).match(plain, mark.end())
        for place in (mark.start(), end.start("end") if end else None):
            if place is not None:
                characters[folded[place][1]] = NEUTRAL[plain[place]]
    return "".join(characters)


def _parts(inside: str) -> list[CitedPart]:
    """The parts of a bracket that holds nothing but citations; none for any other text."""
    found = []
    first = FIRST.match(inside)
    place = first.end() if first else 0
    while place < len(inside):
        part = PART.match(inside, place)
        if part is None:
            return []
        if part["enclosed"] is None:
            found.append(_part(part["bare"], WORDS.get(part["word"].casefold())))
        else:
            found.append(_part(part["enclosed"], _kind(part["word"])))
        place = part.end()
    return found


def _part(numbers: str, kind: CitationKind | None) -> CitedPart:
    items = list(ITEM.finditer(numbers))
    written = [(item[1] or item[0], item[2] or item[0]) for item in items if item[0][0] != "+"]
    read = [(int(a), int(b)) for a, b in written if max(len(a), len(b)) <= LONGEST_REF]
    refs = [range(a, b + 1) if 0 <= b - a < LONGEST_RANGE else (a, b) for a, b in read]
    every = tuple(ref for part in refs for ref in part)
    return CitedPart(kind, every, len(written) < len(items), len(written) - len(read))


def _kind(word: str) -> CitationKind | None:
    """The kind that a model means: "entity", "Entities", "SOURCES", "实体"."""
    folded = word.casefold()
    start = folded[:5]
    alike = (kind for kind in CITATION_KINDS if kind.casefold()[:5] == start)
    return WORDS.get(folded) or next(alike, None)


@lru_cache(4096)
def _folded(character: str) -> str:
    """A character as later steps may read it: without case and width; empty if invisible."""
    folded = unicodedata.normalize("NFKC", without_unseen(character)).casefold()
    return "".join(
        one for one in folded if not one.isspace() and unicodedata.category(one) not in INVISIBLE
    )
