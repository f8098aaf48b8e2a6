"""Folders, globs and single files become a list of files; and what of it has gone since."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.reading.documents import KINDS
from graphrag_neo4j.reading.sources import ReadOptions, Unreadable, file_of, resolve, source_of

__all__ = ["Found", "find", "gone"]


@dataclass(frozen=True, slots=True)
class Found:
    """The files to read, each once.

    `skipped` counts the files of other kinds by suffix; `unreadable` are folders that could
    not be listed.
    """

    files: tuple[Path, ...]
    skipped: Mapping[str, int]
    unreadable: tuple[Unreadable, ...]


def find(paths: Sequence[str | Path]) -> Found:
    """The files that folders, globs and files stand for, in the order given, folders sorted.

    Hidden files and folders are left out unless named; symlinks are followed. A path that
    exists is taken literally even if it looks like a glob. Raises InputError for a path that
    matches nothing and for a named file of a kind that can't be read.
    """
    files: dict[Path, Path] = {}
    skipped: dict[Path, str] = {}
    unreadable = []
    for item in (item for path in paths for item in _expand(Path(path))):
        if isinstance(item, Unreadable):
            unreadable.append(item)
        elif _known(item):
            files.setdefault(resolve(item), item)
        else:
            skipped[resolve(item)] = item.suffix.lower()
    return Found(tuple(files.values()), Counter(skipped.values()), tuple(unreadable))


def gone(sources: Iterable[str], path: str | Path, options: ReadOptions) -> list[str]:
    """Those of `sources` that were read from under `path` and whose file is there no more.

    For a glob, `path` counts as the folder that it starts in. Raises InputError if a folder
    can't be listed: what it holds might be there.
    """
    folder = _existing_part(Path(path))
    if not folder.is_dir():
        return []
    found = find([folder])
    for hidden in found.unreadable:
        raise InputError(f"Nothing is pruned, since {hidden.source} {hidden.reason}.")
    present = {source_of(file, options) for file in found.files}
    place = source_of(folder, options)
    return [
        source
        for source in sources
        if _lies_under(source, place)
        and _known(PurePosixPath(file_of(source)))
        and file_of(source) not in present
    ]


def _expand(path: Path) -> Iterator[Path | Unreadable]:
    try:
        if path.is_dir():
            yield from _walk(path, set())
        elif path.exists():
            yield _named(path)
        else:
            for match in _glob(path):
                yield from _walk(match, set()) if match.is_dir() else [match]
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from error


def _walk(folder: Path, seen: set[Path]) -> Iterator[Path | Unreadable]:
    """All files below a folder; `seen` are the folders that symlinks must not lead into again."""
    if resolve(folder) in seen:
        return
    seen.add(resolve(folder))
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
        folders = {entry for entry in entries if entry.is_dir()}
    except OSError as error:
        yield Unreadable(str(folder), f"can't be listed: {error.strerror}")
        return
    for entry in entries:
        if entry in folders:
            yield from _walk(entry, seen)
        else:
            yield entry


def _glob(pattern: Path) -> list[Path]:
    """What a glob matches, sorted; hidden files and folders only if the glob names the dot."""
    start = _existing_part(pattern)
    rest = pattern.relative_to(start) if start != Path() else pattern
    try:
        matches = sorted(start.glob(str(rest))) if _has_magic(str(rest)) else []
    except ValueError as error:
        raise InputError(f"{pattern} is not a usable glob: {error}.") from None
    if not any(part.startswith(".") for part in rest.parts):
        matches = [match for match in matches if not _is_hidden(match.relative_to(start))]
    if not matches:
        raise InputError(f"{pattern} matches no file: check the path.")
    return matches


def _existing_part(path: Path) -> Path:
    """The path if it exists, else the part of it before the first glob character."""
    if path.exists():
        return path
    literal = []
    for part in path.parts:
        if _has_magic(part):
            break
        literal.append(part)
    return Path(*literal)


def _has_magic(text: str) -> bool:
    return any(character in text for character in "*?[")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _named(path: Path) -> Path:
    if not _known(path):
        known = ", ".join(KINDS)
        raise InputError(f"{path} is of a kind that can't be read: known are {known}.")
    return path


def _known(path: PurePosixPath | Path) -> bool:
    return path.suffix.lower() in KINDS


def _lies_under(source: str, folder: str) -> bool:
    """Whether a source is of a file below a folder, given by its source; "." is the root."""
    if folder == ".":
        return "://" not in source and not source.startswith("/")
    return source.startswith(folder.rstrip("/") + "/")
