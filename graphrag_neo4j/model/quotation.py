"""Quotations of an extractive answer, and their provenance: where each of them stands.

An answer without a model is made in two steps. The backend drafts: it selects quotations that may
answer. Then their provenance is read from the graph, and the backend composes the text.

    draft ──▶ quotations ──▶ provenance of each ──▶ text
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.model.citations import CitationRef
from graphrag_neo4j.model.passage import Passage

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

    `documents` is the number of documents that hold the beginning of the quotation.
    """

    documents: int = 1


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
    """

    provenance: Mapping[DraftedQuotation, Provenance] = field(default_factory=dict)
    reach: Mapping[int, Reach] = field(default_factory=dict)
    documents: int = 0
    similar: Similar | None = None
    meant: float = 1.0


@dataclass(frozen=True, slots=True)
class Draft:
    """The first step of an extractive answer.

    `quotations` may be quoted, and `reports` (their refs) may be named; `compose` makes the text
    of the answer from what the graph holds on them, "" if there is no answer.
    """

    compose: Callable[[Verified], str]
    quotations: Sequence[DraftedQuotation] = ()
    reports: Sequence[int] = ()
