"""Names that somebody may have meant who wrote a name otherwise: "Scrooje" for Scrooge.

Neo4j's full-text index finds names with a word that differs in a letter or two; of these, what is
like enough to be the same word, written wrong, is kept.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.query_context import LONGEST_QUERY
from graphrag_neo4j.query.rows import NearNameRow, WordRow

__all__ = ["names_like", "names_meant"]

ALIKE: Final = 0.8  # a word of five letters with one of them changed
SHORTEST: Final = 4  # letters of a word that is looked for otherwise
LONG: Final = 6  # letters from which two may differ
CANDIDATES: Final = 50  # names for each word


async def names_meant(graph: Graph, question: str) -> dict[str, str]:
    """For each word of a question that stands nowhere in the graph, the name most like it."""
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
    """The names of entities that are most like a name, the best first."""
    words = _words(name)
    found = await _candidates(graph, list(words))
    ranked = [one for word in found for one in _ranked(word, set(words), found[word])]
    return sorted(dict.fromkeys(ranked), key=lambda one: -_alike(name.casefold(), one))[:most]


async def _candidates(graph: Graph, words: Sequence[str]) -> dict[str, list[NearNameRow]]:
    """The entities whose name holds a word like one of these, by that word."""
    if not words:
        return {}
    asked = [{"word": word, "fuzzy": f"name:{word}~{1 + (len(word) >= LONG)}"} for word in words]
    found: dict[str, list[NearNameRow]] = {}
    for row in await graph.read("look/names_like", NearNameRow, words=asked, limit=CANDIDATES):
        found.setdefault(row["word"], []).append(row)
    return found


def _ranked(word: str, others: set[str], rows: Sequence[NearNameRow]) -> list[str]:
    """The names that hold a word like this one: the most alike first, then those that share more
    words with the question, then the shorter and the better connected ones."""

    def rank(row: Mapping[str, object]) -> tuple[float, float, int, int, str]:
        name = str(row["name"])
        parts = _words(name, shortest=1)
        strange = len(parts.keys() - others)
        return -_best(word, name), strange, len(parts), -int(str(row["degree"] or 0)), name

    near = [row for row in rows if _best(word, row["name"]) >= ALIKE]
    return list(dict.fromkeys(row["name"] for row in sorted(near, key=rank)))


def _best(word: str, name: str) -> float:
    """How much the word of a name that is most like `word` is like it, from 0 to 1."""
    return max((_alike(word, part) for part in _words(name, shortest=1)), default=0.0)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other.casefold()).ratio()


def _words(text: str, shortest: int = SHORTEST) -> dict[str, str]:
    """The words of a text in lower case, each with how it is written."""
    found = {word.casefold(): word for word in re.findall(r"\w+", text) if len(word) >= shortest}
    return dict(list(found.items())[:LONGEST_QUERY])
