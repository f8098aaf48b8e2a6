"""Makes prompt files from what was chosen for a corpus, in the form that KG_PROMPTS takes.

They are our own prompts with the domain, the persona, the types with their definitions and the
examples in the place of placeholders. All other placeholders stay.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from graphrag_neo4j.context.citations import neutralised
from graphrag_neo4j.llm import LLMIndexBackend
from graphrag_neo4j.llm.index_backend import KNOWN
from graphrag_neo4j.llm.prompts import marked
from graphrag_neo4j.model import EntityRecord, Extraction, RelationshipRecord
from graphrag_neo4j.resources import read_prompt
from graphrag_neo4j.settings import Settings

__all__ = ["Instructions", "backend_of", "example_text", "prompt_files", "record_lines"]

FIELD = "${tuple_delimiter}"
RECORD = "$record_delimiter"
COMPLETE = "$completion_delimiter"
PASSAGE = "Passage:\n"
# A name in braces, for which the file would be read in the syntax of another program.
BRACED = re.compile(rf"\{{({'|'.join(KNOWN)})\}}")
DELIMITER = re.compile(r"<(?=\|)|(?<=\|)>|#(?=#)")


@dataclass(frozen=True, slots=True)
class Instructions:
    """What the prompts tell a model about a corpus.

    `types` holds the definition of each type of entities. `language` is None where the prompts
    leave it to the setting KG_LANGUAGE or to the text.
    """

    domain: str
    persona: str
    language: str | None
    types: Mapping[str, str]


def prompt_files(told: Instructions, examples: Sequence[str]) -> dict[str, str]:
    """Returns the texts of the prompt files by their names.

    Without examples there is no file for them, so that those of this program are used.
    """
    files = {"extract.md": _extract(told), "report.md": _report(told)}
    if examples:
        files["extract_examples.md"] = "\n\n".join([*examples, _example_of_nothing()]) + "\n"
    return dict(sorted(files.items()))


def backend_of(
    files: Mapping[str, str], settings: Settings, types: Sequence[str]
) -> LLMIndexBackend:
    """Returns the index backend with these prompt files, as an index would load them.

    Raises InputError if one of them can't be used.
    """
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        changed = settings.changed(prompts=folder, entity_types=tuple(types))
        return LLMIndexBackend.from_settings(changed)


def example_text(passage: str, found: Extraction) -> str:
    """Returns an example for a prompt file: a passage between marks, and its list."""
    shown = marked(_harmless(passage))
    return f"{PASSAGE}\n{_literal(shown)}\n\nList:\n\n{_literal_list(found)}"


def record_lines(found: Extraction) -> list[str]:
    """Returns the records of a list, each as one line, with the usual delimiters."""
    return ["<|>".join(_fields(one)) for one in _records(found)]


def _extract(told: Instructions) -> str:
    types = "\n".join(
        f"- {name}: {definition}" if definition else f"- {name}"
        for name, definition in told.types.items()
    )
    instruction = (
        f"Write down every entity of these types, and of no others:\n\n{_literal(types)}\n\n"
        "Each entity has the one type whose definition suits it best."
    )
    reminder = f"Only entities of these types: {_literal(', '.join(told.types))}."
    text = _replaced(read_prompt("extract"), "# Task\n\n", f"# Task\n\n{_opening(told)} ")
    text = _replaced(text, "$entity_types_instruction", instruction)
    text = _replaced(text, "$types_reminder", reminder)
    if told.language is None:
        return text
    language = f"Write names and descriptions in {_literal(told.language)}."
    return _replaced(text, "$language_instruction", language)


def _report(told: Instructions) -> str:
    text = _replaced(read_prompt("report"), "$report_role", _literal(told.persona))
    collection = f"\n\nThe whole collection: {_literal(told.domain)}.\n\nThe report has\n"
    text = _replaced(text, "\n\nThe report has\n", collection)
    if told.language is None:
        return text
    return _replaced(text, "Write in $language.", f"Write in {_literal(told.language)}.")


def _opening(told: Instructions) -> str:
    return f"You are {_literal(told.persona)}. The collection: {_literal(told.domain)}."


def _replaced(text: str, old: str, new: str) -> str:
    """Returns the text with its first `old` replaced; our prompt must hold it."""
    if old not in text:
        raise AssertionError(f"the prompt has no {old!r}")
    return text.replace(old, new, 1)


def _example_of_nothing() -> str:
    """Returns our example of a passage that names nothing, which a corpus need not have."""
    return PASSAGE + read_prompt("extract_examples").rpartition(PASSAGE)[2].strip()


def _literal_list(found: Extraction) -> str:
    lines = [_record(one) for one in _records(found)]
    return "\n".join(f"{line}\n{RECORD}" for line in lines) + f"\n{COMPLETE}"


def _records(found: Extraction) -> list[EntityRecord | RelationshipRecord]:
    return [*found.entities, *found.relationships]


def _record(one: EntityRecord | RelationshipRecord) -> str:
    return f"({FIELD.join(_literal(_harmless(field)) for field in _fields(one))})"


def _fields(one: EntityRecord | RelationshipRecord) -> Iterator[str]:
    if isinstance(one, EntityRecord):
        yield from ('"entity"', one.name, one.type, one.description)
    else:
        yield from ('"relationship"', one.source, one.target, one.description)
        yield f"{one.strength:g}"


def _harmless(text: str) -> str:
    """Returns text of a document in which nothing is a citation, a delimiter or a placeholder."""
    spaced = DELIMITER.sub(lambda found: found[0] + " " if found[0] != ">" else " >", text)
    return BRACED.sub(r"{ \1 }", neutralised(spaced))


def _literal(text: str) -> str:
    """Returns a text that stands for itself in a prompt file."""
    return text.replace("$", "$$")
