"""Citations in the texts of reports and answers: found, checked, rewritten.

    Scrooge is a miser [Data: Entities (5, 7); Relationships (23, +more)].

Models put commas or semicolons between the kinds, leave out spaces, and cite what they were never
given. A citation is a kind and a ref, the number that a record has in the graph.

Only we and the model write citations. What looks like one in a document is text: where documents
are shown, quoted or stored in a report, `neutralised` writes its brackets as other characters.

    [Data: Entities (5)]  ──▶  ⟦Data: Entities (5)⟧
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Final, Literal

__all__ = [
    "CITATION_KINDS",
    "LONG_REF",
    "CitationKind",
    "CitationRef",
    "Grounded",
    "as_written",
    "bracket",
    "cited",
    "footnoted",
    "ground",
    "neutralised",
    "rewrite",
    "statements",
    "with_long_refs",
    "without_footnotes",
]

CitationKind = Literal["Entities", "Relationships", "Claims", "Reports", "Sources"]
CITATION_KINDS: Final[tuple[CitationKind, ...]] = (
    "Entities",
    "Relationships",
    "Claims",
    "Reports",
    "Sources",
)
CitationRef = tuple[CitationKind, int]
Rename = Callable[[CitationKind | None, int], object]

# Each begins where a run of its first characters does, and gives none of a run back: else a text
# of spaces or letters alone would be read again from each of them on.
BRACKET = r"\[\s*+data\s*+:([^\[\]]*+)\]"
DATA = re.compile(rf"(?<!\s)(\s*+){BRACKET}", re.IGNORECASE)
BRACKETED = re.compile(BRACKET, re.IGNORECASE)
PART = re.compile(r"(?<![^\W\d_])([^\W\d_]++)\s*+\(([^()]*+)\)")
ITEM = re.compile(r"\d++|\+\s*+more", re.IGNORECASE)
# What stands before a statement on its line: the end of the one before, marks of Markdown.
LEADING = re.compile(r"\A[ \t]*+(?:(?:[-*>.,;]|#{1,6}+)(?:[ \t]++|\Z))*+")
LONG_REF = 999_999_999
LONGEST_REF = 18  # digits: more do not fit a whole number of Neo4j
# What a mark begins with once white space, case and invisible characters do not count; or what it
# may begin with at the end of a text, since another text can follow it.
MARK = re.compile(r"\[(?=data:|(?:d(?:a(?:ta?)?)?)?\Z)")
SQUARE = re.compile(r"[\[\]]")
OPENERS = re.compile("[\\[［﹇]")  # all characters that Unicode NFKC makes an opening bracket of
NEUTRAL: Final = {"[": "⟦", "]": "⟧"}  # of the same length, and no form of Unicode undoes it
INVISIBLE = frozenset({"Cc", "Cf", "Me", "Mn"})  # categories of Unicode


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text with the citations that hold, these in their order, and how many were removed."""

    text: str
    citations: tuple[CitationRef, ...]
    removed: int


def cited(text: str) -> list[CitationRef]:
    """The citations of a text in their order, each once.

    >>> cited("Rich [Data: Entities (5, 7, +more), Claims(2)]. Dead [Data:Claims (2)].")
    [('Entities', 5), ('Entities', 7), ('Claims', 2)]
    """
    found: dict[CitationRef, None] = {}

    def note(kind: CitationKind | None, ref: int) -> None:
        if kind:
            found[kind, ref] = None

    rewrite(text, note)
    return list(found)


def ground(text: str, known: Mapping[CitationKind, Collection[int]]) -> Grounded:
    """The text without the citations of what is not `known`.

    >>> ground("Rich [Data: Entities (5, 99)]. Dead [Data: Reports (1)].", {"Entities": {5}}).text
    'Rich [Data: Entities (5)]. Dead.'
    """
    found: dict[CitationRef, None] = {}
    removed = 0

    def keep(kind: CitationKind | None, ref: int) -> int | None:
        nonlocal removed
        if kind and ref in known.get(kind, ()):
            found[kind, ref] = None
            return ref
        removed += 1
        return None

    return Grounded(rewrite(text, keep), tuple(found), removed)


def rewrite(text: str, rename: Rename) -> str:
    """The text with each ref replaced by what `rename` gives for it; None removes it.

    What is left is written in one form. A kind that is none of ours is asked about as None, and
    removed.
    """

    def marked(found: re.Match[str]) -> str:
        parts = [_part(part, rename) for part in PART.finditer(found[2])]
        kept = "; ".join(part for part in parts if part)
        return f"{found[1]}[Data: {kept}]" if kept else ""

    return DATA.sub(marked, text)


