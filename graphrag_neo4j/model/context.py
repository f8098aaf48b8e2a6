"""Context tables: the records of the graph that a model reads, within a budget of tokens."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from graphrag_neo4j.model.citations import (
    LONG_REF,
    CitationKind,
    CitationRef,
    cited,
    neutralised,
    rewrite,
    with_long_refs,
)
from graphrag_neo4j.text.strings import flat, shortened
from graphrag_neo4j.text.tokens import CountTokens

# In the order of their tables.
HEADINGS: Final[Mapping[CitationKind, str]] = {
    "Reports": "# Reports\nid | report\n",
    "Entities": "# Entities\nid | name | type | description\n",
    "Relationships": "# Relationships\nid | source | target | description\n",
    "Claims": "# Claims\nid | subject | object | type | status | start | end | description\n",
    "Sources": "# Sources\nid | text\n",
}
# The heading where relationships have predicates: source, predicate and target read as a sentence.
PREDICATES: Final = "# Relationships\nid | source | predicate | target | description\n"
LEAST: Final = 50  # tokens of a part of a record that are worth a line
HEADLINE = re.compile(r"^(#{1,6})( .*\S)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """A line of a context table: its kind, the ref that it is cited by, its id and its fields.

    `text` holds the fields on one line. `tokens` is the number of tokens of its longest form, None
    if it has not been counted. `pieces` are the texts that can be quoted from it: the lines of a
    description or a report, or a chunk with its line breaks. `has_predicate` is True for each
    relationship of a table with a column of predicates.
    """

    kind: CitationKind
    ref: int
    id: str
    text: str
    tokens: int | None = None
    pieces: tuple[str, ...] = field(default=(), compare=False, repr=False)
    has_predicate: bool = field(default=False, compare=False, repr=False)

    @property
    def heading(self) -> str:
        """The heading of the table that the record stands in."""
        return PREDICATES if self.has_predicate else HEADINGS[self.kind]

    @property
    def line(self) -> str:
        """The line that a model reads."""
        return f"{self.ref} | {self.text}\n"

    @property
    def longest(self) -> str:
        """The line that is measured: a budget must not depend on the number of digits of refs."""
        text = with_long_refs(self.text) if self.kind == "Reports" else self.text
        return f"{LONG_REF} | {text}\n"


def record_of(kind: CitationKind, ref: int, id_: str, *fields: object) -> ContextRecord:
    """A record of text from documents; its last field can be quoted.

    It contains no citations: any that seem to be there are text of a document and are neutralised.
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


def relationship_record(
    row: Mapping[str, Any], source: str, target: str, *, predicates: bool
) -> ContextRecord:
    """A record of a relationship, whose names stand in the fields `source` and `target` of a row.

    These are in the direction of most of its statements (`weight`). Where some go the other way
    (`opposite`), their number follows the description, which alone can be quoted. `predicates`
    says whether the table has predicates: if any of its relationships has one, all have the field.
    """
    fields = (source, "predicate", target) if predicates else (source, target)
    record = record_of_row("Relationships", row, *fields, "description")
    record = replace(record, has_predicate=predicates)
    if not row["opposite"]:
        return record
    note = f"({row['opposite']} of {row['weight']} statements go from target to source)"
    return replace(record, text=f"{record.text} {note}")


def measure(record: ContextRecord, count: CountTokens) -> int:
    """The number of tokens of a record's longest form."""
    return count(record.longest) if record.tokens is None else record.tokens


def measured(record: ContextRecord, count: CountTokens) -> ContextRecord:
    """The record with its number of tokens: counting is slow, so it is done only once."""
    return record if record.tokens is not None else replace(record, tokens=count(record.longest))


def beginning(record: ContextRecord, limit: int, count: CountTokens) -> ContextRecord:
    """The record with at most `limit` tokens of its text, cut after a sentence."""
    text = shortened(record.text, limit, count)
    # The pieces that are still complete or, if none is, the beginning of the first.
    kept = tuple(piece for piece in record.pieces if flat(piece) in text)
    first = tuple(shortened(piece, limit, count) for piece in record.pieces[:1])
    return replace(record, text=text, tokens=None, pieces=kept or first)


