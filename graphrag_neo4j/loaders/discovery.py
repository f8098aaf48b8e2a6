"""Finds the files of folders, globs and paths, and the sources whose file no longer exists."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.loaders.documents import SUFFIXES
from graphrag_neo4j.loaders.sources import ReadOptions, Unreadable, file_of, resolve, source_of

__all__ = ["DiscoveredFiles", "existing_part", "find", "gone"]


@dataclass(frozen=True, slots=True)
class DiscoveredFiles:
    """The files to read, each of them once.

    `skipped` counts the files of other kinds by suffix. `unreadable` holds the folders that could
    not be listed. `links` holds the symbolic links that were not followed because they lead out of
    the given folder.
    """

    files: tuple[Path, ...]
    skipped: Mapping[str, int]
    unreadable: tuple[Unreadable, ...]
    links: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Link:
    """A symbolic link that leads out of the given folder."""

    path: Path


@dataclass(frozen=True, slots=True)
class _Place:
    """A file or folder with its resolved path, where symbolic links are followed."""

    path: Path
    resolved: Path


def find(paths: Sequence[str | Path], *, follow_links: bool = False) -> DiscoveredFiles:
    """Finds the files of folders, globs and paths, in the given order; folders are sorted.

    Hidden files and folders are left out unless they are given. Symbolic links that are given, or
    that stay in the given folder, are followed; others only with `follow_links`. A path that exists
    is taken literally even if it looks like a glob. Raises InputError for a path that matches
    nothing and for a given file of a kind that can't be read.
    """
    files: dict[Path, Path] = {}
    skipped: dict[Path, str] = {}
    unreadable = []
    links: dict[Path, None] = {}
    for item in (item for path in paths for item in _expand(Path(path), follow_links)):
        if isinstance(item, Unreadable):
            unreadable.append(item)
        elif isinstance(item, _Link):
            links[item.path] = None
        elif _known(item.path):
            files.setdefault(item.resolved, item.path)
        else:
            skipped[item.resolved] = item.path.suffix.lower()
    return DiscoveredFiles(
        tuple(files.values()), Counter(skipped.values()), tuple(unreadable), tuple(links)
    )


def gone(sources: Iterable[str], path: str | Path, options: ReadOptions) -> list[str]:
    """Those of `sources` that were read from `path` and whose file no longer exists.

    A glob counts as the folder that it starts in. Raises InputError if a folder can't be listed,
    because its files may still exist.
    """
    folder = existing_part(Path(path))
    if not folder.is_dir():
        return []
    found = find([folder], follow_links=options.follow_links)
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


def _expand(path: Path, follow_links: bool) -> Iterator[_Place | Unreadable | _Link]:
    try:
        place = _Place(path, resolve(path))
        if path.is_dir():
            yield from _walk(place, True, None if follow_links else place.resolved, set())
        elif path.exists():
            yield _named(place)
        else:
            inside = None if follow_links else resolve(existing_part(path))
            for match in _glob(path):
                found = _Place(match, resolve(match))
                if inside and not found.resolved.is_relative_to(inside):
                    yield _Link(match)
                else:
                    yield from _walk(found, match.is_dir(), inside, set())
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from error


def _walk(
    place: _Place, is_folder: bool, inside: Path | None, seen: set[Path]
) -> Iterator[_Place | Unreadable | _Link]:
    """A file, or all files below a folder; a path outside `inside` is a link out of it.

    `seen` holds the folders that have been listed, so that links can't lead into them again.
    """
    if not is_folder:
        yield place
    elif place.resolved not in seen:
        seen.add(place.resolved)
        try:
            entries = _listed(place)
        except OSError as error:
            yield Unreadable(str(place.path), f"can't be listed: {error.strerror}")
            return
        for entry, is_link, is_folder_too in entries:
            if is_link and inside and not entry.resolved.is_relative_to(inside):
                yield _Link(entry.path)
            else:
                yield from _walk(entry, is_folder_too, inside, seen)


def _listed(folder: _Place) -> list[tuple[_Place, bool, bool]]:
    """The visible entries of a folder in order: is each one a link, and is it a folder?

    Only links are resolved: to ask the disk for the path of each file would take most of the time.
    """
    with os.scandir(folder.path) as listed:
        visible = sorted((x for x in listed if not x.name.startswith(".")), key=lambda x: x.name)
    entries = []
    for entry in visible:
        path = folder.path / entry.name
        if is_link := os.name == "nt" or entry.is_symlink():  # Windows has other kinds of links
            place, is_folder = _Place(path, resolve(path)), path.is_dir()
        else:
            place, is_folder = _Place(path, folder.resolved / entry.name), entry.is_dir()
        entries.append((place, is_link, is_folder))
    return entries


def _glob(pattern: Path) -> list[Path]:
    """The sorted matches of a glob; hidden files and folders only if the glob has the dot."""
    start = existing_part(pattern)
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


def existing_part(path: Path) -> Path:
    """The path if it exists, otherwise its part before the first glob character."""
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


def _named(place: _Place) -> _Place:
    if not _known(place.path):
        known = ", ".join(SUFFIXES)
        raise InputError(f"{place.path} is of a kind that can't be read: known are {known}.")
    return place


def _known(path: PurePosixPath | Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def _lies_under(source: str, folder: str) -> bool:
    """Whether a source belongs to a file below a folder; `folder` is a source, "." the root."""
    if folder == ".":
        return "://" not in source and not source.startswith("/")
    return source.startswith(folder.rstrip("/") + "/")