def statements(text: str) -> dict[CitationRef, list[str]]:
    """What a text says with each of its citations: the words of the line before the bracket.

    >>> statements("- Rich [Data: Entities (5)]. Dead [Data: Claims (2)] [Data: Sources (1)].")
    {('Entities', 5): ['Rich'], ('Claims', 2): ['Dead'], ('Sources', 1): ['Dead']}
    """
    found: dict[CitationRef, list[str]] = {}
    said, last = "", 0
    for data in DATA.finditer(text):
        line = text[last : data.start()].rpartition("\n")[2]
        between = LEADING.sub("", line, count=1).rstrip()
        said, last = between or said, data.end()
        for one in cited(data[0]):
            found.setdefault(one, []).append(said)
    return found


def bracket(citations: Iterable[CitationRef]) -> str:
    """Citations as they are written after what they are for.

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

    Brackets that open the like of a citation, and those that close it, become ⟦ and ⟧; so does an
    opening bracket at the end, after which such a mark could go on. It does not matter how the
    mark is written: with line breaks, in capitals, in full-width or with invisible characters. The
    length stays the same, so that places in the text stay valid.

    >>> neutralised("Rich [Data: Entities (5)]. [MUSIC] Dead ［Data： Claims (2)］.")
    'Rich ⟦Data: Entities (5)⟧. [MUSIC] Dead ⟦Data： Claims (2)⟧.'
    """
    return _neutral(text, lambda _place: True)


def as_written(text: str) -> str:
    """A model's text in which nothing but what is written as a citation can become one later.

    A mark in full-width characters is no citation, but Unicode NFKC would make it one.

    >>> as_written("Rich [Data: Entities (5)]. Dead ［Data： Claims (2)］.")
    'Rich [Data: Entities (5)]. Dead ⟦Data： Claims (2)⟧.'
    """
    return _neutral(text, lambda place: BRACKETED.match(text, place) is None)


def footnoted(text: str, numbers: Mapping[CitationRef, int]) -> str:
    """The text with footnote marks in place of its citations.

    A footnote mark that stands in the text already is escaped: a document has written it.

    >>> footnoted("Rich [Data: Entities (5, 7)].", {("Entities", 5): 1, ("Entities", 7): 2})
    'Rich[^1][^2].'
    """

    def marks(found: re.Match[str]) -> str:
        return "".join(f"[^{numbers[one]}]" for one in cited(found[0]) if one in numbers)

    return DATA.sub(marks, without_footnotes(text))


def without_footnotes(text: str) -> str:
    r"""Markdown in which no bracket begins a footnote mark: `[^1]` becomes `\[^1]`."""
    return text.replace("[^", "\\[^")


def with_long_refs(text: str) -> str:
    """The text with refs of nine digits, for measuring it: what fits then fits with any refs, and
    does not depend on those that a graph happens to give.

    >>> with_long_refs("Rich [Data: Entities (5, 7)].")
    'Rich [Data: Entities (999999999, 999999998)].'
    """
    numbers = count(LONG_REF, -1)
    return rewrite(text, lambda kind, _ref: next(numbers) if kind else None)


def _neutral(text: str, wanted: Callable[[int], bool]) -> str:
    """The text with other brackets around what looks like a citation and begins at a wanted place.

    The time that it takes grows with the length of the text and no faster.
    """
    if not OPENERS.search(text):
        return text
    folded = [(shown, place) for place, one in enumerate(text) for shown in _folded(one)]
    plain = "".join(shown for shown, _ in folded)
    characters = list(text)
    for mark in MARK.finditer(plain):
        if not wanted(folded[mark.start()][1]):
            continue
        end = SQUARE.search(plain, mark.end())
        for bracket_ in (mark, end if end and end[0] == "]" else None):
            if bracket_:
                characters[folded[bracket_.start()][1]] = NEUTRAL[bracket_[0]]
    return "".join(characters)


@lru_cache(4096)
def _folded(character: str) -> str:
    """A character as later steps may read it: without case, width and what is not visible."""
    folded = unicodedata.normalize("NFKC", character).casefold()
    return "".join(
        one for one in folded if not one.isspace() and unicodedata.category(one) not in INVISIBLE
    )


def _part(found: re.Match[str], rename: Rename) -> str:
    kind = _kind(found[1])
    items = ITEM.findall(found[2])
    refs = [int(item) for item in items if item.isdigit() and len(item) <= LONGEST_REF]
    names = [rename(kind, ref) for ref in refs]
    new = dict.fromkeys(str(name) for name in names if name is not None)
    if not (kind and new):
        return ""
    more = ["+more"] if any(not item.isdigit() for item in items) else []
    return f"{kind} ({', '.join([*new, *more])})"


def _kind(word: str) -> CitationKind | None:
    """The kind that a model means: "entity", "Entities", "SOURCES"."""
    start = word.casefold()[:5]
    return next((kind for kind in CITATION_KINDS if kind.casefold()[:5] == start), None)
