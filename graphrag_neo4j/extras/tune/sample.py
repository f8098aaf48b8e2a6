"""Chooses passages that represent a corpus: spread over its documents, and over what they tell.

    documents ──▶ windows of each, evenly spread ──▶ passages ──▶ those that stand for the others

The vectors are the static ones, which need no endpoint and no download. The same documents always
give the same sample, in whatever order they are read.
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from graphrag_neo4j.documents.chunking import cut
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.model.events import Listener, Notice, silent
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.text.strings import identify, number_of_words, storable
from graphrag_neo4j.vectors.static import vectors_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float64]

PASSAGE_TOKENS = 250
WINDOW = 4000  # characters of a document that a passage is cut from
MOST_WINDOWS = 40  # of one document
MOST_DOCUMENTS = 100  # of which passages are kept
CANDIDATES = 200  # passages that a sample is chosen from
FEW_WORDS = 20  # a passage with fewer is taken only where there is nothing else
ABOUT = 0.9  # of the best gain; with less of it, the document of a passage does not count


@dataclass(frozen=True, slots=True)
class SampledPassage:
    """A passage of a document: its characters [start, end), which are `text`.

    `share` is the share of all candidates (0 to 1) that this passage stands for.
    """

    text: str
    source: str
    title: str
    start: int
    end: int
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """The passages of a sample, those that stand for most first.

    `documents` is the number of documents of the corpus, and `candidates` the number of passages
    that the sample was chosen from. `unreadable` holds reasons by source.
    """

    passages: Sequence[SampledPassage]
    documents: int
    candidates: int
    unreadable: dict[str, str]


async def read_sample(corpus: Corpus, n: int, listen: Listener = silent) -> Sample:
    """Reads a corpus, and returns `n` passages of it, or fewer where it has fewer.

    Memory does not grow with the corpus. Raises InputError if the corpus holds no text.
    """
    kept: list[_Windows] = []
    documents = 0
    async for document, share in corpus.read("sample", listen):
        if document.text.strip():
            documents += 1
            kept = heapq.nsmallest(MOST_DOCUMENTS, [*kept, _windows(document)])
        share(1.0)
    for notice in corpus.notices():
        listen(Notice(notice, warning=True))
    if not kept:
        raise InputError("The documents hold no text, so there is nothing to choose from.")
    chosen = await anyio.to_thread.run_sync(_chosen, kept, n)
    return Sample(chosen[0], documents, chosen[1], corpus.reasons())


_Windows = tuple[str, str, str, str, Sequence[int]]
"""A hash, the source, the title, and the text of the windows of a document with their places."""


def _windows(document: Document) -> _Windows:
    length = len(document.text)
    n = max(1, min(MOST_WINDOWS, length // WINDOW))
    starts = [i * length // n for i in range(n)]  # evenly spread and without an overlap
    text = "".join(document.text[start : start + WINDOW] for start in starts)
    return identify("sample", document.source), document.source, document.title, text, starts


def _chosen(kept: Sequence[_Windows], n: int) -> tuple[Sequence[SampledPassage], int]:
    """The passages of the sample, and the number of candidates."""
    each = max(1, CANDIDATES // len(kept))
    ordered = sorted(kept, key=lambda one: one[1])
    found = [passage for windows in ordered for passage in _cut(windows, each)]
    by_text = {storable(one.text)[0]: one for one in found}
    telling = [one for one in by_text.values() if number_of_words(one.text) >= FEW_WORDS]
    candidates = telling or list(by_text.values())
    return _representatives(candidates, n), len(candidates)


def _cut(windows: _Windows, most: int) -> Iterator[SampledPassage]:
    """Yields a passage of each window, of at most `most` windows, which are evenly spread."""
    _, source, title, text_of_all, starts = windows
    step = max(1.0, len(starts) / most)
    for number in dict.fromkeys(int(i * step) for i in range(min(most, len(starts)))):
        window = text_of_all[number * WINDOW : (number + 1) * WINDOW]
        spans = cut(window, max_tokens=PASSAGE_TOKENS, overlap=0)
        if not spans:
            continue
        # The window may begin and end within a sentence, so its middle is taken.
        span = max(spans[1:-1] or spans, key=lambda one: (one.n_tokens, -one.start))
        text = window[span.start : span.end]
        start = starts[number] + span.start + len(text) - len(text.lstrip())
        text = text.strip()
        yield SampledPassage(text, source, title, start, start + len(text))


def _representatives(candidates: Sequence[SampledPassage], n: int) -> Sequence[SampledPassage]:
    """Returns `n` passages that are near to as many others as possible (facility location).

    One passage after the other is taken: the one that brings the sum of all similarities to the
    nearest passage of the sample up most. Where several do about as well, one of a document that
    gave the fewest is taken.
    """
    import numpy as np  # noqa: PLC0415 - it takes a moment

    alike = _similarities(candidates)
    nearest = np.full(len(candidates), -1.0)
    chosen: list[int] = []
    used: Counter[str] = Counter()
    while len(chosen) < min(n, len(candidates)):
        gains = np.maximum(alike, nearest).sum(axis=1) - nearest.sum()
        gains[chosen] = -1.0
        near = np.flatnonzero(gains >= ABOUT * gains.max()).tolist()
        best = min(near, key=lambda i: (used[candidates[i].source], -gains[i], i))
        chosen.append(best)
        used[candidates[best].source] += 1
        nearest = np.maximum(nearest, alike[best])
    shares = Counter(alike[chosen].argmax(axis=0).tolist())
    found = [
        replace(candidates[i], share=shares[k] / len(candidates)) for k, i in enumerate(chosen)
    ]
    return sorted(found, key=lambda one: (-one.share, one.source, one.start))


def _similarities(candidates: Sequence[SampledPassage]) -> "Vectors":
    """Returns the cosine of each passage to each other, where what all have in common is left out.

    The passages of a corpus share most of their words, so their vectors are all alike. So the mean
    of all vectors is subtracted from each.
    """
    import numpy as np  # noqa: PLC0415

    vectors = np.array(vectors_of([one.text for one in candidates]))
    if len(candidates) > 1:
        vectors = vectors - vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)
    return vectors @ vectors.T
