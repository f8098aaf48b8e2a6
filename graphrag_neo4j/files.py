"""Writes files as a whole or not at all, and makes folders that only their owner can enter.

A file is first written in the same folder under a random name, readable only by its owner, and
then renamed. If the process is killed before that, the old file stays.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

__all__ = [
    "PRIVATE_FILE",
    "is_temporary",
    "make_private_folder",
    "open_private",
    "write_private",
    "write_whole",
]

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
UNFINISHED = ".unfinished"


def write_private(path: Path, text: str) -> None:
    """Writes a text file that only its owner can read at any moment."""
    _write_beside(path, text.encode(), PRIVATE_FILE)


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file with the rights of the file that it replaces, or with the usual rights.

    A path that is not an ordinary file, such as `/dev/stdout`, is written directly. Raises OSError.
    """
    place = path.resolve()  # the target of a symbolic link, not the link
    if place.exists() and not place.is_file():
        path.write_bytes(content)
    else:
        _write_beside(place, content, _usual_rights(place))


def open_private(path: Path) -> BinaryIO:
    """Opens a new file for writing that only its owner can read; deletes an older one first."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb")


def is_temporary(path: Path) -> bool:
    """Whether this is a file that is still being written, or was when its process was killed."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


def make_private_folder(path: Path) -> None:
    """Makes a folder and its missing parents; only the owner can enter the new folders."""
    for folder in reversed([path, *path.parents]):
        folder.mkdir(PRIVATE_FOLDER, exist_ok=True)


def _write_beside(path: Path, content: bytes, rights: int) -> None:
    descriptor, name = mkstemp(UNFINISHED, f".{path.name}.", path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        beside.chmod(rights)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _usual_rights(path: Path) -> int:
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)  # there is no way to read it without setting it
    os.umask(mask)
    return 0o666 & ~mask
