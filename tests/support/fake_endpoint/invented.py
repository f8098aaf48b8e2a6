"""What a model might find in a text that is not of the book, the same on every run.

Names are runs of capitalised words, concepts are longer words; two of them in one sentence are
related; a sentence with a number is a claim. All that is said is taken from the text.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import combinations

from tests.support.fake_endpoint.book import recall
from tests.support.fake_endpoint.records import Claim, Entity, Knowledge, Relationship
from tests.support.fake_endpoint.words import COMMON, pick, sentences, shorten

NAME = re.compile(r"[^\W\d_a-z][\w’'-]*(?: (?:of )?[^\W\d_a-z][\w’'-]*){0,3}|\b[^\W\d_A-Z]{7,24}\b")
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
TYPES = ("person", "organization", "place", "product", "work", "event")


@lru_cache(maxsize=5_000)
def know(text: str) -> Knowledge:
    """What the book's model found in a text, or a dozen invented entities for 600 tokens."""
    if recalled := recall(text):
        return recalled
    told = [(one, list(filter(None, map(_trim, NAME.findall(one))))) for one in sentences(text)]
    times = Counter[str]()
    for _, names in told:
        times.update({name: 1 if name.islower() else 4 for name in names})
    kept = {name for name, _ in times.most_common(min(14, 4 + len(text) // 260))}
    entities: dict[str, Entity] = {}
    relationships: list[Relationship] = []
    claims: list[Claim] = []
    for said, names in told:
        here = list(dict.fromkeys(name for name in names if name in kept))
        short = shorten(said, 22)
        for name in here:
            entities.setdefault(name, Entity(name, _type(name), f"{name}: {short}"))
        for one, other in list(combinations(here, 2))[:3]:
            strength = 1 + pick(10, "strength", one, other)
            relationships.append(Relationship(one, other, short, strength))
        if here and re.search(r"\d", said):
            claims.append(_claim(said, *here))
    return Knowledge(list(entities.values()), relationships[: len(kept)], claims[:5])


def _trim(found: str) -> str:
    """A name without the common words around it, such as a sentence's first; "" for no name."""
    words = found.replace("'", "’").split()
    while words and words[0].partition("’")[0].lower() in COMMON:
        words.pop(0)
    while words and words[-1].partition("’")[0].lower() in COMMON:
        words.pop()
    name = " ".join(words).removesuffix("’s").rstrip("’-")
    no_noun = name.islower() and name.endswith(("ly", "ing", "ed", "ive", "ous", "ful"))
    return "" if no_noun or len(name) < 2 else name


def _type(name: str) -> str:
    return "concept" if name.islower() else TYPES[pick(len(TYPES), "type", name.lower())]


def _claim(said: str, subject: str, *others: str) -> Claim:
    year = YEAR.search(said)
    return Claim(
        subject=subject,
        object=others[0] if others else "NONE",
        type="EVENT IN TIME" if year else "FIGURE",
        status="TRUE",
        start=f"{year[0]}-01-01" if year else "NONE",
        end=f"{year[0]}-12-31" if year else "NONE",
        description=f"Of {subject} it is said: {shorten(said, 22)}",
        source_text=said,
    )
