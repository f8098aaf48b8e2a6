"""Reads prompt files and fills their placeholders.

The files of this project write a placeholder as `$name`. A file that was made for another GraphRAG
program works, too: if it holds a known `{name}`, it is read with that syntax, in which `{{` and
`}}` stand for braces. An unknown name or a single `$` stays in the text. Text that was filled in is
not searched for placeholders.
"""

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import prompt_names, read_prompt
from graphrag_neo4j.llm.copies import Instructions
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import excerpt, fold, identify

EXAMPLES_FROM = 3_000  # tokens of a context; examples have 900 at most

# The names of the corresponding files in microsoft/graphrag, the newer name first.
ELSEWHERE = {
    "extract": ("extract_graph",),
    "claims": ("extract_claims",),
    "summarize": ("summarize_descriptions",),
    "report": ("community_report_graph", "community_report"),
    "answer": ("local_search_system_prompt",),
    "map": ("global_search_map_system_prompt",),
    "reduce": ("global_search_reduce_system_prompt",),
}
SUFFIXES = (".txt", ".md")
BRACED = re.compile(r"\{\{|\}\}|\{(\w+)\}")
LONGEST_PHRASE = 240  # characters of a phrase that fills a placeholder
MARKS = str.maketrans(dict.fromkeys("<>|#`{}$", " "))
NAMED = re.compile(r"(?<!\$)\{(\w+)\}")  # "${name}" is the other syntax


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text of a prompt file.

    `origin` is the path of the file for error messages. `braced` says whether its placeholders
    have the syntax `{name}`. `is_ours` says whether the user put no file in its place.
    """

    text: str
    origin: str
    braced: bool
    is_ours: bool = False

    def fill(self, values: Mapping[str, str]) -> str:
        """Returns the prompt with its placeholders replaced by values."""
        if not self.braced:
            return string.Template(self.text).safe_substitute(values)
        return BRACED.sub(
            lambda found: values.get(found[1], found[0]) if found[1] else found[0][0], self.text
        )


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

    def fill(self, values: Mapping[str, str], *, with_examples: bool = True) -> str:
        """Returns the prompt with its placeholders replaced by values, and with its examples."""
        return self.prompt.fill({**values, "examples": self.examples if with_examples else ""})


def load_prompt(
    name: str, folder: Path | None = None, *, known: tuple[str, ...] = (), needs: str | None = None
) -> Prompt:
    """Reads the prompt `name` from the user's `folder` or, if it is not there, from this package.

    `known` holds the names that placeholders may have. `needs` is the name of a placeholder that
    the prompt must hold. Raises InputError, which names the file, if it can't be used.
    """
    own = _own_file(name, folder)
    if own is None:
        return Prompt(read_prompt(name), f"prompts/{name}.md", braced=False, is_ours=True)
    try:
        text = own.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The prompt file {own} can't be read: {error}.") from None
    prompt = Prompt(text, str(own), braced=not set(known).isdisjoint(NAMED.findall(text)))
    if needs and "\0" not in prompt.fill({needs: "\0"}):
        raise InputError(
            f"The prompt file {own} has no place for the text: "
            f"put ${needs} (or {{{needs}}}) into it."
        )
    return prompt


def marked(text: str) -> str:
    """Returns a document's text between two marks, so that a model sees where it begins and ends.

    The text can't contain the marks, because their number is a hash of the text.
    """
    number = identify("text", text)[:8]
    return f"<text {number}>\n{text}\n</text {number}>"


def _own_file(name: str, folder: Path | None) -> Path | None:
    if folder is None:
        return None
    if not folder.is_dir():
        raise InputError(f"KG_PROMPTS={folder} isn't a folder: name one that holds prompt files.")
    files = {file.stem: file for file in sorted(folder.iterdir()) if file.suffix in SUFFIXES}
    theirs = [other for names in ELSEWHERE.values() for other in names]
    if files and files.keys().isdisjoint([*prompt_names(), *theirs]):
        raise InputError(
            f"KG_PROMPTS={folder} holds no file that a step reads: "
            f"name them {', '.join(prompt_names())} (.md or .txt)."
        )
    own = next((files[one] for one in (name, *ELSEWHERE.get(name, ())) if one in files), None)
    # A prompt is sent to the endpoint; a folder from elsewhere must not send the user's own files.
    if own and not own.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"The prompt file {own} is a link out of its folder: put a copy there.")
    return own


def plain_line(text: str, most: int = LONGEST_PHRASE) -> str:
    """Returns a phrase as a prompt may hold it: one line without marks, `most` characters long."""
    return excerpt(neutralised(fold(text.translate(MARKS))), most)
