"""The extractive query backend: it answers with sentences of the context, quoted and cited."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mode

from graphrag_neo4j.model.citations import cited
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
from graphrag_neo4j.rules.phrases import PERSON, PLACE
from graphrag_neo4j.rules.ranking import content_words, is_global, names_in
from graphrag_neo4j.text.languages import language_of, lines_of
from graphrag_neo4j.text.sentences import WORD, read_passage, written
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

    def chooses_global(self, question: str) -> LLMTask[bool]:
        """Returns whether the question has words such as "themes" or "overall", and no name."""
        yield from ()
        return is_global(question)


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
OFTEN_NAMED = 2  # such sentences of a speaker about a topic


def rule_questions(material: SuggestionMaterial) -> Sequence[DraftQuestion]:
    """Returns questions, each in another form than the one before if possible.

    They are more than will be asked, because some may have no answer. Each has the language of the
    question that it follows on, or else that of its topic.
    """
    topics, asked = material.topics, material.asked
    if asked:
        return [*_varied(material, [_language([*asked, material.answer])] * len(topics))]
    languages = [_language([text for _, text in topic.passages[:READ]]) for topic in topics]
    most = "en" if 2 * languages.count("en") >= len(languages) else mode(languages)
    themes = [DraftQuestion(THEME_QUESTIONS[most], whole=True)] if most in THEME_QUESTIONS else []
    return [*themes, *_varied(material, languages)]


def _varied(material: SuggestionMaterial, languages: Sequence[str]) -> Iterator[DraftQuestion]:
    """Yields a question for each topic, in the form, or on the speaker, that was used least."""
    used: Counter[str] = Counter()
    pairs = dict(material.pairs)
    for topic, language in zip(material.topics, languages, strict=True):
        if language != "en":
            form = ABOUT.get(language, "{}?")
            yield DraftQuestion(form.format(topic.name), whole=False, about=(topic.id,))
            continue
        forms = {}
        if topic.type == PERSON:
            forms["who"] = f"Who is {topic.name}?"
        elif speaker := _speaker_on(topic):
            forms[speaker] = f"What does {speaker} say about {topic.name}?"
        if other := pairs.get(topic.name):
            forms["related"] = f"How are {topic.name} and {other} related?"
        if not forms and topic.type != PLACE:
            forms["about"] = ABOUT["en"].format(topic.name)
        if forms and content_words(topic.name):  # not "It Is"
            form = min(reversed(forms), key=lambda form: used[form])
            used[form] += 1
            yield DraftQuestion(forms[form], whole=False, about=(topic.id,))


def _language(texts: Sequence[str]) -> str:
    return language_of("".join(texts), (one[0] for text in texts for one in WORD.finditer(text)))


def _speaker_on(topic: Topic) -> str | None:
    """Returns who says most about a topic in whole sentences, None if nobody says enough."""
    said = Counter(
        written(sentence.speaker)
        for _, text in topic.passages
        for sentence in read_passage(text).sentences
        if sentence.speaker
        and len(sentence.words) >= TELLING
        and name_key(topic.name) in name_key(sentence.text)
    )
    best = max(said, key=lambda one: (said[one], one), default=None)
    return best if best and said[best] >= OFTEN_NAMED else None
