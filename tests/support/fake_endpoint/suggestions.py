"""Questions on the reports and entities of a prompt; one is on an entity that is not there."""

import re

from tests.support.fake_endpoint.chat import Chat

__all__ = ["NOBODY", "follow", "suggest"]

NOBODY = "What is said of Nobody Atall?"
ENTITY = re.compile(r"^- (.+) \([^()]*\): ", re.MULTILINE)
WORDS = re.compile(r"[A-Z]\w{3,}")


def suggest(chat: Chat) -> object:
    """Two questions with words of the reports, and one on each of some entities."""
    reports, _, entities = chat.text.partition("# Entities")
    words = list(dict.fromkeys(WORDS.findall(reports.partition("# Reports")[2])))[:4]
    return {
        "whole": [f"How does all that is told of {word} hang together?" for word in words],
        "particular": [NOBODY, *_about(entities)[:4]],
    }


def follow(chat: Chat) -> object:
    """A question on each of some entities."""
    return {"next": [NOBODY, *_about(chat.text.partition("# Entities")[2])[:4]]}


def _about(entities: str) -> list[str]:
    return [f"What more is said of {name}?" for name in ENTITY.findall(entities)]
