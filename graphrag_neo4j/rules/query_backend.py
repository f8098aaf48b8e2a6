"""The extractive query backend: it answers with sentences of the context, quoted and cited."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import mode

from graphrag_neo4j.model.citations import cited
from graphrag_neo4j.model.computation import Computation, KnownProperty
from graphrag_neo4j.model.context import ContextRecord, ContextTable
from graphrag_neo4j.model.material import DraftQuestion, SuggestionMaterial, Topic
from graphrag_neo4j.model.types import ComposedTask, LLMTask, Message, Point, Primer
from graphrag_neo4j.rules.answers import (
    AskedWords,
    Quote,
    Ranked,
    draft_of_points,
    draft_of_records,
    is_near,
    point_text,
    quotes_of,
    ranked,
    title_of,
)
from graphrag_neo4j.rules.asking import type_asked
from graphrag_neo4j.rules.phrases import PERSON
from graphrag_neo4j.rules.ranking import content_words, is_global, names_in
from graphrag_neo4j.text.languages import language_of, lines_of
from graphrag_neo4j.text.sentences import WORD, Sentence, read_passage, written
from graphrag_neo4j.text.strings import name_key

PRIMED = 4  # sentences in the first answer of drift search
EACH_REPORT = 4  # sentences from one report, from which the answer selects
EACH_OF_ALL = 5  # the same for a question about the whole
SUBJECT = 4  # words of a subject that has no name
# "This" and "these" are left out: "these documents" are not the subject of the question before.
REFERS_BACK = re.compile(r"\b(it|its|they|them|their|he|him|his|she|her|hers)\b", re.IGNORECASE)


class ExtractiveQueryBackend:
    """Answers with lists of quotations."""

    @property
    def quotes(self) -> bool:
        """Always True."""
        return True

    def answer(
        self, question: str, context: ContextTable, _history: Sequence[Message]
    ) -> ComposedTask:
        """Answers with the best sentences of a context, each as one list item."""
        return ComposedTask(lambda: draft_of_records(question, context.records.values()))

    def reduce(
        self, question: str, points: Sequence[Point], _history: Sequence[Message]
    ) -> ComposedTask:
        """Answers with the best sentences of the points, under the titles of their reports."""
        return ComposedTask(lambda: draft_of_points(question, points))

    def points(self, question: str, context: ContextTable) -> LLMTask[Sequence[Point]]:
        """Returns one point for each record, with the sentences that answer the question best."""
        yield from ()
        asked = AskedWords.of(question)
        if asked.whole:
            return [*_points_of_all([*context.records.values()])]
        points = []
        for record, found in _near(asked, context):
            score = max(one.score for _, one in found)
            points.append(Point(point_text(record, [q for q, _ in found]), _helpfulness(score)))
        return points

    def rate(self, question: str, context: ContextTable) -> LLMTask[Sequence[int]]:
        """Returns the refs of the reports with a sentence that is relevant to the question."""
        yield from ()
        asked = AskedWords.of(question)
        if asked.whole:
            return [record.ref for record in context.records.values()]
        return [record.ref for record, _ in _near(asked, context)]

    def prime(self, question: str, context: ContextTable) -> LLMTask[Primer]:
        """Returns the best sentences, and follow-up questions about the names in the context.

        If no sentence is relevant, the only follow-up is the question itself. Follow-ups with the
        names would then only find texts about these names.
        """
        yield from ()
        found = [one for _, some in _near(AskedWords.of(question), context) for one in some]
        best = sorted(found, key=lambda one: (-one[1].score, one[0].text))[:PRIMED]
        if not best:
            return Primer("", 0, [question])
        names = [r.text.split(" | ")[0] for r in context.by_kind().get("Entities", [])]
        names += [title_of(record) for record in context.by_kind().get("Reports", [])]
        text = "\n".join(quote.line for quote, _ in best)
        score = _helpfulness(best[0][1].score)
        return Primer(text, score, [f"{question} {name}" for name in names[:3]])

    def self_contained(self, question: str, history: Sequence[Message]) -> LLMTask[str | None]:
        """Returns the question with the subject of an earlier one, or None if it needs none.

        A question needs one if it has a pronoun and no name. The subject is the names in the last
        question that has a subject, or its first words that tell something.
        """
        yield from ()
        if not REFERS_BACK.search(question) or names_in(question):
            return None
        asked = (one.content for one in reversed(history) if one.role == "user")
        subject = next(filter(None, map(_subject, asked)), None)
        return f"{question.rstrip(' ?.!')} ({subject})?" if subject else None

    def questions(self, material: SuggestionMaterial, _n: int) -> LLMTask[Sequence[DraftQuestion]]:
        """Returns questions that were made by rules, in forms that quotations answer."""
        yield from ()
        return rule_questions(material)

    def computation(
        self,
        _question: str,
        _known: Sequence[KnownProperty],
        _names: Sequence[str],
        _predicates: Mapping[str, Sequence[str]],
    ) -> LLMTask[Computation | None]:
        """Returns nothing: the rules have read the question."""
        yield from ()
        return None

    def contradicts(self, entity: str, one: str, other: str) -> LLMTask[bool]:
        """Returns True: the rules that found the two statements have decided."""
        del entity, one, other
        yield from ()
        return True

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """Returns whether the question has words such as "themes" or "overall", and no name.

        A list of all people, for example, is not in the reports.
        """
        yield from ()
        return is_global(question) and type_asked(question) is None


def _near(
    asked: AskedWords, context: ContextTable
) -> Iterator[tuple[ContextRecord, list[tuple[Quote, Ranked]]]]:
    """Yields the records with sentences near the question, each with the best of them."""
    quotes = quotes_of(context.records.values())
    by_record: dict[str, list[tuple[Quote, Ranked]]] = {}
    for quote, one in zip(quotes, ranked(asked, [q.text for q in quotes]), strict=True):
        if is_near(asked, one):
            by_record.setdefault(quote.record.id, []).append((quote, one))
    for record in context.records.values():
        found = by_record.get(record.id, [])
        best = sorted(found, key=lambda one: (-one[1].score, one[0].text))[:EACH_REPORT]
        if best:
            yield record, [one for one in found if one in best]


def _points_of_all(records: Sequence[ContextRecord]) -> Iterator[Point]:
    """Yields for each record a point with its first sentences; what cites more ranks higher."""
    for record in records:
        if quotes := quotes_of([record])[:EACH_OF_ALL]:
            score = _helpfulness(len(cited(record.text)) / 100)
            yield Point(point_text(record, quotes), score)


def _subject(question: str) -> str:
    words = content_words(question)
    found = re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*", question)
    telling = [word for word in found if word.lower() in words][:SUBJECT]
    return ", ".join(names_in(question)) or " ".join(telling)


def _helpfulness(score: float) -> int:
    return max(1, min(100, round(100 * score)))


QUESTIONS = {
    language: tuple(forms.split(" | "))
    for language, _, forms in (line.partition(" = ") for line in lines_of("words/questions.txt"))
}
THEME_QUESTIONS = {language: themes for language, (themes, _) in QUESTIONS.items()}
# Questions in other languages than English: only the form that is answered by the words alone. A
# name in quotation marks keeps the form it has without a case or an article.
ABOUT = {language: about for language, (_, about) in QUESTIONS.items()}
TELLING = 8  # words of a sentence that says something
READ = 3  # passages of a topic that tell its language
OFTEN_NAMED = 2  # such sentences about a topic that make a question
# Questions in English on what sentences about a topic tell, where nobody in particular says it.
TOLD = {
    "What was decided about {}?": re.compile(
        r"\b(?:accept|agree|approve|decide|defer|postpone|reject|vote)e?d\b", re.IGNORECASE
    ),
    "What has changed in {}?": re.compile(
        r"\b(?:chang|deprecat|remov|renam|replac)ed\b|\bchanges\b", re.IGNORECASE
    ),
}


def rule_questions(material: SuggestionMaterial) -> Sequence[DraftQuestion]:
    """Returns questions, each in another form than the one before if possible.

    They are more than will be asked, because some may have no answer. Last come those on what most
    documents name, on one common word, or on what hardly any sentence tells of. Each has the
    language of the question that it follows on, or else that of its topic.
    """
    asked, half = material.asked, material.documents / 2
    topics = sorted(
        material.topics,
        key=lambda one: (
            one.documents > half or _is_one_word(one) or len(_said_on(one)) < OFTEN_NAMED
        ),
    )
    if asked:
        return [*_varied(topics, [_language([*asked, material.answer])] * len(topics))]
    languages = [_language([one[1] for one in topic.passages[:READ]]) for topic in topics]
    most = "en" if 2 * languages.count("en") >= len(languages) else mode(languages)
    themes = [DraftQuestion(THEME_QUESTIONS[most], whole=True)] if most in THEME_QUESTIONS else []
    about = [*_varied(topics, languages)]
    years = material.years
    if most == "en" and len(years) > 1 and 2 * sum(years.values()) > material.documents:
        year = max(years, key=lambda one: (years[one], one))
        decided = any(one.text.startswith("What was decided") for one in about)
        text = f"What {'was decided' if decided else 'changed'} in {year}?"
        themes.append(DraftQuestion(text, whole=False))
    return [*themes, *about]


def _varied(topics: Sequence[Topic], languages: Sequence[str]) -> Iterator[DraftQuestion]:
    """Yields a question for each topic, in the form, or on the speaker, that was used least."""
    used: Counter[str] = Counter()
    for topic, language in zip(topics, languages, strict=True):
        if language != "en":
            form = ABOUT.get(language, "{}?")
            yield DraftQuestion(form.format(topic.name), whole=False, about=(topic.id,))
            continue
        said, name = _said_on(topic), _as_written(topic)
        told = {form: sum(bool(of.search(one.text)) for one in said) for form, of in TOLD.items()}
        if topic.type == PERSON:
            forms = [f"Who is {topic.name}?"]
        elif speakers := _speakers(topic, said):
            forms = [f"What does {speaker} say about {{}}?" for speaker in speakers]
        else:
            forms = [form for form, n in told.items() if n >= OFTEN_NAMED] or [ABOUT["en"]]
        if content_words(topic.name):  # not "It Is"
            form = min(forms, key=lambda form: used[form])
            used[form] += 1
            yield DraftQuestion(form.format(name), whole=False, about=(topic.id,))


def _is_one_word(topic: Topic) -> bool:
    """Returns whether the name is one common word, such as "developer"."""
    return " " not in topic.name and topic.name.islower()


def _language(texts: Sequence[str]) -> str:
    return language_of("".join(texts), (one[0] for text in texts for one in WORD.finditer(text)))


def _said_on(topic: Topic) -> list[Sentence]:
    """Returns the whole sentences that name a topic."""
    return [
        sentence
        for _, text, *_ in topic.passages
        for sentence in read_passage(text).sentences
        if len(sentence.words) >= TELLING and name_key(topic.name) in name_key(sentence.text)
    ]


def _as_written(topic: Topic) -> str:
    """Returns the name in the form that texts use most: "the mailing list", "developers"."""
    form = re.compile(rf"(?<!\w)(?:the |an? )?{re.escape(topic.name)}s?(?!\w)", re.IGNORECASE)
    found = Counter(one[0] for _, text, *_ in topic.passages for one in form.finditer(text))
    best = max(found, key=lambda one: (found[one], len(one), one), default=topic.name)
    return best[:1].lower() + best[1:] if best.lower().startswith(("the ", "a ", "an ")) else best


def _speakers(topic: Topic, said: Sequence[Sentence]) -> list[str]:
    """Returns the people who say enough about a topic, those who say most first."""
    people = {name for _, _, *names in topic.passages for name in names}
    often = Counter(written(one.speaker) for one in said if one.speaker)
    # What no name holds may be a heading with a colon.
    known = (one for one in sorted(often) if any(one in name for name in people))
    return sorted((one for one in known if often[one] >= OFTEN_NAMED), key=lambda one: -often[one])