def report_line(report: str) -> str:
    """A report as one line. Its headings are closed, so that their ends show: `# Title #`."""
    return flat(HEADLINE.sub(r"\1\2 \1", report))


def report_pieces(report: str) -> tuple[str, ...]:
    """The lines of a report that can be quoted: all but its headings."""
    lines = HEADLINE.sub("", report).splitlines()
    return tuple(line for line in lines if line.strip())


def citing_itself(report: str, ref: int) -> str:
    """A report that cites itself wherever it cites other reports.

    An answer would copy those, and they are not in the context. Without any citation, a sentence
    would seem to rest on the next one.
    """
    return rewrite(report, lambda kind, cites: ref if kind == "Reports" else cites)


def report_tokens(report: str, count: CountTokens) -> int:
    """The number of tokens of a report in a context, without the heading of the table."""
    own = citing_itself(report, LONG_REF)
    return count(ContextRecord("Reports", 0, "", report_line(own)).longest)


@dataclass(slots=True)
class ContextTable:
    """The records of a context in their order, within a budget of tokens.

    `tokens` is the number of tokens that they take. `shortened` counts the reports that did not fit
    in full.
    """

    budget: float
    count: CountTokens
    records: dict[tuple[CitationKind, str], ContextRecord] = field(default_factory=dict)
    tokens: int = 0
    shortened: int = 0
    kinds: set[CitationKind] = field(default_factory=set)

    def add(self, records: Iterable[ContextRecord]) -> bool:
        """Adds all these records, or none if they do not fit; returns whether they were added."""
        new = {
            (r.kind, r.id): measured(r, self.count)
            for r in records
            if (r.kind, r.id) not in self.records
        }
        headings = {r.kind: r.heading for r in new.values() if r.kind not in self.kinds}
        size = sum(measure(record, self.count) for record in new.values())
        size += sum(self.count(f"{heading}\n") for heading in headings.values())
        if self.tokens + size > self.budget:
            return False
        self.records |= new
        self.kinds |= headings.keys()
        self.tokens += size
        return True

    def add_each(self, records: Iterable[ContextRecord]) -> None:
        """Adds those of these records that fit."""
        for record in records:
            self.add([record])

    def add_or_shorten(
        self, records: Iterable[ContextRecord], wanted: Collection[str] = ()
    ) -> None:
        """Adds those of these records that fit. Of some, it adds the beginning if they don't.

        These are the `wanted` ones (ids) and those that are longer than the table. The beginning
        takes at most half of the room that is left, so that others have room beside it.
        """
        for one in records:
            record = measured(one, self.count)
            too_long = measure(record, self.count) > self.budget
            if self.add([record]) or not (too_long or record.id in wanted):
                continue
            room = int(self.budget - self.tokens) // 2
            if room >= LEAST:
                self.add([beginning(record, room, self.count)])

    @property
    def text(self) -> str:
        """The text that a model reads: a table for each kind of record."""
        return "\n".join(
            records[0].heading + "".join(record.line for record in records)
            for records in self.by_kind().values()
        )

    @property
    def refs(self) -> set[CitationRef]:
        """The (kind, ref) pairs that a text from this context may cite.

        These are the records, and the elements that the reports among them cite.
        """
        records = self.records.values()
        own = {(record.kind, record.ref) for record in records}
        return own | {one for r in records if r.kind == "Reports" for one in cited(r.text)}

    def by_kind(self) -> dict[CitationKind, list[ContextRecord]]:
        """The records by kind, without kinds that have no records."""
        found: dict[CitationKind, list[ContextRecord]] = {kind: [] for kind in HEADINGS}
        for record in self.records.values():
            found[record.kind].append(record)
        return {kind: records for kind, records in found.items() if records}
