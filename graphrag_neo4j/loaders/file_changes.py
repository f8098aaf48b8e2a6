"""Tells what has changed under some paths, and waits for the next change."""

import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.loaders.discovery import existing_part, find

__all__ = ["ChangeWaiter", "Snapshot", "Stamp", "take_snapshot"]

Stamp = tuple[int, int, int]  # size in bytes, time of the last change in nanoseconds, inode
STEP_SECONDS = 0.25  # longest time until a wait sees that its time is over


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files under some paths at one moment, by path, with a stamp that any change changes.

    `bare` holds the paths without any file that can be read, each with a sentence that says so.
    """

    files: Mapping[Path, Mapping[Path, Stamp]] = field(default_factory=dict)
    bare: Mapping[Path, str] = field(default_factory=dict)

    def differing(self, other: "Snapshot") -> set[Path]:
        """The files that are new, changed or gone in one of two snapshots."""
        return {file for file, _ in self.stamps() ^ other.stamps()}

    def stamps(self) -> set[tuple[Path, Stamp]]:
        """All files with their stamps."""
        return {item for files in self.files.values() for item in files.items()}


def take_snapshot(paths: Iterable[Path], *, follow_links: bool = False) -> Snapshot:
    """Looks at the files that `find` finds under each of the paths."""
    files: dict[Path, Mapping[Path, Stamp]] = {}
    bare = {}
    for path in paths:
        try:
            found = _stamps(find([path], follow_links=follow_links).files)
        except InputError as error:
            bare[path] = str(error)
            continue
        if found:
            files[path] = found
        else:
            bare[path] = f"{path} holds no file that can be read."
    return Snapshot(files, bare)


class ChangeWaiter:
    """Waits for changes below some paths. The operating system reports them.

    Where it can't, as on some network drives, a wait ends when its time is over.
    """

    def __init__(self, paths: Sequence[Path], listen: Listener) -> None:
        self._roots = [existing_part(path) for path in paths]
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
            elif await self._reported(self._reports):
                return

    async def aclose(self) -> None:
        """Ends the reports."""
        if self._reports:
            await self._reports.aclose()
        self._reports = None

    async def _follow_roots(self) -> None:
        """Asks for reports anew where a root is new, because it was replaced or has come back."""
        now = [await anyio.to_thread.run_sync(_identity, root) for root in self._roots]
        if now != self._known:
            await self.aclose()
            self._known = now
            there = [root for root, identity in zip(self._roots, now, strict=True) if identity]
            self._reports = _reports(there) if there else None

    async def _reported(self, reports: AsyncGenerator[object, None]) -> bool:
        """Whether a change is reported before STEP_SECONDS are over."""
        try:
            return bool(await anext(reports))
        except OSError as error:  # a root went at this moment, or there are too many folders
            self._reports = None
            self._listen(
                Notice(
                    f"The operating system does not report changes of files ({error}). The files "
                    "are looked at from time to time instead.",
                    warning=True,
                )
            )
            return False


def _reports(roots: Sequence[Path]) -> AsyncGenerator[object, None]:
    """The changes that the operating system reports; an empty set where STEP_SECONDS are over."""
    from watchfiles import awatch  # noqa: PLC0415 - most commands need no reports

    return awatch(
        *roots,
        watch_filter=None,  # `find` knows which files count
        rust_timeout=round(STEP_SECONDS * 1000),
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )


def _stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    stamps = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:  # it went at this moment
            continue
        stamps[file] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return stamps


def _identity(root: Path) -> tuple[int, int] | None:
    """What tells a file or folder from a later one at the same place; None if there is none."""
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
