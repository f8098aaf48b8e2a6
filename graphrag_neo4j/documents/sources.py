"""Which files the given paths stand for, what their documents are called, and what has changed."""

import os
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath
from unicodedata import normalize
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes
from urllib.request import url2pathname

import anyio
import anyio.to_thread

from graphrag_neo4j.documents.process import PARSED
from graphrag_neo4j.documents.rows import ROWS
from graphrag_neo4j.documents.text import TEXTS, Unreadable
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.settings.installing import install_command
from graphrag_neo4j.settings.reading import ReadOptions

SUFFIXES = (*TEXTS, *PARSED, *ROWS)
"""The suffixes of the files that can be read."""
SAVED_AS = {
    **dict.fromkeys((".doc", ".odt", ".pages", ".rtf", ".wpd", ".wps"), ".docx"),
    **dict.fromkeys((".key", ".odp", ".ppt"), ".pptx"),
    **dict.fromkeys((".numbers", ".ods", ".xls", ".xlsb"), ".xlsx"),
    **dict.fromkeys((".azw", ".azw3", ".fb2", ".mobi"), ".epub"),
    **dict.fromkeys((".mht", ".mhtml"), ".html"),
    ".msg": ".eml",
}
"""By suffix: the kind as which a document can be saved, to be read."""
LATER_PART = re.compile(r"#part-\d+\Z")
MAGIC = frozenset("*?[")  # of globs
HIDDEN_PATH = re.compile(r"(?:^|/)(?:\.|~\$)")  # the latter are the locks of Office
LOCAL = "file://" if os.name == "nt" else "file:///"  # how the URIs of folders begin
STEP_SECONDS = 0.25  # longest time until a wait sees that its time is over
Stamp = tuple[int, int, int]  # size in bytes, time of the last change in nanoseconds, inode


# The source of a document, which identifies it in later runs


def source_of(path: Path, options: ReadOptions) -> str:
    """The resolved path as a file URI, or relative to the source root if there is one.

    It never contains a "#", which separates the name of a row. Letters with marks are written in
    one way (NFC), since some systems write names in another. Raises InputError for a path outside
    the root.
    """
    resolved = _composed(absolute(path))
    if options.source_root is None:
        return resolved.as_uri()
    root = _composed(absolute(options.source_root))
    if not resolved.is_relative_to(root):
        raise InputError(f"{path} lies outside the source root {root}: name one that holds it.")
    # Readable: only characters that would make it ambiguous are percent-encoded.
    return re.sub(
        r"[%#\udc80-\udcff]",
        lambda found: quote_from_bytes(os.fsencode(found[0])),
        resolved.relative_to(root).as_posix(),
    )


def _composed(path: Path) -> Path:
    return Path(normalize("NFC", str(path)))


def file_of(source: str) -> str:
    """The source of the file that a row belongs to; the source of a file is returned as it is."""
    return source.partition("#")[0]


def name_of(source: str) -> str:
    """What people call the file of a source: its name; a web address or any other name as it is.

    >>> name_of("file:///notes/To%20do.md"), name_of("a/b.csv#12"), name_of("https://a.org/b")
    ('To do.md', 'b.csv', 'https://a.org/b')
    """
    if "://" in source and not source.startswith("file:"):
        return source
    return unquote(file_of(source).rstrip("/").rpartition("/")[2]) or source


def told_apart(files: Sequence[str]) -> dict[str, str]:
    """The name of each of the files (sources), with as many folders as tell it from the others.

    >>> told_apart(["file:///a/x/b.md", "file:///a/y/b.md"]).values()
    dict_values(['x/b.md', 'y/b.md'])
    """
    found = {file: file for file in files if name_of(file) == file}
    left = {file: unquote(file).rstrip("/").split("/") for file in files if file not in found}
    depth = 1
    while left:
        ends = {file: "/".join(path[-depth:]) for file, path in left.items()}
        times = Counter(ends.values())
        found |= {
            file: end for file, end in ends.items() if times[end] == 1 or depth >= len(left[file])
        }
        left = {file: path for file, path in left.items() if file not in found}
        depth += 1
    return found


def whole_of(source: str) -> str:
    """The source of the long text that a part belongs to; any other source as it is."""
    return LATER_PART.sub("", source)


