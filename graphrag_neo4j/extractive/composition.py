"""Composes the text of an extractive answer from a verified draft.

A local answer lists the quotations by their closeness to the question. A global answer groups them
by the communities whose reports quote them: for a question about the whole these are the largest
communities, for other questions those with the nearest quotations.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from graphrag_neo4j.context.citations import bracket, cited, rewrite
from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.context.quotation import Draft, DraftedQuotation, Verified
from graphrag_neo4j.extractive.answers import ScoredQuotes
from graphrag_neo4j.extractive.attribution import Attributed
from graphrag_neo4j.extractive.layout import ITEM, heading, lead, quoted
from graphrag_neo4j.extractive.quotes import Quote, title_of
from graphrag_neo4j.extractive.selection import Selection, alike, content
from graphrag_neo4j.model import Point
from graphrag_neo4j.nlp.question_forms import compared_names, compares_names
from graphrag_neo4j.nlp.sentence_ranking import base_words, quality

__all__ = ["draft_of_context", "draft_of_points", "point_text", "shows_phrase"]

QUOTATIONS = 5  # in an answer
SCREEN, WIDTH = 40, 100  # lines and columns in which an answer fits
THEMES = 7  # in an answer to a question about the whole
DRAFTED = 100  # best sentences whose provenance is looked up
NEAREST = 4  # records whose sentences are all looked up: the first ones, which are the nearest
SEVERAL = 5  # documents from which on "in more than half" means anything
NAMED = 12  # names that are listed
COMPARED = 3  # names of a comparison
SIDE_BY_SIDE = "Only a model compares. These are the quotations nearest to the question, by name:"
EACH_SIDE = 3  # quotations for a name of a comparison
NOTHING_NEAR = "No sentence near the question was found."
SAID_WELL = 0.5  # what a point of a quotation's quality counts beside a shared word
HEADING = re.compile(r"\*\*(.+)\*\* \[Data: Reports \((\d+)\)\]")


@dataclass(frozen=True, slots=True)
class _Theme:
    """A report with its sentences. `title` is "", and `ref` None, for a record of another kind."""

    title: str
    ref: int | None
    quotes: Sequence[Quote]

    @property
    def texts(self) -> Sequence[str]:
        """The sentences."""
        return [one.text for one in self.quotes]


def point_text(record: ContextRecord, quotes: Iterable[Quote]) -> str:
    """Returns the sentences of a record as a point says them, under the title of a report."""
    lines = [ITEM + one.line for one in quotes]
    if record.kind == "Reports":
        lines.insert(0, f"**{title_of(record)}** {bracket([(record.kind, record.ref)])}")
    return "\n".join(lines)


def draft_of_context(question: str, records: Iterable[ContextRecord]) -> Draft:
    """Drafts a local answer from the sentences of the records."""
    scored = ScoredQuotes.of(question, records)
    if not (scored.words or scored.whole):
        return Draft(lambda _: "")
    best = _best(scored)
    return Draft(
        lambda found: _listed(question, scored, content(best, found), found), _drafted(best)
    )


def draft_of_points(question: str, points: Iterable[Point]) -> Draft:
    """Drafts a global answer from points in the form of `point_text`."""
    themes = [_theme_of(point) for point in points]
    scored = ScoredQuotes.over(question, [one for theme in themes for one in theme.quotes])
    refs = [theme.ref for theme in themes if theme.ref is not None]
    if scored.whole:
        return Draft(lambda found: _widest(themes, found), _drafted(scored.quotes), refs)
    best = _best(scored)
    return Draft(
        lambda found: _nearest(question, scored, themes, content(best, found), found),
        _drafted(best),
        refs,
    )


def _best(scored: ScoredQuotes) -> list[Quote]:
    """Returns the sentences whose provenance is looked up."""
    if scored.whole:
        return list(scored.quotes[:DRAFTED])
    best = sorted(scored.quotes, key=lambda one: (-one.score, one.text))[:DRAFTED]
    records = dict.fromkeys(one.record.id for one in scored.quotes)
    nearest = {*islice(records, NEAREST)}
    return list(dict.fromkeys([*best, *(q for q in scored.quotes if q.record.id in nearest)]))


def _drafted(quotes: Iterable[Quote]) -> list[DraftedQuotation]:
    return [one.drafted for one in quotes]


def _listed(
    question: str, scored: ScoredQuotes, known: Sequence[Attributed], found: Verified
) -> str:
    """Returns the quotations that answer best, each with its lead."""
    if scored.whole:
        return _with_leads(_different(known, QUOTATIONS, ()), scored.words)
    selection = Selection.of(question, scored, known, found)
    if compares_names(question):
        return _side_by_side(selection)
    return _with_leads(selection.best(QUOTATIONS), scored.words)


def _side_by_side(selection: Selection) -> str:
    """Returns the best quotations for each name in a question that asks for a comparison."""
    parts, found = [], list[Attributed]()
    for name in compared_names(selection.question)[:COMPARED]:
        best = selection.about(name).best(EACH_SIDE)
        found += best
        lines = [quoted(one, with_speaker=True) for one in best] or [NOTHING_NEAR]
        parts.append("\n".join([f"**{name}**", *lines]))
    return _on_a_screen([SIDE_BY_SIDE, *parts]) if found else ""


def _with_leads(quotes: Sequence[Attributed], words: frozenset[str]) -> str:
    """Returns the quotations, each with its lead if its place is known."""
    if not any(one.provenance for one in quotes):
        return "\n".join(quoted(one) for one in quotes)
    return _on_a_screen(f"{lead(one, words)}\n{quoted(one)}".strip() for one in quotes)


def _on_a_screen(parts: Iterable[str]) -> str:
    """Joins the first part and as many of the next ones as fit on a screen."""
    text, *others = [*parts] or [""]
    for part in others:
        longer = f"{text}\n\n{part}"
        if sum(1 + len(line) // WIDTH for line in longer.splitlines()) > SCREEN:
            break
        text = longer
    return text


def _widest(themes: Sequence[_Theme], found: Verified) -> str:
    """Returns the themes that come in the most documents, with one quotation each."""
    reach = found.reach

    def width(theme: _Theme) -> tuple[int, int]:
        at = reach.get(theme.ref) if theme.ref is not None else None
        return (-at.documents, -at.members) if at else (0, 0)

    parts = [_everywhere(found)] if found.documents >= SEVERAL and found.everywhere else []
    used: list[Attributed] = []
    for theme in sorted(themes, key=width):
        if len(parts) == THEMES:
            break
        most = 1 if reach else len(theme.quotes)
        known = content(theme.quotes, found)
        if reach:
            known = [one for one in known if shows_phrase(theme.title, one.text)]
            known.sort(key=lambda one: -_telling(theme, one))
        if best := _different(known, most, used):
            used += best
            parts.append(_section(theme, best, found))
    return _on_a_screen(parts)


def _everywhere(found: Verified) -> str:
    """Returns the sentence on the names in most documents, which belong to no single theme."""
    names = [f"{name} ({n:,})" for name, n in found.everywhere.items()]
    return f"In more than half of the {found.documents:,} documents: {', '.join(names[:NAMED])}."


def shows_phrase(title: str, text: str) -> bool:
    """Tells whether a text holds a word of the phrase with which the title of a report begins."""
    return bool(base_words(title.partition(":")[0]) & base_words(text))


def _telling(theme: _Theme, one: Attributed) -> float:
    """Rates how well a quotation shows what a theme is about: by the words of its title."""
    phrase, _, names = theme.title.partition(":")
    words = base_words(one.text)
    shared = 2 * len(words & base_words(phrase)) + len(words & base_words(names))
    return shared + SAID_WELL * quality(one.text)


def _nearest(
    question: str,
    scored: ScoredQuotes,
    themes: Sequence[_Theme],
    known: Sequence[Attributed],
    found: Verified,
) -> str:
    """Returns the quotations that answer best, grouped by the reports that quote them.

    In a group they stand in the order of the report.
    """
    best = {
        one.quote.text: one for one in Selection.of(question, scored, known, found).best(QUOTATIONS)
    }
    groups: dict[int, list[Attributed]] = {}
    for text in best:
        number = next(n for n, theme in enumerate(themes) if text in theme.texts)
        if number not in groups:
            others = {one.quote.text for some in groups.values() for one in some}
            own = [one for one in themes[number].texts if one in best and one not in others]
            groups[number] = [best[one] for one in own]
    return _on_a_screen(_section(themes[number], some, found) for number, some in groups.items())


def _section(theme: _Theme, quotes: Sequence[Attributed], found: Verified) -> str:
    """Returns the quotations of a theme under its heading."""
    if theme.ref is None:
        return _with_leads(quotes, frozenset())
    title = heading(theme.title, theme.ref, found.reach.get(theme.ref), found.documents)
    return "\n".join([title, *(quoted(one, with_speaker=True) for one in quotes)])


def _different(
    quotes: Iterable[Attributed], most: int, used: Iterable[Attributed]
) -> list[Attributed]:
    """Returns the first quotations that are not like others or like those in `used`."""
    taken, best = list(used), list[Attributed]()
    for one in quotes:
        if len(best) < most and not any(alike(one, other) for other in taken):
            best.append(one)
            taken.append(one)
    return best


def _theme_of(point: Point) -> _Theme:
    """Reads a point in the form of `point_text`."""
    title, ref, record = "", None, ContextRecord("Sources", 0, "", "")
    quotes = []
    for line in point.description.splitlines():
        if found := HEADING.fullmatch(line):
            title, ref = found[1], int(found[2])
            record = ContextRecord("Reports", ref, "", title)
        elif line.startswith(ITEM):
            text = rewrite(line, lambda *_: None).removeprefix(ITEM).strip()
            quotes.append(Quote(text, record, tuple(cited(line))))
    return _Theme(title, ref, quotes)
