"""The marks of lists, as patterns: kinds, quotation marks, delimiters, statuses, and strengths."""

import re
from dataclasses import dataclass
from itertools import islice

__all__ = [
    "ARROW",
    "ARROWS",
    "COMMA",
    "DELIMITERS",
    "FIELDS",
    "FIELDS_OF_CLAIM",
    "KINDS",
    "MARKS",
    "QUOTES",
    "SCORE",
    "STATUS_SAID",
    "Delimiter",
    "expected_fields",
    "is_status",
    "kind_of",
]

QUOTES = "\"'“”‘’"
FIELDS = {"entity": 4, "relationship": 5}
FIELDS_OF_CLAIM = 8
AROUND_KIND = QUOTES + "*_` \n"
# Emphasis and quotation marks around a kind, the kinds, and the delimiter that is asked for.
MARKS = rf"[{QUOTES}*_`]{{0,4}}"
KINDS = "(?:entity|relationship)"
ARROW = r"[<＜]\s?[|｜]{1,2}\s?[>＞]"
STATUS = re.compile(r"\W*(?:TRUE|FALSE|SUSPECTED)\W*", re.IGNORECASE)
STATUS_SAID = re.compile(r"\b(?:TRUE|FALSE|SUSPECTED)\b", re.IGNORECASE)
SCORE = re.compile(r"\W*(?:strength\W*)?\d+(?:\.\d+)?(?:\s?/\s?\d+)?\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Delimiter:
    """What stands between two fields of a record.

    `sure` tells whether it occurs in lists only, so that any text with it is a record. `mark` finds
    delimiters and brackets. `begins` finds a kind that the delimiter follows.
    """

    field: re.Pattern[str]
    mark: re.Pattern[str]
    begins: re.Pattern[str]
    sure: bool

    @classmethod
    def of(cls, pattern: str, *, sure: bool = False) -> "Delimiter":
        """Makes a delimiter of a regular expression."""
        # A bracket at a line's end has a group of its own.
        mark = rf"(?P<field>{pattern})|(?P<opened>[(\[])|[)\]](?P<line_end>(?=[ ,;.*]*+\n))?"
        kind = rf"\b(?:entity|relationship)[{QUOTES}*_`]{{0,4}}\s?(?:{pattern})"
        flags = re.IGNORECASE | re.MULTILINE
        return cls(
            re.compile(pattern, flags),
            re.compile(mark, flags),
            re.compile(kind, re.MULTILINE),
            sure,
        )

    def is_used_in(self, text: str, *, claims: bool) -> bool:
        """Tells whether a text can hold a record with this delimiter."""
        if self.sure:
            return self.field.search(text) is not None
        if not claims:
            return self.begins.search(text) is not None
        enough = len([*islice(self.field.finditer(text), FIELDS_OF_CLAIM - 1)])
        return enough == FIELDS_OF_CLAIM - 1 and STATUS_SAID.search(text) is not None


# In the order in which they are tried.
DELIMITERS = (
    Delimiter.of(ARROW, sure=True),
    Delimiter.of("<SEP>", sure=True),
    Delimiter.of(r"\$?\{tuple_delimiter\}", sure=True),
    Delimiter.of(r"<>|<\|(?!>)|(?<!<)\|>"),
    Delimiter.of(r"\|\|"),
    Delimiter.of("\t"),
    Delimiter.of("｜"),
    Delimiter.of(r"(?<![<＜|])\|(?![>＞|])"),
    Delimiter.of("[;；]"),
    # A comma behind a record is no delimiter of its fields.
    Delimiter.of(r"[,，](?!\s?(?:$|[(\[]))"),
)
ARROWS, COMMA = DELIMITERS[0], DELIMITERS[-1]


def expected_fields(kind: str) -> int:
    """Returns the number of fields of a record, which depends on its first field."""
    return FIELDS.get(kind_of(kind), FIELDS_OF_CLAIM)


def kind_of(field: str) -> str:
    """Returns a first field without quotation marks and emphasis, in lower case."""
    return field.strip(AROUND_KIND).casefold()


def is_status(text: str) -> bool:
    """Tells whether a field is the status of a claim."""
    return STATUS.fullmatch(text) is not None
