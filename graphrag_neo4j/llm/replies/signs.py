"""The marks that tell records apart: delimiters in all forms, and lines with which a record begins.

Each reader knows one form. A record that lacks its end would go on into the next record if that has
another form. A line with a sign of a record shows where it ends.
"""

import re

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
    "holds_delimiter",
]

QUOTE = "[\"'“”‘’*_`]"
# Delimiters that sentences hardly have, and all delimiters.
# Each begins with a character and not with a set, because such a search is quicker.
RARE = (
    r"(?:<\s?[|｜]{1,2}\s?[>＞]|＜\s?[|｜]{1,2}\s?[>＞]|<SEP>|\$\{tuple_delimiter\}"
    r"|\{tuple_delimiter\}|<>|<\||\|>|\||｜|\t)"
)
ANY = rf"(?:{RARE}|[,，;；])"
BULLET = r"(?:[-*•+>]\s|\d{1,4}[.)]\s|\|\s?)?"
NAME = f"(?:{'|'.join(name.replace('_', '[_ ]') for name in sorted(FIELD_NAMES, reverse=True))})"
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
