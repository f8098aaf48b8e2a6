"""What `tune` has chosen for a corpus, the page that tells it, and how a folder is written.

Texts of documents stand in code blocks that they can't end, and in one line elsewhere.

`tuning.json` in the folder holds the hash of each file that was written. A file with another hash
was changed by a person, or was there before. The files belong together: examples of one set of
types are wrong for another. So a folder is written beside its place and takes it as a whole. If
something in it is a person's, it stays as it is, and the new set goes to a folder `new` inside,
then `new-2`, and so on.
"""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from shutil import copymode, rmtree
from string import Template

from filelock import FileLock

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.tune.sample import SampledPassage
from graphrag_neo4j.files import UNFINISHED, is_temporary, one_writer, read_data, write_whole
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.text.strings import excerpt, flat, money

PAGE = "tuning.md"
MANIFEST = "tuning.json"
WRITTEN = "written by kg-build tune"
NOT_WRITABLE = "The folder {folder} can't be written ({reason}). Name another folder."
TITLE = 80  # characters of a title
FENCES = re.compile(r"`{3,}")
ACTIVE = re.compile(r"([\\`*_{}\[\]<>|#!~$&])")
PURPOSE = {
    "extract.md": "how entities and relationships are taken out of a chunk",
    "extract_examples.md": "the examples in it",
    "report.md": "how the report on a community is written",
}
NO_EXAMPLES = (
    "None of the lists that the model wrote can serve as an example. The examples that come with "
    "this program are used instead."
)
ABOUT_EXAMPLES = (
    "The model wrote a list for each of these passages. Each list was read by this program without "
    "a repair, all its types were asked for, and all its names stand in the passage."
)


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

    passage: SampledPassage
    number: int
    entities: int
    relationships: int
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """The folder that was written, and the names of its files.

    `kept` holds the paths of what a person put there or changed, because of which the files went
    to a new folder.
    """

    folder: Path
    files: tuple[str, ...]
    kept: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Tuning:
    """What was chosen for a corpus.

    `language` is None where the documents have several languages. `reason` is the model's reason
    for the domain and the persona, and `reason_passages` the numbers of the passages that it names
    for it, from 1. `predicates` holds the definition of each predicate of relationships, "" where
    the caller set it and the model did not define it. `entity_types` and `examples` may be used as
    they stand in `files`, which holds the texts of the prompt files by their names. `left_out`
    holds a sentence for each type and each example that was not used. `passages` are the sample,
    `documents` is the number of documents of the corpus. `prompt_tokens` is the number of tokens of
    the prompt for a chunk, without the chunk, before and after. `usage` holds the calls, tokens and
    US dollars by step.
    """

    domain: str
    language: str | None
    persona: str
    reason: str
    reason_passages: Sequence[int]
    entity_types: Sequence[EntityType]
    predicates: Mapping[str, str]
    examples: Sequence[TunedExample]
    left_out: Sequence[str]
    passages: Sequence[SampledPassage]
    documents: int
    prompt_tokens: tuple[int, int]
    files: Mapping[str, str] = field(repr=False)
    usage: Mapping[str, Usage] = field(repr=False)

    def write(self, folder: str | Path) -> Written:
        """Writes the prompt files, and a page that tells what was chosen and why, to a folder.

        The folder is made if it does not exist. If a person has changed a file there, or had one
        there before, nothing in the folder is overwritten: all files go to a new folder in it. The
        result names the folder that was written. Raises InputError if it can't be written, and if
        another command writes to it.
        """
        return write_folder(Path(folder), lambda place: {**self.files, PAGE: _page(self, place)})


def setting_lines(tuning: Tuning, folder: Path) -> list[str]:
    """Returns the lines for the environment or `.env` that make an index use a written folder."""
    place = str(folder)
    quoted = place if shlex.quote(place) == place else f'"{place}"'
    types = ",".join(one.name for one in tuning.entity_types)
    lines = [f"KG_PROMPTS={quoted}", f"KG_ENTITY_TYPES={types}"]
    return lines + [f"KG_RELATION_TYPES={','.join(tuning.predicates)}"] * bool(tuning.predicates)


