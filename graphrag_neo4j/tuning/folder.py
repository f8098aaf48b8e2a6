"""Writes prompt files to a folder, and loses nothing that a person wrote there.

`tuning.json` in the folder holds the hash of each file that was written. A file with another hash
was changed by a person, or was there before. The files belong together: examples of one set of
types are wrong for another. So if one of them is a person's, none is overwritten, and the whole
new set goes to a folder `new` inside, then `new-2`, and so on.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import write_whole
from graphrag_neo4j.llm.prompts import SUFFIXES, names_of_prompt

__all__ = ["MANIFEST", "Written", "check_folder", "write_folder"]

MANIFEST = "tuning.json"
NEW = "new"
NOT_WRITABLE = "The folder {folder} can't be written ({reason}). Name another folder."


@dataclass(frozen=True, slots=True)
class Written:
    """The folder that was written, and the names of its files.

    `kept` holds the paths of files that a person wrote or changed, because of which the files went
    to a new folder. `removed` names files of an earlier run that this run does not have.
    """

    folder: Path
    files: tuple[str, ...]
    kept: tuple[Path, ...] = ()
    removed: tuple[str, ...] = ()


def check_folder(folder: Path) -> None:
    """Raises InputError if files can't be written to a folder, which need not exist."""
    existing = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not existing.is_dir():
        raise InputError(f"{existing} is not a folder. Name another folder.")
    if not os.access(existing, os.W_OK | os.X_OK):
        reason = "you have no permission"
        raise InputError(NOT_WRITABLE.format(folder=existing, reason=reason))


def write_folder(folder: Path, texts: Callable[[Path], Mapping[str, str]]) -> Written:
    """Writes the files that `texts` gives for a folder, by name. Raises InputError if it can't."""
    check_folder(folder)
    try:
        kept: tuple[Path, ...] = ()
        for target in _targets(folder):
            files = texts(target)
            if by_hand := _by_hand(target, files):
                kept = kept or tuple(by_hand)
            else:
                return Written(target, tuple(files), kept, tuple(_write(target, files)))
    except OSError as error:
        raise InputError(NOT_WRITABLE.format(folder=folder, reason=error)) from error
    raise AssertionError("there is always one more folder")


def _targets(folder: Path) -> Iterator[Path]:
    yield folder
    yield folder / NEW
    number = 2
    while True:
        yield folder / f"{NEW}-{number}"
        number += 1


def _by_hand(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Returns the files in a folder that a person wrote and that the new files would replace."""
    if not folder.is_dir():
        return []
    ours = _hashes(folder)
    stems = {stem for name in files for stem in names_of_prompt(Path(name).stem)}
    return [
        path
        for path in sorted(folder.iterdir())
        if (path.name in ours or (path.stem in stems and path.suffix in SUFFIXES))
        and path.is_file()
        and _hash(path.read_bytes()) not in ours.get(path.name, ())
    ]


def _write(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Writes the files, and returns the names of older ones of ours, which are removed.

    The hashes are written first. So a run that is interrupted leaves no file that looks as if a
    person had changed it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    contents = {name: text.encode() for name, text in files.items()}
    before = _hashes(folder)
    old = [name for name in before if name not in contents and (folder / name).is_file()]
    hashes = {name: [_hash(content)] for name, content in contents.items()}
    for name, known in before.items():
        hashes[name] = [*hashes.get(name, []), *known][:2]
    write_whole(folder / MANIFEST, _manifest(hashes))
    for name, content in contents.items():
        write_whole(folder / name, content)
    for name in old:
        (folder / name).unlink()
    write_whole(folder / MANIFEST, _manifest({name: hashes[name][:1] for name in contents}))
    return old


def _manifest(hashes: Mapping[str, list[str]]) -> bytes:
    return json.dumps({"written by kg-build tune": hashes}, indent=2).encode() + b"\n"


def _hashes(folder: Path) -> dict[str, list[str]]:
    """Returns the hashes of the files that were written to a folder; none if they are not known.

    A file `tuning.json` that can't be read tells nothing, so all files count as a person's.
    """
    try:
        read = json.loads((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    found = read.get("written by kg-build tune") if isinstance(read, dict) else None
    if not isinstance(found, dict):
        return {}
    return {
        name: [one for one in hashes if isinstance(one, str)]
        for name, hashes in found.items()
        if isinstance(hashes, list) and name == Path(name).name
    }


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
