"""Finds the statements in an answer or a report: the sentences that claim something.

    ## Ada                                                          a heading
    Ada met Charles. They wrote letters [Data: Sources (3)].        two statements that cite (3)
    Here is a summary:                                              a lead

A citation covers the sentences before it in its paragraph or list item, back to the citation before
it: a reader takes it so, and a quotation of three sentences has one citation at its end.

These are no statements: headings and titles, the heads of tables, program code, questions, leads
that end with a colon, the place of a quotation, entries of a list of references, sentences of one
or two words, and sentences that are only about the answer ("Here is a summary."), both without a
citation of their own. The words of the last kind are known for English, German, French,
Spanish and Chinese.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphrag_neo4j.context.citations import DATA, bracket, cited
from graphrag_neo4j.nlp.sentences import sentences_of
from graphrag_neo4j.query.answer_text import NOTHING
from graphrag_neo4j.text import flat, number_of_words

__all__ = ["Statement", "citations_in", "names_of", "statements_in"]

LEAST_WORDS: Final = 3  # of a sentence without a citation of its own
CLOSING: Final = r"[\"'”’»)\]*_\s]*$"
ENDED: Final = re.compile(rf"[.!?…。！？؟।]{CLOSING}")
ASKS_OR_LEADS: Final = re.compile(rf"[?？؟\u037e:：]{CLOSING}")
PLACE: Final = re.compile(r", characters [\d,]+–[\d,]+$")  # the line below a quotation
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
# A block of code needs a fence, since models indent paragraphs; and "[1]: text" is shown.
MARKDOWN: Final = MarkdownIt("commonmark").enable("table").disable(["code", "reference"])
NO_PROSE: Final = frozenset({"heading_open", "thead_open"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that claims something, and the citations that cover it, each of one record."""

    text: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, a list item or a row of a table; `titled` if it begins in bold type."""

    text: str
    titled: bool


@dataclass(frozen=True, slots=True)
class _Mark:
    """The citations at a place of a block, which is a place between two characters."""

    place: int
    names: tuple[str, ...]


def statements_in(text: str, others: Collection[str] = ()) -> list[Statement]:
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
    return list(dict.fromkeys(name for one in found for name in names_of(one[0].strip())))


def names_of(citation: str) -> tuple[str, ...]:
    """Returns a citation as citations of one record each; one of another form stays as it is.

    >>> names_of("[Data: Sources (3, 4); Claims (2)]"), names_of("[^1]")
    (('[Data: Sources (3)]', '[Data: Sources (4)]', '[Data: Claims (2)]'), ('[^1]',))
    """
    return tuple(bracket([one]) for one in cited(citation)) or (citation,)


def _of_block(block: _Block, pattern: re.Pattern[str]) -> Iterator[Statement]:
    plain, marks = _without_citations(block.text, pattern)
    if _is_title(block, plain) or _is_reference(plain, marks):
        return
    sentences = sentences_of(plain)
    own = _own_citations(_starts(plain, sentences), marks)
    covering = _covering(own, len(sentences))
    for number, sentence in enumerate(sentences):
        if _claims(sentence, has_own=number in own):
            yield Statement(sentence, tuple(dict.fromkeys(covering[number])))


def _starts(plain: str, sentences: Iterable[str]) -> list[int]:
    starts, end = [], 0
    for sentence in sentences:
        starts.append(plain.index(sentence, end))
        end = starts[-1] + len(sentence)
    return starts


def _own_citations(starts: Sequence[int], marks: Sequence[_Mark]) -> dict[int, list[str]]:
    """Returns the citations in or directly after each sentence, by the number of the sentence."""
    own: dict[int, list[str]] = {}
    for mark in marks:
        number = max(0, bisect_left(starts, mark.place) - 1)
        own.setdefault(number, []).extend(mark.names)
    return own


def _covering(own: Mapping[int, Sequence[str]], sentences: int) -> list[Sequence[str]]:
    """Returns the citations of each sentence: its own, or those of the next one that has some."""
    covering: list[Sequence[str]] = []
    after: Sequence[str] = ()
    for number in reversed(range(sentences)):
        after = own.get(number, after)
        covering.append(after)
    return covering[::-1]


def _claims(sentence: str, *, has_own: bool) -> bool:
    if ASKS_OR_LEADS.search(sentence) or sentence == NOTHING:
        return False
    if has_own:
        return True
    return number_of_words(sentence) >= LEAST_WORDS and not ABOUT_THE_ANSWER.match(sentence)


def _is_title(block: _Block, plain: str) -> bool:
    return block.titled and not ENDED.search(plain)


def _is_reference(plain: str, marks: Sequence[_Mark]) -> bool:
    """Tells whether a block is an entry of a list of references: "[1] novel.txt"."""
    return bool(marks) and marks[0].place == 0 and not ENDED.search(plain)


def _pattern(others: Collection[str]) -> re.Pattern[str]:
    """A pattern for citations, with the white space before them."""
    longest_first = sorted(filter(None, others), key=lambda one: (-len(one), one))
    literal = "|".join(rf"(?<!\s)\s*+{re.escape(one)}" for one in longest_first)
    return re.compile(f"{DATA.pattern}|{literal}" if literal else DATA.pattern, DATA.flags)


def _without_citations(text: str, pattern: re.Pattern[str]) -> tuple[str, list[_Mark]]:
    """Returns a text without its citations, and where these stood in it."""
    parts, marks, last, length = [], [], 0, 0
    for found in pattern.finditer(text):
        parts.append(text[last : found.start()])
        length += len(parts[-1])
        marks.append(_Mark(length, names_of(found[0].strip())))
        last = found.end()
    return "".join([*parts, text[last:]]), marks


def _blocks(text: str) -> Iterator[_Block]:
    """Yields the blocks of a text that may hold statements."""
    row: list[str] | None = None  # the cells of a row of a table
    for token in _prose(text):
        if token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            yield _Block(", ".join(filter(None, row)), titled=False)
            row = None
        elif token.type == "inline" and row is not None:
            row.append(_plain(token))
        elif token.type == "inline":
            yield _Block(_plain(token), titled=_begins_bold(token))


def _prose(text: str) -> Iterator[Token]:
    """Yields the tokens of a text outside headings and the heads of tables."""
    end = ""  # the type of the token that closes what holds no prose
    for token in MARKDOWN.parse(text):
        if not end and token.type in NO_PROSE:
            end = token.type.replace("open", "close")
        elif token.type == end:
            end = ""
        elif not end:
            yield token


def _plain(inline: Token) -> str:
    """Returns the text of a block without marks of Markdown, on one line, without places."""
    parts = []
    for token in inline.children or ():
        breaks = token.type in ("softbreak", "hardbreak")
        parts.append("\n" if breaks else token.content)
    lines = "".join(parts).splitlines()
    return flat(" ".join(line for line in lines if not PLACE.search(line)))


def _begins_bold(inline: Token) -> bool:
    tokens = [one for one in inline.children or () if one.type != "text" or one.content]
    return bool(tokens) and tokens[0].type == "strong_open"
