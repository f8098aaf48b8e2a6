"""Quotations of an extractive answer, and their provenance: where each of them stands.

An answer without a model is made in two steps. The backend drafts: it selects quotations that may
answer. Then their provenance is read from the graph, and the backend composes the text.

    draft ──▶ quotations ──▶ provenance of each ──▶ text
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from graphrag_neo4j.model.citations import CitationRef
from graphrag_neo4j.model.passage import Passage

Order = Literal[">=", "<=", ">", "<"]
IN_WORDS: dict[Order, str] = {">=": "from", "<=": "to", ">": "after", "<": "before"}
# Returns the cosine of each text to the question.
Similar = Callable[[Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class DraftedQuotation:
    """A sentence on one line, and the elements that it is cited from."""

    text: str
    citations: tuple[CitationRef, ...]


@dataclass(frozen=True, slots=True)
class Provenance(Passage):
    """The chunk that a quotation stands in; its text is neutralised.

    `documents` is the number of documents that hold the beginning of the quotation, and `date` the
    date of its own document, "" where that is not known.
    """

    documents: int = 1
    date: str = ""


@dataclass(frozen=True, slots=True)
class Period:
    """A time: each bound is an operator and a year, month or day.

    >>> str(Period(((">=", "2020"), ("<=", "2022-03")))), str(Period((("<", "2021"),)))
    ('from 2020 to 2022-03', 'before 2021')
    """

    bounds: tuple[tuple[Order, str], ...]

    def __str__(self) -> str:
        values = dict.fromkeys(value for _, value in self.bounds)
        if len(values) < len(self.bounds):
            return next(iter(values))
        return " ".join(f"{IN_WORDS[order]} {value}" for order, value in self.bounds)

    def holds(self, day: str) -> bool:
        """Returns whether a date is in it, as far as each bound states it."""
        return all(
            (">" in order and day[: len(value)] > value)
            or ("<" in order and day[: len(value)] < value)
            or ("=" in order and day[: len(value)] == value)
            for order, value in self.bounds
        )


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the community `ref` reaches: the numbers of its members, and of their documents."""

    ref: int
    members: int
    documents: int


@dataclass(frozen=True, slots=True)
class Verified:
    """What the graph holds on a draft: the provenance by quotation, the reach by report ref.

    A quotation whose place was not found is left out. `documents` is the number of all documents.
    `similar` compares texts with the question by a sentence encoder, None where there is none. It
    takes about a second for 100 texts, and must be called in a worker thread of the event loop.
    `meant` is the smallest cosine, by it, of a sentence that answers without the question's words.
    `period` is the time that the question is about, None for any. `whole` says whether all
    quotations that answer are wanted, and not only the best.
    """

    provenance: Mapping[DraftedQuotation, Provenance] = field(default_factory=dict)
    reach: Mapping[int, Reach] = field(default_factory=dict)
    documents: int = 0
    similar: Similar | None = None
    meant: float = 1.0
    period: Period | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Composed:
    """The text of an answer, "" if there is none; `more` quotations would answer as well."""

    text: str
    more: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """The first step of an extractive answer.

    `quotations` may be quoted, and `reports` (their refs) may be named; `compose` makes the text
    of the answer from what the graph holds on them.
    """

    compose: Callable[[Verified], Composed]
    quotations: Sequence[DraftedQuotation] = ()
    reports: Sequence[int] = ()
