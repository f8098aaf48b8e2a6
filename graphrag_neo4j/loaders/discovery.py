"""Finds the files of folders, globs and paths, and the sources whose file no longer exists."""

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
        elif _known(item):
            files.setdefault(resolve(item), item)
        else:
            skipped[resolve(item)] = item.suffix.lower()
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


def _expand(path: Path, follow_links: bool) -> Iterator[Path | Unreadable | _Link]:
    try:
        if path.is_dir():
            yield from _walk(path, True, None if follow_links else resolve(path), set())
        elif path.exists():
            yield _named(path)
        else:
            inside = None if follow_links else resolve(existing_part(path))
            for match in _glob(path):
                yield from _walk(match, match.is_dir(), inside, set())
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from error


def _walk(
    path: Path, is_folder: bool, inside: Path | None, seen: set[Path]
) -> Iterator[Path | Unreadable | _Link]:
    """A file, or all files below a folder; a path outside `inside` is a link out of it.

    `seen` holds the folders that have been listed, so that links can't lead into them again.
    """
    place = resolve(path)
    if inside and not place.is_relative_to(inside):
        yield _Link(path)
    elif not is_folder:
        yield path
    elif place not in seen:
        seen.add(place)
        try:
            visible = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
            entries = [(entry, entry.is_dir()) for entry in visible]
        except OSError as error:
            yield Unreadable(str(path), f"can't be listed: {error.strerror}")
            return
        for entry, is_folder_too in entries:
            yield from _walk(entry, is_folder_too, inside, seen)


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


def _named(path: Path) -> Path:
    if not _known(path):
        known = ", ".join(SUFFIXES)
        raise InputError(f"{path} is of a kind that can't be read: known are {known}.")
    return path


def _known(path: PurePosixPath | Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def _lies_under(source: str, folder: str) -> bool:
    """Whether a source belongs to a file below a folder; `folder` is a source, "." the root."""
    if folder == ".":
        return "://" not in source and not source.startswith("/")
    return source.startswith(folder.rstrip("/") + "/")
