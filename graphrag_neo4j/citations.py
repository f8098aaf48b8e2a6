"""Citations in the texts of reports and answers: found, checked, rewritten.

    Scrooge is a miser [Data: Entities (5, 7); Relationships (23, +more)].

Models put commas or semicolons between the kinds, leave out spaces, and cite what they were never
given. A citation is a kind and a ref, the number that a record has in the graph.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Final, Literal

__all__ = [
    "KINDS",
    "LONG_REF",
    "Citation",
    "Grounded",
    "Kind",
    "bracket",
    "cited",
    "footnoted",
    "ground",
    "rewrite",
    "statements",
    "with_long_refs",
]

Kind = Literal["Entities", "Relationships", "Claims", "Reports", "Sources"]
KINDS: Final[tuple[Kind, ...]] = ("Entities", "Relationships", "Claims", "Reports", "Sources")
Citation = tuple[Kind, int]
Rename = Callable[[Kind | None, int], object]

# Each begins where a run of its first characters does, and gives none of a run back: else a text
# of spaces or letters alone would be read again from each of them on.
DATA = re.compile(r"(?<!\s)(\s*+)\[\s*+data\s*+:([^\[\]]*+)\]", re.IGNORECASE)
PART = re.compile(r"(?<![^\W\d_])([^\W\d_]++)\s*+\(([^()]*+)\)")
ITEM = re.compile(r"\d++|\+\s*+more", re.IGNORECASE)
LONG_REF = 999_999_999
LONGEST_REF = 18  # digits: more do not fit a whole number of Neo4j


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text with the citations that hold, these in their order, and how many were removed."""

    text: str
    citations: tuple[Citation, ...]
    removed: int


def cited(text: str) -> list[Citation]:
    """The citations of a text in their order, each once.

    >>> cited("Rich [Data: Entities (5, 7, +more), Claims(2)]. Dead [Data:Claims (2)].")
    [('Entities', 5), ('Entities', 7), ('Claims', 2)]
    """
    found: dict[Citation, None] = {}

    def note(kind: Kind | None, ref: int) -> None:
        if kind:
            found[kind, ref] = None

    rewrite(text, note)
    return list(found)


def ground(text: str, known: Mapping[Kind, Collection[int]]) -> Grounded:
    """The text without the citations of what is not `known`.

    >>> ground("Rich [Data: Entities (5, 99)]. Dead [Data: Reports (1)].", {"Entities": {5}}).text
    'Rich [Data: Entities (5)]. Dead.'
    """
    found: dict[Citation, None] = {}
    removed = 0

    def keep(kind: Kind | None, ref: int) -> int | None:
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


def statements(text: str) -> dict[Citation, list[str]]:
    """What a text says with each of its citations: the words of the line before the bracket.

    >>> statements("- Rich [Data: Entities (5)]. Dead [Data: Claims (2)] [Data: Sources (1)].")
    {('Entities', 5): ['Rich'], ('Claims', 2): ['Dead'], ('Sources', 1): ['Dead']}
    """
    found: dict[Citation, list[str]] = {}
    said, last = "", 0
    for data in DATA.finditer(text):
        between = text[last : data.start()].rpartition("\n")[2].lstrip(" .-*#>\t").rstrip()
        said, last = between or said, data.end()
        for one in cited(data[0]):
            found.setdefault(one, []).append(said)
    return found


def bracket(citations: Iterable[Citation]) -> str:
    """Citations as they are written after what they are for.

    >>> bracket([("Entities", 5), ("Sources", 1), ("Entities", 7)])
    '[Data: Entities (5, 7); Sources (1)]'
    """
    refs: dict[Kind, list[str]] = {}
    for kind, ref in citations:
        refs.setdefault(kind, []).append(str(ref))
    parts = (f"{kind} ({', '.join(known)})" for kind, known in refs.items())
    return f"[Data: {'; '.join(parts)}]"


def footnoted(text: str, numbers: Mapping[Citation, int]) -> str:
    """The text with footnote marks in place of its citations.

    >>> footnoted("Rich [Data: Entities (5, 7)].", {("Entities", 5): 1, ("Entities", 7): 2})
    'Rich[^1][^2].'
    """

    def marks(found: re.Match[str]) -> str:
        return "".join(f"[^{numbers[one]}]" for one in cited(found[0]) if one in numbers)

    return DATA.sub(marks, text)


def with_long_refs(text: str) -> str:
    """The text with refs of nine digits, for measuring it: what fits then fits with any refs, and
    does not depend on those that a graph happens to give.

    >>> with_long_refs("Rich [Data: Entities (5, 7)].")
    'Rich [Data: Entities (999999999, 999999998)].'
    """
    numbers = count(LONG_REF, -1)
    return rewrite(text, lambda kind, _ref: next(numbers) if kind else None)


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


def _kind(word: str) -> Kind | None:
    """The kind that a model means: "entity", "Entities", "SOURCES"."""
    start = word.casefold()[:5]
    return next((kind for kind in KINDS if kind.casefold()[:5] == start), None)
