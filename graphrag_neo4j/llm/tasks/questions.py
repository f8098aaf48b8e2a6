"""LLM tasks that write questions: a follow-up made self-contained, and suggestions.

"And where?" becomes "Where did Marley live?". A small model often answers the question instead of
rewriting it. Such a reply is refused.
"""

import re
from collections.abc import Generator, Sequence

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.copies import Instructions
from graphrag_neo4j.llm.prompts import Prompt, marked
from graphrag_neo4j.llm.replies.schemas import FollowUpSchema, NextQuestionsSchema, QuestionsSchema
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.model.citations import cited, neutralised, rewrite
from graphrag_neo4j.model.material import DraftQuestion, SuggestionMaterial
from graphrag_neo4j.model.types import LLMTask, Message, Reply, Request
from graphrag_neo4j.text.strings import excerpt, fold, storable

QUESTION_MARKS = frozenset("?؟;")  # the last two are those of Arabic and Greek
SENTENCE_END = re.compile(r"(?<![.!?؟])[.!?؟]++(?:\s|\Z)|。")
MOST_SENTENCES = 3  # more than the user's question has
ADDED = 300  # characters that names and places may add to a question
REPLY_TOKENS = 1500
LONGEST = 240  # characters of a question
ANSWER_CHARACTERS = 4000  # characters of an answer that the model is shown
DESCRIPTION = 160  # characters of a description
SUMMARY = 500  # characters of a summary
LIST_MARK = re.compile(r"^(?:[#>*-]+|\d{1,2}[.)])\s+")
FINDING = 160  # characters of a finding


def self_contained(request: Request, question: str) -> Generator[Request, Reply, str]:
    """Requests the question in a form that can be understood without the conversation.

    Raises ReplyError if the reply is empty, too long, or an answer.
    """
    written = fold((yield from read_json(request, FollowUpSchema, lambda found, _: found.question)))
    asked = fold(question)
    if not written:
        raise ReplyError("the reply holds no question")
    if len(written) > 2 * len(asked) + ADDED:
        raise ReplyError("the reply is too long for a question")
    more = len(SENTENCE_END.findall(written)) - len(SENTENCE_END.findall(asked))
    if cited(written) or (asks(asked) and not asks(written)) or more > MOST_SENTENCES:
        raise ReplyError("the reply is an answer instead of a question")
    return written


def conversation_text(history: Sequence[Message]) -> str:
    """The turns of a conversation as a text that a model reads."""
    return "\n\n".join(f"{message.role.capitalize()}: {message.content}" for message in history)


def asks(text: str) -> bool:
    """Returns whether a question mark stands after the last word of a text."""
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    return not QUESTION_MARKS.isdisjoint(text[end:])


def questions_on(
    prompt: Prompt, material: SuggestionMaterial, n: int, language: str
) -> LLMTask[Sequence[DraftQuestion]]:
    """Returns about `n` questions on the whole and as many on particular entities.

    Raises ReplyError if the reply can't be used.
    """
    reports = [
        "\n".join(
            [
                excerpt(one.title, LONGEST),
                excerpt(rewrite(one.summary, lambda *_: None), SUMMARY),
                *(f"- {excerpt(finding, FINDING)}" for finding in one.findings),
            ]
        )
        for one in material.reports
    ]
    shown = "\n\n".join(["# Reports", *reports, *_entities(material)])
    copies = Instructions(prompt.text)

    def check(found: QuestionsSchema, odd: list[str]) -> Sequence[DraftQuestion]:
        whole = _usable(found.whole, copies, shown)
        particular = _usable(found.particular, copies, shown)
        _note(odd, len(found.whole + found.particular), len(whole + particular))
        drafts = [DraftQuestion(text, whole=True) for text in whole]
        return drafts + [DraftQuestion(text, whole=False) for text in particular]

    return read_json(_request(prompt, shown, n, language), QuestionsSchema, check)


def next_questions(
    prompt: Prompt, material: SuggestionMaterial, n: int
) -> LLMTask[Sequence[DraftQuestion]]:
    """Returns about `n` questions that follow on an answer. Raises ReplyError as above."""
    asked = "\n".join(f"- {excerpt(text, LONGEST)}" for text in material.asked)
    answer = excerpt(rewrite(material.answer, lambda *_: None), ANSWER_CHARACTERS)
    parts = ["# Questions so far", asked, "# Answer", answer, *_entities(material)]
    shown = "\n\n".join(parts)
    copies = Instructions(prompt.text)

    def check(found: NextQuestionsSchema, odd: list[str]) -> Sequence[DraftQuestion]:
        questions = _usable(found.next, copies, shown)
        _note(odd, len(found.next), len(questions))
        return [DraftQuestion(text, whole=False) for text in questions]

    return read_json(_request(prompt, shown, n, ""), NextQuestionsSchema, check)


def _entities(material: SuggestionMaterial) -> tuple[str, str]:
    lines = [
        f"- {one.name} ({one.type or 'entity'}): {excerpt(one.description, DESCRIPTION)}"
        for one in material.topics
    ]
    return "# Entities", "\n".join(lines)


def _request(prompt: Prompt, shown: str, n: int, language: str) -> Request:
    values = {"n": str(n), "language": language, "context_data": marked(storable(shown)[0])}
    return Request("rating", (Message("user", prompt.fill(values)),), REPLY_TOKENS)


def _usable(texts: Sequence[str], copies: Instructions, shown: str) -> list[str]:
    """Returns the texts that are questions: short ones, and not the words of the prompt."""
    plain = [LIST_MARK.sub("", fold(neutralised(text))) for text in texts]
    return [
        text
        for text in dict.fromkeys(plain)
        if len(text) <= LONGEST and asks(text) and not copies.are_copied_in(text, shown)
    ]


def _note(odd: list[str], given: int, used: int) -> None:
    """Notes the texts that were left out. Raises ReplyError if none is left."""
    if not used:
        raise ReplyError("the reply holds no question")
    odd += ["a text that isn't a new question"] * (given - used)
