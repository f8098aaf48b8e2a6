"""A context for a model: records of the graph as tables, as many as a budget of tokens takes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from graphrag_neo4j.context.citations import LONG_REF, CitationKind, neutralised, with_long_refs
from graphrag_neo4j.text import flat
from graphrag_neo4j.tokens import CountTokens

__all__ = [
    "HEADINGS",
    "ContextRecord",
    "ContextTable",
    "measure",
    "measured",
    "record_of",
    "record_of_row",
    "report_line",
    "report_pieces",
    "report_tokens",
]

HEADINGS: Final[Mapping[CitationKind, str]] = {
    "Entities": "# Entities\nid | name | type | description\n",
    "Relationships": "# Relationships\nid | source | target | description\n",
    "Claims": "# Claims\nid | subject | object | type | status | start | end | description\n",
    "Reports": "# Reports\nid | report\n",
    "Sources": "# Sources\nid | text\n",
}
HEADLINE = re.compile(r"^(#{1,6})( .*\S)\s*$", re.MULTILINE)
ORDER: Final[tuple[CitationKind, ...]] = (
    "Reports",
    "Entities",
    "Relationships",
    "Claims",
    "Sources",
)


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """A line of a context: what it is, the number that it is cited by, its id, its fields.

    `tokens`: of its longest form, where they are known. `pieces`: what can be quoted from it, each
    to be read by itself: the lines of a description or a report, or a chunk with its line breaks.
    In `text`, which is one line, their borders do not show.
    """

    kind: CitationKind
    ref: int
    id: str
    text: str
    tokens: int | None = None
    pieces: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def line(self) -> str:
        """As a model reads it."""
        return f"{self.ref} | {self.text}\n"

    @property
    def longest(self) -> str:
        """The line as it is measured: budgets must not depend on how many digits refs have."""
        text = with_long_refs(self.text) if self.kind == "Reports" else self.text
        return f"{LONG_REF} | {text}\n"


def record_of(kind: CitationKind, ref: int, id_: str, *fields: object) -> ContextRecord:
    """A record of what documents say; the last field is what can be quoted.

    No citation stands in it: every mark that looks like one is text of a document.
    """
    prose = neutralised(str(fields[-1] or ""))
    text = neutralised(" | ".join(flat(field) for field in fields))
    lines = (prose,) if kind == "Sources" else tuple(prose.splitlines())
    return ContextRecord(kind, ref, id_, text, pieces=tuple(line for line in lines if line.strip()))


def record_of_row(kind: CitationKind, row: Mapping[str, Any], *fields: str) -> ContextRecord:
    """A record of a row that has `ref`, `id` and these fields; the last one is what can be quoted.

    Raises KeyError where the row lacks one of them.
    """
    return record_of(kind, row["ref"], row["id"], *(row[name] for name in fields))


def measure(record: ContextRecord, count: CountTokens) -> int:
    """The tokens of a record's longest form."""
    return count(record.longest) if record.tokens is None else record.tokens


def measured(record: ContextRecord, count: CountTokens) -> ContextRecord:
    """The record with its tokens, so that they are counted once: that takes the most time."""
    return replace(record, tokens=measure(record, count))


def report_line(report: str) -> str:
    """A report as one line, its headings closed, so that it shows where they end: `# Title #`."""
    return flat(HEADLINE.sub(r"\1\2 \1", report))


def report_pieces(report: str) -> tuple[str, ...]:
    """The lines of a report that can be quoted: not its headings."""
    lines = HEADLINE.sub("", report).splitlines()
    return tuple(line for line in lines if line.strip())


def report_tokens(report: str, count: CountTokens) -> int:
    """What a report takes in a context, its heading not counted; kept with its community."""
    return count(ContextRecord("Reports", 0, "", report_line(report)).longest)


@dataclass(slots=True)
class ContextTable:
    """The records of a context in their order, and what they take of the budget.

    `shortened`: reports that did not fit in full.
    """

    budget: float
    count: CountTokens
    records: dict[tuple[CitationKind, str], ContextRecord] = field(default_factory=dict)
    tokens: int = 0
    shortened: int = 0
    kinds: set[CitationKind] = field(default_factory=set)

    def add(self, records: Iterable[ContextRecord]) -> bool:
        """Adds all of these, or none where they do not fit together."""
        new = {
            (r.kind, r.id): measured(r, self.count)
            for r in records
            if (r.kind, r.id) not in self.records
        }
        kinds = {kind for kind, _ in new} - self.kinds
        size = sum(measure(record, self.count) for record in new.values())
        size += sum(self.count(HEADINGS[kind] + "\n") for kind in kinds)
        if self.tokens + size > self.budget:
            return False
        self.records |= new
        self.kinds |= kinds
        self.tokens += size
        return True

    def add_each(self, records: Iterable[ContextRecord]) -> None:
        """Adds those of these that fit."""
        for record in records:
            self.add([record])

    @property
    def text(self) -> str:
        """The context as a model reads it: a table for each kind."""
        return "\n".join(
            HEADINGS[kind] + "".join(record.line for record in records)
            for kind, records in self.by_kind().items()
        )

    def by_kind(self) -> dict[CitationKind, list[ContextRecord]]:
        """The records of each kind that there is."""
        found: dict[CitationKind, list[ContextRecord]] = {kind: [] for kind in ORDER}
        for record in self.records.values():
            found[record.kind].append(record)
        return {kind: records for kind, records in found.items() if records}
