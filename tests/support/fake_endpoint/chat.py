"""A chat request, read by its protocol: messages, marked texts, forced words, limits."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.fake_endpoint.words import cut_beginning, digest, words_of

MARKED = re.compile(r"<text ([0-9a-f]{4,})>\n?")
UNMARKED: list[re.Pattern[str]] = []
"""Where the text to read stands in prompts that do not mark it; a benchmark adds some."""
TABLE = re.compile(r"^# (\w+)\nid \|[^\n]*\n((?:\d+ \| [^\n]*\n?)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a context's table: its kind, the number it is cited by, its other fields."""

    kind: str
    ref: int
    fields: tuple[str, ...]


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
    def text(self) -> str:
        """The text to read: what is marked, else what follows "Text:", else the whole prompt."""
        if self.texts:
            return self.texts[-1]
        for mark in UNMARKED:
            if other := mark.search(self.prompt):
                return other[1].strip()
        _, found, rest = self.prompt.rpartition("\nText:")
        return re.split(r"\n#{4,}|\nOutput:", rest)[0].strip() if found else self.prompt

    @property
    def question(self) -> str:
        """What follows the marked text."""
        return self.prompt.rpartition(">")[2]

    @property
    def rows(self) -> list[Row]:
        """The rows of the tables of records in the text, as a model would read them."""
        found = []
        for kind, body in TABLE.findall(self.text + "\n"):
            for line in body.splitlines():
                ref, *fields = line.split(" | ")
                found.append(Row(kind, int(ref), tuple(fields)))
        return found

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


def read_chat(body: Mapping[str, Any], window: int = 0) -> Chat:
    """The chat request in the body of a call; KeyError or TypeError where it is none.

    Of the prompt only the last `window` tokens are read, all if that is 0.
    """
    said: list[str] = []
    turns: list[tuple[str, str]] = []
    for message in body["messages"]:
        content = message["content"]
        if not isinstance(content, str):
            content = "".join(part.get("text", "") for part in content or ())
        if message["role"] == "assistant":
            turns.append((content, ""))
        elif turns:
            turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{content}".strip())
        else:
            said.append(content)
    prompt = "\n\n".join(said)
    prompt = cut_beginning(prompt, window) if window else prompt
    forced = [int(token) for token, value in (body.get("logit_bias") or {}).items() if value >= 50]
    return Chat(
        prompt=prompt,
        turns=tuple(turns),
        texts=tuple(_marked(prompt)),
        words=words_of(forced) if forced else (),
        response_format=body.get("response_format") or {},
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
    )


def text_hash(text: str) -> str:
    """The hash by which the log names a text; white space around it does not count."""
    return digest(text.strip().encode("utf-8", "replace"))


def _marked(prompt: str) -> Iterator[str]:
    end = 0
    while opening := MARKED.search(prompt, end):
        end = prompt.find(f"</text {opening[1]}>", opening.end())
        if end < 0:
            break
        yield prompt[opening.end() : end].removesuffix("\n")
