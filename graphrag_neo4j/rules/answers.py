"""Makes answers of quotations: ranks sentences, tells where each stands, groups them by community.

Sentences are ranked by vectors and by words, and the two rankings are fused by reciprocal ranks
(Cormack and others 2009). A draft takes the best ones; when it is known where they stand, they are
ranked again, with the words of their speaker and of their document's title, and by the sentence
encoder where the graph's vectors are its own. Maximal marginal relevance (Carbonell and Goldstein
1998) selects different ones. A question about the whole is answered by the communities that come in
the most documents.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from graphrag_neo4j.documents.metadata import date_in
from graphrag_neo4j.model.citations import CitationRef, bracket, cited, rewrite
from graphrag_neo4j.model.context import ContextRecord
from graphrag_neo4j.model.quotation import (
    Composed,
    Draft,
    DraftedQuotation,
    Provenance,
    Verified,
)
from graphrag_neo4j.model.types import Point
from graphrag_neo4j.rules.asking import ASKS_LIST, ASKS_NOW, ASKS_TIME, ASKS_WHEN, asks_to_count
from graphrag_neo4j.rules.ranking import (
    alike,
    base_words,
    content_words,
    is_on_whole,
    language_read,
    names_in,
    quality,
    subject_words,
)
from graphrag_neo4j.text.languages import ABOUT, FORMAL, TIMES, base_form, is_stop_word
from graphrag_neo4j.text.sentences import ENDED, WORD, Sentence, read_passage
from graphrag_neo4j.text.strings import find_quote, flat, legible, shortened
from graphrag_neo4j.vectors.static import matrix_of

LONGEST_QUOTE = 460  # characters of a sentence that is quoted
WIDE = 360  # characters of a quotation with the sentences after it
REPLY = 600  # characters of a question with its reply
LEAST = 2  # words of a quotation that are no stop words
CITED = 3  # records that are cited for one sentence
TITLE = 80  # characters of a title
DRAFTED = 80  # best sentences whose places are looked up
QUOTATIONS = 5  # in an answer
MANY = 6  # relationships: more of them are lines of a list
SCREEN = 40  # lines of 100 characters that a list takes at most
THEMES = 5  # in an answer to a question about the whole
REPEATED = 3  # a sentence whose beginning stands in this many documents is boilerplate
ENOUGH = 0.5  # share of the question's words, weighted by their rarity, that an answer holds
AROUND_SHARE = 0.4  # what a word counts that only the text around a sentence holds
# The smallest cosine, by static vectors, of a sentence that answers without the question's words:
# that of "They bought fast cars." to "vehicle" is 0.46.
NEAR = 0.45
RELEVANCE = 0.7  # lambda of maximal marginal relevance: 1 is only relevance, 0 only diversity
RANK = 60  # the constant of reciprocal rank fusion
WELL_SAID = 0.02  # what a point of a sentence's quality counts
# Headings in Markdown and entries of a table of contents; notices of licences.
CONTENTS = re.compile(r"^#{1,6} |\.{4,}|(?:\. ){3,}|…\s*\d+$")
LICENCE = re.compile(r"\b(?:all rights reserved|licen[cs]ed under|copyright)\b|©", re.IGNORECASE)
LICENCE_ASKED = re.compile(r"licen[cs]|copyright|rights", re.IGNORECASE)
ITEM = "- "
REPORT_HEADING = re.compile(r"\*\*(.+)\*\* \[Data: Reports \((\d+)\)\]")
CLOSED = re.compile(r"(?<!\S)(#{1,6}) (.*?) \1(?: |$)")  # a heading in a report on one line
BROKEN = (",", ";", "–", "—")  # the end of a clause before a sentence, which is a half then
COMMON_NOUN = re.compile(r"\b(?:the|all|which|what) ([a-z]{4,})", re.IGNORECASE)
DASHES = "-–—"  # at the beginning of what goes on after an interruption
UNFINISHED = re.compile(r"[,;:–—-][\"”’]*$")
IS = re.compile(
    r" (?:is|was|are|were|ist|sind|war|waren|est|était|sont|étaient|es|son|era|fue|eran|è|sono|fu|"
    r"é|são|foi|zijn|är|var|er|jest|są|był|była|—|–)(?!\w)"
)
# A sentence that refers to the one before it.
REFERRING = re.compile(
    r"(?:It|He|She|They|This|These|That|Those|Er|Sie|Es|Dies\w*|Il|Elle|Ils|Elles|Cela|Él|Ella|Esto|"
    r"Ellos|Ellas|Lui|Lei|Questo|Ele|Ela|Isso|Hij|Zij|Он|Она|Оно|Они|Это)(?!\w)"
)
QUESTION_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence with its record and the citations for it."""

    text: str
    record: ContextRecord
    citations: tuple[CitationRef, ...]

    @property
    def line(self) -> str:
        """The sentence with its citations, as an item of a list."""
        return f"{ITEM}{self.text} {bracket(self.citations)}"

    @property
    def drafted(self) -> DraftedQuotation:
        """The sentence as its place is looked up."""
        return DraftedQuotation(self.text, self.citations)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quotation at its place: characters [start, end) of a document.

    `at` is None where the place is not known: the text then stands in no chunk, for example because
    a model wrote it.
    """

    quote: Quote
    text: str
    at: Provenance | None = None
    start: int = 0
    end: int = 0

    @property
    def by_model(self) -> bool:
        """Whether it is no passage and stands in none: then a model has written it."""
        return self.at is None and self.quote.record.kind != "Sources"

    @property
    def speaker(self) -> str | None:
        """Who says it; None if nobody is named."""
        return self.at.speaker_at(self.end - 1) if self.at else None

    @property
    def date(self) -> str:
        """The date of the heading above it, or else of its document; "" if there is none."""
        if self.at is None:
            return ""
        return date_in(self.at.part_at(self.start), self.at.date[:4]) or self.at.date

    @property
    def place(self) -> str:
        """Who says it and where it stands, with its date; "" where it stands in no chunk."""
        told = self.at.place_of(self.start, self.end) if self.at else ""
        if not self.at or not self.date or date_in(told, self.date[:4]):
            return told
        return self.at.place_of(self.start, self.end, self.date)

    @property
    def known(self) -> Words:
        """The base words of its speaker, of its document's title and of the heading above it."""
        if self.at is None:
            return frozenset()
        return _parts(f"{self.at.title} {self.at.part_at(self.start)} {self.speaker or ''}")

    @property
    def lines(self) -> str:
        """The quotation with a citation; below it, who says it and where it stands."""
        if self.at is None:
            return self.quote.line
        own: CitationRef = ("Sources", self.at.chunk)
        cites = [own] if own in self.quote.citations else self.quote.citations[:1]
        return f"{ITEM}{self.text} {bracket(cites)}\n  {self.place}"

    @property
    def in_a_line(self) -> str:
        """The sentence with a citation and where it stands, as a line of a list."""
        first, _, place = self.lines.partition("\n  ")
        return f"{first} · {place}" if place else first

    def repeats(self, other: "Quoted") -> bool:
        """Returns whether both stand at one place, or of one date one is a part of the other."""
        same = self.at and other.at and self.at.document == other.at.document
        at_once = same and self.start < other.end and other.start < self.end
        held = self.text in other.text or other.text in self.text
        return bool(at_once) or (held and self.date == other.date)

    def overlaps(self, other: "Quoted") -> bool:
        """Returns whether both stand at the same place, or say about the same."""
        return self.repeats(other) or alike(self.text, other.text)


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A question: the base words of its subject, those of them in no name, its names and language.

    `whole` says whether it is about all documents: it has no subject, but a word such as "theme".
    To count what has no subject ("How many guests are there?"), no sentence helps.
    `wants_list` and `wants_time` say whether it asks for a list, and for times or their order;
    `wants_date` whether a sentence with a date answers it, and `wants_newest` whether it is about
    the present: "Who is the chair now?" `common` says that its subject is a word that is a stop
    word elsewhere: "Who are the members?"
    """

    words: Words
    topic: Words
    names: tuple[str, ...]
    whole: bool
    language: str = "en"
    wants_list: bool = False
    wants_time: bool = False
    wants_date: bool = False
    wants_newest: bool = False
    common: bool = False

    def words_of(self, text: str) -> Words:
        """Returns the words of a sentence that may be those of the question."""
        words = _words(text, self.language)
        return words | _common_words(text) if self.common else words

    @property
    def numbers(self) -> Words:
        """Its words with digits, such as the number of a rule."""
        return frozenset(word for word in self.words if any(map(str.isdigit, word)))

    def exact_in(self, said: Sequence[Words]) -> Words:
        """Returns the words that a sentence of an answer should have itself, if one of `said` does.

        These are the numbers of the question, or else the rarest one of its acronyms.
        """
        acronyms = self.words & frozenset[str]().union(*map(_acronyms, self.names))
        often = Counter(word for words in said for word in acronyms & words)
        return self.numbers or frozenset(sorted(often, key=lambda one: (often[one], one))[:1])

    def suits(self, text: str, words: Words) -> bool:
        """Returns whether a sentence with these words is of the kind that is asked for.

        It has a date, or begins by saying what something is.
        """
        if self.words.isdisjoint(words):
            return False
        if self.wants_date:
            return any(map(self._is_time, re.findall(r"\w+", text)))
        name = next((one for one in self.names if text.startswith(f"{one} ")), None)
        return bool(name and not self.topic and IS.match(text, len(name)))

    def _is_time(self, word: str) -> bool:
        """Returns whether a word has a digit, or is a month or a day: "may" is none."""
        named = word.lower() in TIMES and not is_stop_word(word, self.language)
        return named or any(map(str.isdigit, word))

    @classmethod
    def of(cls, question: str) -> "AskedWords":
        language = language_read(question)
        if is_on_whole(question):
            return cls(frozenset(), frozenset(), (), True, language)
        present = ASKS_NOW.search(question) is not None
        question = ASKS_NOW.sub("", question)
        words, names = subject_words(question) | _acronyms(question), names_in(question)
        common = frozenset[str]()
        if language == "en" and not (words or names):
            common = _common_words(" ".join(COMMON_NOUN.findall(question))) - ABOUT - FORMAL
            words = common
        topic = words - frozenset[str]().union(*map(_parts, names))
        asked = base_words(question, language).union(re.findall(r"\w+", question.lower()))
        about_all = bool(ABOUT & asked) and not asks_to_count(question)
        wants = [form.search(question) is not None for form in (ASKS_LIST, ASKS_TIME, ASKS_WHEN)]
        wants += [present, bool(common)]
        return cls(words, topic, names, not words and about_all, language, *wants)


@dataclass(frozen=True, slots=True)
class Ranked:
    """How near a text is to the question.

    `similarity` is its cosine; `covered` is the share of the question's words that it holds, from
    0 to 1, in which rare words count more; `score` is the fused score.
    """

    similarity: float
    covered: float
    score: float


def quotes_of(records: Iterable[ContextRecord]) -> list[Quote]:
    """Returns the whole sentences of records, each once."""
    return _once(quote for record in records for quote in _quotes(record))


def _once(quotes: Iterable[Quote]) -> list[Quote]:
    """Joins equal sentences with their citations."""
    found: dict[str, Quote] = {}
    for one in quotes:
        first = found.setdefault(one.text, one)
        # All citations of the first record are kept, because its chunk is the last of them.
        room = max(CITED, len(first.citations))
        citations = tuple(dict.fromkeys([*first.citations, *one.citations]))[:room]
        found[one.text] = replace(first, citations=citations)
    return list(found.values())


def _quotes(record: ContextRecord) -> Iterator[Quote]:
    own: tuple[CitationRef, ...] = ((record.kind, record.ref),)
    if record.kind != "Reports":
        for text in record.pieces or (record.text.rpartition(" | ")[2],):
            yield from (Quote(one, record, own) for one in _sentences(text))
        return
    # A report that lists the members of a community has the form "name: description".
    names = tuple(f"{name}: " for name in title_of(record).split(", "))
    for piece in record.pieces or (record.text,):
        for part in re.split(r"(?<=\])\s*", CLOSED.sub("\n\n", piece)):
            text = rewrite(part, lambda *_: None).strip()
            name = next((name for name in names if text.startswith(name)), "")
            for one in _sentences(text.removeprefix(name)):
                yield Quote(one, record, tuple(cited(part)) or own)


def title_of(record: ContextRecord) -> str:
    """Returns the title of a report, or the name or the beginning of another record."""
    if found := CLOSED.match(record.text):
        return found[2]
    return shortened(record.text.split(" | ")[0].partition(":")[0], TITLE, len)


@lru_cache(20_000)
def _sentences(text: str) -> tuple[str, ...]:
    """Returns the whole sentences of a text, each on one line."""
    small = text == text.lower()
    return tuple(
        flat(one.text)
        for one in read_passage(text).sentences
        if len(one.text) <= LONGEST_QUOTE and _is_whole(one, text, small=small)
    )


def _is_whole(sentence: Sentence, text: str, *, small: bool) -> bool:
    """Returns whether a sentence has its beginning and its end: a mark, or the end of its line.

    `small` texts are written without capital letters.
    """
    begun = sentence.text[0] not in DASHES and (small or not sentence.text[0].islower())
    if not begun or UNFINISHED.search(sentence.text):
        return False
    before, after = text[: sentence.start].rstrip(" "), text[sentence.end :].lstrip(" ")
    ended = ENDED.search(sentence.text) is not None or after[:1] in ("", "\n")
    return ended and not before.endswith(BROKEN)


def ranked(
    asked: AskedWords,
    texts: Sequence[str],
    known: Sequence[Words] = (),
    around: Sequence[Words] = (),
    similarities: Sequence[float] = (),
) -> list[Ranked]:
    """Rates how near texts are to a question.

    `known` holds the words of the speaker and the title of each text, which count for the topic of
    the question, and `around` those of what stands around it. Without `similarities` the cosines of
    static vectors are taken.
    """
    said, nothing = (
        [asked.words_of(text) for text in texts],
        [frozenset[str]()] * len(texts),
    )
    often = Counter(word for words in said for word in words)
    rare = {word: math.log(1 + len(texts) / (1 + often[word])) for word in sorted(asked.words)}

    def share(wanted: Words, words: Words, beside: Words) -> float:
        """Returns the share of the wanted words that is held, in which rare words count more."""
        total = math.fsum(rare[word] for word in wanted) or 1
        near = math.fsum(rare[word] for word in (wanted & beside) - words)
        return (math.fsum(rare[word] for word in wanted & words) + AROUND_SHARE * near) / total

    of_all = [share(asked.words, words, frozenset()) for words in said]
    of_topic = [
        share(asked.topic, words | more, beside)
        for words, more, beside in zip(said, known or nothing, around or nothing, strict=True)
    ]
    if not similarities and texts:
        target, *vectors = matrix_of([" ".join(sorted(asked.words)), *texts])
        similarities = [float(vector @ target) for vector in vectors]
    nearness = [*zip(similarities, of_all, of_topic, strict=True)]
    rankings = [_reciprocal_ranks(values) for values in (similarities, of_all, of_topic)]
    return [
        Ranked(
            values[0],
            max(values[1:]),
            sum(ranks[value] for ranks, value in zip(rankings, values, strict=True)) / len(values)
            + WELL_SAID * quality(text),
        )
        for values, text in zip(nearness, texts, strict=True)
    ]


def _reciprocal_ranks(values: Iterable[float]) -> Mapping[float, float]:
    """Maps each value to the reciprocal of its rank, 1 for the largest one."""
    found: dict[float, float] = {}
    for rank, value in enumerate(sorted(values, reverse=True)):
        found.setdefault(value, (RANK + 1) / (RANK + 1 + rank))
    return found


def is_near(asked: AskedWords, one: Ranked, near: float = NEAR) -> bool:
    """Returns whether a text so ranked answers: by enough words of the question, or by meaning."""
    return bool(asked.words) and (one.covered >= ENOUGH or one.similarity >= near)


@lru_cache(50_000)
def _words(text: str, language: str) -> Words:
    """Returns the base words of a text, also those in the language of the question.

    The language of one sentence is a guess: "met" and "in" are also Dutch. Acronyms are words in
    any language.
    """
    words = base_words(text) | _acronyms(text)
    return words if language_read(text) == language else words | base_words(text, language)


@lru_cache(20_000)
def _common_words(text: str) -> Words:
    """Returns the base forms of all words of an English text, also of stop words."""
    return frozenset(base_form(found[0].lower(), "en") for found in WORD.finditer(text))


def _acronyms(text: str) -> Words:
    return frozenset(found[0].lower() for found in QUESTION_ACRONYM.finditer(text))


def draft_of_records(question: str, records: Iterable[ContextRecord]) -> Draft:
    """Drafts an answer from the sentences of the records of a context."""
    asked = AskedWords.of(question)
    records = list(records)
    best = _best(asked, _prose(question, quotes_of(records)))
    if asked.wants_newest:
        best = _at_all_places(best, records)

    def compose(found: Verified) -> Composed:
        quoted = _quoted(asked, best, found)
        if asked.wants_newest:  # of a sentence that is repeated, the newest place counts
            last = {one.quote.text: one for one in sorted(quoted, key=lambda one: one.date)}
            quoted = [last[text] for text in dict.fromkeys(one.quote.text for one in quoted)]
        if asked.whole or (found.period and asked.words <= _titled(quoted)):
            answering = _different(quoted, len(quoted), ())
        else:
            answering = _selected(asked, [one for one in quoted if not one.by_model], found)
        told = _told(asked, quoted, found)
        shown, more = _shown(asked, answering, found)
        if asked.wants_list:
            return Composed("\n".join(one.in_a_line for one in [*told, *shown]), more)
        return Composed("\n\n".join(one.lines for one in [*told, *shown]), more)

    return Draft(compose, [one.drafted for one in best])


def _at_all_places(best: Iterable[Quote], records: Iterable[ContextRecord]) -> list[Quote]:
    """Returns the best sentences, each as often as chunks hold it."""
    held = defaultdict[str, list[Quote]](list)
    for record in records:
        for one in _quotes(record) if record.kind == "Sources" else ():
            held[one.text].append(one)
    return [place for one in best for place in held.get(one.text, [one])]


def draft_of_relationships(records: Iterable[ContextRecord], said: str, each: int) -> Draft:
    """Drafts an answer of the first `each` statements of every relationship, below `said`."""
    asked = AskedWords.of("")
    quotes = [one for record in records for one in quotes_of([record])[:each]]

    def compose(found: Verified) -> Composed:
        answering = _quoted(asked, quotes, found)
        shown = answering if found.whole else _on_a_screen(answering)
        above = [said] if said else []
        if len(shown) > MANY:
            text = "\n".join([*above, *(one.in_a_line for one in shown)])
        else:
            text = "\n\n".join([*above, *(one.lines for one in shown)])
        return Composed(text, len(answering) - len(shown))

    return Draft(compose, [one.drafted for one in quotes])


def _on_a_screen(quoted: Sequence[Quoted]) -> list[Quoted]:
    """Returns the first quotations, as many as a screen has room for in lines."""
    heights = accumulate(1 + len(one.in_a_line) // 100 for one in quoted)
    return list(quoted[: sum(height <= SCREEN for height in heights)])


def _told(asked: AskedWords, quoted: Sequence[Quoted], found: Verified) -> list[Quoted]:
    """Returns what a model has written that answers: a description's sentence and a report's.

    Of one that the question asks no more than what it is, the description begins the answer.
    """
    first: dict[str, Quoted] = {}
    written = [one for one in quoted if one.by_model]
    for one in written:
        record = one.quote.record
        if _describes_named(asked, record) and not _asked_of(asked, record):
            # Each piece is a statement, and may repeat another.
            opening = _opening(quotes_of([replace(record, pieces=record.pieces[:1])]))
            return [Quoted(opening, opening.text)]
    answering = _selected(asked, [one for one in written if _tells_more(asked, one)], found)
    for one in sorted(answering, key=lambda one: not _describes_named(asked, one.quote.record)):
        first.setdefault(one.quote.record.kind, one)
    return [first[kind] for kind in ("Entities", "Reports") if kind in first]


def _asked_of(asked: AskedWords, record: ContextRecord) -> Words:
    """Returns the words of the question that are not the name of the entity."""
    return asked.words - _parts(title_of(record))


def _tells_more(asked: AskedWords, one: Quoted) -> bool:
    """Returns whether a sentence tells more of the question than the name of what it describes."""
    record = one.quote.record
    own = asked.words_of(one.text)
    return record.kind != "Entities" or bool(_asked_of(asked, record) & own)


def _describes_named(asked: AskedWords, record: ContextRecord) -> bool:
    """Returns whether a record describes an entity that the question names."""
    name = _parts(title_of(record)) if record.kind == "Entities" else frozenset[str]()
    return any(_parts(one) == name for one in asked.names)


def _opening(quotes: Sequence[Quote]) -> Quote:
    """Returns the first sentences of a record that cite the same, as far as WIDE has room."""
    first, *others = quotes
    for one in others:
        if one.citations != first.citations or len(f"{first.text} {one.text}") > WIDE:
            break
        first = replace(first, text=f"{first.text} {one.text}")
    return first


def _prose(question: str, quotes: Iterable[Quote]) -> list[Quote]:
    """Returns the sentences that are no heading, no entry of a table of contents, no notice.

    Notices of licences stay where the question is about licences.
    """
    licences = LICENCE_ASKED.search(question)
    return [
        one
        for one in quotes
        if not CONTENTS.search(one.text) and (licences or not LICENCE.search(one.text))
    ]


def _titled(quoted: Sequence[Quoted]) -> Words:
    """Returns the words in the names or titles of all documents: they narrow nothing down."""
    names = {f"{one.at.name} {one.at.title}" for one in quoted if one.at}
    return frozenset.intersection(*map(_parts, names)) if names else frozenset()


def _shown(
    asked: AskedWords, answering: Sequence[Quoted], found: Verified
) -> tuple[list[Quoted], int]:
    """Returns the quotations of an answer, and how many more would answer as well.

    Lines of a list, or of a history, may be alike: "Ada was elected", "Grace was elected". Both are
    in the order of their dates, if all have one; of the present, the newest is the first.
    """
    if found.whole:
        shown = list(answering)
    elif asked.wants_list or asked.wants_time or asked.wants_newest:
        screen = asked.wants_list and not asked.wants_newest
        shown = _on_a_screen(answering) if screen else list(answering[:QUOTATIONS])
    else:
        shown = _different(answering, QUOTATIONS, ())
    in_time = asked.wants_list or asked.wants_time or found.period is not None
    if asked.wants_newest:
        shown.sort(key=lambda one: one.date, reverse=True)
    elif in_time and all(one.date for one in shown):
        shown.sort(key=lambda one: (one.date, one.start))
    return shown, len(answering) - len(shown)


def _best(asked: AskedWords, quotes: Sequence[Quote]) -> list[Quote]:
    """Returns the sentences whose places are looked up.

    Those of the nearest chunks and reports come first, those of the descriptions of what is named,
    and those with the exact words.
    """
    if asked.whole or not asked.words:
        return list(quotes[:DRAFTED]) if asked.whole else []
    by_record: dict[str, float] = {}
    for kind in ("Sources", "Reports"):
        ids = dict.fromkeys(one.record.id for one in quotes if one.record.kind == kind)
        by_record |= {id_: (RANK + 1) / (RANK + 1 + n) / 2 for n, id_ in enumerate(ids)}
    by_record |= {one.record.id: 1.0 for one in quotes if _describes_named(asked, one.record)}
    texts = [one.text for one in quotes]
    said = [asked.words_of(text) for text in texts]
    exact = asked.exact_in(said)
    scores = {
        one.text: found.score
        + by_record.get(one.record.id, 0.0)
        + bool(exact & words)
        + asked.suits(one.text, words)
        for one, found, words in zip(quotes, ranked(asked, texts), said, strict=True)
    }
    return sorted(quotes, key=lambda one: (-scores[one.text], one.text))[:DRAFTED]


def _quoted(asked: AskedWords, quotes: Iterable[Quote], found: Verified) -> list[Quoted]:
    """Returns the quotations at their places, without halves and without what is repeated.

    A sentence with a number of the question may be repeated ("PEP 8 was discussed."), and so may
    what holds at present ("Ada is the chair."). Those of another time than the question's are left
    out, unless all are.
    """
    places = ((one, found.provenance.get(one.drafted)) for one in quotes)
    quoted = (
        _at(one, at, 0 if asked.wants_list else WIDE) if at else Quoted(one, one.text)
        for one, at in places
        if at is None
        or at.documents < REPEATED
        or asked.wants_newest
        or asked.numbers & asked.words_of(one.text)
    )
    whole = [one for one in quoted if one]
    period = found.period
    return [one for one in whole if period and period.holds(one.date)] or whole


def _at(quote: Quote, at: Provenance, wide: int = WIDE) -> Quoted | None:
    """Returns a quotation with the sentences after it, None if it isn't a whole sentence there.

    These are those of the same speaker and paragraph, as far as `wide` characters have room. A
    question is quoted with its reply, and with nothing else.
    """
    passage = at.sentences
    start, end = find_quote(quote.text, at.text) or (0, 0)
    numbers = [n for n, one in enumerate(passage.sentences) if one.start < end and start < one.end]
    if not numbers:
        return None
    sentences, first, last = passage.sentences, numbers[0], numbers[-1]
    while first and REFERRING.match(sentences[first].text) and passage.adjoins(first - 1):
        if sentences[last].end - sentences[first - 1].start > wide:
            break
        first -= 1
    start, whole = sentences[first].start, last
    while last + 1 < len(sentences):
        asks = sentences[last].text.endswith("?")
        if not (asks or passage.adjoins(last)):
            break
        last += 1
        if sentences[last].end - start > (REPLY if asks else wide):
            break
        if ENDED.search(sentences[last].text) and not sentences[last].text.endswith("?"):
            whole = last
    end = sentences[whole].end
    part = replace(sentences[first], text=at.text[start:end])
    small = at.text == at.text.lower()
    if part.text.endswith("?") or not _is_whole(part, at.text, small=small):
        return None
    if len(content_words(part.text)) < LEAST or _is_heading(at, at.start + start, part.text):
        return None
    return Quoted(quote, flat(legible(part.text)), at, at.start + start, at.start + end)


def _is_heading(at: Provenance, start: int, text: str) -> bool:
    """Returns whether a text is the title of its document, its first line or a heading."""
    heading = start in at.part_starts and at.part_at(start).endswith(text)
    first = start == 0 and len(text) < len(at.text.strip()) and not ENDED.search(text)
    return heading or first or flat(text) == flat(at.title)


def _selected(asked: AskedWords, quoted: Sequence[Quoted], found: Verified) -> list[Quoted]:
    """Returns the quotations that answer, the best first, by maximal marginal relevance.

    Each of them, its speaker, chunk or title has one of the question's names, and itself one of the
    exact words if any has.
    """
    if not quoted:
        return []
    said = [f"{one.speaker}: {one.text}" if one.speaker else one.text for one in quoted]
    around = [asked.words_of(one.at.text) if one.at else frozenset[str]() for one in quoted]
    texts, known = [one.text for one in quoted], [one.known for one in quoted]
    scored = ranked(asked, texts, known, around, found.similar(said) if found.similar else ())
    near, left = found.meant if found.similar else NEAR, list[int]()
    for n, one in enumerate(quoted):
        words = _parts(one.at.text if one.at else one.text) | known[n]
        named = not asked.names or any(_parts(name) & words for name in asked.names)
        if named and is_near(asked, scored[n], near):
            left.append(n)
    own = [asked.words_of(text) for text in texts]
    exact = asked.exact_in([own[n] for n in left])
    left = [n for n in left if exact & own[n]] or left
    score = {n: scored[n].score + asked.suits(quoted[n].quote.text, own[n]) for n in left}
    left.sort(key=lambda n: (-score[n], texts[n]))
    vectors = matrix_of(texts)
    # Statements on the present are alike: "Ada is the chair", "Grace is the chair".
    relevance = 1.0 if asked.wants_newest else RELEVANCE
    best: list[int] = []
    while left:
        scores = {
            n: relevance * score[n]
            - (1 - relevance) * max((float(vectors[n] @ vectors[m]) for m in best), default=0.0)
            for n in left
        }
        first = max(left, key=scores.__getitem__)
        left.remove(first)
        if not any(quoted[first].repeats(quoted[m]) for m in best):
            best.append(first)
    return [quoted[n] for n in best]


@lru_cache(10_000)
def _parts(text: str) -> Words:
    """Returns the base words of a text, also those between hyphens and underscores."""
    parts = re.sub(r"[-_./]+", " ", text).lower()
    return (
        base_words(parts)
        | base_words(text.lower())
        | frozenset(parts.split())
        | _common_words(parts)
    )


def _different(quoted: Iterable[Quoted], most: int, used: Iterable[Quoted]) -> list[Quoted]:
    """Returns the first quotations that are not like others or like those in `used`."""
    taken, best = list(used), list[Quoted]()
    for one in quoted:
        if len(best) < most and not any(one.overlaps(other) for other in taken):
            best.append(one)
            taken.append(one)
    return best


@dataclass(frozen=True, slots=True)
class _Theme:
    """A report with its sentences. `title` is "", and `ref` None, for a record of another kind."""

    title: str
    ref: int | None
    quotes: Sequence[Quote]

    @classmethod
    def of(cls, point: Point) -> "_Theme":
        """Reads a point in the form of `point_text`."""
        title, ref, record = "", None, ContextRecord("Sources", 0, "", "")
        quotes = []
        for line in point.description.splitlines():
            if found := REPORT_HEADING.fullmatch(line):
                title, ref = found[1], int(found[2])
                record = ContextRecord("Reports", ref, "", title)
            elif line.startswith(ITEM):
                text = rewrite(line, lambda *_: None).removeprefix(ITEM).strip()
                quotes.append(Quote(text, record, tuple(cited(line))))
        return cls(title, ref, quotes)

    def holds(self, one: Quoted) -> bool:
        """Returns whether a quotation is one of the report's."""
        return any(quote.text == one.quote.text for quote in self.quotes)

    def section(self, quoted: Sequence[Quoted], found: Verified) -> str:
        """Returns quotations under the title, with the number of documents in which it comes."""
        lines = [one.lines for one in quoted]
        if self.ref is None:
            return "\n\n".join(lines)
        reach = found.reach.get(self.ref) if found.documents > 1 else None
        told = f", in {reach.documents:,} of {found.documents:,} documents" if reach else ""
        return "\n".join([f"**{self.title}**{told} {bracket([('Reports', self.ref)])}", *lines])


