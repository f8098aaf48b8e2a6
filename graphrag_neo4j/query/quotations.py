"""Checks the quotations in a model's answer: what is cited beside them must hold them.

    Er nannte das „eine Schande für unser Land“ [Data: Sources (3)].
                  └────── in source 3? ─────┘

A quotation belongs to the citations in its sentence before it, and to those that follow in its
line, as a statement does. It is enough that one of them holds it. These make no difference: white
space, hyphens, the kinds of quotation marks and dashes, the case of the first letter, punctuation
at the ends. An ellipsis or a bracket stands for any text: the parts around it must be there in
their order.

Names, titles and single words in quotation marks are often not taken from a text, so only
quotations of LEAST_WORDS are checked. With a number, fewer are enough: a wrong one misleads.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from graphrag_neo4j.model.citations import DATA, CitationRef, cited, rewrite
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.text.strings import fold, legible, spaced_characters

LEAST_WORDS, LEAST_CHARACTERS = 4, 10  # words; characters in a script without spaces
LETTER = "[0-9A-Za-zÀ-ӿ]"  # of a script whose words have spaces around them and no particles
QUOTED = re.compile(
    "„([^„“”]++)[“”]|“([^“”]++)”|«([^«»]++)»|»([^«»]++)«|「([^「」]++)」|『([^『』]++)』"
    # Other signs may also be an apostrophe, feet and inches, or the end of a quotation.
    r"|(?<![^\s(])”([^“”]++)”|(?<![^\s(])[‘‚](?!\d)((?:[^‘‚’]|’(?=\w))++)[‘’](?!\w)"
    rf'|(?<!{LETTER})"(?=\S)([^"]++)(?<=\S)"(?!{LETTER})'
)
# With the rest of a word that a bracket changes: "[D]ie", "ihr[e]".
LEFT_OUT = re.compile(
    rf"[\[(]\s*\.{{3}}\s*[\])]|\.{{3,}}|(?<!{LETTER}){LETTER}*+\[[^\]]*+\]{LETTER}*+"
)
# Not within a word: "eine Frage" is not in "keine Frage".
WHOLE = rf"(?<!{LETTER}(?={LETTER}))"
SENTENCE_END = re.compile(r"[.!?](?!\w)|[。！？]")
# A quotation in a quotation changes its marks, and a model may emphasise a word.
SIGNS = str.maketrans('"‹›⟦⟧❨❩‐‑‒–−—―', "'''[]()-----  ", "*")
# What a model leaves out of a transcript: "(Beifall bei der SPD)" on its own line, hyphens of lines
# that were divided elsewhere ("Mil-liarden"). A spaced hyphen is a dash.
CUE = re.compile(r"^[^\S\n]*\((?:[^()\n]|\([^()\n]*\))*+\)[^\S\n]*$", re.MULTILINE)
HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])|(?<!\S)-+(?!\d)")
AT_ENDS = " .,;:!?-'、。・"


def misquoted(
    text: str, held: Mapping[CitationRef, Sequence[str]], question: str = ""
) -> dict[CitationRef, list[str]]:
    """Returns the quotations of an answer that no text cited beside them holds, by citation.

    `held` holds the texts of each citation. What is beside citations without a text is not checked,
    nor is what the `question` says.
    """
    found: dict[CitationRef, list[str]] = {}
    for quotation, refs in _quotations(text):
        texts = [each for one in refs for each in held.get(one, ())]
        told = _plain(quotation)
        if not (texts and _is_checked(told)):
            continue
        if not any(
            _holds(one, told) or _holds(CUE.sub("", one), told) for one in (question, *texts)
        ):
            for one in refs:
                found.setdefault(one, []).append(quotation)
    return found


def cited_texts(contexts: Iterable[ContextTable]) -> dict[CitationRef, list[str]]:
    """Returns the texts that a model has read under each citation.

    They are those of the record, and of the reports that cite it.
    """
    found: dict[CitationRef, list[str]] = {}
    for record in (record for table in contexts for record in table.records.values()):
        within = cited(record.text) if record.kind == "Reports" else []
        for one in dict.fromkeys([(record.kind, record.ref), *within]):
            found.setdefault(one, []).append(record.text)
    return found


def _quotations(text: str) -> Iterator[tuple[str, list[CitationRef]]]:
    """Yields what stands in quotation marks beside citations, with these citations."""
    for line in text.splitlines():
        groups: list[tuple[int, int, list[CitationRef]]] = []
        for mark in DATA.finditer(line):
            start, refs = mark.start(), cited(mark[0])
            if groups and not re.search(r"\w", line[groups[-1][1] : start]):  # one after another
                start, refs = groups[-1][0], [*groups.pop()[2], *refs]
            groups.append((start, mark.end(), refs))
        stops = [stop.start() for stop in SENTENCE_END.finditer(line)] if groups else []
        for one in QUOTED.finditer(line) if groups else ():
            began = max((stop for stop in stops if stop < one.start()), default=-1)
            beside = [refs for start, end, refs in groups if start < one.end() and began < end]
            beside += [refs for start, _, refs in groups if start >= one.end()][:1]
            said = rewrite(next(filter(None, one.groups())), lambda *_: None)
            yield said.strip(), list(dict.fromkeys(ref for refs in beside for ref in refs))


def _is_checked(quotation: str) -> bool:
    spaced = spaced_characters(quotation)
    least = LEAST_WORDS if spaced == quotation else LEAST_CHARACTERS
    return len(spaced.split()) >= least or any(map(str.isdigit, quotation))


def _holds(text: str, quotation: str) -> bool:
    """Returns whether a text has all parts of a plain quotation, in their order."""
    plain, at = _plain(text), 0
    for part in (part.strip(AT_ENDS) for part in LEFT_OUT.split(quotation)):
        if part:
            first = f"(?:{re.escape(part[0])}|{re.escape(part[0].swapcase())})"
            whole = re.compile(WHOLE + first + re.escape(part[1:]) + WHOLE)
            if not (found := whole.search(plain, at)):
                return False
            at = found.end()
    return True


@lru_cache(1_000)
def _plain(text: str) -> str:
    """A text with what may differ in a copy made alike or left out."""
    told = fold(legible(text)).translate(SIGNS)
    return " ".join(HYPHEN.sub("", told).split())
