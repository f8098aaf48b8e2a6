"""Finds, checks and rewrites citations in the texts of reports and answers.

    Scrooge is a miser [Data: Entities (5, 7); Relationships (23, +more)].

A citation is a kind and a ref, the number of a record in the graph. Models put commas or semicolons
between the kinds, leave out spaces, and cite records that were not in their context. The module
`citation_forms` reads the other forms that they write, such as `【Data：实体（5、7）】`.

Only our code and the model write citations. Text of a document that looks like a citation is not
one: where a document is put into a context, quoted or stored in a report, `neutralised` replaces
the brackets by other characters.

    [Data: Entities (5)]  ──▶  ⟦Data: Entities (5)⟧
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from graphrag_neo4j.context.citation_forms import (
    CITATION_KINDS,
    DATA,
    LOOSE,
    NOTE,
    CitationKind,
    CitedPart,
    found_at,
    loose_in,
    neutral,
    read_parts,
)

__all__ = [
    "CITATION_KINDS",
    "LONG_REF",
    "CitationKind",
    "CitationRef",
    "Grounded",
    "as_written",
    "bracket",
    "cited",
    "escaped",
    "footnoted",
    "ground",
    "made_explicit",
    "neutralised",
    "rewrite",
    "statements",
    "with_long_refs",
]

CitationRef = tuple[CitationKind, int]
Rename = Callable[[CitationKind | None, int], object]

# The characters before a statement on its line: the end of the one before, marks of Markdown.
LEADING = re.compile(r"\A[ \t]*+(?:(?:[-*>.,;]|#{1,6}+)(?:[ \t]++|\Z)|[。，、；]++[ \t]*+)*+")
# What begins a link, an image, HTML or a footnote in Markdown. A model may write escapes and code.
# In a quotation they are text, and so is what begins a block below one of our items.
IN_WRITTEN = re.compile(r"\\.|[\\<\[]", re.DOTALL)
IN_QUOTED = re.compile(r"[\\`<\[]|(?:(?<=^- )|(?<=^  ))[#>~+-]", re.MULTILINE)
LONG_REF = 999_999_999
UNREAD = 0  # the ref that `rename` receives with None where no ref can be read


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


def ground(
    text: str, known: Mapping[CitationKind, Collection[int]], material: str | None = None
) -> Grounded:
    """The text without the citations of records that are not in `known`.

    With the `material` that the model has read, loose citations are read, too.

    >>> ground("Rich [Data: Entities (5, 99)]. Dead [Data: Reports (1)].", {"Entities": {5}}).text
    'Rich [Data: Entities (5)]. Dead.'
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
    unread, notes = 0, set(NOTE.findall(text))

    def explicit(found: re.Match[str]) -> str:
        nonlocal unread
        parts = loose_in(found)
        if parts is None or found[0] in material:
            return found[0]
        meant = [
            [
                (one, ref)
                for one in ([part.kind] if part.kind else known)
                if ref in known.get(one, ())
            ]
            for part in parts
            for ref in part.refs
        ]
        if meant and all(len(one) == 1 for one in meant) and found[0] not in notes:
            return bracket(one[0] for one in meant)
        unread += 1
        return found[0]

    return LOOSE.sub(explicit, text), unread


def rewrite(text: str, rename: Rename) -> str:
    """The text with each ref replaced by the result of `rename` for it; None removes the ref.

    All citations are written in the same form. A bracket in which no ref is left is removed.
    `rename` is called with None instead of a kind for each ref that can't be one of the graph, and
    once for a bracket in which no ref can be read.
    """

    def marked(found: re.Match[str]) -> str:
        parts = read_parts(found)
        unread = sum(part.unread for part in parts)
        for _ in range(unread or not any(part.refs for part in parts)):
            rename(None, UNREAD)
        written = [_part(part, rename) for part in parts]
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
    return neutral(text, lambda _place: True)


def as_written(text: str) -> str:
    """A model's text in which only proper citations can be read as citations later.

    Some brackets are no citation, but Unicode NFKC would make them one.

    >>> as_written("Rich [Data: Entities (5)]. Dead [Ｄata: Claims (2)].")
    'Rich [Data: Entities (5)]. Dead ⟦Ｄata: Claims (2)⟧.'
    """
    return neutral(text, lambda place: not found_at(text, place))


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


def _part(part: CitedPart, rename: Rename) -> str:
    names = [rename(part.kind, ref) for ref in part.refs]
    new = dict.fromkeys(str(name) for name in names if name is not None)
    if not (part.kind and new):
        return ""
    more = ["+more"] if part.more else []
    return f"{part.kind} ({', '.join([*new, *more])})"
