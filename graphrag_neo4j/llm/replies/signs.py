"""Finds the signs of records: the places in a text where a record of any form begins.

Each reader knows one form. A record that lacks its end would go on into the next record if that has
another form. The signs show where it ends, and how many records a text holds that no reader reads.
"""

import re
from collections.abc import Iterator

from graphrag_neo4j.llm.replies.list_marks import KINDS
from graphrag_neo4j.llm.replies.named_fields import FIELD_NAMES

__all__ = [
    "ANY",
    "BULLET",
    "DELIMITER",
    "LINE_SIGN",
    "NAME",
    "QUOTE",
    "RARE",
    "SIGN_OF_CLAIM",
    "holds_delimiter",
    "number_of_signs",
    "split_at_signs",
]

QUOTE = "[\"'“”‘’*_`]"
# Delimiters that sentences hardly have, and all delimiters.
RARE = r"(?:[<＜]\s?[|｜]{1,2}\s?[>＞]|<SEP>|\$?\{tuple_delimiter\}|<>|<\||\|>|[|｜\t])"
ANY = rf"(?:{RARE}|[,，;；])"
BULLET = r"(?:[-*•+>]\s|\d{1,4}[.)]\s|\|\s?)?"
NAME = f"(?:{'|'.join(name.replace('_', '[_ ]') for name in sorted(FIELD_NAMES, reverse=True))})"
# A kind and a delimiter, and the first field of a JSON object.
SIGN = re.compile(
    rf"{KINDS}{QUOTE}{{0,3}}\s?{RARE}"
    rf"|[(\[（［{{\"'“‘*]{KINDS}{QUOTE}{{0,3}}\s?[,，;；]"
    rf"|(?:[(\[（［]|^){QUOTE}{{1,2}}{KINDS}{QUOTE}{{1,2}}"
    rf"|(?:(?<=[.!?)\]\d])|(?<=[)\]],)|(?<=##)){KINDS}\s?[,，;；]"
    rf"|(?:[(\[（［]|##\s?){QUOTE}\w{{3,20}}{QUOTE}\s?{RARE}"
    rf"|(?P<json>\{{\s?{QUOTE}?{NAME}{QUOTE}?\s?:)",
    re.IGNORECASE | re.MULTILINE,
)
SIGN_OF_CLAIM = re.compile(
    rf"(?:{ANY}|:)\s?{QUOTE}{{0,3}}(?:TRUE|FALSE|SUSPECTED){QUOTE}{{0,3}}\s?(?={ANY}|\n|$)",
    re.IGNORECASE,
)
DELIMITER = re.compile(RARE, re.IGNORECASE)
# What stands in a name where the delimiter before the next field is damaged.
IN_NAME = re.compile(
    r"\|\||<\||\|>|<>|<SEP>|tuple_delimiter|(?<=\w)\|(?=\w)|｜|['\"”]\s['\"“]", re.IGNORECASE
)
# A line with which a record of some form may begin. A number, one delimiter, or text in quotation
# marks before a comma are slight signs.
LINE_SIGN = re.compile(
    rf"^(?:{BULLET}[(\[（［{{]?{QUOTE}{{0,3}}{KINDS}{QUOTE}{{0,3}}\s?{ANY}"
    rf"|[\"“]{KINDS}[\"”]"
    rf"|[\s,]?\{{\s?{QUOTE}?[\w ]{{1,40}}{QUOTE}?\s?:"
    rf"|[\s,]?[\"']{NAME}[\"']\s?:"
    r"|[\s,]?\[\s?[\"'][^\"'\n]{1,100}[\"']\s?,"
    rf"|{BULLET}(?:\*\*)?{NAME}(?:\*\*)?\s?[:=：]"
    r"|[-*•+]\s"
    rf"|[^\n]{{0,120}}?{RARE}[^\n]{{0,120}}?{RARE}"
    rf"|(?P<slight>\d{{1,4}}[.)]\s|[^\n]{{0,120}}?{RARE}|[\"“'][^\n\"”']{{1,100}}[\"”']\s?[,，;；]))",
    re.IGNORECASE | re.MULTILINE,
)


def holds_delimiter(name: str) -> bool:
    """Tells whether a name holds a delimiter, so that it is two fields."""
    return IN_NAME.search(name) is not None


def number_of_signs(text: str, *, claims: bool, in_json: bool = True) -> int:
    """Returns how many records seem to begin in a text. For claims, each has a status.

    `in_json` tells whether a JSON object is the sign of a record.
    """
    if claims:
        return sum(1 for _ in SIGN_OF_CLAIM.finditer(text))
    return sum(1 for found in SIGN.finditer(text) if in_json or not found["json"])


def split_at_signs(text: str, *, claims: bool) -> Iterator[str]:
    """Yields a text in parts that hold the sign of one record each, or a text without signs."""
    start = 0
    for number, found in enumerate((SIGN_OF_CLAIM if claims else SIGN).finditer(text)):
        if number:
            yield text[start : found.start()]
            start = found.start()
    yield text[start:]
