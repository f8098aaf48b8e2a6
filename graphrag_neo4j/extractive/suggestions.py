"""Makes questions by rules, in forms that answers of quotations and counts suit.

"What does David Baker say about protein design?"   who says it, and in which words
"Which documents mention MIT?"                      a count from the graph
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graphrag_neo4j.context.material import DraftQuestion, SuggestionMaterial, Topic
from graphrag_neo4j.nlp.entity_types import CONCEPT
from graphrag_neo4j.nlp.languages import is_stop_word, language_of
from graphrag_neo4j.nlp.sentences import WORD, read_passage
from graphrag_neo4j.text import name_key

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
PERSON = "person"
HOSTING = 3  # whoever speaks in more than one of this many documents is a host
TELLING = 8  # words of a sentence that says something
OFTEN = 2  # sentences of a speaker about a topic
MANY = 3  # speakers, or documents


@dataclass(frozen=True, slots=True)
class _Said:
    """How many telling sentences each guest says about a topic, and the form of its name there."""

    sentences: Mapping[str, int]
    name: str


def rule_questions(material: SuggestionMaterial) -> Sequence[DraftQuestion]:
    """Returns questions, each in another form than the one before if possible.

    They are more than will be asked, because some may have no answer.
    """
    texts = [text for topic in material.topics for _, text in topic.passages]
    words = [found[0].lower() for text in texts[:20] for found in WORD.finditer(text)]
    language = language_of("".join(texts[:20]), words)
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
    hosts = _hosts(material)
    said = {one.name: _said(one, hosts) for one in material.topics}
    related = _related(material)
    for topic in material.topics:
        if topic.name in hosts or _says_little(topic, material.topics):
            continue
        forms = dict(_forms(topic, said, related))
        form = min(forms, key=lambda form: used[form])  # the first of those used least
        used[form] += 1
        yield replace(forms[form], about=(topic.id,))


def _forms(
    topic: Topic, said: Mapping[str, _Said], related: Mapping[str, str]
) -> Iterator[tuple[str, DraftQuestion]]:
    """Yields the questions on a topic that are worth asking, by their form, the best first."""
    own = said[topic.name]
    name = own.name
    speakers = [one for one, n in own.sentences.items() if n >= OFTEN]
    if speakers and topic.type != PERSON:
        best = max(speakers, key=lambda one: (own.sentences[one], one))
        yield "says", DraftQuestion(f"What does {best} say about {name}?", whole=False)
    if topic.type == PERSON:
        yield "who", DraftQuestion(f"Who is {topic.name}?", whole=False)
    if len(own.sentences) >= MANY:
        yield "guests", DraftQuestion(f"What do the guests say about {name}?", whole=True)
    if other := related.get(topic.name):
        pair = f"How are {name} and {said[other].name} related?"
        yield "related", DraftQuestion(pair, whole=False)
    if topic.documents >= MANY:
        mentions = f"Which documents mention {topic.name}?"
        yield "documents", DraftQuestion(mentions, whole=True)
    yield "about", DraftQuestion(ABOUT["en"].format(name), whole=False)


def _related(material: SuggestionMaterial) -> dict[str, str]:
    """Returns the first related topic of each topic; each topic is in one pair only."""
    topics = material.topics
    known = {one.name for one in topics if not _says_little(one, topics)}
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for one, other in material.pairs:
        if {one, other} <= known and not taken & {one, other}:
            pairs[one] = other
            taken |= {one, other}
    return pairs


def _hosts(material: SuggestionMaterial) -> set[str]:
    """Returns those who speak in many of the documents."""
    documents: defaultdict[str, set[str]] = defaultdict(set)
    for topic in material.topics:
        for source, text in topic.passages:
            for speaker in read_passage(text).speakers:
                documents[_spoken(speaker)].add(source)
    most = max(1.0, material.documents / HOSTING)
    return {name for name, sources in documents.items() if len(sources) > most}


def _said(topic: Topic, hosts: set[str]) -> _Said:
    """Counts the sentences of each guest that say something about a topic."""
    sentences: Counter[str] = Counter()
    key = name_key(topic.name)
    for _, text in topic.passages:
        for sentence in read_passage(text).sentences:
            speaker = _spoken(sentence.speaker or "")
            telling = len(sentence.words) >= TELLING and key in name_key(sentence.text)
            if telling and speaker and speaker not in hosts and " " in speaker:
                sentences[speaker] += 1
    return _Said(sentences, _as_said(topic))


def _as_said(topic: Topic) -> str:
    """Returns the name of a topic as a sentence has it: a key phrase in the plural, or with "the".

    The form that the passages have most often is taken.
    """
    name = topic.name
    if topic.type != CONCEPT or not name.islower():
        return name
    text = " ".join(passage for _, passage in topic.passages).lower()
    bare = re.escape(name)
    forms = {
        name: rf"(?<!\bthe )(?<!\ba )(?<!\ban )\b{bare}\b",
        f"{name}s": rf"\b{bare}s\b",
        f"the {name}": rf"\bthe {bare}\b",
    }
    counts = {form: len(re.findall(pattern, text)) for form, pattern in forms.items()}
    return max(counts, key=lambda form: counts[form])


def _spoken(tag: str) -> str:
    """Returns the name in a speaker tag as a sentence would write it."""
    name = " ".join(tag.split())
    return name.title() if name.isupper() else name


def _says_little(topic: Topic, topics: Sequence[Topic]) -> bool:
    """Tells whether a name consists of stop words, or seems to be a part of a person's name.

    "It Is" says nothing, and Ben is most likely Ben Bloomberg.
    """
    name = topic.name
    words = [found[0].lower() for found in WORD.finditer(name)]
    if all(is_stop_word(word, "en") for word in words):
        return True
    longer = (one.name.split() for one in topics if one.name != name)
    if name.istitle() and any(name in parts for parts in longer):
        return True
    return topic.type == CONCEPT and name.istitle() and len(words) == 1
