"""Personas, tasks and questions for an evaluation: as many as the prompt asks for."""

import re
from collections.abc import Mapping

from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.dice import digest

__all__ = ["describe", "personas", "questions", "tasks"]

NUMBER = re.compile(r"\d+")
TOPICS = ("Christmas", "ghosts", "money", "intelligence", "science", "people", "London", "work")


def describe(_chat: Chat) -> object:
    """One description for every collection."""
    return {"description": "Stories and conversations about people and what they care for."}


def personas(chat: Chat) -> object:
    """Personas that differ by a number."""
    return {"personas": [f"a reader of kind {n}, who wants to learn" for n in _numbers(chat)]}


def tasks(chat: Chat) -> object:
    """Tasks that name the persona."""
    return {"tasks": [f"compare theme {n} for {chat.texts[1]}" for n in _numbers(chat)]}


def questions(chat: Chat) -> object:
    """Questions that depend on the persona and the task. The first one is always the same."""
    own = [
        _question(int(digest(repr(chat.texts[1:]).encode())[:6], 16) + n) for n in _numbers(chat)
    ]
    return {"questions": ["What themes come back again and again?", *own[1:]]}


def _question(n: int) -> str:
    topic = TOPICS[n % len(TOPICS)]
    return f"What is said about {topic} in part {n} of all that is told?"


def _numbers(chat: Chat) -> Mapping[int, None]:
    found = NUMBER.search(chat.prompt)
    return dict.fromkeys(range(1, int(found[0]) + 1 if found else 2))
