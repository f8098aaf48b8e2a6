"""Tells whose words a question asks for: those of a guest, of a person it names or describes.

"What do the guests say about music?"                   of all but the hosts
"What does Lisa Su say about chips?"                    of Lisa Su, and nobody else
"What does the founder of Shopify say about schools?"   of the speaker whom others introduce so
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from graphrag_neo4j.extractive.answers import ScoredQuotes
from graphrag_neo4j.extractive.attribution import Attributed
from graphrag_neo4j.extractive.quotes import words_of
from graphrag_neo4j.nlp.entity_types import is_given_name
from graphrag_neo4j.nlp.question_forms import (
    asks_what_says,
    asks_which_guests,
    describes_person,
    names_in,
)

__all__ = ["Speakers", "holds_name"]

SEVERAL = 3  # documents in which a host speaks, at least
SHARE = 0.25  # of the documents with a quotation in which a host speaks
GUESTS = re.compile(r"\b(?:guests?|interviewees?|speakers?)\b", re.IGNORECASE)
WHO = re.compile(r"\W*who\b", re.IGNORECASE)
Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Speakers:
    """Whose words count for a question.

    `asked` is the person whose words alone are asked for. `named` holds the speakers whom the
    question names. `many` tells whether the question is for all guests; `excluded` then holds the
    hosts. `known` holds the words with which others introduce the person in `asked`, if the
    question describes this person.
    """

    asked: str | None = None
    named: frozenset[str] = frozenset()
    many: bool = False
    excluded: frozenset[str] = frozenset()
    known: Words = frozenset()

    @classmethod
    def of(
        cls,
        question: str,
        scored: ScoredQuotes,
        quotes: Sequence[Attributed],
        everywhere: Iterable[str] = (),
    ) -> Self:
        """Finds them among those who say the quotations. `everywhere` names frequent people."""
        said = {one.speaker for one in quotes if one.speaker}
        if 2 * sum(one.speaker is not None for one in quotes) < len(quotes):
            return cls()
        hosts = _hosts(quotes) | said.intersection(everywhere)
        names = [name for name, _ in names_in(question)]
        named = frozenset(one for one in said if any(holds_name(one, name) for name in names))
        asked = asks_what_says(question)
        if asked and _is_person(asked, named):
            return cls(asked, named)
        if describes_person(question) and not WHO.match(question):
            described, words = _described(scored, quotes, said - hosts - named)
            if described:
                return cls(described, frozenset({described}), known=words)
        if not GUESTS.search(question):
            return cls(None, named)
        # "Which guests are writers?" is answered by what a host says of them.
        introduced = asks_which_guests(question)
        return cls(None, named, not introduced, frozenset() if introduced else frozenset(hosts))

    def may_answer(self, one: Attributed) -> bool:
        """Tells whether a quotation is said by somebody whose words are asked for."""
        if self.asked is not None:
            return one.speaker is not None and holds_name(one.speaker, self.asked)
        return one.speaker not in self.excluded

    def is_by_others(self, one: Attributed) -> bool:
        """Tells whether the question names speakers, and the quotation is not said by these."""
        return bool(self.named) and one.speaker not in self.named

    def is_introduction(self, one: Attributed) -> bool:
        """Tells whether somebody else speaks of a speaker whom the question names."""
        names = (name for name in self.named if name != one.speaker)
        return any(one.text.startswith(name.split()[0]) for name in names)

    def known_words(self, one: Attributed) -> Words:
        """Returns the words that introduce the speaker whom the question describes."""
        return self.known if self.asked and one.speaker == self.asked else frozenset()


def holds_name(text: str, name: str) -> bool:
    """Tells whether a text holds the last word of a name, or one that is no common given name."""
    lower = _without_dots(text)
    if "." in name:
        return _without_dots(name) in lower
    *first, last = name.split()
    telling = [last, *(word for word in first if not is_given_name(word))]
    return any(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", lower) for word in telling)


def _is_person(name: str, speakers: Iterable[str]) -> bool:
    """Tells whether a name is a person's: a speaker has it, or it begins with a given name."""
    speaks = any(holds_name(speaker, name) for speaker in speakers)
    return speaks or is_given_name(name.split(maxsplit=1)[0])


def _without_dots(text: str) -> str:
    return re.sub(r"[_./]+", " ", text).lower()


def _hosts(quotes: Iterable[Attributed]) -> set[str]:
    """Returns the speakers who speak in many documents: the hosts of a series."""
    documents: defaultdict[str, set[str]] = defaultdict(set)
    for one in quotes:
        if one.speaker and one.provenance:
            documents[one.speaker].add(one.provenance.document)
    least = max(SEVERAL, SHARE * len(set().union(*documents.values())))
    return {name for name, held in documents.items() if len(held) >= least}


def _described(
    scored: ScoredQuotes, quotes: Sequence[Attributed], speakers: Iterable[str]
) -> tuple[str | None, Words]:
    """Returns the speaker whose introductions hold most of the question, and their words.

    An introduction is a quotation in which somebody else names the speaker.
    """
    known: dict[str, Words] = {}
    for name in sorted(speakers):
        others = (one for one in quotes if one.speaker != name and holds_name(one.text, name))
        known[name] = frozenset().union(*(words_of(one.text) for one in others))
    held = {name: _weight_held(scored, words) for name, words in known.items()}
    best = max(held, key=lambda name: held[name], default=None)
    return (best, known[best]) if best and held[best] > 0 else (None, frozenset())


def _weight_held(scored: ScoredQuotes, words: Words) -> float:
    """Returns the weight of the question's units that are wholly among words."""
    return math.fsum(weight for unit, weight in scored.units if unit <= words)
