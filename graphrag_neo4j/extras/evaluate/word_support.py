"""Judges by words and vectors, without a model, whether passages support a sentence.

    the sentence stands in a passage word for word                        supported
    a sentence of a passage would be quoted for it, and it shares most
      words or the meaning with up to three sentences in a row            supported
    one of these alone, or a part of the words or of the meaning          partly
    nothing of this                                                       not

The meaning is the cosine of static vectors. Numbers must be the same. What this can't see: "not",
who does what to whom, and a sentence that says the same in other words altogether. It is a measure
of nearness: it finds citations that lead elsewhere, and no wrong sentences about the right thing.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import regex
from numpy.typing import NDArray

from graphrag_neo4j.extras.evaluate.tasks.judges import SupportJudgement
from graphrag_neo4j.query.answer import Source, nearest_sources
from graphrag_neo4j.rules.ranking import content_words
from graphrag_neo4j.text.sentences import sentences_of
from graphrag_neo4j.text.strings import find_quote
from graphrag_neo4j.vectors.static import DIMENSIONS, vectors_of

IN_A_ROW: Final = 3  # sentences of a passage that are read together
# Shares of the words of the sentence, and cosines, measured on the reports of a real index with
# their own citations and with those of other sentences (docs/evaluation-groundedness.md).
MOST_WORDS, PART_OF_WORDS = 0.6, 0.35
SAME_MEANING, LIKE_MEANING = 0.6, 0.5
NUMBER: Final = regex.compile(r"\p{N}+(?:[.,:]\p{N}+)*")


def support_by_words(sentence: str, passages: Sequence[str]) -> SupportJudgement:
    """Returns whether passages support a sentence, by the words and vectors of both.

    >>> support_by_words("Ada met Charles.", ["In June Ada met Charles. They talked."]).support
    'supported'
    """
    if any(find_quote(sentence, text) for text in passages):
        return SupportJudgement("supported", "A passage has it word for word.")
    share, cosine = _nearest(sentence, passages)
    sources = [Source("", "", n, 0, len(text), text) for n, text in enumerate(passages)]
    quoted = any(one.quote for one in nearest_sources(sources, [sentence], 1))
    found = f"It shares {share:.0%} of its words with a place in the passages; cosine {cosine:.2f}."
    missing = sorted(_numbers([sentence]) - _numbers(passages))
    if quoted and (share >= MOST_WORDS or cosine >= SAME_MEANING):
        if not missing:
            return SupportJudgement("supported", found)
        return SupportJudgement("partly", f"{found} The passages lack {', '.join(missing)}.")
    if quoted or share >= PART_OF_WORDS or cosine >= LIKE_MEANING:
        return SupportJudgement("partly", found)
    return SupportJudgement("not", found)


def _nearest(sentence: str, passages: Sequence[str]) -> tuple[float, float]:
    """Returns the largest share of the words and the largest cosine at a place of a passage."""
    own, vector = content_words(sentence), np.array(vectors_of([sentence])[0])
    share = cosine = 0.0
    for places, vectors in map(_read, passages):
        shared = max((len(own & words) for words in places), default=0)
        share = max(share, shared / max(1, len(own)))
        cosine = max([cosine, *(vectors @ vector)])
    return share, float(cosine)


@lru_cache(1_000)
def _read(text: str) -> tuple[Sequence[frozenset[str]], NDArray[np.float64]]:
    """Returns the words and the vectors (one in each row) of each place of a passage.

    A place is a sentence, or a sentence with one or two after it.
    """
    sentences = [one for line in text.splitlines() for one in sentences_of(line)]
    spans = [
        (first, last)
        for first in range(len(sentences))
        for last in range(first + 1, min(first + IN_A_ROW, len(sentences)) + 1)
    ]
    words = [content_words(one) for one in sentences]
    vectors = vectors_of([" ".join(sentences[first:last]) for first, last in spans])
    joined = [frozenset[str]().union(*words[first:last]) for first, last in spans]
    return joined, np.array(vectors).reshape(len(spans), DIMENSIONS)


def _numbers(texts: Sequence[str]) -> set[str]:
    return {number for text in texts for number in NUMBER.findall(text)}
