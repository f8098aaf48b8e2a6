"""Recognises sentences that are no content: greetings, thanks, farewells, credits, licences.

    "Thank you so much for joining us today."   "That is all the time that we have."

The patterns are for English. What repeats across documents is no content either, but only the
graph knows that.
"""

from functools import lru_cache

import regex

from graphrag_neo4j.nlp.sentences import Passage
from graphrag_neo4j.text import flat

__all__ = ["introduces", "is_formula", "is_licence", "is_noise", "noise_in"]

SHORT = 12  # words; a longer sentence is content although it begins with a greeting or thanks
FORMULA = regex.compile(
    r"\b(?:see|talk to) you (?:all )?(?:next|soon|later|in (?:19|20)\d\d)\b"
    r"|\b(?:stay tuned|stick around|tuning in|tune in)\b"
    r"|\b(?:e-?mail|write to|contact|message|follow) us (?:at|on|any)|\bsend us (?:a|your|an)\b"
    r"|\bplease (?:do )?(?:subscribe|rate|review|e-?mail)\b|\byour favou?rite podcast platform\b"
    r"|\b(?:check|find) (?:out )?(?:us|our (?:full )?(?:video|episodes?|videos))\b"
    r"|\bthat(?:[’']s| is| does it)? (?:all|it|about it) (?:the time |of the time )?"
    r"(?:that )?(?:for (?:today|now|this|our|the (?:show|episode))|we have)\b"
    r"|\ball the time (?:that )?we have\b|\bI(?:[’']m| am) your (?:co-?)?host\b"
    r"|\bwelcome (?:back )?to (?:(?:the|this|our) (?:show|podcast|program|episode)|behind)\b"
    r"|\bwelcome (?:back )?to another (?:show|episode|edition)\b|^welcome\b.{0,40}$"
    r"|\b(?:so,? )?join (?:me|us) (?:to|today|next|again|as|for)\b"
    r"|\bin this (?:podcast|episode),? we\b"
    r"|^(?:so,? |and |well,? )*that was \p{Lu}[\p{L}’'-]+ (?-i:\p{Lu})"
    r"|\bthat was \p{Lu}[\p{L}.’'-]+ (?:\p{Lu}[\p{L}.’'-]+ )*"
    r"(?:speaking|talking|chatting|in conversation|and|with)\b"
    r"|\bhere(?:[’']s| is) (?:an? |my |our |the |\p{Lu}\p{L}+[’']s )(?:[\p{L}’'-]+ ){0,3}?"
    r"(?:conversation|excerpt|clip|interview|chat|snippet)\b"
    r"|\bone of (?:them|those) was with \p{Lu}|\blet[’']s (?:listen|hear|get into|jump)\b"
    r"|\b(?:thank you|thanks)(?: you)?(?: so much| very much| a lot| again)*,?"
    r"(?: [\p{L}.’'-]+){0,5}? for (?:joining|being|coming|listening|tuning|having|taking|sharing|"
    r"spending|your time|doing this|chatting|watching)\b"
    r"|\b(?:thank you|thanks) (?:so much |again |very much )*to \p{Lu}[^.]{0,60} for\b"
    r"|\b(?:great|thrilled|delighted|pleasure|glad|happy|excited|honou?r\w*|fun) "
    r"(?:to (?:be|have you|see you)|having you|being) (?:here|on|with us|today)\b"
    r"|\bfor (?:having|joining) (?:me|us)\b|\b(?:coming|next) up,"
    r"|\b(?:after|take) a (?:short|quick) break\b|\bwe(?:[’']ll| will) be right back\b"
    r"|\b(?:on|in) (?:our|the|this) (?:previous|next|last|latest|upcoming) (?:show|episode)\b",
    regex.I,
)
OPENING = regex.compile(
    r"^(?:(?:yeah|yes|well|okay|ok|so|and|alright|all right|oh|no|absolutely|awesome|great),? )*"
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?|thank you|my pleasure|"
    r"(?:good)?bye)\b",
    regex.I,
)
PAGE = regex.compile(
    r"^(?:page|p\.?|episode|ep\.?|chapter)?[\s\-–#.]*\d+(?:\s*(?:of|/)\s*\d+)?\W*$"
    r"|^(?:end|transcript|\[?end of transcript\]?|\(end\)|contents|guests?:.{0,120})\W*$"
    r"|^\.{1,2}/",  # the path of a file, as the header of its pages
    regex.I,
)
INTRODUCTION = regex.compile(
    r"\b(?:exciting|special|amazing|incredible|great|wonderful) (?:\w+ )?guests?\b"
    r"|\b(?:our|my|today[’']s) (?:\w+ )?guests?\b|\bwe have (?:an? )?(?:\w+ ){0,3}guests?\b"
    r"|\b(?:we|I)(?:[’']m|[’']re| am| are) (?:joined|here with|talking (?:to|with)|chatting with)\b"
    r"|^(?-i:\p{Lu})\S+(?: (?-i:\p{Lu})\S+){0,2} (?:is|was|has (?:served|been)) (?:as )?"
    r"(?:an?|the|one of)\b.{0,60}\b(?:co-?founder|founder|CEO|CTO|chief|professor|author|director|"
    r"president|inventor|engineer|entrepreneur|scientist|writer|researcher|astronaut|host)\b"
    r"|\bto introduce (?:our|my|you)\b|\b(?:pleasure|honou?r) of (?:working|talking|speaking)\b",
    regex.I,
)
LICENCE = regex.compile(
    r"\bproject gutenberg|\bgutenberg(?:™|-tm)|\ball rights reserved\b|\bpermitted by (?:the )?"
    r"applicable law|\b(?:warrant(?:y|ies)|liab(?:le|ility)) .{0,80}\b(?:merchantab|damages)"
    r"|\bterms of (?:this|the|use) ?(?:agreement|licen[cs]e)?\b.{0,80}\b(?:licen[cs]e|agreement|"
    r"electronic)|\bwithout (?:warranty|warranties) of any kind|\b(?:copyright|trademark) "
    r"(?:law|holder|owner|licen[cs]e)|\bfull licen[cs]e\b|\blicen[cs]ed under the\b"
    r"|\belectronic works?\b.{0,120}\b(?:licen[cs]e|distribut|cop(?:y|ies)|refund|trademark)",
    regex.I | regex.S,
)
# The lines of Project Gutenberg before and after the text of a book.
BEGINS = regex.compile(r"\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*")
ENDS = regex.compile(r"\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG|^Full licen[cs]e\b", regex.M)
LICENSED = 0.3  # a chunk with more than this share of sentences of a licence is one as a whole
WORDS = regex.compile(r"[\p{L}\p{N}]+(?:['’][\p{L}]+)*")


