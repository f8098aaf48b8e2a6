"""What `tune` has chosen for a corpus, and how it is written to a folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphrag_neo4j.model import Usage
from graphrag_neo4j.tuning.folder import Written, write_folder
from graphrag_neo4j.tuning.page import PAGE, page_of
from graphrag_neo4j.tuning.sample import Passage

__all__ = ["EntityType", "TunedExample", "Tuning"]


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of entities. `names` are entities of it that stand in the passages of the sample.

    `passages` are the numbers of these passages, from 1. `definition` is empty where the caller
    gave the type and the model did not define it.
    """

    name: str
    definition: str
    names: Sequence[str]
    passages: Sequence[int]


@dataclass(frozen=True, slots=True)
class TunedExample:
    """A passage of the corpus and the list that a model wrote for it, in the form of the prompts.

    `number` is the number of the passage in the sample, from 1.
    """

    passage: Passage
    number: int
    entities: int
    relationships: int
    text: str


@dataclass(frozen=True, slots=True)
class Tuning:
    """What was chosen for a corpus.

    `language` is None where the documents have several languages. `reason` is the model's reason
    for the domain and the persona, and `reason_passages` the numbers of the passages that it names
    for it, from 1. `entity_types` and `examples` may be used as they stand in `files`, which holds
    the texts of the prompt files by their names. `left_out` holds a sentence for each type and each
    example that was not used. `passages` are the sample, `documents` is the number of documents of
    the corpus. `prompt_tokens` is the number of tokens of the prompt for a chunk, without the
    chunk, before and after. `usage` holds the calls, tokens and US dollars by step.
    """

    domain: str
    language: str | None
    persona: str
    reason: str
    reason_passages: Sequence[int]
    entity_types: Sequence[EntityType]
    examples: Sequence[TunedExample]
    left_out: Sequence[str]
    passages: Sequence[Passage]
    documents: int
    prompt_tokens: tuple[int, int]
    files: Mapping[str, str] = field(repr=False)
    usage: Mapping[str, Usage] = field(repr=False)

    def write(self, folder: str | Path) -> Written:
        """Writes the prompt files, and a page that tells what was chosen and why, to a folder.

        The folder is made if it does not exist. If a person has changed a file there, or had one
        there before, nothing in the folder is overwritten: all files go to a new folder in it. The
        result names the folder that was written. Raises InputError if it can't be written.
        """
        return write_folder(Path(folder), lambda place: {**self.files, PAGE: page_of(self, place)})
