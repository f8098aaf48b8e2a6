"""Reads records that a model wrote as Markdown: rows of tables, and items of lists.

| Name | Type   | Description |        **Entities**
|------|--------|-------------|        - **Ann** (person): A captain
| Ann  | person | A captain   |        - Name: Ann, Type: person, Description: A captain
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.llm.replies.beginnings import holds_beginning
from graphrag_neo4j.llm.replies.kindless import can_be_name
from graphrag_neo4j.llm.replies.list_marks import kind_of
from graphrag_neo4j.llm.replies.named_fields import (
    field_name,
    is_field_name,
    is_first_name,
    kind_named,
    named_record,
)
from graphrag_neo4j.llm.replies.tuples import Part, Tuples

__all__ = ["take_items", "take_tables"]

RULE = re.compile(r"[|\s:]*-{2,}[|\s:-]*")  # the line between the head of a table and its rows
CELLS = re.compile(r"(?<!\\)[|｜\t]")
HEADING = re.compile(r"(?:\#{1,6}\s|\*\*)?\W*(?P<title>\w[\w ]{1,40}?)\W*")
BULLET = re.compile(r"^(?:[-*•+]\s|\d{1,4}[.)]\s|[([]?\d{1,4}[\])]\s)")
BEFORE_NAME = {"kind", "type", "record", "record_type"}  # fields that may stand before a name
WORD = re.compile(r"\w")
BOLD = re.compile(r"\*\*|__|`")
LABEL = re.compile(r"[|;,.\n]\s?(?P<name>[A-Za-z][\w ]{0,30}+)\s?[:=：]")
SAYS_LABEL = re.compile(r"[:=：]")
SAYS_ITEM = re.compile(r"[:=：→⟶↔]|[)\]]\s?[,–—-]|[-=–]>")
# "Ann (person): A captain" and "Ann (person) - A captain".
ITEM_OF_ENTITY = re.compile(
    r"(?P<name>[^()|:\n]{1,100}?)\s?[(\[](?P<type>[^()\[\]|:\n]{1,40})[)\]]\s?[:：,–—-]\s?(?P<description>\S.*)",
    re.DOTALL,
)
# "Ann -> Bob: They sailed together (8)"; the score may stand before the colon.
ITEM_OF_RELATIONSHIP = re.compile(
    r"(?P<source>[^|:\n→]{1,100}?)\s?(?:→|-+>|=>|⟶|<->|↔|–>)\s?(?P<target>[^|:(\n]{1,100}?)\s?"
    r"(?:[(\[]\D{0,12}(?P<before>\d{1,3})[^)\]\n]{0,6}[)\]])?\s?[:：,–—]\s?(?P<description>\S.*)",
    re.DOTALL,
)
SCORE_AT_END = re.compile(
    r"[\s(\[,;–—-]*(?:(?:strength|score|weight)\s?[:=]?\s?|(?<=[(\[]))(?P<score>\d{1,3}(?:\.\d{1,3})?)"
    r"(?:\s?/\s?\d{1,3})?[)\].\s]*\Z",
    re.IGNORECASE,
)


def take_tables(part: Part, *, claims: bool) -> Tuples:
    """Returns the records in the rows of all tables of a part, and the text around them."""
    if not CELLS.search(part.text):
        return Tuples(rest=[part])
    found, other = Tuples(), list[str]()
    table = _Table(claims=claims)
    for line in part.text.splitlines():
        record = table.record(line)
        if record:
            found.records.append(record)
        elif record is None:
            other.append(line)
    if len(other) == len(part.text.splitlines()):
        found.rest = [part]
    elif any(line.strip() for line in other):
        found.rest = [Part("\n".join(other), part.is_last, part.is_data)]
    return found


@dataclass(slots=True)
class _Table:
    """The table that is being read: the names of its columns, and the kind of its rows."""

    claims: bool
    columns: list[str] = field(default_factory=list)
    kind: str = ""

    def record(self, line: str) -> list[str] | None:
        """Returns the record in a line: [] for a head or a rule, None for other text."""
        if not CELLS.search(line):
            self.columns = []
            title = HEADING.fullmatch(line)
            self.kind = (kind_named(title["title"]) if title else "") or self.kind
            return None
        if self.columns and RULE.fullmatch(line):
            return []
        cells = [cell.replace("\\|", "|").strip() for cell in _cells(BOLD.sub("", line))]
        if _is_head(cells):
            self.columns = [field_name(cell) for cell in cells]
            return []
        return self._row(cells)

    def _row(self, cells: list[str]) -> list[str] | None:
        if kind_of(cells[0].lstrip("([（［")) in {"entity", "relationship"} or len(cells) < 2:
            return None  # a tuple with bars
        if not self.columns:
            if holds_beginning(" ".join(cells)):
                return None
            sizes = {"entity": (3,), "relationship": (3, 4)}.get(self.kind, ())
            is_row = len(cells) in sizes and not self.claims and can_be_name(cells[0])
            return [self.kind, *cells] if is_row else None
        more = len(cells) - len(self.columns)
        last = self.columns.index("description") if "description" in self.columns else -1
        if more > 0:
            last = last if last >= 0 else len(self.columns) - 1
            cells = [
                *cells[:last],
                " | ".join(cells[last : last + more + 1]),
                *cells[last + more + 1 :],
            ]
        return named_record(
            dict(zip(self.columns, cells, strict=False)), self.kind, claims=self.claims
        )


def _cells(line: str) -> list[str]:
    return CELLS.split(line.strip().removeprefix("|").removesuffix("|"))


def _is_head(cells: list[str]) -> bool:
    """Tells whether most cells are names of fields."""
    if len(cells) < 3 or not any(map(is_field_name, cells[:2])):
        return False
    known = sum(map(is_field_name, cells))
    return known >= 2 and known >= len(cells) - 1


def take_items(part: Part, *, claims: bool) -> Tuples:
    """Returns the records in all items of lists of a part, and the text around them."""
    found, kind, other = Tuples(), "", list[str]()
    for block in _blocks(part.text):
        title = HEADING.fullmatch(block)
        if title and kind_named(title["title"]):
            kind = kind_named(title["title"])
            continue
        record = _item(block, kind, claims=claims)
        if record:
            found.records.append(record)
        else:
            other.append(block)
    if not found.records:
        found.rest = [part]
    elif other:
        found.rest = [Part("\n".join(other), part.is_last, part.is_data)]
    return found


def _blocks(text: str) -> Iterator[str]:
    """Yields the items of a list, each with the labelled lines that belong to it."""
    block: list[str] = []
    names: set[str] = set()
    for line in text.splitlines():
        if not WORD.search(line):  # a mark, such as "##", ends an item
            if block:
                yield "\n".join(block)
            block, names = [], set()
            continue
        here = _labels_of(line)
        begins = any(map(is_first_name, here)) or "kind" in here
        again = not names.isdisjoint(here) or (begins and not names <= BEFORE_NAME)
        if block and (again or not (names and here)) and not _goes_on(block, line):
            yield "\n".join(block)
            block, names = [], set()
        block.append(line)
        names |= here
    if block:
        yield "\n".join(block)


def _labels_of(line: str) -> set[str]:
    """Returns the names of the fields in a line."""
    if not SAYS_LABEL.search(line):
        return set()
    return set(_labelled(BOLD.sub("", BULLET.sub("", line, count=1)).strip()))


def _goes_on(block: Sequence[str], line: str) -> bool:
    """Tells whether a line goes on with the sentence or the field of the item before it."""
    if block[-1].endswith((":", "：")) and _labelled(block[-1]) and not _labelled(line):
        return True
    if not BULLET.match(block[0]) or BULLET.match(line) or CELLS.search(line):
        return False
    return block[-1].endswith((":", "：")) or (block[-1][-1:].isalnum() and line[:1].islower())


def _item(block: str, kind: str, *, claims: bool) -> list[str] | None:
    if not SAYS_ITEM.search(block):
        return None
    plain = BOLD.sub("", "\n".join(BULLET.sub("", line, count=1) for line in block.splitlines()))
    labelled = _labelled(plain.strip(" #()[]"))
    if len(labelled) >= 2 and (record := named_record(labelled, kind, claims=claims)):
        return record
    is_item = BULLET.match(block) is not None or bool(kind)
    if claims or not is_item:
        return None
    if found := ITEM_OF_RELATIONSHIP.fullmatch(plain):
        description, score = _scored(found["description"], found["before"])
        return [
            "relationship",
            found["source"].strip(),
            found["target"].strip(),
            description,
            *score,
        ]
    if found := ITEM_OF_ENTITY.fullmatch(plain):
        return ["entity", *(found[name].strip() for name in ("name", "type", "description"))]
    return None


def _scored(description: str, before: str | None) -> tuple[str, list[str]]:
    """Returns a description without the score at its end, and the score."""
    if before:
        return description.strip(), [before]
    found = SCORE_AT_END.search(description, max(0, len(description) - 40))
    if found is None:
        return description.strip(), []
    return description[: found.start()].strip(), [found["score"]]


def _labelled(text: str) -> Mapping[str, str]:
    """Returns the fields of "Name: Ann, Type: person", by name."""
    text = f"\n{text}"  # a label begins behind a mark or a line break
    labels = [found for found in LABEL.finditer(text) if is_field_name(found["name"])]
    if not labels or labels[0].start() > 0:
        return {}
    fields: dict[str, str] = {}
    ends = [*(label.start("name") for label in labels[1:]), len(text)]
    for label, end in zip(labels, ends, strict=True):
        fields.setdefault(field_name(label["name"]), text[label.end() : end].strip(" |;,\n\t"))
    return fields
