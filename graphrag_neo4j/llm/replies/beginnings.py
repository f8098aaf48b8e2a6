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
    ARROW,
    ARROWS,
    FIELDS,
    FIELDS_OF_CLAIM,
    KINDS,
    kind_of,
)
from graphrag_neo4j.llm.replies.signs import ANY, BULLET, DELIMITER, NAME, QUOTE, RARE

__all__ = ["holds_beginning", "number_lost", "split_at_beginnings"]

# A record begins behind one of these characters, or with the first letter of a kind. So most of a
# text is passed in one quick search. A line begins behind "\n". All that can begin behind the same
# characters stands together, because most places need one look then.
FIRST = r"[\n#(\[（［.!?。)\]},;\deErR]"
# Places where a record begins, but hardly a word of a sentence.
PLACE = (
    rf"(?>(?<=\n){BULLET}(?:(?:\*\*)?[(\[（［])?|(?<=[^\neErR])(?:(?<=\#)\#|(?<=[(\[（［])"
    r"|(?<=[)\]]),|(?<=[.!?。)\]\d])))\s?+"
)
BEHIND_COMMA = rf"(?<=,)\s?[\"“'*]{{1,2}}{KINDS}[\"”'*]{{1,2}}(?!\s?:)"
KEY = rf"{QUOTE}{NAME}{QUOTE}\s?:"
NAME_AT_LINE = rf"{BULLET}[(\[]?[^\n,，;；|｜\t<{{]{{1,60}}+"
# Each pattern matches the beginning of one record, as far as it needs to be no sentence.
KIND_AT_PLACE = (
    # A kind and two commas or semicolons.
    rf"{QUOTE}{{0,3}}{KINDS}{QUOTE}{{0,3}}\s?(?P<few>[,，;；])[^\n]{{1,120}}?(?P=few)",
    # A kind in quotation marks, whatever follows it.
    rf"[\"“*]{{1,2}}{KINDS}[\"”*]{{1,2}}(?!\s?:)",
    # A misspelt kind in quotation marks.
    (
        rf"[\"“'*]{{1,2}}\w{{3,20}}[\"”'*]{{1,2}}[ ]?(?P<same>{ANY})[ ]?(?-i:[^\sa-z])"
        r"[^\n]{1,120}?(?P=same)"
    ),
)
KIND_ANYWHERE = (
    # A delimiter that sentences hardly have, and another one.
    rf"{QUOTE}{{0,3}}\s?<?(?>{RARE})[^\n]{{1,120}}?{ANY}",
    # Marks around the kind, and two commas or semicolons, but not in an object.
    (
        r"(?:(?<=[\"'“*]entity)|(?<=[\"'“*]relationship))[\"'”*]{1,2}\s?(?P<quoted>[,，;；])"
        r"(?!\s?[\"'][\w ]{1,40}[\"']\s?:)[^\n]{1,120}?(?P=quoted)"
    ),
    # Delimiters without spaces.
    r"(?P<tight>[,，;；])(?=\S)[^\n]{1,60}?(?P=tight)(?=\S)[^\n]{1,200}?(?P=tight)(?=\S)",
    # A word and this kind are no word of a language. For entities, see below.
    r"(?<=[a-z]relationship)\s?(?P<glued>[,，;；])[^\n]{1,60}?(?P=glued)[^\n]{1,60}?(?P=glued)",
)
OBJECTS = (
    (
        rf"(?:(?<=\n){BULLET}(?:\*\*)?|(?<=[)\],;\#\[]))\s?"
        rf"\{{\s?{QUOTE}?(?:{NAME}|(?:source|target|ent)\w*){QUOTE}?\s?:(?!\s?[\[{{])"
    ),
    # An object behind another one, and an object without its brace.
    rf"(?<=\}})\s?{BULLET}(?:\*\*)?\{{|(?<=[}}\#])\s?{KEY}",
)
LINES = (
    # A kind whose delimiter was lost.
    (
        rf"(?-i:{KINDS})\s(?=(?>[^\n]{{1,60}}?(?P<most>{ANY}))"
        r"(?>[^\n]{1,60}?(?P=most))[^\n]*(?P=most))"
    ),
    # An object without its brace.
    rf"{KEY}[^\n]{{0,120}}?,[ ]?{KEY}|(?<![{{,\[]\n){KEY}",
    rf"{BULLET}(?:\*\*)?(?:\w+[_ ])?description(?:\*\*)?\s?[:=：]",
    r"[-*•+]\s\*\*[^*\n]{1,100}\*\*\s?\([^()\d\n]{1,40}\)\s?[:：,–—-]\s?\S",
    r"[-*•+]\s[^:\n]{1,100}?\s(?:->|→)\s",
    # Two names without a kind, and delimiters that no sentence has.
    rf"{NAME_AT_LINE}(?P<sure>{ARROW}|<SEP>)[^\n,，;；|｜\t<{{]{{1,60}}+(?P=sure)",
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
        rf"{NAME_AT_LINE}(?:{ANY}[^\n,，;；|｜\t<{{]{{1,60}}+)?(?P<next>{ANY})"
        rf"\s?(?:{known})\s?(?P=next)"
    )
    misspelt = (
        rf"(?<=[(\[（［])\w{{3,20}}\s?(?P<rare>{RARE})[^\n]{{1,60}}?(?P=rare)"
        rf"\s?(?:{known})\s?(?P=rare)"
    )
    behind_word = (
        rf"(?<=[a-z]entity)\s?(?P<word>[,，;；])[^\n]{{1,60}}?(?P=word)\s?(?:{known})\s?(?P=word)"
    )
    kinds = rf"(?:[nN](?i:tity)|[eE](?i:lationship))(?i:{_any_of(*KIND_ANYWHERE, behind_word)})"
    at_line = rf"(?<=\n)(?:{_any_of(*LINES, typed)})"
    at_place = rf"{PLACE}(?:{_any_of(*KIND_AT_PLACE)})"
    behind_mark = _any_of(at_line, at_place, BEHIND_COMMA, *OBJECTS, misspelt)
    whole = rf"{FIRST}(?:{kinds}|(?<=[^eErR])(?=\W{{0,12}}\w)(?i:{behind_mark}))"
    return re.compile(whole, re.MULTILINE)


def _any_of(*patterns: str) -> str:
    return "|".join(patterns)


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
