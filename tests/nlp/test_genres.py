"""The names that the rules find in other genres than the podcast.

The expectations were written by a reader of the texts, and not by the rules. The limits are what
the rules reach: a change of the rules or of the word lists may not fall below them.
"""

import pytest

from graphrag_neo4j.nlp.entity_recognition import read
from tests.support.paths import DATA

GENRES = DATA / "reading" / "genres"
NOVEL = DATA / "christmas_carol" / "book.txt"
PARAGRAPHS = 12  # in a chunk


def _text(genre: str) -> str:
    if genre == "novel":
        book = NOVEL.read_text(encoding="utf-8")
        first = book.index("Marley was dead")
        return book[first : book.index("STAVE TWO", first)]
    [path] = [path for path in GENRES.glob(f"{genre}.*") if ".names" not in path.name]
    return path.read_text(encoding="utf-8")


def _chunks(genre: str) -> list[str]:
    paragraphs = _text(genre).split("\n\n")
    starts = range(0, len(paragraphs), PARAGRAPHS)
    return ["\n\n".join(paragraphs[start : start + PARAGRAPHS]) for start in starts]


@pytest.mark.parametrize(
    ("genre", "precision", "recall"),
    [("minutes", 0.75, 0.85), ("novel", 0.8, 0.85), ("paper", 0.85, 0.85)],
)
def test_the_names_of_a_genre_are_found(genre: str, precision: float, recall: float) -> None:
    named = (GENRES / f"{genre}.names.txt").read_text(encoding="utf-8").splitlines()
    things = [thing for chunk in _chunks(genre) for thing in read(chunk).things.values()]
    found = {thing.name for thing in things if thing.kind != "concept"}
    right = found & set(named)
    missed, wrong = sorted(set(named) - right), sorted(found - right)
    assert len(named) >= 30
    assert len(right) >= precision * len(found), wrong
    assert len(right) >= recall * len(named), missed
