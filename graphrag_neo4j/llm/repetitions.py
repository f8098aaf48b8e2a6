"""Finds the texts of a reply that repeat one sentence, or an earlier text.

A small model that is held to a schema can fall into a loop within its limits. Its reply is valid,
but all findings say the same.
"""

from collections.abc import Iterable, Iterator

from graphrag_neo4j.llm.phrases import phrases, words

__all__ = ["are_new", "is_loop"]

LOOP = 20  # phrases from which on a text can be a loop
DISTINCT = 0.25  # share of the phrases of a text; the phrases of prose are nearly all distinct
SAME = 0.9  # share of the phrases of a text that stand in an earlier one, too


def is_loop(text: str) -> bool:
    """Tells whether a text says one sentence four times or more, and little else."""
    said = phrases(words(text, cited=False))
    return len(said) >= LOOP and len(set(said)) <= DISTINCT * len(said)


def are_new(texts: Iterable[str]) -> Iterator[bool]:
    """Yields for each text whether it is no loop, and says something that none before it said.

    Citations make no difference.
    """
    known: list[set[tuple[str, ...]]] = []
    for text in texts:
        said = words(text, cited=False)
        here = set(phrases(said)) or {tuple(said)}
        repeats = any(len(here & earlier) >= SAME * len(here) for earlier in known)
        is_new = not (repeats or is_loop(text))
        if is_new:
            known.append(here)
        yield is_new
