"""Finds where the records of a reply begin, in all forms at once.

Each reader of a list knows its own form only. A record that is damaged may go on into the records
behind it, and what stays over may look like prose. So, the beginnings of records are counted:
fewer records than beginnings were read if some were lost.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import pairwise

from graphrag_neo4j.llm.replies.list_marks import (
    ARROWS,
    FIELDS,
    FIELDS_OF_CLAIM,
    KINDS,
    kind_of,
)
from graphrag_neo4j.llm.replies.signs import ANY, BULLET, DELIMITER, NAME, QUOTE, RARE

__all__ = ["holds_beginning", "number_lost", "split_at_beginnings"]

# A record begins behind one of these characters, or with the first letter of a kind. So most of a
# text is passed in one quick search. A line begins behind "\n".
BORDERS = r"\n#(\[（［.!?。)\]},;\d"
FIRST_LETTERS = "eErR"
LINE = rf"(?<=\n){BULLET}"
# Places where a record begins, but hardly a word of a sentence.
PLACE = (
    rf"(?:{LINE}(?:\*\*)?[(\[（［]?|(?<=\#)\#\s?|(?<=[(\[（［])|(?<=[.!?。)\]\d])"
    r"|(?<=[)\]]),)"
)
PLACE_OF_KIND = rf"(?:{PLACE}\s?|(?<=,)\s(?=\*)|(?<=,)\s?(?=[\"“']))"
NAME_AT_LINE = rf"{LINE}[(\[]?[^\n,，;；|｜\t<{{]{{1,60}}"
KEY = rf"{QUOTE}{NAME}{QUOTE}\s?:"
# Each pattern matches the beginning of one record, as far as it needs to be no sentence.
TUPLES = (
    # A kind and two delimiters.
    (
        rf"{PLACE_OF_KIND}{QUOTE}{{0,3}}{KINDS}{QUOTE}{{0,3}}\s?"
        r"(?P<few>[,，;；])[^\n]{1,120}?(?P=few)"
    ),
    # A kind in quotation marks, whatever follows it.
    rf"{PLACE_OF_KIND}[\"“*]{{1,2}}{KINDS}[\"”*]{{1,2}}(?!\s?:)",
    # A kind whose delimiter was lost.
    (
        rf"(?<=\n)(?-i:{KINDS})\s(?>[^\n]{{1,60}}?(?P<most>{ANY}))"
        r"(?>[^\n]{1,60}?(?P=most))[^\n]*(?P=most)"
    ),
    # A misspelt kind in quotation marks.
    (
        rf"{PLACE}[\"“'*]{{1,2}}\w{{3,20}}[\"”'*]{{1,2}}[ ]?(?P<same>{ANY})[ ]?(?-i:[^\sa-z])"
        r"[^\n]{1,120}?(?P=same)"
    ),
)
GLUED = (
    # A kind behind any letter, and a delimiter that sentences hardly have.
    rf"(?<=[er])(?:ntity|elationship){QUOTE}{{0,3}}\s?(?>{RARE})[^\n]{{1,120}}?{ANY}",
    # A kind behind any letter, and delimiters without spaces.
    (
        r"(?<=[er])(?:ntity|elationship)(?P<tight>[,;])"
        r"(?=\S)[^\n]{1,60}?(?P=tight)(?=\S)[^\n]{1,200}?(?P=tight)(?=\S)"
    ),
    # A word and this kind are no word of a language. For entities, see below.
    r"(?<=[a-z]r)elationship\s?(?P<glued>[,;])[^\n]{1,60}?(?P=glued)[^\n]{1,60}?(?P=glued)",
)
OBJECTS = (
    (
        rf"(?:{LINE}(?:\*\*)?|(?<=[)\],;#\[]))\s?"
        rf"\{{\s?{QUOTE}?(?:{NAME}|(?:source|target|ent)\w*){QUOTE}?\s?:(?!\s?[\[{{])"
    ),
    # An object behind another one, and objects without their brace.
    rf"(?<=\}})\s?\{{|(?<=[}}#])\s?{KEY}|(?<=\n){KEY}[^\n]{{0,120}}?,[ ]?{KEY}",
    rf"(?<![{{,\[]\n)(?<=\n){KEY}",
)
LINES = (
    rf"{LINE}(?:\*\*)?(?:\w+[_ ])?description(?:\*\*)?\s?[:=：]",
    r"(?<=\n)[-*•+]\s\*\*[^*\n]{1,100}\*\*\s?\([^()\d\n]{1,40}\)\s?[:：,–—-]\s?\S",
    r"(?<=\n)[-*•+]\s[^:\n]{1,100}?\s(?:->|→)\s",
    # A relationship without its kind: it ends with a strength.
    (
        rf"{NAME_AT_LINE}(?P<pair>{ANY})"
        r"(?=(?>[^\n]{1,60}?(?P=pair))[^\n]+(?P=pair)\s?\d{1,2}[)\]]?$)"
    ),
)
STATUS = "(?:TRUE|FALSE|SUSPECTED)"
# The status of a claim, between delimiters, before a date, or with its label.
CLAIM = re.compile(
    rf"""[>＞}}|｜\t,，;；:TFSs](?:
      (?<=[^TFSs])(?i:\s?{QUOTE}{{0,3}}{STATUS}{QUOTE}{{0,3}}\s?(?={ANY}|\n|$))
    | (?:(?<=T)RUE|(?<=F)ALSE|(?<=S)USPECTED)\W{{0,5}}
      (?:SEP|tuple_delimiter)?\W{{0,5}}(?:NONE\b|\d{{4}})
    | (?<=[Ss])(?i:tatus)\W{{1,6}}{STATUS}\b)""",
    re.MULTILINE | re.VERBOSE,
)
ADJOINING = re.compile(r"[)\]}]\s[(\[{]")  # the end of a record, and the beginning of the next one
BEHIND_CLOSING = re.compile(r"(?<=[)\]])\s*##\s*")


def number_lost(
    texts: Iterable[str],
    read: int,
    unread: Iterable[str],
    *,
    claims: bool,
    types: Collection[str],
) -> int:
    """Returns how many records of a reply were neither read nor left over as unread text.

    `texts` are the parts of the reply, `read` is the number of records that were read, and `types`
    are the types of entities that were asked for. The number may be negative.
    """
    beginning = _beginning(frozenset(types), claims=claims)
    known = sum(_number(text, beginning, claims=claims) for text in texts)
    # What has delimiters only is a record without its kind, which was not counted.
    left = sum(
        len(DELIMITER.findall(one)) < 2 or beginning.search(f"\n{one}") is not None
        for one in unread
    )
    return known - read - left


def holds_beginning(text: str) -> bool:
    """Tells whether an entity or a relationship seems to begin in a text."""
    return _beginning(frozenset(), claims=False).search(f"\n{text}") is not None


def split_at_beginnings(text: str, *, claims: bool, types: Collection[str]) -> Iterator[str]:
    """Yields a text in parts, in each of which one record begins, or the text if none begins."""
    found = _beginning(frozenset(types), claims=claims).finditer(f"\n{text}")
    # A match begins with the character before the record, if not with a letter of its own.
    places = [one.start() - one[0][0].isalpha() for one in found][1:]
    for start, end in pairwise((0, *places, len(text))):
        yield text[start:end]


@cache
def _beginning(types: frozenset[str], *, claims: bool) -> re.Pattern[str]:
    """Returns the pattern of all beginnings; a type behind a name shows an entity."""
    if claims:
        return CLAIM
    known = "|".join(map(re.escape, sorted(types))) or r"\b\B"
    typed = (
        rf"{NAME_AT_LINE}(?:{ANY}[^\n,，;；|｜\t<{{]{{1,60}})?(?P<next>{ANY})"
        rf"\s?(?:{known})\s?(?P=next)"
    )
    misspelt = (
        rf"(?<=[(\[（［])\w{{3,20}}\s?(?P<rare>{RARE})[^\n]{{1,60}}?(?P=rare)"
        rf"\s?(?:{known})\s?(?P=rare)"
    )
    behind_word = (
        rf"(?<=[a-z]e)ntity\s?(?P<word>[,;])[^\n]{{1,60}}?(?P=word)\s?(?:{known})\s?(?P=word)"
    )
    patterns = (*GLUED, *TUPLES, *OBJECTS, *LINES, typed, misspelt, behind_word)
    return re.compile(rf"[{BORDERS}{FIRST_LETTERS}](?i:{'|'.join(patterns)})", re.MULTILINE)


def _number(text: str, beginning: re.Pattern[str], *, claims: bool) -> int:
    """Returns how many records begin in a text.

    A record in exactly the form that the prompts ask for is one, whatever its description says.
    """
    return sum(
        1
        if _is_as_asked(piece, claims=claims)
        else sum(1 for _ in beginning.finditer(f"\n{piece}"))
        for piece in BEHIND_CLOSING.split(text.strip())
    )


def _is_as_asked(piece: str, *, claims: bool) -> bool:
    if not (piece.startswith("(") and piece.endswith(")")) or ADJOINING.search(piece):
        return False
    fields = ARROWS.field.split(piece)
    expected = FIELDS_OF_CLAIM if claims else FIELDS.get(kind_of(fields[0].lstrip("( ")))
    return len(fields) == expected
