"""Prompts with worked examples: the prompts that are sent many times.

Providers cache the beginning of a prompt from 1,024 tokens on, and ask less for it. With its
examples, what does not change in such a prompt is longer than that, and stands before what changes.
A model with a small context window has no room for examples. Such a model is used with small
contexts, so the examples are left out where the context of a prompt may have few tokens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from graphrag_neo4j.llm.copied_instructions import Instructions
from graphrag_neo4j.llm.prompts import Prompt, load_prompt
from graphrag_neo4j.settings import Settings

__all__ = ["EXAMPLES_FROM", "WorkedPrompt"]

EXAMPLES_FROM = 3_000  # tokens of a context; examples have 900 at most


@dataclass(frozen=True, slots=True)
class WorkedPrompt:
    """A prompt file and its examples.

    `examples` is empty where they are left out. `instructions` finds copies of both in a reply.
    """

    prompt: Prompt
    examples: str
    instructions: Instructions

    @classmethod
    def load(
        cls,
        name: str,
        settings: Settings,
        *,
        known: tuple[str, ...],
        needs: str,
        context_tokens: int,
        examples_of: str | None = None,
    ) -> Self:
        """Reads the files `name` and `name`_examples, where the user's own come first.

        With `examples_of`, the examples are those of the prompt with this name.
        `context_tokens` is the largest number of tokens of the context of this prompt. The other
        arguments are those of `load_prompt`. Raises InputError if a file can't be used.
        """
        prompt = load_prompt(name, settings.prompts, known=known, needs=needs)
        examples = load_prompt(f"{examples_of or name}_examples", settings.prompts, known=known)
        shown = examples.text.strip() if context_tokens >= EXAMPLES_FROM else ""
        return cls(prompt, shown, Instructions(prompt.fill({"examples": shown})))

    def fill(self, values: Mapping[str, str]) -> str:
        """Returns the prompt with its examples, and its placeholders replaced by values."""
        return self.prompt.fill({**values, "examples": self.examples})

    def without_examples(self, values: Mapping[str, str]) -> str:
        """Returns the prompt without its examples, and its placeholders replaced by values."""
        return self.prompt.fill({**values, "examples": ""})
