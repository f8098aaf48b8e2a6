"""Divides the text of a chunk into sentences and words, without speaker tags and stage cues.

    KEVIN SCOTT: Hi. [MUSIC] I met Ada.   ──▶   "Hi."  "I met Ada."     (speaker: KEVIN SCOTT)

Each sentence and each word has its place in the text, and is exactly the text at this place.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import regex

from graphrag_neo4j.text.strings import ABBREVIATIONS, CODE

ENDED = regex.compile(r"[.!?…。！？؟।][\"'”’»)\]」』]*$")
LETTERS = r"[\p{L}\p{N}\p{M}\xad\u200b\u2060]"  # and what is not seen within a word
WORD = regex.compile(
    r"(?:[ldjnscmt]|qu|L|dell|nell|all|un)['’](?=[aeiouhàâéèêëîïôœAEIOUHÀÂÉÈÊÎÔŒ]\p{L})|"  # l'eau
    r"(?:\p{L}\.){2,}|"  # U.S.
    r"(?<!\p{N}[.,])\p{N}++(?:[.,]\p{N}++)++(?!\p{L})(?:-\p{L}+)*|"  # 10,000-year
    rf"{LETTERS}+(?:['’.&/+\-–]{LETTERS}+)*+(?:\+\+|\#)?"
)
TAG = regex.compile(
    r"^(?P<tag>[ \t]*+(?P<name>[^\W\d_][^\n:\[\]()!?,;]{0,40}?)[ \t]*+(?:\([^()\n]{0,20}\))?:)"
    r"(?=\s|$).*+$",
    regex.M,
)
# A line of a tag alone, of at most four words: "Petra Pau (SPD):". An office may follow a name
# of capitalised words: "Joschka Fischer, Bundesminister des Auswärtigen:".
PART_OF_NAME, GAP = r"[^\s:：(),;!?]", r"[^\S\n]"
LABEL = regex.compile(
    rf"{GAP}*+(?:\p{{Lu}}{PART_OF_NAME}*+(?:{GAP}++\p{{Lu}}{PART_OF_NAME}*+){{1,5}}+,[^:：()!?\n]{{1,80}}+"
    rf"|\p{{L}}{PART_OF_NAME}*+(?:{GAP}++{PART_OF_NAME}++){{0,3}}+)"
    rf"(?:{GAP}*+\([^()\n]{{0,40}}\))*+{GAP}*+[:：]{GAP}*+$",
    regex.M,
)
HEADER = 3  # words of a line that makes it a header where it comes again; "ADA: Yes." is none
CUE = regex.compile(
    r"\[[^\[\]\n]{0,40}\]|\((?:laugh|music|crosstalk|inaudible|applause|affirmative|voice|pause|"
    r"silence|chuckle|sigh|cheer)[^()\n]{0,20}\)",
    regex.I,
)
ADDRESS = regex.compile(
    r"(?:https?://|www\.)\S++|(?<![\w.+@-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"  # links, e-mail
)
CODE_LINE = regex.compile(rf"^{CODE}.*$", regex.M)
ABBREVIATION = rf"(?<!\b(?:\p{{Lu}}|{ABBREVIATIONS}|\p{{N}}{{1,2}}))"
CLOSING = r"[\"'”’»)\]）」』】》]*+"
END = regex.compile(
    # Of several stops in a row only the first two are tried, so that the time stays linear.
    rf"{ABBREVIATION}(?<![.!?…]{{2}})[.!?…]++{CLOSING}(?=\s++[^\p{{Ll}}\s]|\s*+$)|"
    rf"(?<![!?…])[!?…]++{CLOSING}(?=\s)|"
    r"\b\p{Lu}\.(?=\s+(?:He|She|It|They|We|I|The|This|That|In|And|But|So)\b)|"
    rf"[。！？｡．؟۔।॥]++{CLOSING}|\n[ \t]*\n"
)
SPEAKERS = 2  # that speak again make a text a transcript
LOWER_CASE = regex.compile(r"\b\p{Ll}\w++")
NAME_WORD = regex.compile(r"\p{L}\w++")
SOFT = 45  # characters; a longer line without a full stop may continue in the next line
LINE = regex.compile(r"\n")
CELLS = " | "  # between the cells of a row
MARKER = r"(?:[-*•–]|\p{N}{1,3}[.)])[ \t]+"  # of an item of a list
ITEM = regex.compile(MARKER)
BEFORE = 20  # characters that may stand before the first sentence of a line
LINE_BEGUN = regex.compile(rf"(?:^|\n)[ \t]*(?:{MARKER})?\Z")
FILLED = regex.compile(r"\S")


class Word(NamedTuple):
    """A word and its place in the chunk: characters [start, end)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence. `speaker` is the name in its speaker tag."""

    text: str
    start: int
    words: tuple[Word, ...]
    speaker: str | None = None

    @property
    def end(self) -> int:
        """The number of the character after the sentence in the chunk."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class SentencedText:
    """The sentences of a chunk. `speakers` holds the names in its speaker tags."""

    text: str
    sentences: tuple[Sentence, ...]
    speakers: tuple[str, ...]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All words of the chunk."""
        return tuple(word for sentence in self.sentences for word in sentence.words)

    def said(self, sentence: Sentence) -> str:
        """Returns a sentence without the line of a speaker's tag that it begins with, or is."""
        label = LABEL.match(self.text, self.text.rfind("\n", 0, sentence.start) + 1)
        start = max(sentence.start, label.end() if label else 0)
        return self.text[start : sentence.end].lstrip()

    def adjoins(self, number: int) -> bool:
        """Returns whether the next sentence has the same speaker and stands in the same paragraph.

        Where each fills separate lines, as in a table or a list, they have nothing in common. Nor
        has a numbered item with the end of the one before.
        """
        one, other = self.sentences[number : number + 2]
        gap = self.text[one.end : other.start]
        if one.speaker != other.speaker or gap.strip() or gap.count("\n") > 1:
            return False
        before, after = self.text[max(0, one.start - BEFORE) : one.start], self.text[other.end :]
        begins, ends = LINE_BEGUN.search(before), after.lstrip(" \t")[:1] in ("", "\n")
        return not ("\n" in gap and ((begins and ends) or ITEM.match(other.text)))


