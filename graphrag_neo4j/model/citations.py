"""Finds, checks and rewrites citations in the texts of reports and answers.

    Scrooge is a miser [Data: Entities (5, 7); Relationships (23, +more)].

A citation is a kind and a ref, the number of a record in the graph. The prompts ask for the form
above. Models write others, which are read as well:

    【Data：实体（5、7）】                    full-width characters, translated kinds
    [Data: Entities 5, 7]                    without brackets around the numbers
    [Data: Entity #5, Report id 2]           with marks before the numbers
    (Data: Entities (5, 7))                  in round brackets

In round brackets all of the text must have this form, with a kind that is known: `(Data: see page
5)` is prose. Further forms are citations only if a record has the number, and may be text of a
document otherwise:

    [6], [^6], 【6†source】                  the number alone
    (Source: 6), [Reports 1, 2], Reports (1-3)
    [Source: Reports (6)]                    with another word before it

With a word for data before it, as in [Daten: Quellen (6)], it is one in any case.

Only our code and the model write citations. Text of a document that looks like a citation is not
one: where a document is put into a context, quoted or stored in a report, `neutralised` replaces
the brackets by other characters.

    [Data: Entities (5)]  ──▶  ⟦Data: Entities (5)⟧
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final, Literal, get_args

from graphrag_neo4j.text.strings import without_unseen

CitationKind = Literal["Entities", "Relationships", "Claims", "Reports", "Sources"]
CITATION_KINDS: Final[tuple[CitationKind, ...]] = get_args(CitationKind)
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
LOOSE = (
    rf"{SQUARE}|{ROUND}"
    rf"|[(（\[［【]\s*+(?:(?!data\b)[^\W\d_]++\s*+[:：]\s*+)?(?P<kinds>{LISTED_KINDS})[)）\]］】]"
    rf"|(?<![^\W\d_])(?P<kind>{KNOWN}\s*+{ROUND_OPEN}(?:{NUMBERS}){ROUND_CLOSE})"
    rf"|{OPEN}\s*+\^?+(?P<bare>{NUMBERS})(?:†[^\[\]【】]*+)?+{CLOSE}(?![(:：])"
)
WITH_DATA = re.compile(
    rf"{OPEN}\s*+(?:daten|données|datos|dati|dados|gegevens|dane|data|数据|資料|データ|데이터|данные)\s*+[:：]",
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

CitationRef = tuple[CitationKind, int]
Rename = Callable[[CitationKind | None, int], object]

# The characters before a statement on its line: the end of the one before, marks of Markdown.
LEADING = re.compile(r"\A[ \t]*+(?:(?:[-*>.,;]|#{1,6}+)(?:[ \t]++|\Z)|[。，、；]++[ \t]*+)*+")
# What begins a link, an image, HTML or a footnote in Markdown. A model may write escapes and code.
# In a quotation they are text, and so is what begins a block below one of our items.
IN_WRITTEN = re.compile(r"\\.|[\\<\[]", re.DOTALL)
IN_QUOTED = re.compile(r"[\\`<\[]|(?:(?<=^- )|(?<=^  ))[#>~+-]", re.MULTILINE)
LONG_REF = 999_999_999
NO_REF = 0  # what `rename` receives with None where no ref can be read


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a citation: a kind with its refs. The kind is None if the word is unknown.

    `more` says whether the model wrote "+more". `invalid` is the number of refs that no record can
    have.
    """

    kind: CitationKind | None
    refs: tuple[int, ...]
    more: bool
    invalid: int


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text with its valid citations, in their order, and the number of removed citations."""

    text: str
    citations: tuple[CitationRef, ...]
    removed: int


def cited(text: str) -> list[CitationRef]:
    """The citations of a text in their order, each of them once.

    >>> cited("Rich [Data: Entities (5, 7, +more), Claims(2)]. Dead [Data:Claims (2)].")
    [('Entities', 5), ('Entities', 7), ('Claims', 2)]
    """
    found: dict[CitationRef, None] = {}

    def note(kind: CitationKind | None, ref: int) -> None:
        if kind:
            found[kind, ref] = None

    rewrite(text, note)
    return list(found)


def keep_known(
    text: str, known: Mapping[CitationKind, Collection[int]], material: str | None = None
) -> Grounded:
    """The text without the citations of records that are not in `known`.

    With the `material` that the model has read, loose citations are also read.

    >>> keep_known("Rich [Data: Entities (5, 99); Reports (1)].", {"Entities": {5}}).text
    'Rich [Data: Entities (5)].'
    """
    found: dict[CitationRef, None] = {}
    removed = 0
    if material is not None:
        text, _ = made_explicit(text, known, material)

    def keep(kind: CitationKind | None, ref: int) -> int | None:
        nonlocal removed
        if kind and ref in known.get(kind, ()):
            found[kind, ref] = None
            return ref
        removed += 1
        return None

    return Grounded(rewrite(text, keep), tuple(found), removed)


def made_explicit(
    text: str, known: Mapping[CitationKind, Collection[int]], material: str = ""
) -> tuple[str, int]:
    """The text with loose citations such as `[6]` in the usual form, and the number of the others.

    A number without a kind is a citation if one kind only has it in `known`. What stands in
    `material`, the text that the model has read, may be quoted from there and stays as it is.

    >>> made_explicit("Rich [6]. Dead (Source: 2).", {"Entities": {6}, "Sources": {2}})
    ('Rich [Data: Entities (6)]. Dead [Data: Sources (2)].', 0)
    """
    unclear, notes = 0, set(NOTE.findall(text))

    def explicit(found: re.Match[str]) -> str:
        nonlocal unclear
        inside = found["kinds"] or found["kind"]
        named = WITH_DATA.match(found[0])
        parts = [_part(found["bare"], None)] if found["bare"] else _parts(inside) if inside else []
        if not parts or found[0] in material:  # or it has the form that is always read
            return found[0]
        meant = [
            [
                (one, ref)
                for one in ([part.kind] if part.kind else known)
                if named or ref in known.get(one, ())
            ]
            for part in parts
            for ref in part.refs
        ]
        if meant and all(len(one) == 1 for one in meant) and found[0] not in notes:
            return bracket(one[0] for one in meant)
        unclear += 1
        return found[0]

    # Compiled here, once: it takes 15 ms, which a question without a model does not spend.
    return re.compile(LOOSE, re.IGNORECASE).sub(explicit, text), unclear


def rewrite(text: str, rename: Rename) -> str:
    """The text with each ref replaced by the result of `rename` for it; None removes the ref.

    All citations are written in the same form. A bracket in which no ref is left is removed.
    `rename` is called with None instead of a kind for each ref that can't be one of the graph, and
    once for a bracket in which no ref can be read.
    """

    def marked(found: re.Match[str]) -> str:
        inside = found["round"] if found["square"] is None else found["square"]
        parts = _parts(inside) or [
            _part(part["enclosed"], _kind(part["word"])) for part in PART_IN_TEXT.finditer(inside)
        ]
        invalid = sum(part.invalid for part in parts)
        for _ in range(invalid or not any(part.refs for part in parts)):
            rename(None, NO_REF)
        written = [_renamed(part, rename) for part in parts]
        kept = "; ".join(part for part in written if part)
        return f"{found[1]}[Data: {kept}]" if kept else ""

    return DATA.sub(marked, text)


def statements(text: str) -> dict[CitationRef, list[str]]:
    """The statements that a text makes with each citation: the words of the line before it.

    >>> statements("- Rich [Data: Entities (5)]. Dead [Data: Claims (2)] [Data: Sources (1)].")
    {('Entities', 5): ['Rich'], ('Claims', 2): ['Dead'], ('Sources', 1): ['Dead']}
    """
    found: dict[CitationRef, list[str]] = {}
    statement, last = "", 0
    for data in DATA.finditer(text):
        line = text[last : data.start()].rpartition("\n")[2]
        between = LEADING.sub("", line, count=1).rstrip()
        statement, last = between or statement, data.end()
        for one in cited(data[0]):
            found.setdefault(one, []).append(statement)
    return found


def bracket(citations: Iterable[CitationRef]) -> str:
    """Citations in the form that is written after a statement.

    >>> bracket([("Entities", 5), ("Sources", 1), ("Entities", 7)])
    '[Data: Entities (5, 7); Sources (1)]'
    """
    refs: dict[CitationKind, list[str]] = {}
    for kind, ref in citations:
        refs.setdefault(kind, []).append(str(ref))
    parts = (f"{kind} ({', '.join(known)})" for kind, known in refs.items())
    return f"[Data: {'; '.join(parts)}]"


def neutralised(text: str) -> str:
    """Text of a document, or extracted from one, in which nothing can be read as a citation.

    The brackets around text that looks like a citation become ⟦ and ⟧, also if it is written with
    line breaks, in capitals, in full-width characters or with invisible characters. An opening
    bracket at the end is replaced, too, because following text could complete a citation. The
    length stays the same, so that places in the text stay valid.

    >>> neutralised("Rich [Data: Entities (5)]. [MUSIC] Dead ［Data： Claims (2)］.")
    'Rich ⟦Data: Entities (5)⟧. [MUSIC] Dead ⟦Data： Claims (2)⟧.'
    """
    return _neutral(text, lambda _place: True)


def as_written(text: str) -> str:
    """A model's text in which only proper citations can be read as citations later.

    Some brackets aren't citations, but Unicode NFKC would make them one.

    >>> as_written("Rich [Data: Entities (5)]. Dead [Ｄata: Claims (2)].")
    'Rich [Data: Entities (5)]. Dead ⟦Ｄata: Claims (2)⟧.'
    """
    return _neutral(text, lambda place: not CITATION.match(text, place))


def footnoted(text: str, numbers: Mapping[CitationRef, int], *, quotes: bool = False) -> str:
    """The text as Markdown with footnote marks in place of its citations.

    Links, images, HTML and footnote marks in the text come from a document: they are escaped. With
    `quotes` the text consists of quotations. A bracket in which nothing can be read is text.

    >>> footnoted("Rich [Data: Entities (5, 7)].", {("Entities", 5): 1, ("Entities", 7): 2})
    'Rich[^1][^2].'
    """

    parts, last = list[str](), 0
    for found in DATA.finditer(text):
        notes = "".join(f"[^{numbers[one]}]" for one in cited(found[0]) if one in numbers)
        if notes:
            parts += [escaped(text[last : found.start()], quotes=quotes), notes]
            last = found.end()
    return "".join([*parts, escaped(text[last:], quotes=quotes)])


def escaped(text: str, *, quotes: bool = True) -> str:
    r"""Text of documents as Markdown: `<http://x> [^1]` becomes `\<http://x> \[^1]`.

    Without `quotes` a model wrote it as Markdown, and only its links and the like are escaped.
    """
    pattern = IN_QUOTED if quotes else IN_WRITTEN
    return pattern.sub(lambda found: found[0] if len(found[0]) > 1 else f"\\{found[0]}", text)


def with_long_refs(text: str) -> str:
    """The text with refs of nine digits, for counting its tokens: the count is an upper bound and
    does not depend on the refs of this graph.

    >>> with_long_refs("Rich [Data: Entities (5, 7)].")
    'Rich [Data: Entities (999999999, 999999998)].'
    """
    numbers = count(LONG_REF, -1)
    return rewrite(text, lambda kind, _ref: next(numbers) if kind else None)


def _renamed(part: _Part, rename: Rename) -> str:
    names = [rename(part.kind, ref) for ref in part.refs]
    new = dict.fromkeys(str(name) for name in names if name is not None)
    if not (part.kind and new):
        return ""
    more = ["+more"] if part.more else []
    return f"{part.kind} ({', '.join([*new, *more])})"


def _parts(inside: str) -> list[_Part]:
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


def _part(numbers: str, kind: CitationKind | None) -> _Part:
    items = list(ITEM.finditer(numbers))
    written = [(item[1] or item[0], item[2] or item[0]) for item in items if item[0][0] != "+"]
    read = [(int(a), int(b)) for a, b in written if max(len(a), len(b)) <= LONGEST_REF]
    refs = [range(a, b + 1) if 0 <= b - a < LONGEST_RANGE else (a, b) for a, b in read]
    every = tuple(ref for part in refs for ref in part)
    return _Part(kind, every, len(written) < len(items), len(written) - len(read))


def _kind(word: str) -> CitationKind | None:
    """The kind that a model means: "entity", "Entities", "SOURCES", "实体"."""
    folded = word.casefold()
    start = folded[:5]
    alike = (kind for kind in CITATION_KINDS if kind.casefold()[:5] == start)
    return WORDS.get(folded) or next(alike, None)


def _neutral(text: str, wanted: Callable[[int], bool]) -> str:
    """The text with other brackets around whatever looks like a citation at a wanted place.

    The time that it takes is linear in the length of the text.
    """
    if not OPENERS.search(text):
        return text
    plain = "".join(map(_folded, text))
    if not MARK.search(plain):
        return text
    places = [place for place, one in enumerate(text) for _ in _folded(one)]
    characters = list(text)
    for mark in MARK.finditer(plain):
        if not wanted(places[mark.start()]):
            continue
        end = (NEXT_ROUND if mark[0] == "(" else NEXT_SQUARE).match(plain, mark.end())
        for place in (mark.start(), end.start("end") if end else None):
            if place is not None:
                characters[places[place]] = NEUTRAL[plain[place]]
    return "".join(characters)


@lru_cache(4096)
def _folded(character: str) -> str:
    """A character as later steps may read it: without case and width; empty if invisible."""
    folded = unicodedata.normalize("NFKC", without_unseen(character)).casefold()
    return "".join(
        one for one in folded if not one.isspace() and unicodedata.category(one) not in INVISIBLE
    )