def absolute(path: Path) -> Path:
    """The absolute path without symlinks.

    Path.resolve() does the same, but raises RuntimeError at a loop before Python 3.13.
    """
    return Path(os.path.realpath(path))


# The files of folders, globs and paths


@dataclass(frozen=True, slots=True)
class DiscoveredFiles:
    """The files to read, each of them once.

    `skipped` counts the files of other kinds by suffix. `unreadable` holds the folders that could
    not be listed. `links` holds the symbolic links that were not followed because they lead out of
    the given folder. `gone` holds the given paths that no longer exist.
    """

    files: tuple[Path, ...]
    skipped: Mapping[str, int]
    unreadable: tuple[Unreadable, ...]
    links: tuple[Path, ...] = ()
    gone: tuple[Path, ...] = ()


def find_files(
    paths: Iterable[str | Path], *, follow_links: bool = False, may_be_gone: bool = False
) -> DiscoveredFiles:
    """Finds the files of folders, globs and paths, in the given order; folders are sorted.

    Hidden files and folders are left out unless they are given. Symbolic links that are given, or
    that stay in the given folder, are followed; others only with `follow_links`. A path that exists
    is taken literally even if it looks like a glob. Raises InputError for a path that matches
    nothing, unless it is no glob and `may_be_gone`, and for a given file of a kind that can't be
    read.
    """
    search, missing = _Search(follow_links), []
    for path in map(Path, paths):
        try:
            if may_be_gone and not MAGIC.intersection(str(path)) and _is_gone(path):
                missing.append(path)
            else:
                search.given(path)
        except OSError as error:
            raise InputError(f"{path} can't be read: {error.strerror}.") from error
    files, skipped = tuple(search.files.values()), Counter(search.skipped.values())
    return DiscoveredFiles(
        files, skipped, tuple(search.unreadable), tuple(search.links), tuple(missing)
    )


