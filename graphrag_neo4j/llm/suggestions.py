"""LLM tasks that suggest questions: on a whole collection, and after an answer."""

from collections.abc import Sequence

from graphrag_neo4j.context.citations import rewrite
from graphrag_neo4j.context.suggestion_material import DraftQuestion, SuggestionMaterial
from graphrag_neo4j.llm.copied_instructions import Instructions
from graphrag_neo4j.llm.prompts import Prompt, marked
from graphrag_neo4j.llm.schemas import NextQuestionsSchema, QuestionsSchema
from graphrag_neo4j.llm.structured_output import read_json
from graphrag_neo4j.model import LLMTask, Message, Request
from graphrag_neo4j.text import excerpt, fold, storable

__all__ = ["next_questions", "questions_on"]

REPLY_TOKENS = 1500
LONGEST = 240  # characters of a question
ANSWER = 4000  # characters of an answer that the model is shown
DESCRIPTION = 160  # characters of a description
SUMMARY = 500  # characters of a summary
FINDING = 160  # characters of a finding


def questions_on(
    prompt: Prompt, material: SuggestionMaterial, n: int, language: str
) -> LLMTask[Sequence[DraftQuestion]]:
    """Returns about `n` questions on the whole and as many on particular entities.

    Raises ReplyError if the reply can't be used.
    """
    shown = "\n\n".join(["# Reports", *_reports(material), "# Entities", *_entities(material)])
    request = _request(prompt, shown, n, language)
    found = yield from read_json(request, QuestionsSchema)
    copies = Instructions(prompt.text)
    drafts = [DraftQuestion(text, whole=True) for text in _usable(found.whole, copies, shown)]
    particular = _usable(found.particular, copies, shown)
    return drafts + [DraftQuestion(text, whole=False) for text in particular]


def next_questions(
    prompt: Prompt, material: SuggestionMaterial, n: int
) -> LLMTask[Sequence[DraftQuestion]]:
    """Returns about `n` questions that follow on an answer. Raises ReplyError as above."""
    asked = "\n".join(f"- {excerpt(text, LONGEST)}" for text in material.asked)
    answer = excerpt(rewrite(material.answer, lambda *_: None), ANSWER)
    parts = ["# Questions so far", asked, "# Answer", answer, "# Entities", *_entities(material)]
    shown = "\n\n".join(parts)
    found = yield from read_json(_request(prompt, shown, n, ""), NextQuestionsSchema)
    texts = _usable(found.next, Instructions(prompt.text), shown)
    return [DraftQuestion(text, whole=False) for text in texts]


def _request(prompt: Prompt, shown: str, n: int, language: str) -> Request:
    values = {"n": str(n), "language": language, "context_data": marked(storable(shown)[0])}
    return Request("rating", (Message("user", prompt.fill(values)),), REPLY_TOKENS)


def _reports(material: SuggestionMaterial) -> list[str]:
    return [
        "\n".join(
            [
                excerpt(one.title, LONGEST),
                excerpt(rewrite(one.summary, lambda *_: None), SUMMARY),
                *(f"- {excerpt(finding, FINDING)}" for finding in one.findings),
            ]
        )
        for one in material.reports
    ]


def _entities(material: SuggestionMaterial) -> list[str]:
    lines = [
        f"- {one.name} ({one.type or 'entity'}): {excerpt(one.description, DESCRIPTION)}"
        for one in material.topics
    ]
    return ["\n".join(lines)]


def _usable(texts: Sequence[str], copies: Instructions, shown: str) -> list[str]:
    """Returns the questions that are questions: short, and not the words of the prompt."""
    folded = [fold(text) for text in texts]
    return [
        text
        for text in dict.fromkeys(folded)
        if 0 < len(text) <= LONGEST and not copies.are_copied_in(text, shown)
    ]
