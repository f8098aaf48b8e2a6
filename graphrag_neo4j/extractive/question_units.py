"""Divides a question into units: its names, its noun phrases, and its other content words.

    "What do they say about the risks of artificial intelligence?"
        ──▶   {risk}   {artificial, intelligence}

A sentence that holds only "artificial intelligence" holds one of two units, not two of three words.
"""

from collections.abc import Iterator
from functools import lru_cache

from graphrag_neo4j.nlp.english import noun_phrases, parts_of_speech
from graphrag_neo4j.nlp.languages import base_form, language_of
from graphrag_neo4j.nlp.sentence_ranking import base_words
from graphrag_neo4j.nlp.sentences import WORD
from graphrag_neo4j.nlp.word_lists import ABOUT
from graphrag_neo4j.text import without_possessive

__all__ = ["Unit", "units_of"]

Unit = frozenset[str]
PLAYS_A_ROLE = frozenset({"play", "role"})  # "What role does music play?" asks about music


@lru_cache(100)
def units_of(question: str) -> tuple[tuple[Unit, ...], int]:
    """Returns the units of a question, as base forms, and how many of them are names or nouns.

    These come first. Words such as "guest" and "say" are no units.
    """
    words = base_words(question) - ABOUT
    if words > PLAYS_A_ROLE:
        words -= PLAYS_A_ROLE
    tokens = [found[0] for found in WORD.finditer(question)]
    language = language_of(question, tokens)
    bases = [base_form(without_possessive(token.lower()), language) for token in tokens]
    units = []
    for first, last in _groups(tokens, language):
        unit = frozenset(bases[first:last]) & words
        if unit:
            units.append(unit)
            words -= unit
    return (*units, *(frozenset({word}) for word in sorted(words))), len(units)


def _groups(tokens: list[str], language: str) -> Iterator[tuple[int, int]]:
    """Yields the ranges of names and noun phrases, as numbers [first, last) of words."""
    first = 1
    while first < len(tokens):
        last = first
        while last < len(tokens) and tokens[last][0].isupper():
            last += 1
        if last - first > 1 and language != "de":  # in German all nouns have a capital
            yield first, last
        first = last + 1
    if language == "en":
        yield from noun_phrases(tokens, parts_of_speech(tokens))