def read_passage(text: str, speaker: str | None = None) -> SentencedText:
    """Divides the text of a chunk into sentences; `speaker` speaks before its first tag."""
    tags, headers = _tags(text)
    # Text that is not part of a sentence is replaced by spaces, so that all places stay the same.
    plain = list(text)
    no_prose = (found.span() for one in (CUE, ADDRESS, CODE_LINE) for found in one.finditer(text))
    for start, end in [*(tag[:2] for tag in tags), *headers, *no_prose]:
        plain[start:end] = " " * (end - start)
    blanked = "".join(plain)
    sentences: list[Sentence] = []
    for tag, after in pairwise([(0, 0, speaker), *tags, (len(text), 0, None)]):
        sentences += _sentences(text, blanked, tag[0], after[0], tag[2])
    names = [*filter(None, [speaker]), *(name for _, _, name in tags)]
    return SentencedText(text, tuple(sentences), tuple(dict.fromkeys(names)))


def turns(text: str) -> list[tuple[int, str]]:
    """Returns where each turn of a transcript begins and who speaks; none for any other text.

    A transcript is a text in which at least two people speak again, each named by two words or
    more: "Note:" or "Name:" names nobody. Nor does what the text also writes in lower case, as in
    "Key points:". Who has no such name is "".
    """
    tags, _ = _tags(text)
    times = Counter(name for _, _, name in tags)
    if sum(n > 1 for n in times.values()) < SPEAKERS:
        return []
    usual = {word[0] for word in LOWER_CASE.finditer(text)}

    def names_someone(tag: str) -> bool:
        strange = any(one.lower() not in usual for one in NAME_WORD.findall(tag))
        return len(tag.split()) > 1 and (tag.isupper() or strange)

    named = {tag for tag in times if names_someone(tag)}
    if sum(times[tag] > 1 for tag in named) < SPEAKERS:
        return []
    return [(start, tag if tag in named else "") for start, _, tag in tags]


