"""Recognises questions that no quotation answers: those for a count, a list or a comparison.

"How many guests are there?"        a count of those who speak
"Compare Ada and Ben."              a comparison
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from graphrag_neo4j.nlp.english import is_ordinary
from graphrag_neo4j.nlp.languages import language_of
from graphrag_neo4j.nlp.sentence_ranking import base_words
from graphrag_neo4j.nlp.sentences import WORD
from graphrag_neo4j.nlp.word_lists import ABOUT
from graphrag_neo4j.text import without_possessive

__all__ = [
    "Form",
    "asks_for_speakers",
    "asks_what_says",
    "asks_which_guests",
    "compared_names",
    "compares_names",
    "counted_phrase",
    "form_of",
    "kind_asked_for",
    "names_in",
]

Form = Literal["count", "list", "comparison"]
TOLD = r"(?:mention|discuss|talk|come|arise|name|appear|occur|refer|said|speak)"
COUNTED = r"(?:guests?|speakers?|interviewees?|hosts?|episodes?|documents?|transcripts?|texts)"
# Only what the graph counts: other numbers, such as those of the dead, may stand in a sentence.
COUNT = re.compile(
    rf"\bhow many (?:\w+ )?{COUNTED}\b|\bnumber of (?:\w+ )?{COUNTED}\b"
    rf"|\bhow (?:often|frequent(?:ly)?|many times)\b.*\b{TOLD}"
    rf"|\b(?:which|what) (?:episodes?|documents?|transcripts?|texts?) {TOLD}",
    re.IGNORECASE,
)
COUNTED_PHRASES = (
    re.compile(rf"\bhow (?:often|many times) \w+ (?P<phrase>.+?) {TOLD}", re.IGNORECASE),
    re.compile(rf"\b{TOLD}\w* (?:(?:about|of|on|to) )?(?P<phrase>[^?!.,;]+)", re.IGNORECASE),
)
KINDS = {
    "organization": r"compan(?:y|ies)|organi[sz]ations?",
    "place": r"places?|cities|countries",
    "person": r"people|persons?",
}
LISTED = rf"(?:{COUNTED}|{'|'.join(KINDS.values())})"
LIST = re.compile(
    rf"^(?:please )?(?:list|name|enumerate|show)(?: me)?\b.{{0,20}}\b{LISTED}\b"
    rf"|\b(?:who|which|what) (?:are|were) (?:all )?(?:of )?(?:the |your |its )?{COUNTED}\b"
    rf"(?! (?:say|said|think|talk|opinion))"
    rf"|\b(?:which|what) {LISTED} (?:are|were) (?:there|mentioned|named|discussed)\b",
    re.IGNORECASE,
)
COMPARISON = re.compile(
    r"\bcompar(?:e|es|ed|ing|ison)\b|\bversus\b|\bvs\b|\bdifferences? between\b"
    r"|\bhow (?:do|does|did) .+ differ\b|\bin common\b",
    re.IGNORECASE,
)
SAYS = (
    r"(?:say|said|think|thought|believe|mean|tell|told|describe|explain|feel|recommend|advise|suggest|"
    r"see|view|define|talk|argue|claim|mention|worry|hope|expect|predict|like|love|hate)"
)
# A person by what the person is or did: "the founder of Shopify", "the woman who wrote it".
DESCRIBED = re.compile(
    r"\b(?:the|that|an?) (?:[\w-]+ ){1,3}(?:who|whose)\b|\b(?:the|that) (?:[\w-]+ ){0,2}"
    r"(?:co-?founder|founder|ceo|cto|creator|inventor|author|professor|director|president|head|"
    r"maker|designer|host|star|winner) (?:of|from|behind|at)\b",
    re.IGNORECASE,
)
# Words that compare where two names stand in the question, too.
SIDES = re.compile(
    r"\b(?:dis)?agrees?\b|\bdiffer\w*\b|\bsimilar\w*\b|\balike\b|\bcontrast\w*\b|\bsame\b"
    r"|\b(?:more|less|rather) .*\bthan\b|\b(?:do|did) [A-Z][^?]* and [A-Z]\w+(?: [A-Z]\w+)*"
    r" (?:each |both )?(?:say|think|believe|feel|see|view)\b"
)
DOTTED = re.compile(r"\b[^\W\d]+(?:\.[^\W\d]+){2,}")
WHICH_SPEAKERS = re.compile(
    r"\bwhich (?:of the )?(?:\w+ )?(?:guests?|speakers?|interviewees?)\b"
    r"|\bwho (?:of|among) (?:the |your |its )?(?:guests|speakers|interviewees)\b",
    re.IGNORECASE,
)
SPEAKERS = re.compile(r"\b(?:guests?|speakers?|interviewees?|hosts?)\b", re.IGNORECASE)


def form_of(question: str) -> Form | None:
    """Returns the form of a question that no quotation answers, None for any other question.

    >>> form_of("How many guests are there?"), form_of("What do the guests say of data?")
    ('count', None)
    """
    forms: tuple[tuple[Form, re.Pattern[str]], ...] = (
        ("count", COUNT),
        ("comparison", COMPARISON),
        ("list", LIST),
    )
    return next((form for form, pattern in forms if pattern.search(question)), None)


def counted_phrase(question: str) -> str | None:
    """Returns the phrase whose mentions a question wants counted, None if there is none.

    >>> counted_phrase("How many episodes talk about self-driving cars?")
    'self-driving cars'
    >>> counted_phrase("How often is the ImageNet mentioned?")
    'ImageNet'
    """
    if form_of(question) != "count":
        return None
    found = (pattern.search(question) for pattern in COUNTED_PHRASES)
    phrase = next((match["phrase"] for match in found if match), "")
    return re.sub(r"^(?:the|an?) ", "", phrase.strip()) if WORD.search(phrase) else None


def kind_asked_for(question: str) -> str | None:
    """Returns the entity type that a question wants listed, None if it names no type.

    >>> kind_asked_for("Which companies are mentioned?")
    'organization'
    """
    for kind, words in KINDS.items():
        if re.search(rf"\b(?:{words})\b", question, re.IGNORECASE):
            return kind
    return None


def asks_for_speakers(question: str) -> bool:
    """Tells whether a question is about those who speak in the documents."""
    return SPEAKERS.search(question) is not None


def compares_names(question: str) -> bool:
    """Tells whether a question compares names. It is about these, and quotations on each help."""
    compares = form_of(question) == "comparison" or SIDES.search(question) is not None
    return compares and len(compared_names(question)) > 1


def compared_names(question: str) -> list[str]:
    """Returns the names that a question compares, without those of what they are compared in.

    >>> compared_names("How do Ada and Ben differ in what they think of AI?")
    ['Ada', 'Ben']
    """
    names = [name for name, _ in names_in(question)]
    theme = r"\b(?:of|about|on|in|for|at|towards?) (?:the )?"
    return [name for name in names if not re.search(theme + re.escape(name), question)]


def asks_which_guests(question: str) -> bool:
    """Tells whether a question asks which speakers are something.

    >>> asks_which_guests("Which guests are writers?"), asks_which_guests("What do guests say?")
    (True, False)
    """
    return WHICH_SPEAKERS.search(question) is not None


def describes_person(question: str) -> bool:
    """Tells whether a question describes a person: "the founder of Shopify".

    >>> describes_person("What does the woman who founded Coursera say?")
    True
    """
    return DESCRIBED.search(question) is not None


@lru_cache(100)
def asks_what_says(question: str) -> str | None:
    """Returns the name of whom a question asks to be quoted, None if it asks for no one's words.

    >>> asks_what_says("What does Lisa Su say about chiplets?")
    'Lisa Su'
    >>> asks_what_says("Where did Lisa Su grow up?")
    """
    for name, _ in names_in(question):
        said = re.escape(name)
        forms = rf"\b(?:do|does|did) {said} (?:\w+ )?{SAYS}\b|\baccording to {said}\b"
        if re.search(forms, question):
            return name
    return None


@lru_cache(100)
def names_in(question: str) -> Sequence[tuple[str, frozenset[str]]]:
    """Returns each name in a question, and its words in lower case and in their base forms.

    A name is a row of words that begin with a capital, or has dots (will.i.am). In German no rows
    are found, because all nouns have a capital there.
    """
    words = list(WORD.finditer(question))
    dotted = [(found[0], frozenset({found[0].lower()})) for found in DOTTED.finditer(question)]
    if language_of(question, (word[0] for word in words)) == "de":
        return ()
    names: list[list[str]] = [[]]
    for number, word in enumerate(words):
        name = without_possessive(word[0])
        capital = name[:1].isupper() and name.lower() not in ABOUT
        if capital and (number > 0 or not is_ordinary(name.lower())):
            names[-1].append(name)
        elif names[-1]:
            names.append([])
    return dotted + [
        (" ".join(name), frozenset().union(*(base_words(part) | {part.lower()} for part in name)))
        for name in names
        if name
    ]
