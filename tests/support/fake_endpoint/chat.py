"""What a chat request asks for, recognised by the protocol rather than by a prompt's wording."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.fake_endpoint.dice import digest
from tests.support.fake_endpoint.tables import holds_tables
from tests.support.fake_endpoint.tokens import cut_beginning, words_of

__all__ = [
    "KINDS",
    "Chat",
    "answers_plainly",
    "asks_for_more",
    "asks_yes_or_no",
    "read_chat",
    "text_hash",
]

RECALL = re.compile(r"(?i)reply with (the code word alone|this JSON object)")
MARKED = re.compile(r"<text ([0-9a-f]{4,})>\n?")
STATUS_FIELD = re.compile(r"status\W{0,3}<\|>|<\|>\W{0,3}(?:claim_)?status", re.IGNORECASE)
YES_OR_NO = re.compile(r"\byes\b.*\bno\b", re.IGNORECASE | re.DOTALL)
MISSED = re.compile(r"\bmiss(?:ed|ing)\b", re.IGNORECASE)
# The form of the JSON that a prompt asks for in words, and the field that only one schema has.
FORM = re.compile(r"One JSON object and nothing else\b[^{\n]*(\{.*)")
SCHEMA_OF = {
    "findings": "community_report",
    "descriptions": "summaries",
    "winner": "judged_answers",
    "support": "sentence_support",
    "selected": "selected_sentences",
    "resolved": "resolved_sentences",
    "decomposed": "sentence_claims",
    "pairs": "name_pairs",
    "points": "points",
    "relevant": "relevant_reports",
    "follow_ups": "primer",
    "persona": "collection_profile",
    "types": "entity_types",
    "particular": "suggested_questions",
    "next": "next_questions",
    "question": "self_contained_question",
    "answer": "rated_answer",
}
# What other programs ask for: words that only their prompts have, and a name for the form.
PEER_FORMS = {
    'The response should be JSON formatted as follows:\n{\n    "points"': "graphrag_points",
    "**high_level_keywords**": "query_keywords",
}
PEER_ROWS = "entity<|#|>entity_name"
# The text to read in the prompts of LightRAG and of neo4j-graphrag.
PEER_TEXT = re.compile(
    r"^---Input Text---\n```\n(.*?)\n```\n\n---Output---|^Input text:\n+(.*)",
    re.MULTILINE | re.DOTALL,
)
PLAIN_ANSWER = re.compile(r"\s*(yes|no)\b[^<]{0,80}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat request.

    `prompt` is all that stands before the model's first message, `turns` are pairs of what the
    model said and what it was then told. `texts` stood between markers in the prompt. `words`
    are those that a logit bias forces.
    """

    prompt: str
    turns: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    words: tuple[str, ...]
    response_format: Mapping[str, Any]
    max_tokens: int | None

    @property
    def kind(self) -> str:
        """What is asked for: the first in KINDS that fits."""
        return next(name for name, fits in KINDS if fits(self))

    @property
    def text(self) -> str:
        """The text to read: what is marked, else what follows "Text:", else the whole prompt."""
        if self.texts:
            return self.texts[-1]
        if peer := PEER_TEXT.search(self.prompt):
            return (peer[1] or peer[2]).strip()
        _, found, rest = self.prompt.rpartition("\nText:")
        return re.split(r"\n#{4,}|\nOutput:", rest)[0].strip() if found else self.prompt

    @property
    def pieces(self) -> Iterator[str]:
        """All that it says, cut so that instructions are the same piece in every request."""
        rest = self.prompt
        for text in self.texts:
            before, _, rest = rest.partition(text)
            yield from before.rpartition("<text ")
            yield text
        yield rest
        for turn in self.turns:
            yield from turn


KINDS: tuple[tuple[str, Callable[[Chat], bool]], ...] = (
    ("recall", lambda chat: RECALL.search(chat.prompt) is not None),
    ("json", lambda chat: chat.response_format.get("type") in {"json_schema", "json_object"}),
    ("extraction", lambda chat: '("entity"<|>' in chat.prompt),
    ("extraction_rows", lambda chat: PEER_ROWS in chat.prompt),
    ("claims", lambda chat: STATUS_FIELD.search(chat.prompt) is not None),
    ("choice", lambda chat: bool(chat.words)),
    ("answer", lambda chat: holds_tables(chat.text) or "\nAnalyst 1, help" in chat.prompt),
    ("summary", lambda chat: "description" in chat.prompt.casefold()),
    ("prose", lambda _: True),
)
"""The recognisers, tried in this order."""


def read_chat(body: Mapping[str, Any], window: int = 0) -> Chat:
    """The chat request in the body of a call; KeyError or TypeError where it is none.

    Of the prompt only the last `window` tokens are read, all if that is 0.
    """
    messages = [(message["role"], _content(message)) for message in body["messages"]]
    first = next((i for i, (role, _) in enumerate(messages) if role == "assistant"), len(messages))
    prompt = "\n\n".join(content for _, content in messages[:first])
    if window:
        prompt = cut_beginning(prompt, window)
    return Chat(
        prompt=prompt,
        turns=_turns(messages[first:]),
        texts=tuple(_marked(prompt)),
        words=_forced(body.get("logit_bias") or {}),
        response_format=_response_format(body.get("response_format") or {}, prompt),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
    )


def _response_format(given: Mapping[str, Any], prompt: str) -> Mapping[str, Any]:
    """The response format of a request, or the one that its prompt asks for in words."""
    for words, name in PEER_FORMS.items():
        if words in prompt:
            return {"type": "json_object", "json_schema": {"name": name}}
    return given or _asked_in_words(prompt)


def _asked_in_words(prompt: str) -> Mapping[str, Any]:
    """The response format that a prompt asks for where the request has none."""
    form = FORM.search(prompt)
    names = [name for field, name in SCHEMA_OF.items() if form and f'"{field}":' in form[1]]
    return {"type": "json_object", "json_schema": {"name": names[0]}} if names else {}


def text_hash(text: str) -> str:
    """The hash by which the log names a text; white space around it does not count."""
    return digest(text.strip().encode("utf-8", "replace"))


def answers_plainly(said: str) -> bool:
    """Whether something said is no more than a yes or a no."""
    return PLAIN_ANSWER.fullmatch(said) is not None


def asks_yes_or_no(said: str) -> bool:
    """Whether something said is a question for yes or no."""
    return YES_OR_NO.search(said) is not None


def asks_for_more(said: str) -> bool:
    """Whether something said asks for what was missed."""
    return MISSED.search(said) is not None


def _forced(logit_bias: Mapping[str, float]) -> tuple[str, ...]:
    """The words that a bias forces, if any."""
    tokens = [int(token) for token, value in logit_bias.items() if value >= 50]
    return words_of(tokens) if tokens else ()


def _content(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def _turns(messages: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    turns: list[tuple[str, str]] = []
    for role, content in messages:
        if role == "assistant":
            turns.append((content, ""))
        else:
            turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{content}".strip())
    return tuple(turns)


def _marked(prompt: str) -> list[str]:
    texts, end = [], 0
    while opening := MARKED.search(prompt, end):
        end = prompt.find(f"</text {opening[1]}>", opening.end())
        if end < 0:
            break
        texts.append(prompt[opening.end() : end].removesuffix("\n"))
    return texts