@lru_cache(50_000)
def is_formula(text: str) -> bool:
    """Tells whether a sentence is a greeting, thanks, a farewell, a credit or a page header."""
    greets = OPENING.match(text) is not None and len(WORDS.findall(text)) <= SHORT
    return greets or _is_set_phrase(text)


@lru_cache(50_000)
def introduces(text: str) -> bool:
    """Tells whether a sentence introduces a guest. It says who that is, and little else.

    >>> introduces("Today we have a super exciting guest with us, Mira Murati.")
    True
    """
    return INTRODUCTION.search(text) is not None


@lru_cache(50_000)
def is_licence(text: str) -> bool:
    """Tells whether a sentence is a part of a licence or of a legal notice."""
    return LICENCE.search(text) is not None


def is_noise(text: str) -> bool:
    """Tells whether a sentence on one line is no content: a formula or a part of a licence."""
    return is_formula(text) or is_licence(text)


def noise_in(passage: Passage) -> frozenset[int]:
    """Returns the numbers of the sentences of a chunk that are no content."""
    text, sentences = passage.text, passage.sentences
    begun, ended = BEGINS.search(text), ENDS.search(text)
    first, last = begun.end() if begun else 0, ended.start() if ended else len(text)
    outside = {n for n, one in enumerate(sentences) if not first <= one.start < last}
    licensed = {n for n, one in enumerate(sentences) if is_licence(flat(one.text))}
    if len(licensed - outside) > LICENSED * (len(sentences) - len(outside)):
        return frozenset(range(len(sentences)))
    # A greeting may name somebody: "Thanks, Kevin."
    formulas = {n for n, one in enumerate(sentences) if _is_set_phrase(flat(one.text))}
    return frozenset(outside | licensed | formulas)


def _is_set_phrase(text: str) -> bool:
    return PAGE.match(text) is not None or FORMULA.search(text) is not None
