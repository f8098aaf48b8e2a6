"""Finds the statements in an answer or a report: the sentences that claim something.

    ## Ada                                                          a heading
    Ada met Charles. They wrote letters [Data: Sources (3)].        two statements that cite (3)
    Here is a summary:                                              a lead

A citation covers the sentences before it in its paragraph or list item, back to the citation before
it: a reader takes it so, and a quotation of three sentences has one citation at its end.

These aren't statements: headings and titles, the heads of tables, program code, questions, leads
that end with a colon, the place of a quotation, entries of a list of references, sentences of one
or two words, and sentences that are only about the answer ("Here is a summary."), both without a
citation of their own. The words of the last kind are known for English, German, French,
Spanish and Chinese.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from graphrag_neo4j.model.citations import DATA, bracket, cited
from graphrag_neo4j.query.answer_text import NOTHING
from graphrag_neo4j.text.sentences import sentences_of
from graphrag_neo4j.text.strings import flat, number_of_words

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LEAST_WORDS: Final = 3  # of a sentence without a citation of its own
CLOSING: Final = r"[\"'”’»)\]*_\s]*$"
ENDED: Final = re.compile(rf"[.!?…。！？؟।]{CLOSING}")
ASKS_OR_LEADS: Final = re.compile(rf"[?？؟\u037e:：]{CLOSING}")
ENDS: Final = (".", "!", "?", "]", "。")  # of a sentence or its citation
ABOUT_THE_ANSWER: Final = re.compile(
    r"^(?:"
    r"here(?:['’]s| is| are)\b|below (?:is|are|you)\b|the following\b"
    r"|this (?:answer|summary|overview|response|report|list)\b|i hope\b|let me know\b"
    r"|hier (?:ist|sind|folgt|folgen|finden)\b|im folgenden\b|nachfolgend\b|ich hoffe\b"
    r"|diese (?:antwort|zusammenfassung|übersicht|liste)\b"
    r"|voici\b|ci-dessous\b|cette (?:réponse|synthèse|liste)\b|ce résumé\b"
    r"|aquí (?:está|están|tienes?)\b|a continuación\b|est[ae] (?:respuesta|resumen|lista)\b"
    r"|以下|下面|这是|本(?:回答|摘要|文)"
    r")",
    re.IGNORECASE,
)
NO_PROSE: Final = frozenset({"heading_open", "thead_open"})


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence that claims something, and the citations that may cover it, each of one record."""

    text: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, a list item or a row of a table; `titled` if it begins in bold type."""

    text: str
    titled: bool


def statements_in(text: str, others: Collection[str] = ()) -> list[CitedSentence]:
    """Returns the statements of a text in Markdown, in their order.

    `others` holds the citations in the text that have not our form, such as "[1]" or "[^2]".

    >>> [one.text for one in statements_in("Who? Ada met Charles [Data: Sources (3, 4)]. Bye.")]
    ['Ada met Charles.']
    """
    pattern = _pattern(others)
    return [one for block in _blocks(text) for one in _of_block(block, pattern)]


def citations_in(text: str, others: Collection[str] = ()) -> list[str]:
    """Returns the citations of a text, each of one record, in their order and each once."""
    found = _pattern(others).finditer(text)
    return list(dict.fromkeys(name for one in found for name in single_citations(one[0].strip())))


def single_citations(citation: str) -> tuple[str, ...]:
    """Returns a citation as citations of one record each; one of another form stays as it is.

    >>> single_citations("[Data: Sources (3, 4); Claims (2)]"), single_citations("[^1]")
    (('[Data: Sources (3)]', '[Data: Sources (4)]', '[Data: Claims (2)]'), ('[^1]',))
    """
    return tuple(bracket([one]) for one in cited(citation)) or (citation,)


def _of_block(block: _Block, pattern: re.Pattern[str]) -> Iterator[CitedSentence]:
    plain, marks = _without_citations(block.text, pattern)
    if not ENDED.search(plain) and (block.titled or (marks and marks[0][0] == 0)):
        return  # a title, or an entry of a list of references: "[1] novel.txt"
    sentences, starts, end = sentences_of(plain), list[int](), 0
    for sentence in sentences:
        starts.append(plain.index(sentence, end))
        end = starts[-1] + len(sentence)
    own: dict[int, list[str]] = {}  # the citations in or directly after each sentence
    for place, names in marks:
        own.setdefault(max(0, bisect_left(starts, place) - 1), []).extend(names)
    covering, after = list[Sequence[str]](), list[str]()  # its own, or those of the next one
    for number in reversed(range(len(sentences))):
        after = own.get(number, after)
        covering.append(after)
    for number, (sentence, cover) in enumerate(zip(sentences, reversed(covering), strict=True)):
        if _claims(sentence, has_own=number in own):
            yield CitedSentence(sentence, tuple(dict.fromkeys(cover)))


def _claims(sentence: str, *, has_own: bool) -> bool:
    if ASKS_OR_LEADS.search(sentence) or sentence == NOTHING:
        return False
    if has_own:
        return True
    return number_of_words(sentence) >= LEAST_WORDS and not ABOUT_THE_ANSWER.match(sentence)


def _pattern(others: Collection[str]) -> re.Pattern[str]:
    """A pattern for citations, with the white space before them."""
    longest_first = sorted(filter(None, others), key=lambda one: (-len(one), one))
    literal = "|".join(rf"(?<!\s)\s*+{re.escape(one)}" for one in longest_first)
    return re.compile(f"{DATA.pattern}|{literal}" if literal else DATA.pattern, DATA.flags)


def _without_citations(
    text: str, pattern: re.Pattern[str]
) -> tuple[str, list[tuple[int, tuple[str, ...]]]]:
    """Returns a text without its citations, and where these stood between its characters."""
    parts, marks, last, length = [], [], 0, 0
    for found in pattern.finditer(text):
        parts.append(text[last : found.start()])
        length += len(parts[-1])
        marks.append((length, single_citations(found[0].strip())))
        last = found.end()
    return "".join([*parts, text[last:]]), marks


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - a package of the extra `eval`

    # A block of code needs a fence, since models indent paragraphs; and "[1]: text" is shown.
    return MarkdownIt("commonmark").enable("table").disable(["code", "reference"])


def _blocks(text: str) -> Iterator[_Block]:
    """Yields the blocks of a text that may hold statements: no headings, no heads of tables."""
    closing = ""  # the type of the token that closes what holds no prose
    row: list[str] | None = None  # the cells of a row of a table
    for token in _markdown().parse(text):
        if closing:
            closing = "" if token.type == closing else closing
        elif token.type in NO_PROSE:
            closing = token.type.replace("open", "close")
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            yield _Block(", ".join(filter(None, row)), titled=False)
            row = None
        elif token.type == "inline" and row is not None:
            row.append(_plain(token))
        elif token.type == "inline":
            shown = [one for one in token.children or () if one.type != "text" or one.content]
            yield _Block(_plain(token), titled=bool(shown) and shown[0].type == "strong_open")


def _plain(inline: "Token") -> str:
    """Returns the text of a block without marks of Markdown, on one line, without places."""
    breaks = ("softbreak", "hardbreak")
    parts = ("\n" if one.type in breaks else one.content for one in inline.children or ())
    lines = "".join(parts).splitlines()
    # The place of a quotation is the line below its citation, and no sentence.
    pairs = zip(["", *lines], lines, strict=False)
    return flat(" ".join(x for above, x in pairs if not above.endswith("]") or x.endswith(ENDS)))
