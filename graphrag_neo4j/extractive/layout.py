"""Lays out an extractive answer: a lead, the quotation, and where it stands.

    **Fei-Fei Li on computer vision and ImageNet**
    - We designed ImageNet because … [Data: Sources (44)]
      EP-11 with Fei-Fei Li, characters 17,788–17,936

The lead is formed from the speaker and the names and key phrases in the quotation. Each quotation
stands on one line that begins with "- ", word for word as in its document.
"""

from collections.abc import Sequence

from graphrag_neo4j.context.citations import CitationRef, bracket
from graphrag_neo4j.context.quotation import Reach
from graphrag_neo4j.extractive.attribution import Attributed
from graphrag_neo4j.nlp.entity_recognition import Thing
from graphrag_neo4j.nlp.entity_types import CONCEPT
from graphrag_neo4j.nlp.sentence_ranking import base_words
from graphrag_neo4j.text import excerpt

__all__ = ["ITEM", "heading", "lead", "quoted"]

TOPICS = 2  # names and key phrases in a lead
LONGEST_TITLE = 72  # characters of a document's title
LONGEST_QUESTION = 160  # characters of the question that a quotation answers
ITEM = "- "


def quoted(one: Attributed, *, with_speaker: bool = False) -> str:
    """Returns the lines of a quotation: its text with a citation, and where it stands.

    `with_speaker` puts the speaker before the place.
    """
    at = one.provenance
    if at is None:
        return f"{ITEM}{one.text} {bracket(one.quote.citations)}"
    place = f"{excerpt(at.title, LONGEST_TITLE)}, characters {one.start:,}–{one.end:,}"
    who = f"{one.speaker}, in " if with_speaker and one.speaker else ""
    return f"{ITEM}{one.text} {bracket(_citations(one, at.ref))}\n  {who}{place}"


def lead(one: Attributed, words: frozenset[str]) -> str:
    """Returns the lead of a quotation in bold, "" if there is nothing to form it from.

    `words` are the content words of the question; topics with these words come first.
    """
    if one.speaker and one.asked:
        return f"**{one.speaker}, asked:** {excerpt(one.asked, LONGEST_QUESTION)}"
    topics = " and ".join(thing.name for thing in _topics(one, words))
    if one.speaker and topics:
        return f"**{one.speaker} on {topics}**"
    named = one.speaker or topics
    return f"**{named[0].upper()}{named[1:]}**" if named else ""


def heading(title: str, ref: int, reach: Reach | None, documents: int) -> str:
    """Returns the heading of a theme, with the number of documents in which it comes."""
    cites = f" {bracket([('Reports', ref)])}"
    if not reach or documents < 2:
        return f"**{title}**{cites}"
    return f"**{title}**, in {reach.documents:,} of {documents:,} documents{cites}"


def _citations(one: Attributed, chunk: int) -> Sequence[CitationRef]:
    """Returns the citation of the chunk if the quotation has it, or else its first citation."""
    own: CitationRef = ("Sources", chunk)
    return [own] if own in one.quote.citations else one.quote.citations[:1]


def _topics(one: Attributed, words: frozenset[str]) -> list[Thing]:
    """Returns the most telling names and key phrases of a quotation, none of them twice."""
    speaker = base_words(one.speaker or "")

    def rank(thing: Thing) -> tuple[bool, bool, int, str]:
        shared = bool(base_words(thing.name) & words)
        telling = thing.kind != CONCEPT or " " in thing.name
        return not shared, not telling, -len(thing.places), thing.name

    found: list[Thing] = []
    taken = speaker
    for thing in sorted(one.topics, key=rank):
        own = base_words(thing.name)
        if len(found) < TOPICS and own and not own & taken:
            found.append(thing)
            taken |= own
    return found
