"""Replies in JSON, by the name of the schema: each as much as a test or a benchmark needs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from tests.support.fake_endpoint import answers
from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.invented import know
from tests.support.fake_endpoint.judging import judge, judge_support, misjudge
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.words import digest, sentences, shorten

NOBODY = "What is said of Nobody Atall?"
"""A question on an entity that is not there."""
COLLECTION = "Stories and conversations about people and what they care for."
TOPICS = ("Christmas", "ghosts", "money", "intelligence", "science", "people", "London", "work")
PAIR = re.compile(r"^Pair (\d+)\nA: (.+?) \| .*\nB: (.+?) \| .*$", re.MULTILINE)
NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
FORM = re.compile(r"One JSON object and nothing else\b[^{\n]*(\{.*)")


def schema_of(chat: Chat) -> str:
    """The name of the schema that a request names, or that its prompt shows."""
    for mark, name in PROMPTS.items():
        if mark in chat.prompt:
            return name
    named = chat.response_format.get("json_schema", {}).get("name", "")
    form = FORM.search(chat.prompt)
    shown = (name for name, (field, _) in SCHEMAS.items() if form and f'"{field}":' in form[1])
    return str(named or next(shown, ""))


def write_json(schema: str, chat: Chat, options: Options) -> object:
    """A value of the schema; of one that nobody knows, a text."""
    if schema in JUDGES:
        malformed = misjudge(chat, options)
        return JUDGES[schema](chat, options) if malformed is None else malformed
    _, write = SCHEMAS.get(schema, ("", summary))
    return write(chat)


def summary(chat: Chat) -> object:
    """A text."""
    return {"text": summarize(chat.texts or (chat.prompt,), chat.max_tokens)}


def summarize(texts: Iterable[str], max_tokens: int | None) -> str:
    """The beginnings of what the texts say, each heard, in a hundred words at most."""
    given = list(dict.fromkeys(sentence for text in texts for sentence in sentences(text)))
    words = min(100, (max_tokens or 1000) // 2)
    each = max(5, words // max(1, len(given)))
    return shorten(" ".join(shorten(line, each) for line in given), words)


def _summaries(chat: Chat) -> object:
    """A description of each thing, as it would be if this thing were asked about alone."""
    limit = (chat.max_tokens or 1000) // max(1, len(chat.texts))
    told = [summarize((text,), limit) for text in chat.texts]
    return {"descriptions": [{"thing": n, "description": t} for n, t in enumerate(told, start=1)]}


def _reports(chat: Chat) -> object:
    """A report on each community, as it would be if this community were asked about alone."""
    alone = [answers.write_report(replace(chat, texts=(text,))) for text in chat.texts]
    return {"reports": [{"community": n, **report} for n, report in enumerate(alone, start=1)]}


def _compare(chat: Chat) -> object:
    """Names are the same where they differ in an initial only, else it is unsure."""
    found = []
    for number, one, other in PAIR.findall(chat.text):
        words = one.casefold().split(), other.casefold().split()
        same = len(words[0]) == len(words[1]) and all(
            a == b or f"{b[0]}." == a or f"{a[0]}." == b for a, b in zip(*words, strict=True)
        )
        verdict = "same" if same else "unsure"
        found.append({"pair": int(number), "verdict": verdict, "reason": verdict.title()})
    return {"pairs": found}


def _profile(chat: Chat) -> object:
    """A domain of the names that most passages have; the language is always English."""
    known = Counter(one.name for text in chat.texts for one in know(text).entities)
    names = [name for name, _ in known.most_common(2)]
    return {
        "domain": f"texts that tell of {' and '.join(names)}",
        "language": "English",
        "persona": f"a reader who knows {names[0] if names else 'nothing'} well",
        "reason": "These names come again and again.",
        "passages": [1],
    }


def _entity_types(chat: Chat) -> object:
    """The types of the entities in the passages, with their names."""
    names: dict[str, dict[str, int]] = {}
    for number, text in enumerate(chat.texts, start=1):
        for one in know(text).entities:
            names.setdefault(one.type, {}).setdefault(one.name, number)
    types = []
    for kind, found in names.items():
        definition = f"Whatever the texts show to be a {kind}, and nothing else."
        shown, passages = list(found)[:6], sorted({*list(found.values())[:6]})
        about = {"name": kind, "definition": definition, "names": shown, "passages": passages}
        types.append(about)
    predicates = [{"predicate": "Works For", "definition": "One is paid by the other."}]
    return {"types": types, "predicates": [*predicates, {"predicate": "knows, and likes"}]}


def _suggest(chat: Chat) -> object:
    """Questions with words of the reports, and questions on entities."""
    reports = chat.text.partition("# Entities")[0].partition("# Reports")[2]
    words = list(dict.fromkeys(re.findall(r"[A-Z]\w{3,}", reports)))[:4]
    whole = [f"How does all that is told of {word} hang together?" for word in words]
    return {"whole": whole, "particular": _on_entities(chat)}


def _compute(chat: Chat) -> object:
    """Those of the first that is named whose first number is above the number of the question."""
    name, key = re.findall(r"^- \*\*(.+)\*\*: (?:.*?, )?(\w+) \(number", chat.prompt, re.MULTILINE)[
        0
    ]
    most = re.findall(r"\d+", chat.texts[-1])
    where = [{"property": key, "operator": ">", "value": int(n)} for n in most]
    rest: dict[str, object] = {"function": "list", "property": None, "predicates": [], "most": None}
    return {"over": name if most else None, "conditions": where, **rest}


def _on_entities(chat: Chat) -> list[str]:
    listed = re.findall(r"^- (.+) \([^()]*\): ", chat.text.partition("# Entities")[2], re.MULTILINE)
    return [NOBODY, *(f"What more is said of {name}?" for name in listed[:4])]


def _numbers(chat: Chat) -> range:
    """As many numbers as the prompt asks for."""
    found = re.search(r"\d+", chat.prompt)
    return range(1, int(found[0]) + 1 if found else 2)


def _personas(chat: Chat) -> object:
    return {"personas": [f"a reader of kind {n}, who wants to learn" for n in _numbers(chat)]}


def _tasks(chat: Chat) -> object:
    return {"tasks": [f"compare theme {n} for {chat.texts[1]}" for n in _numbers(chat)]}


def _questions(chat: Chat) -> object:
    """Questions that depend on the persona and the task. The first one is always the same."""
    own = int(digest(repr(chat.texts[1:]).encode())[:6], 16)
    asked = ["What themes come back again and again?"]
    for n in (own + n for n in _numbers(chat)[1:]):
        topic = TOPICS[n % len(TOPICS)]
        asked.append(f"What is said about {topic} in part {n} of all that is told?")
    return {"questions": asked}


def _of_sentences(field: str, answer: Callable[[str], dict[str, Any]], chat: Chat) -> object:
    """What is said of each sentence that the text numbers."""
    numbered = NUMBERED.findall(chat.text)
    return {field: [{"number": int(number), **answer(text)} for number, text in numbered]}


def _select(text: str) -> dict[str, Any]:
    """A question and an opinion state nothing that can be checked."""
    none = "I think" in text or text.endswith("?")
    return {"verdict": "none" if none else "keep", "text": ""}


def _resolve(text: str) -> dict[str, Any]:
    """A sentence that begins with "It" has more than one meaning."""
    return {"verdict": "ambiguous" if text.startswith("It ") else "clear", "text": ""}


def _decompose(text: str) -> dict[str, Any]:
    """What ", and " joins is a claim each; "Lie here" gets one that nobody made."""
    parts = [f"{part.strip().rstrip('.')}." for part in text.split(", and ")]
    return {"claims": parts + ["Zarathustra said so in 1885."] * ("Lie here" in text)}


JUDGES = {"judged_answers": judge, "sentence_support": judge_support}
SCHEMAS: dict[str, tuple[str, Callable[[Chat], object]]] = {
    "community_reports": ("reports", _reports),
    "community_report": ("findings", answers.write_report),
    "summaries": ("descriptions", _summaries),
    "judged_answers": ("winner", summary),
    "sentence_support": ("support", summary),
    "selected_sentences": ("selected", partial(_of_sentences, "selected", _select)),
    "resolved_sentences": ("resolved", partial(_of_sentences, "resolved", _resolve)),
    "sentence_claims": ("decomposed", partial(_of_sentences, "decomposed", _decompose)),
    "name_pairs": ("pairs", _compare),
    "points": ("points", answers.weigh),
    "relevant_reports": ("relevant", answers.rate),
    "primer": ("follow_ups", answers.prime),
    "collection_profile": ("persona", _profile),
    "entity_types": ("types", _entity_types),
    "suggested_questions": ("particular", _suggest),
    "next_questions": ("next", lambda chat: {"next": _on_entities(chat)}),
    "computation": ("over", _compute),
    "self_contained_question": ("question", answers.rewrite),
    "rated_answer": ("answer", answers.weigh_whole),
    "collection_description": ("description", lambda _: {"description": COLLECTION}),
    "evaluation_personas": ("personas", _personas),
    "evaluation_tasks": ("tasks", _tasks),
    "evaluation_questions": ("questions", _questions),
}
"""The field that a prompt shows where a request names no schema, and who replies."""
PROMPTS: dict[str, str] = {}
"""Words of prompts that show their form otherwise, and a name for it; a benchmark adds some."""
