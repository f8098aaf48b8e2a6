"""Tells prose around a list from text that may have been meant as a record."""

import re
from collections.abc import Iterator

__all__ = ["could_be_records", "is_noise", "says_none"]

CLOSED = re.compile(r"([)\]])\s?[,;]?\s?(?=[(\[])")  # the end of a record before another one
LETTER = re.compile(r"[^\W_]")
LONGEST_HEADING = 80
MARK_BEGUN = re.compile(r"\W{0,3}<\|\s?[A-Z]{0,8}\W{0,3}", re.IGNORECASE)
# What a line of prose hardly has, and a record in an unknown form has.
DELIMITED = re.compile(r"[|｜\t]|<SEP>|<>|\{tuple_delimiter\}|-+>|=>|→|[\"'][\w ]{1,40}[\"']\s?:")
BEGINS = re.compile(
    r"\W{0,6}(?:entity|relationship|claim)\b\W"  # a kind
    r"|\s?(?:[-*•+]\s|\d{1,4}[.)]\s)?[(\[{（［]\s?\S+\s\S+\s\S"  # a bracket before several words
    r"|\s?(?:[-*•+]\s|\d{1,4}[.)]\s)\S.{8}"  # an item of a list
    r"|\W{0,3}(?:kind|type|source(?:_entity)?|(?:entity|claim)_type)\W{0,3}\s?[:=]"  # a field
    r"|\W{0,3}\w{3,20}\s?[;；]\s?[^;；\n]{1,80}[;；]"  # a word and semicolons
    r"|\W{0,3}[\"'“][^\"'“”\n]{1,80}[\"'”]\s?[,;，；]",  # text in quotation marks, and a comma
    re.IGNORECASE,
)
STATUS = re.compile(r"\b(?:TRUE|FALSE|SUSPECTED)\b")
ENDS_IN_SCORE = re.compile(r"[,;]\s?\d{1,3}(?:\.\d)?\s?[)\].]{0,2}$")
FEW = r"(?:(?:additional|further|more|other|new|such|explicit|named|relevant|specific)\s)"
THINGS = r"(?:entit|relation|claim|record|item|element|thing|fact|statement|information)"
NONE = re.compile(
    rf"""\W*(?:
      (?:(?:there\s(?:are|were|is)|i\s(?:have\s)?(?:found|find|see|identified)
         |(?:the|this)\s(?:given\s|provided\s)?(?:passage|text|document|chunk|list)\s\w+)\s)?
      (?:no\s{FEW}{{0,3}}(?:and\s|or\s)?{THINGS} | none\b | nothing\b | n/?a\b | nil\b)
    | (?:(?:the|this)\s)?(?:given\s|provided\s)?(?:passage|text|document|chunk)
      \s(?:does\snot|doesn't)\s\w+\s(?:to\s\w+\s)?any
    | all\s[^\n]{{0,80}}?\b(?:already|been)\b
    | keine?\b | rien\b | aucun | ning[uú]n | nessun | nenhum | [没沒]有 | 无 | 無 | なし
    | ありません | 없
    )[^\n]{{0,200}}""",
    re.IGNORECASE | re.VERBOSE,
)
REFUSAL = re.compile(
    r"sorry|apolog|\bcan(?:'|’)t\b|\bcannot\b|\bcan not\b|\bunable\b|\bwon(?:'|’)t\b|\bas an ai\b"
    r"|\bhelp you\b|\bassist\b",
    re.IGNORECASE,
)


def could_be_records(text: str, *, claims: bool) -> Iterator[str]:
    """Yields each part of a text that may have been meant as a record."""
    for piece in CLOSED.sub(r"\1\n", text).replace("##", "\n").splitlines():
        if not is_noise(piece) and _could_be_record(piece, claims=claims):
            yield piece.strip()


def _could_be_record(line: str, *, claims: bool) -> bool:
    if DELIMITED.search(line):
        return True
    if BEGINS.match(line) or ENDS_IN_SCORE.search(line[-20:]):
        return not says_none(line)
    return claims and STATUS.search(line) is not None


def is_noise(line: str) -> bool:
    """Tells whether a line has no word, or is a heading of a list."""
    if not LETTER.search(line) or MARK_BEGUN.fullmatch(line):
        return True
    plain = line.strip(" *_`")
    is_heading = plain.endswith((":", "：")) or line.lstrip().startswith(
        ("# ", "## ", "### ", "**")
    )
    return is_heading and len(plain) <= LONGEST_HEADING and not DELIMITED.search(line)


def says_none(line: str) -> bool:
    """Tells whether a line says that there is nothing to list, and is no refusal."""
    return NONE.fullmatch(line.strip(" *_`#-•")) is not None and not REFUSAL.search(line)
