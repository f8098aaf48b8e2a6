"""Finds the names that a misspelt word may mean: Scrooge for "Scrooje".

A fuzzy query to Neo4j's full-text index finds the names with a word that differs in one or two
letters. Of these the names are kept that are similar enough to be the same word, misspelt.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.query_context import LONGEST_QUERY
from graphrag_neo4j.query.rows import NearNameRow, WordRow

__all__ = ["names_like", "names_meant"]

ALIKE: Final = 0.8  # similarity from 0 to 1; that of words of five letters, one of which differs
SHORTEST: Final = 4  # letters; shorter words are not searched
LONG: Final = 6  # letters; in words of this length or more, two letters may differ
CANDIDATES: Final = 50  # names that are read for each word


async def names_meant(graph: Graph, question: str) -> dict[str, str]:
    """Returns the most similar name for each word of a question that the graph does not contain.

    A word without a similar name is left out.
    """
    words = _words(question)
    if not words:
        return {}
    nowhere = [
        row["word"] for row in await graph.read("search/words_nowhere", WordRow, words=list(words))
    ]
    found = await _candidates(graph, nowhere)
    best = {word: _ranked(word, set(words), found[word]) for word in nowhere if word in found}
    return {words[word]: names[0] for word, names in best.items() if names}


async def names_like(graph: Graph, name: str, most: int = 3) -> list[str]:
    """Returns at most `most` names of entities that are similar to `name`, the best first."""
    words = _words(name)
    found = await _candidates(graph, list(words))
    ranked = [one for word in found for one in _ranked(word, set(words), found[word])]
    return sorted(dict.fromkeys(ranked), key=lambda one: -_alike(name.casefold(), one))[:most]


async def _candidates(graph: Graph, words: Sequence[str]) -> dict[str, list[NearNameRow]]:
    """Returns, for each word, the entities whose name holds a similar word."""
    if not words:
        return {}
    asked = [{"word": word, "fuzzy": f"name:{word}~{1 + (len(word) >= LONG)}"} for word in words]
    found: dict[str, list[NearNameRow]] = {}
    for row in await graph.read("lookup/names_like", NearNameRow, words=asked, limit=CANDIDATES):
        found.setdefault(row["word"], []).append(row)
    return found


def _ranked(word: str, others: set[str], rows: Sequence[NearNameRow]) -> list[str]:
    """Returns the names that hold a word similar to this one, the best first.

    The order is by similarity, then by the number of words that the question (`others`) lacks,
    then by the number of words, then by degree.
    """

    def rank(row: Mapping[str, object]) -> tuple[float, float, int, int, str]:
        name = str(row["name"])
        parts = _words(name, shortest=1)
        strange = len(parts.keys() - others)
        return -_best(word, name), strange, len(parts), -int(str(row["degree"] or 0)), name

    near = [row for row in rows if _best(word, row["name"]) >= ALIKE]
    return list(dict.fromkeys(row["name"] for row in sorted(near, key=rank)))


def _best(word: str, name: str) -> float:
    """Returns the similarity, from 0 to 1, of `word` to the most similar word of a name."""
    return max((_alike(word, part) for part in _words(name, shortest=1)), default=0.0)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other.casefold()).ratio()


def _words(text: str, shortest: int = SHORTEST) -> dict[str, str]:
    """Maps each word of a text in lower case to the word as the text writes it."""
    found = {word.casefold(): word for word in re.findall(r"\w+", text) if len(word) >= shortest}
    return dict(list(found.items())[:LONGEST_QUERY])