def point_text(record: ContextRecord, quotes: Iterable[Quote]) -> str:
    """Returns the sentences of a record as a point says them, under the title of a report."""
    lines = [one.line for one in quotes]
    if record.kind == "Reports":
        lines.insert(0, f"**{title_of(record)}** {bracket([(record.kind, record.ref)])}")
    return "\n".join(lines)


def draft_of_points(question: str, points: Iterable[Point]) -> Draft:
    """Drafts an answer from points in the form of `point_text`, grouped by their reports."""
    asked, themes = AskedWords.of(question), [_Theme.of(point) for point in points]
    refs = [theme.ref for theme in themes if theme.ref is not None]
    quotes = _once(quote for theme in themes for quote in theme.quotes)
    best = _best(asked, _prose(question, quotes))

    def compose(found: Verified) -> Composed:
        quoted = _quoted(asked, best, found)
        if asked.whole:
            return Composed("\n\n".join(_widest(themes, quoted, found)))
        groups: dict[int, list[Quoted]] = {}
        shown, more = _shown(asked, _selected(asked, quoted, found), found)
        for one in shown:
            number = next(n for n, theme in enumerate(themes) if theme.holds(one))
            groups.setdefault(number, []).append(one)
        sections = (themes[n].section(some, found) for n, some in groups.items())
        return Composed("\n\n".join(sections), more)

    return Draft(compose, [one.drafted for one in best], refs)


def _widest(themes: Sequence[_Theme], quoted: Sequence[Quoted], found: Verified) -> Iterator[str]:
    """Yields the themes that come in the most documents, each with one quotation.

    This is the first one with most words of the title; of a report that a model has written, it is
    the summary, with which that begins. Where the graph says nothing on the themes, all their
    quotations are taken.
    """

    def width(theme: _Theme) -> tuple[int, int]:
        reach = found.reach.get(theme.ref) if theme.ref is not None else None
        return (-reach.documents, -reach.members) if reach else (0, 0)

    used: list[Quoted] = []
    for theme in sorted(themes, key=width):
        if len(used) >= THEMES:
            return
        title = base_words(theme.title)
        own = [one for one in quoted if theme.holds(one)]
        own.sort(key=lambda one: -len(title & base_words(one.text)))
        best = _different(own, 1 if found.reach else len(own), used)
        if best and best[0].by_model:
            summary = _opening(theme.quotes)
            best = [Quoted(summary, summary.text)]
        if best:
            used += best
            yield theme.section(best, found)
