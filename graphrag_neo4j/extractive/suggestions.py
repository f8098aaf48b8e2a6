"""Makes questions by rules, in forms that answers of quotations suit.

"What does David Baker say about protein design?"   "Who is Lisa Su?"   "What is said about MIT?"
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from graphrag_neo4j.model.material import DraftQuestion, SuggestionMaterial, Topic
from graphrag_neo4j.text import name_key
from graphrag_neo4j.text.key_phrases import PERSON
from graphrag_neo4j.text.languages import language_of
from graphrag_neo4j.text.sentence_ranking import content_words
from graphrag_neo4j.text.sentences import WORD, read_passage, written

__all__ = ["rule_questions"]

THEMES = "What are the main themes?"
# Questions in other languages than English: only the form that is answered by the words alone.
ABOUT = {
    "en": "What is said about {}?",
    "de": "Was wird über {} gesagt?",
    "fr": "Que dit-on de {} ?",
    "es": "¿Qué se dice de {}?",
    "zh": "关于{}说了什么？",
}
TELLING = 8  # words of a sentence that says something
OFTEN = 2  # such sentences of a speaker about a topic


def rule_questions(material: SuggestionMaterial) -> Sequence[DraftQuestion]:
    """Returns questions, each in another form than the one before if possible.

    They are more than will be asked, because some may have no answer.
    """
    texts = [text for topic in material.topics for _, text in topic.passages][:20]
    words = [found[0].lower() for text in texts for found in WORD.finditer(text)]
    language = language_of("".join(texts), words)
    if language != "en":
        form = ABOUT.get(language, "{}?")
        return [
            DraftQuestion(form.format(one.name), whole=False, about=(one.id,))
            for one in material.topics
        ]
    themes = [] if material.asked else [DraftQuestion(THEMES, whole=True)]
    return [*themes, *_varied(material)]


def _varied(material: SuggestionMaterial) -> Iterator[DraftQuestion]:
    """Yields one question for each topic, in the form that was used least so far."""
    used: Counter[str] = Counter()
    pairs = dict(material.pairs)
    for topic in material.topics:
        if not content_words(topic.name):  # "It Is"
            continue
        forms = {"about": ABOUT["en"].format(topic.name)}
        if topic.type == PERSON:
            forms["who"] = f"Who is {topic.name}?"
        elif speaker := _speaker_on(topic):
            forms["says"] = f"What does {speaker} say about {topic.name}?"
        if other := pairs.get(topic.name):
            forms["related"] = f"How are {topic.name} and {other} related?"
        form = min(reversed(forms), key=lambda form: used[form])  # "about" is the last resort
        used[form] += 1
        yield DraftQuestion(forms[form], whole=False, about=(topic.id,))


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
    return best if best and said[best] >= OFTEN else None