def written(speaker: str) -> str:
    """Returns the name in a speaker tag as a sentence would write it: "Ada", not "ADA"."""
    name = " ".join(speaker.split())
    return name.title() if name.isupper() else name


def _tags(text: str) -> tuple[list[tuple[int, int, str]], list[tuple[int, int]]]:
    """Returns the speaker tags of a text, as (start, end, name), and the headers of its pages.

    A tag is the start of a line up to a colon, of at most four words. The tags count only if one of
    them is in capitals or occurs again. A number is a part of names such as "SPEAKER 1" alone. A
    line that the text repeats as a whole is a header.
    """
    found = list(TAG.finditer(text))
    times = Counter(line[0] for line in found)
    tags, headers = [], []
    for one in found:
        name = one["name"]
        numbered = any(c.isdigit() for c in name) and not (name.isupper() and " " in name)
        header = times[one[0]] > 1 and len(one[0].split()) > HEADER
        if header:
            headers.append(one.span())
        elif len(name.split()) <= 4 and not numbered:
            tags.append((one.start(), one.end("tag"), name))
    often = Counter(name for _, _, name in tags)
    sure = any(name.isupper() or n > 1 for name, n in often.items())
    return tags if sure else [], headers


def _sentences(
    text: str, blanked: str, start: int, end: int, speaker: str | None
) -> Iterator[Sentence]:
    """Yields the sentences of text[start:end], trimmed. Those without a word are left out."""
    borders = sorted({start, end, *_ends(blanked, start, end)})
    for first, last in pairwise(borders):
        words = tuple(Word(m[0], m.start(), m.end()) for m in WORD.finditer(blanked, first, last))
        if words:  # with the punctuation around them
            begin, done = words[0].start, words[-1].end
            while begin > first and not blanked[begin - 1].isspace():
                begin -= 1
            while done < last and not blanked[done].isspace():
                done += 1
            yield Sentence(text[begin:done], begin, words, speaker)


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    for m in END.finditer(text, start, end):
        yield m.end()
    before, after, following = start, start, ""
    for m in LINE.finditer(text, start, end):
        line = text[before : m.start()].strip()
        if after < m.end():  # otherwise only blank lines lie before the same text
            follows = FILLED.search(text, m.end(), end)
            after = follows.start() if follows else end
            stop = text.find("\n", after, end)
            following = text[after : stop if stop >= 0 else end]
        if (len(line) < SOFT and not following[:1].islower()) or _are_records(line, following):
            yield m.end()
        before = m.end()


def _are_records(line: str, following: str) -> bool:
    """Returns whether two lines are rows, items of a list, or records that begin with one name."""
    name = line.partition(" ")[0]
    alike = name[:1].isupper() and name == following.partition(" ")[0]
    return alike or CELLS in line or CELLS in following or ITEM.match(following) is not None


def sentences_of(paragraph: str) -> list[str]:
    """Returns the sentences of a paragraph of prose, whole, trimmed and on one line each.

    Unlike `read_passage` it knows no speaker tags. What has no word is left out.

    >>> sentences_of("Dr. Ada met him. Then\\nshe left: why?")
    ['Dr. Ada met him.', 'Then she left: why?']
    """
    borders = sorted({0, len(paragraph), *_ends(paragraph, 0, len(paragraph))})
    parts = (" ".join(paragraph[start:end].split()) for start, end in pairwise(borders))
    return [part for part in parts if WORD.search(part)]