def _is_gone(path: Path) -> bool:
    """Whether nothing has this name, nor a link whose target may be on a disk that is detached.

    Raises OSError if a folder on the way can't be read, because the path may still exist.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    return False


class _Search:
    """The files that were found so far, by their resolved path."""

    def __init__(self, follow_links: bool) -> None:
        self.follow_links = follow_links
        self.files: dict[Path, Path] = {}
        self.skipped: dict[Path, str] = {}
        self.unreadable: list[Unreadable] = []
        self.links: dict[Path, None] = {}

    def given(self, path: Path) -> None:
        """Adds a path as it was given."""
        if path.exists() and not path.is_dir() and not _known(path):
            saved, known = SAVED_AS.get(path.suffix.lower()), ", ".join(SUFFIXES)
            hint = f"save it as {saved}" if saved else f"known are {known}"
            raise InputError(f"{path} is of a kind that can't be read: {hint}.")
        if path.exists():
            resolved = absolute(path)
            self._add(path, resolved, path.is_dir(), None if self.follow_links else resolved, set())
            return
        inside = None if self.follow_links else absolute(_existing_part(path))
        for match in _matches(path):
            self._add(match, absolute(match), match.is_dir(), inside, set())

    def _add(
        self, path: Path, resolved: Path, is_folder: bool, inside: Path | None, seen: set[Path]
    ) -> None:
        """Adds a file, or all files below a folder; a path outside `inside` is a link out of it.

        `seen` holds the folders that have been listed, so that links can't lead into them again.
        """
        if inside and not resolved.is_relative_to(inside):
            self.links[path] = None
        elif is_folder and resolved not in seen:
            seen.add(resolved)
            try:
                entries = _listed(path, resolved)
            except OSError as error:
                reason = f"can't be listed: {error.strerror}"
                self.unreadable.append(Unreadable(str(path), reason))
                return
            for entry in entries:
                self._add(*entry, inside, seen)
        elif not is_folder and _known(path):
            self.files.setdefault(resolved, path)
        elif not is_folder:
            self.skipped[resolved] = path.suffix.lower()


def _listed(folder: Path, resolved: Path) -> list[tuple[Path, Path, bool]]:
    """The visible entries of a folder in order, each with its resolved path; is it a folder?

    Only links are resolved: to ask the disk for the path of each file would take most of the time.
    """
    with os.scandir(folder) as listed:
        visible = sorted((x for x in listed if not HIDDEN_PATH.match(x.name)), key=lambda x: x.name)
    return [
        (path := folder / entry.name, absolute(path), path.is_dir())
        if os.name == "nt" or entry.is_symlink()  # Windows has other kinds of links
        else (folder / entry.name, resolved / entry.name, entry.is_dir())
        for entry in visible
    ]


def _matches(pattern: Path) -> list[Path]:
    """The sorted matches of a glob; hidden files and folders only if the glob has the dot."""
    start = _existing_part(pattern)
    rest = pattern.relative_to(start) if start != Path() else pattern
    try:
        matches = sorted(start.glob(str(rest))) if MAGIC.intersection(str(rest)) else []
    except ValueError as error:
        raise InputError(f"{pattern} is not a usable glob: {error}.") from None
    if not HIDDEN_PATH.search(rest.as_posix()):
        matches = [m for m in matches if not HIDDEN_PATH.search(m.relative_to(start).as_posix())]
    if not matches:
        raise InputError(f"{pattern} matches no file: check the path.")
    return matches


def _existing_part(path: Path) -> Path:
    """The path if it exists, otherwise its part before the first glob character."""
    if path.exists():
        return path
    return Path(*takewhile(lambda part: not MAGIC.intersection(part), path.parts))


def _known(path: PurePosixPath | Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def gone(sources: Iterable[str], path: str | Path, options: ReadOptions) -> list[str]:
    """Those of `sources` that were read from `path` and whose file no longer exists.

    A glob counts as the folder that it starts in. The path itself may no longer exist. Raises
    InputError if a folder can't be listed, because its files may still exist.
    """
    start = _existing_part(Path(path))
    if start.exists() and not start.is_dir():
        return []
    found = find_files([start], follow_links=options.follow_links, may_be_gone=True)
    for hidden in found.unreadable:
        raise InputError(f"Nothing is pruned, since {hidden.source} {hidden.reason}.")
    present = {source_of(file, options) for file in found.files}
    place = source_of(start, options)
    return [one for one in read_from(sources, place) if file_of(one) not in present]


def read_from(sources: Iterable[str], place: str) -> list[str]:
    """Those of `sources` that were read from the file or folder whose source is `place`."""
    found = (one for one in sources if _lies_in(one, place))
    return [one for one in found if _known(PurePosixPath(file_of(one)))]


def _lies_in(source: str, place: str) -> bool:
    if place == ".":  # the source root
        return "://" not in source and not source.startswith("/")
    inside = source.startswith(place.rstrip("/") + "/") and ("://" in source) == ("://" in place)
    return inside or file_of(source) == place


def lost_files(
    files: Iterable[str], paths: Iterable[str | Path], options: ReadOptions
) -> tuple[int, Counter[Path]]:
    """How many files are no longer on this disk, by the sources of files.

    The first number is of those under `paths`. The others are counted by the outermost folder that
    is also gone, else by their path. Sources that are no file URIs are relative to a source root;
    they are only looked for if they lie under one of `paths`. What can't be listed isn't lost.
    """
    starts = {_existing_part(Path(path)) for path in paths}
    places = [source_of(start, options) for start in starts if start.is_dir()]
    near, elsewhere = 0, Counter[Path]()
    for file in files:
        is_near = any(_lies_in(file, place) for place in places)
        known = file.lower().endswith(SUFFIXES) and (is_near or file.startswith(LOCAL))
        if not known or not is_lost(file, options.source_root):
            continue
        if is_near:
            near += 1
        else:
            elsewhere[_outermost_gone(_path_of(file, options.source_root))] += 1
    return near, elsewhere


def is_lost(source: str, root: Path | None) -> bool:
    """Whether the file of a source is no longer on this disk; False where that can't be told.

    A source that is no file URI is relative to the source root `root`.
    """
    if not source.startswith(LOCAL) and (root is None or "://" in source):
        return False
    path = str(_path_of(file_of(source), root))
    try:  # sources hide how marks are written on the disk
        return all(_is_gone(Path(normalize(form, path))) for form in ("NFC", "NFD"))
    except OSError:
        return False


def _outermost_gone(path: Path) -> Path:
    while path != path.parent and not path.parent.exists():
        path = path.parent
    return path


def _path_of(source: str, root: Path | None) -> Path:
    is_uri = source.startswith("file:")
    if is_uri and os.name == "nt":
        return Path(url2pathname(source[5:]))
    path = Path(os.fsdecode(unquote_to_bytes(source[7:] if is_uri else source)))
    return path if is_uri else absolute(root or Path()) / path


def place_of(path: str | Path) -> str:
    """How the sources of documents begin that are read from a folder, or lie beside a file."""
    there = absolute(_existing_part(Path(path)))
    return _composed(there if there.is_dir() else there.parent).as_uri().rstrip("/") + "/"


# Changes of files


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files under some paths at one moment, by path, with a stamp that any change changes.

    `bare` holds the paths without any file that can be read, each with a sentence that says so.
    """

    files: Mapping[Path, Mapping[Path, Stamp]] = field(default_factory=dict)
    bare: Mapping[Path, str] = field(default_factory=dict)

    def differing(self, other: "Snapshot") -> set[Path]:
        """The files that are new, changed or gone in one of two snapshots."""
        one, two = (
            {item for files in snapshot.files.values() for item in files.items()}
            for snapshot in (self, other)
        )
        return {file for file, _ in one ^ two}


