"""Tidies a reply before it is read: code fences, HTML entities, white space, and broken lines."""

import html
import re

from graphrag_neo4j.llm.replies.list_marks import KINDS, MARKS

__all__ = ["COMPLETE", "tidied"]

COMPLETE = re.compile(
    r"[<＜$\{](?:(?<=[<＜])\s?[|｜]\s?COMPLETE\s?[|｜]?\s?[>＞]?|\{?completion_delimiter\})",
    re.IGNORECASE,
)
FENCE = re.compile(r"```\w*[ \t\r]*$|^[ \t]*```", re.MULTILINE)
# The semicolon is required; otherwise "&region" in a URL would become "®ion". The longest name of
# an HTML entity has 32 characters.
ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,32});", re.IGNORECASE)
BROKEN_ROW = re.compile(r"^(\|[^\n]*[^|\n])\n(?=[^|\n][^\n]*\|$)", re.MULTILINE)
BROKEN_FIELD = re.compile(
    r"^((?:\w+[_ ])?(?:source|target|name|type|description)(?:_\w+)?\s?:[^\n]*)\n([^\n:]+)\n"
    r"(?=(?:\w+[_ ])?(?:target|type|description|strength)(?:_\w+)?\s?:)",
    re.IGNORECASE | re.MULTILINE,
)
RECORD_DELIMITER = re.compile(r"\$\{record_delimiter\}|\{record_delimiter\}|＃＃")
# Brackets of full width around a record.
FULL_WIDTH_OPENING = re.compile(
    rf"[（［](?:(?<=^.)|(?<=\#\#.)|(?<=\#\#[ \n].)|(?<=[-*•.][ ].)|(?=\s?{MARKS}{KINDS}))",
    re.IGNORECASE | re.MULTILINE,
)
FULL_WIDTH_CLOSING = re.compile(r"[）］](?=[ ,;.*]{0,4}(?:$|\#\#|[(\[（［<]))", re.MULTILINE)


def tidied(reply: str) -> str:
    """Removes code fences, decodes HTML entities, and normalises white space in each line.

    Tabs remain, because they may be the delimiter. Brackets of full width around a record become
    usual ones. A row of a table or a field with a label that was broken into two lines becomes
    one line.
    """
    text = ENTITY.sub(lambda found: html.unescape(found[0]), reply)
    text = FENCE.sub("", text) if "```" in text else text
    text = RECORD_DELIMITER.sub("##", text)
    text, in_full_width = FULL_WIDTH_OPENING.subn("(", text)
    if in_full_width:
        text = FULL_WIDTH_CLOSING.sub(")", text)
    text = "\n".join(line for line in map(_tidied_line, text.splitlines()) if line)
    return BROKEN_FIELD.sub(r"\1 \2\n", BROKEN_ROW.sub(r"\1 ", text))


def _tidied_line(line: str) -> str:
    if "\t" not in line:
        return " ".join(line.split())
    return "\t".join(" ".join(cell.split()) for cell in line.strip().split("\t"))
