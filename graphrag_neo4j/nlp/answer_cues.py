"""Recognises sentences in the form that a question asks for.

    "Why did she leave?"      a sentence with a reason: "I left because I wanted to build."
    "Where did she grow up?"  a sentence with a place:  "I grew up in Albania."

To expect a type of answer is an old help of question answering (Li and Roth, Learning Question
Classifiers, 2002). The cues are for English.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import regex

__all__ = ["NAMED_BY", "cue_asked_for", "shows"]


def _any(*patterns: str) -> regex.Pattern[str]:
    return regex.compile("|".join(patterns), regex.I)


ADVICE = _any(
    r"\byou (?:should|shouldn[’']t|(?:have|need|want|ought) to|can (?:always|never|just))\b",
    r"\b(?:my|one piece of|the) advice (?:is|would be|to|I)\b|\bbe sure\b|\btry to\b",
    r"\bI(?:[’']d| would|[’']ll| always| often| usually) (?:\w+ )?"
    r"(?:say|tell|advise|encourage|recommend|suggest)\b",
    r"\bdon[’']t (?:be|let|do|try|worry|ever|just|give|wait|think)\b",
    r"\bif you(?:[’']re| are| want)\b",
    r"^(?:so,? |and |but |just |well,? )*(?:learn|go|find|do|take|be|try|keep|work|follow|ask|read|"
    r"build|start|stay|surround|look|get|pick|give|never|always|think|figure|talk|listen)\b",
    r"\bthe (?:most important|best|main|number one) thing\b|\bfind (?:your|something|what)\b",
)
REASON = _any(
    r"\bbecause\b|\bso that\b|\bin order to\b|\breasons?\b|\bthat(?:[’']s| is| was) why\b",
    r"\b(?:wanted|decided|hoped|needed|tried|trying) to\b|\bmotivat|\binspir|\bbeliev",
    r"\breali[sz]ed\b|\bthe (?:idea|problem|purpose|point) (?:was|is|of)\b",
    r"\b(?:goal|mission|thought)\b",
)
PLACE = _any(r"\b(?:in|from|near|outside)(?: the)? (?:\w+ )?(?-i:\p{Lu})\p{L}")
TIME = _any(
    r"\b(?:1[5-9]|20)\d\d\b|\b\d0s\b",
    r"\b(?:years?|months?|weeks?|decades?) (?:ago|old|later|before)\b|\bwhen I was\b",
    r"\bin (?:high school|middle school|college)\b|\bat the age\b",
    r"\b(?-i:January|February|March|April|May|June|July|August|September|October|November|"
    r"December) \d",
)
NUMBER = _any(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
    r"hundreds?|thousands?|millions?|billions?|dozens?|half|double|twice)\b"
)
BEGINNING = _any(
    r"\b(?:first|began|begun|start(?:ed|ing)?|became|ended up|grew up|introduced)\b",
    r"\bgot (?:into|in|interested|my|an?)\b|\bwhen I was\b|\bas a kid\b|\byears (?:old|later)\b",
    r"\b(?:high|middle|grad\w*) school\b|\bcollege\b|\bwent to\b",
)
CHANGE = _any(
    r"\b(?:now|today|used to|back then|originally|at first|over time|no longer|any ?more)\b",
    r"\b(?:chang|evolv)\w+\b|\b(?:became|grew|grown|went from|since|started)\b",
)
DEFINITION = _any(
    r"\b(?:is|are|was|were|means|called|stands for) (?:really |basically |essentially |just )?"
    r"(?:an?|the|about|this|one|when|how|like)\b"
)
# What a question holds, and what a sentence holds that answers it. The first that fits counts.
CUES: Final[Mapping[str, tuple[regex.Pattern[str], regex.Pattern[str]]]] = {
    "advice": (
        _any(
            r"\badvi[cs]e|\brecommend|\btips?\b|\bsuggestions?\b|\blessons?\b",
            r"\bshould (?:I|we|you|one|people|parents|students|someone|an? \w+|young \w+)\b",
            r"\bhow (?:can|should|do) (?:I|we|you|one|people|someone)\b",
        ),
        ADVICE,
    ),
    "reason": (
        _any(r"\bwhy\b|\breasons?\b|\bwhat (?:made|motivated|inspired|drove|led)\b"),
        REASON,
    ),
    "place": (_any(r"\bwhere\b|\b(?:which|what) (?:place|city|country|town|state)\b"), PLACE),
    "time": (
        _any(
            r"\bwhen (?:did|was|were|do|does|is|will)\b", r"\bwhat year\b|\bhow (?:long ago|old)\b"
        ),
        TIME,
    ),
    "number": (_any(r"\bhow (?:many|much|long|far|big|large|fast|often|tall|high)\b"), NUMBER),
    "beginning": (_any(r"\bhow did .+ (?:start|begin|come|get|become|end up|find)\b"), BEGINNING),
    "change": (_any(r"\bhow (?:has|have|did) .+ chang|\bevolv"), CHANGE),
    "definition": (
        _any(r"^what (?:is|are|was|were) (?:an? |the )?[\w-]+(?: [\w-]+)?\?*$"),
        DEFINITION,
    ),
}


# Words that name what is asked for. A sentence that advises rarely says "advice".
NAMED_BY: Final[Mapping[str, frozenset[str]]] = {
    "advice": frozenset({"advice", "advise", "recommend", "tip", "suggestion", "lesson"}),
    "reason": frozenset({"reason"}),
}


@lru_cache(100)
def cue_asked_for(question: str) -> str | None:
    """Returns the name of the cue that a question asks for, None if it asks for no known one.

    >>> cue_asked_for("Why did she leave?"), cue_asked_for("What does she say of music?")
    ('reason', None)
    """
    fitting = (name for name, (asked, _) in CUES.items() if asked.search(question.strip()))
    return next(fitting, None)


@lru_cache(50_000)
def shows(text: str, cue: str) -> bool:
    """Tells whether a text holds what a question for this cue asks for.

    >>> shows("I grew up in Albania.", "place"), shows("I was a child.", "place")
    (True, False)
    """
    return CUES[cue][1].search(text) is not None
