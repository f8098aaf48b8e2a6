"""Writes the page that tells what was chosen for a corpus and why, for a person who may change it.

Texts of documents stand in code blocks that they can't end, and in one line elsewhere.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_neo4j.model import Usage
from graphrag_neo4j.text import excerpt, flat

if TYPE_CHECKING:
    from graphrag_neo4j.tuning.result import EntityType, Tuning
    from graphrag_neo4j.tuning.sample import Passage

__all__ = ["PAGE", "page_of", "setting_lines"]

PAGE = "tuning.md"
TITLE = 80  # characters of a title
FENCES = re.compile(r"`{3,}")
ACTIVE = re.compile(r"([\\`*_{}\[\]<>|#!~$&])")
PURPOSE = {
    "extract.md": "how entities and relationships are taken out of a chunk",
    "extract_examples.md": "the examples in it",
    "report.md": "how the report on a community is written",
}


def setting_lines(tuning: "Tuning", folder: Path) -> list[str]:
    """Returns the lines for the environment or `.env` that make an index use a written folder."""
    place = str(folder)
    quoted = place if shlex.quote(place) == place else f'"{place}"'
    types = ",".join(one.name for one in tuning.entity_types)
    return [f"KG_PROMPTS={quoted}", f"KG_ENTITY_TYPES={types}"]


def page_of(tuning: "Tuning", folder: Path) -> str:
    """Returns the page, in Markdown, for the folder that holds the prompt files."""
    parts = [
        *_beginning(tuning, folder),
        *_profile(tuning),
        *_types(tuning.entity_types),
        *_examples(tuning),
        *_left_out(tuning.left_out),
        *_passages(tuning.passages),
        *_cost(tuning),
    ]
    return "\n\n".join(parts) + "\n"


def _beginning(tuning: "Tuning", folder: Path) -> Iterator[str]:
    n, documents = len(tuning.passages), tuning.documents
    yield "# Prompts for this collection"
    yield (
        f"`kg-build tune` chose what follows from {n:,} passages of a collection of {documents:,} "
        "documents. Read it before you index: what is wrong here is wrong in the whole graph. "
        "These lines, in the environment or in `.env`, use it:"
    )
    yield _block("\n".join(setting_lines(tuning, folder)), "ini")
    files = "\n".join(f"- `{name}`: {PURPOSE[name]}" for name in tuning.files)
    yield f"The files of this folder that a model is shown:\n\n{files}"
    yield (
        "Change them as you like. If you change a type, change it in all of them and in "
        "`KG_ENTITY_TYPES`. `kg-build tune` never overwrites a file that you changed: it then "
        "writes everything to a new folder in this one. Documents that are in the graph already "
        "are read with the new prompts only by `kg-build index … --reread`, which costs as much as "
        "reading them the first time."
    )


def _profile(tuning: "Tuning") -> Iterator[str]:
    language = tuning.language or "several; each text keeps the language of its passage"
    yield "## Domain, language and persona"
    yield (
        f"- Domain: {_inline(tuning.domain)}\n"
        f"- Language: {_inline(language)}\n"
        f"- Persona: {_inline(tuning.persona)}"
    )
    if tuning.reason:
        numbers = _numbers(tuning.reason_passages)
        yield f"Why: {_inline(tuning.reason)}{f' ({numbers})' if numbers else ''}"


def _types(types: Sequence["EntityType"]) -> Iterator[str]:
    yield "## Types of entities"
    yield "The names stand in the passages of the sample. They show what the model means."
    rows = [
        (
            _inline(one.name),
            _inline(one.definition) or "not defined",
            _inline(", ".join(one.names)),
            _numbers(one.passages),
        )
        for one in types
    ]
    yield _table(("type", "definition", "for example", "where"), rows)


def _examples(tuning: "Tuning") -> Iterator[str]:
    yield "## Examples"
    if not tuning.examples:
        yield (
            "None of the lists that the model wrote can serve as an example. The examples that "
            "come with this program are used instead."
        )
        return
    yield (
        "The model wrote a list for each of these passages. Each list was read by this program "
        "without a repair, all its types were asked for, and all its names stand in the passage."
    )
    for one in tuning.examples:
        yield (
            f"### Passage {one.number}: {one.entities:,} entities, {one.relationships:,} "
            "relationships"
        )
        yield _place(one.passage)
        yield _block(one.text)
    before, after = tuning.prompt_tokens
    yield (
        f"With these examples and definitions the prompt for a chunk has {after:,} tokens beside "
        f"the chunk. With the prompt that comes with this program it has {before:,}."
    )


def _left_out(left_out: Sequence[str]) -> Iterator[str]:
    if left_out:
        yield f"## Left out ({len(left_out):,})"
        yield "\n".join(f"- {_inline(one)}" for one in left_out)


def _passages(passages: Sequence["Passage"]) -> Iterator[str]:
    yield "## The passages of the sample"
    yield (
        "They were chosen by their vectors, so that together they are near to as many passages of "
        "the collection as possible. The share tells for how many of these each one stands."
    )
    for number, one in enumerate(passages, start=1):
        yield f"### Passage {number}"
        yield f"{_place(one)}, share {one.share:.0%}"
        yield _block(one.text)


def _cost(tuning: "Tuning") -> Iterator[str]:
    used = Usage.total(tuning.usage.values())
    cost = "unknown cost" if used.unpriced else f"${used.cost:.4f}"
    yield "## What it cost"
    yield (
        f"{used.calls:,} calls, {used.input_tokens:,} input tokens, {used.output_tokens:,} output "
        f"tokens, {cost}."
    )


def _place(passage: "Passage") -> str:
    title = excerpt(passage.title, TITLE) if passage.title else passage.source
    return f"{_inline(title)}, characters {passage.start:,}–{passage.end:,}"


def _numbers(numbers: Iterable[int]) -> str:
    found = ", ".join(map(str, numbers))
    return (
        f"passage {found}" if found and "," not in found else f"passages {found}" if found else ""
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _inline(text: str) -> str:
    """Returns a text on one line in which nothing is read as Markdown or HTML."""
    return ACTIVE.sub(r"\\\1", flat(text))


def _block(text: str, language: str = "") -> str:
    """Returns a code block whose fence is longer than any in the text."""
    longest = max((len(found[0]) for found in FENCES.finditer(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language or 'text'}\n{text}\n{fence}"
