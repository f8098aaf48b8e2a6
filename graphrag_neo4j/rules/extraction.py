"""Extracts entities, relationships and claims from a chunk, described by quoted sentences.

The rules for claims are for English and accept only clear sentences, which say who did what, with a
date or an amount. A name, or the "I" of a known speaker, must stand directly before a verb in the
past tense. A sentence with a question, a negation or a doubt is not a claim. Claims have no status,
because only the text itself states them.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import regex

from graphrag_neo4j.model.types import ClaimRecord, EntityRecord, Extraction, RelationshipRecord
from graphrag_neo4j.rules.phrases import CONCEPT
from graphrag_neo4j.rules.ranking import quality
from graphrag_neo4j.rules.recognition import RecognisedText, Thing, recognise
from graphrag_neo4j.text.sentences import Sentence, written

DEFINES = regex.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:(?:is|was|are|were|ist|sind|war|est|es|è|é)\s+(?:an?|the|one|our|"
    r"ein|eine|der|die|das|un|une|le|la|el|il|uno?)\b|,\s*(?:an?|the|who|which|whose|eine?[rn]?|der|"
    r"die)\b|是|は)"
)
TWO_SENTENCES = 3  # points that a quotation of two sentences loses against one sentence
DEFINING = 2  # points for a sentence that defines its subject ("Oslo is the …")
TYPES = {
    verb: kind
    for kind, verbs in {
        "FOUNDING": "founded cofounded co-founded started created launched established opened",
        "ACQUISITION": "acquired bought purchased sold",
        "FUNDING": "raised invested funded donated paid spent",
        "EMPLOYMENT": "joined left hired promoted appointed retired resigned worked moved",
        "AWARD": "won received earned awarded honored",
        "PUBLICATION": "published wrote released announced introduced unveiled presented premiered",
        "INVENTION": "invented discovered built developed designed patented",
        "EDUCATION": "graduated studied enrolled completed taught attended",
        "LIFE": "born died killed married emigrated immigrated",
        "ELECTION": "elected",
    }.items()
    for verb in verbs.split()
}
ACT = regex.compile(
    r"\.?(?:,\s(?:an?|the|who)\s[^,.;:]{1,60},)?(?:\s(?:also|then|first|later|recently|just))*"
    rf"(?:\s(?:had|has|have|was|were|has been|have been))?\s(?P<verb>{'|'.join(sorted(TYPES))})\b"
)
DOUBT = regex.compile(
    r"\?|\b(?:if|whether|maybe|perhaps|might|may|could|would|should|will|not|never|probably|almost|"
    r"allegedly|reportedly|imagine|supposed?|wish|hope|think|guess|like to)\b|n['’]t\b",
    regex.I,
)
MONTHS = "January February March April May June July August September October November December"
MONTH = rf"(?P<month>{MONTHS.replace(' ', '|')})"
DATE = regex.compile(
    rf"\b{MONTH}\s+(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?(?P<year>[12]\d{{3}})\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{MONTH},?\s+(?P<year>[12]\d{{3}})\b"
    r"|\b(?P<iso>[12]\d{3}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)\b"
    r"|\b(?:in|since|by|of|during|early|late)\s+(?P<year>1[5-9]\d{2}|20\d{2})\b"
)
AMOUNT = regex.compile(
    r"[$€£¥]\s?\d|\d\s?(?:%|percent|thousand|million|billion|dollars|euros|pounds)\b"
)


def extract_by_rules(text: str, speaker: str | None = None) -> Extraction:
    """Returns the entities and relationships of a chunk in the order of their keys.

    `speaker` speaks before its first tag.

    A key phrase that occurs only once and has no relationship is left out. The source of a
    relationship is the entity that comes first in the sentence. Its strength is the number of
    sentences that name both entities.
    """
    found = recognise(text, speaker)
    keys, pairs, sentences = found.things, found.pairs(), found.passage.sentences

    def description(thing: Thing) -> str:
        best = max(thing.places, key=lambda place: (_worth(sentences, place), -place[0]))
        return _quoted(found, best[0], best[0])

    joined = {key for pair in pairs for key in pair}
    entities = [
        EntityRecord(thing.name, thing.kind, description(thing))
        for key, thing in keys.items()
        if key in joined or thing.kind != CONCEPT or len(thing.places) > 1
    ]
    relationships = []
    for (a, b), places in pairs.items():
        first, last = _best_place(found, keys[a], keys[b], places)
        starts = {
            key: min(at for number, at, _ in keys[key].places if first <= number <= last)
            for key in (a, b)
        }
        source, target = sorted((a, b), key=lambda key: starts[key])
        relationships.append(
            RelationshipRecord(
                keys[source].name,
                keys[target].name,
                _quoted(found, first, last),
                float(len(places)),
            )
        )
    return Extraction(entities, relationships)


def _worth(sentences: Sequence[Sentence], place: tuple[int, int, int]) -> int:
    """Rates in points how well the sentence at a place describes the entity there."""
    number, _, end = place
    sentence = sentences[number]
    defined = DEFINES.match(sentence.text, end - sentence.start) is not None
    return quality(sentence.text) + DEFINING * defined


def _best_place(
    found: RecognisedText, one: Thing, other: Thing, places: Iterable[tuple[int, int]]
) -> tuple[int, int]:
    """Returns the sentences that describe a pair best: they define one of them or read well."""
    sentences = found.passage.sentences
    here = {place[0]: place for thing in (one, other) for place in thing.places}

    def worth(place: tuple[int, int]) -> tuple[int, int]:
        first, last = place
        best = max(_worth(sentences, here[n]) for n in (first, last) if n in here)
        return best - TWO_SENTENCES * (first != last), -first

    return max(places, key=worth)


def _quoted(found: RecognisedText, first: int, last: int) -> str:
    """Returns the text of the sentences `first` to `last`, with white space folded."""
    sentences = found.passage.sentences
    text = found.passage.text[sentences[first].start : sentences[last].end]
    return " ".join(text.split())


def dated_claims(text: str, speaker: str | None = None) -> list[ClaimRecord]:
    """Returns the claims of a chunk in their order. Only English texts have claims.

    `speaker` speaks before its first tag.
    """
    if not (DATE.search(text) or AMOUNT.search(text)):
        return []
    found = recognise(text, speaker)
    return list(_claims(found)) if found.language == "en" else []


def _claims(found: RecognisedText) -> Iterator[ClaimRecord]:
    for number, sentence in enumerate(found.passage.sentences):
        dates, amount = list(DATE.finditer(sentence.text)), AMOUNT.search(sentence.text)
        if not (dates or amount) or len(dates) > 1 or DOUBT.search(sentence.text):
            continue
        named = [
            (start - sentence.start, end - sentence.start, thing.name)
            for thing in found.things.values()
            for at, start, end in thing.places
            if at == number and thing.kind != CONCEPT
        ]
        actors = [(end, name) for _, end, name in named]
        if sentence.speaker and " " in sentence.speaker:
            spoken = regex.finditer(r"(?<![\"“‘]\s?)\bI\b", sentence.text)
            actors += [(one.end(), written(sentence.speaker)) for one in spoken]
        acts = ((name, ACT.match(sentence.text, end)) for end, name in sorted(actors))
        subject, act = next((one for one in acts if one[1]), ("", None))
        if act is None:
            continue
        later = [(at, name) for at, _, name in named if at >= act.end() and name != subject]
        text = " ".join(sentence.text.split())
        yield ClaimRecord(
            subject=subject,
            object=min(later, default=(0, None))[1],
            type=TYPES[act["verb"]],
            status=None,
            start_date=_iso(dates[0]) if dates else None,
            end_date=None,
            description=text,
            source_text=text,
        )


def _iso(found: "regex.Match[str]") -> str | None:
    """Returns a date in ISO 8601, as precise as the text gives it, or None if it does not exist."""
    if found["iso"] or not found["month"]:
        return str(found["iso"] or found["year"])
    month = MONTHS.split().index(found["month"]) + 1
    if not found["day"]:
        return f"{found['year']}-{month:02}"
    try:
        return date(int(found["year"]), month, int(found["day"])).isoformat()
    except ValueError:
        return None