def _page(tuning: Tuning, folder: Path) -> str:
    """The page, in Markdown, for the folder that holds the prompt files."""
    used = Usage.total(tuning.usage.values())
    why = _numbers(tuning.reason_passages)
    types = [
        f"| {_inline(one.name)} | {_inline(one.definition) or 'not defined'} "
        f"| {_inline(', '.join(one.names))} | {_numbers(one.passages)} |"
        for one in tuning.entity_types
    ]
    predicates = [
        f"| {_inline(name)} | {_inline(definition) or 'not defined'} |"
        for name, definition in tuning.predicates.items()
    ]
    examples = [
        f"### Passage {one.number}: {one.entities:,} entities, {one.relationships:,} relationships"
        f"\n\n{_place(one.passage)}\n\n{_block(one.text)}"
        for one in tuning.examples
    ]
    before, after = tuning.prompt_tokens
    size = (
        f"With these examples and definitions the prompt for a chunk has {after:,} tokens beside "
        f"the chunk. With the prompt that comes with this program it has {before:,}."
    )
    left_out = "\n".join(f"- {_inline(one)}" for one in tuning.left_out)
    passages = [
        f"### Passage {n}\n\n{_place(one)}, share {one.share:.0%}\n\n{_block(one.text)}"
        for n, one in enumerate(tuning.passages, start=1)
    ]
    return Template(read_data("tuning/page.md").decode()).substitute(
        n_passages=f"{len(tuning.passages):,}",
        n_documents=f"{tuning.documents:,}",
        settings=_block("\n".join(setting_lines(tuning, folder)), "ini"),
        files="\n".join(f"- `{name}`: {PURPOSE[name]}" for name in tuning.files),
        domain=_inline(tuning.domain),
        language=_inline(tuning.language or "several; each text keeps the language of its passage"),
        persona=_inline(tuning.persona),
        reason=(
            f"\n\nWhy: {_inline(tuning.reason)}{f' ({why})' if why else ''}"
            if tuning.reason
            else ""
        ),
        types="\n".join(types),
        predicates="\n".join(predicates) or "| none | |",
        examples="\n\n".join([ABOUT_EXAMPLES, *examples, size]) if examples else NO_EXAMPLES,
        left_out=f"\n\n## Left out ({len(tuning.left_out):,})\n\n{left_out}" if left_out else "",
        passages="\n\n".join(passages),
        calls=f"{used.calls:,}",
        input_tokens=f"{used.input_tokens:,}",
        output_tokens=f"{used.output_tokens:,}",
        cost=money(None if used.unpriced else used.cost),
    )


def _place(passage: SampledPassage) -> str:
    title = excerpt(passage.title, TITLE) if passage.title else passage.source
    return f"{_inline(title)}, characters {passage.start:,}–{passage.end:,}"


def _numbers(numbers: Iterable[int]) -> str:
    found = [f"{n}" for n in numbers]
    return f"passage{'s' if len(found) > 1 else ''} {', '.join(found)}" if found else ""


def _inline(text: str) -> str:
    """A text on one line in which nothing is read as Markdown or HTML."""
    return ACTIVE.sub(r"\\\1", flat(text))


def _block(text: str, language: str = "text") -> str:
    """A code block whose fence is longer than any in the text."""
    fence = "`" * (1 + max((len(found[0]) for found in FENCES.finditer(text)), default=2))
    return f"{fence}{language}\n{text}\n{fence}"


def check_folder(folder: Path) -> None:
    """Raises InputError if a folder, which need not exist, can't be written or replaced."""
    place = folder.resolve()
    existing = next(one for one in (place, *place.parents) if one.exists())
    if not existing.is_dir():
        raise InputError(f"{existing} is not a folder. Name another folder.")
    changed = (existing, place.parent if place.exists() else existing)
    if place.is_mount() or not all(os.access(one, os.W_OK | os.X_OK) for one in changed):
        reason = "you have no permission, or it is a mount point"
        raise InputError(NOT_WRITABLE.format(folder=existing, reason=reason))


def writing(folder: Path) -> AbstractContextManager[None]:
    """Keeps a folder for this process; the same thread may do so again meanwhile.

    Raises InputError at once if another command writes to it, and as `check_folder`.
    """
    check_folder(folder)
    place = folder.resolve()
    lock = FileLock(place.with_name(f".{place.name}.lock"), is_singleton=True)
    return one_writer(folder, lock)


def write_folder(folder: Path, texts: Callable[[Path], Mapping[str, str]]) -> Written:
    """Writes the files that `texts` gives for a folder, by name. Raises InputError if it can't."""
    kept: tuple[Path, ...] = ()
    try:
        with writing(folder):
            for place in chain([folder, folder / "new"], (folder / f"new-{n}" for n in count(2))):
                files, ours = texts(place), _hashes(place)
                by_hand = [
                    path
                    for path in (sorted(place.iterdir()) if place.is_dir() else ())
                    if not (path.name == MANIFEST or is_temporary(path))
                    and not (path.is_file() and _hash(path.read_bytes()) == ours.get(path.name))
                ]
                if not by_hand:
                    break
                kept = kept or tuple(by_hand)
            hashes = {WRITTEN: {name: _hash(text.encode()) for name, text in files.items()}}
            manifest = json.dumps(hashes, indent=2) + "\n"
            _replace(place.resolve(), {**files, MANIFEST: manifest})
    except OSError as error:
        raise InputError(NOT_WRITABLE.format(folder=folder, reason=error)) from error
    return Written(place, tuple(files), kept)


def _replace(place: Path, files: Mapping[str, str]) -> None:
    """Puts a folder with these files in the place of one, and removes what a kill has left."""
    new, old = (place.with_name(f".{place.name}{end}{UNFINISHED}") for end in ("", ".old"))
    rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for name, text in files.items():
        write_whole(new / name, text.encode())
    if place.exists():
        rmtree(old, ignore_errors=True)
        copymode(place, new)
        place.rename(old)
    new.rename(place)
    rmtree(old, ignore_errors=True)


def _hashes(folder: Path) -> dict[str, str]:
    """The hashes of the files that were written to a folder; none if they are not known.

    A file `tuning.json` that can't be read tells nothing, so all files count as a person's.
    """
    try:
        found = json.loads((folder / MANIFEST).read_bytes())[WRITTEN]
        return {name: str(of) for name, of in found.items() if name == Path(name).name}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