def take_snapshot(paths: Iterable[Path], *, follow_links: bool = False) -> Snapshot:
    """Looks at the files that `find_files` finds under each of the paths."""
    files: dict[Path, dict[Path, Stamp]] = {}
    bare = {}
    for path in paths:
        bare[path] = f"{path} holds no file that can be read."
        try:
            for file in find_files([path], follow_links=follow_links).files:
                if status := _status(file):  # otherwise it went at this moment
                    stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
                    files.setdefault(path, {})[file] = stamp
        except InputError as error:
            bare[path] = str(error)
    return Snapshot(files, {path: why for path, why in bare.items() if path not in files})


class ChangeWaiter:
    """Waits for changes below some paths. The operating system reports them.

    Where it can't, as on some network drives, a wait ends when its time is over.
    """

    def __init__(self, paths: Sequence[Path], listen: Listener) -> None:
        self._roots = [_existing_part(path) for path in paths]
        self._listen = listen
        self._reports: AsyncGenerator[object, None] | None = None
        self._known: list[tuple[int, int] | None] | None = None  # of the reported roots

    async def wait(self, seconds: float) -> None:
        """Returns after the next change, or when the time is over."""
        end = time.monotonic() + seconds
        await self._follow_roots()
        while (left := end - time.monotonic()) > 0:
            if self._reports is None:
                await anyio.sleep(left)
                continue
            try:
                if await anext(self._reports):  # otherwise STEP_SECONDS are over without a change
                    return
            except OSError as error:  # a root went at this moment, or there are too many folders
                self._reports = None
                self._say_unreported(f"The operating system does not report them ({error}).")

    async def aclose(self) -> None:
        """Ends the reports."""
        if self._reports:
            await self._reports.aclose()
        self._reports = None

    async def _follow_roots(self) -> None:
        """Asks for reports anew where a root is new, because it was replaced or has come back."""
        found = [await anyio.to_thread.run_sync(_status, root) for root in self._roots]
        now = [(one.st_dev, one.st_ino) if one else None for one in found]
        if now == self._known:
            return
        await self.aclose()
        self._known = now
        if there := [root for root, identity in zip(self._roots, now, strict=True) if identity]:
            try:
                from watchfiles import awatch  # noqa: PLC0415 - an extra
            except ImportError:
                self._say_unreported(f"A package is missing: {install_command('watch')}.")
                return
            self._reports = awatch(
                *there,
                watch_filter=None,  # `find_files` knows which files count
                rust_timeout=round(STEP_SECONDS * 1000),
                yield_on_timeout=True,  # with an empty set
                ignore_permission_denied=True,
            )

    def _say_unreported(self, reason: str) -> None:
        text = "Changes of files are found by looking at the files from time to time. "
        self._listen(Notice(text + reason, warning=True))


def _status(path: Path) -> os.stat_result | None:
    """The status of a file or folder; None if there is none."""
    try:
        return path.stat()
    except OSError:
        return None
