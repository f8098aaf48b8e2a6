"""What a collection is about, and the types of its entities: from the passages of the prompt."""

from collections import Counter

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.invented import invent

__all__ = ["entity_types", "profile"]

NAMED = 6


def profile(chat: Chat) -> object:
    """A domain of the names that most passages have; the language is always English."""
    known = Counter(one.name for text in chat.texts for one in invent(text).entities)
    names = [name for name, _ in known.most_common(2)]
    return {
        "domain": f"texts that tell of {' and '.join(names)}",
        "language": "English",
        "persona": f"a reader who knows {names[0] if names else 'nothing'} well",
        "reason": "These names come again and again.",
        "passages": [1],
    }


def entity_types(chat: Chat) -> object:
    """The types of the entities in the passages, with their names."""
    names: dict[str, dict[str, int]] = {}
    for number, text in enumerate(chat.texts, start=1):
        for one in invent(text).entities:
            names.setdefault(one.type, {}).setdefault(one.name, number)
    return {
        "types": [
            {
                "name": kind,
                "definition": f"Whatever the texts show to be a {kind}, and nothing else.",
                "names": list(found)[:NAMED],
                "passages": sorted(set(list(found.values())[:NAMED])),
            }
            for kind, found in names.items()
        ]
    }
