"""Twenty questions of a person, with what a reader would accept, on the podcast transcripts."""

import json
from typing import TypedDict

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.query.answer import Answer
from tests.support.paths import ROOT
from tests.support.quotations import folded

NOTHING = "No answer to this question was found."
OF_USE = 0.7  # share of the answerable questions whose answer a reader would accept
SCREEN = 40  # lines of WIDTH columns
WIDTH = 100
UNANSWERABLE = {"trap", "count", "list"}  # by quotations


class Asked(TypedDict):
    """A question with what a reader would accept."""

    question: str
    kind: str
    accept: list[str]
    facts: list[str]
    sample: bool


QUESTIONS: list[Asked] = [
    json.loads(line)
    for line in (ROOT / "tests/data/questions/twenty.jsonl").read_text("utf-8").splitlines()
]


async def check_questions(rag: AsyncGraphRAG, *, everything: bool) -> list[Answer]:
    """Accepted facts come, on one screen, and traps get no answer; gives the answers.

    `everything` asks all questions, and not only those that the sample answers.
    """
    asked = [one for one in QUESTIONS if one["sample"] or everything]
    answers = [await rag.query(one["question"]) for one in asked]
    texts = [(one, answer.text) for one, answer in zip(asked, answers, strict=True)]
    for one, text in texts:
        assert (text == NOTHING) or one["kind"] != "trap", one["question"]
        assert _rows(text) <= SCREEN, one["question"]
    answerable = [(one, text) for one, text in texts if one["kind"] not in UNANSWERABLE]
    missed = [one["question"] for one, text in answerable if not _is_accepted(one, text)]
    assert len(missed) <= (1 - OF_USE) * len(answerable), missed
    return answers


def _is_accepted(asked: Asked, text: str) -> bool:
    """Whether an answer holds an accepted passage, if there are some, and all facts."""
    said = folded(text)
    passages = [folded(one) for one in asked["accept"]]
    return (any(one in said for one in passages) or not passages) and all(
        folded(fact) in said for fact in asked["facts"]
    )


def _rows(text: str) -> int:
    """The lines that an answer takes on a terminal."""
    return sum(1 + max(0, len(line) - 1) // WIDTH for line in text.splitlines())
