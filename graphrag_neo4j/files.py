"""Files that are written whole or not at all, the files of the package, and counts on the disk.

A file is first written in the same folder under a random name, readable only by its owner, and
then renamed. If the process is killed before that, the old file stays. What the process has left is
removed by the next one that writes this file: it can be locked, as its writer has ended.
"""

import glob
import hashlib
import os
import stat
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shutil import rmtree
from tempfile import mkstemp
from typing import TYPE_CHECKING, BinaryIO

from graphrag_neo4j.errors import InputError

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from filelock import FileLock

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
UNFINISHED = ".unfinished"


def write_private(path: Path, text: str) -> None:
    """Writes a text file that only its owner can read at any moment."""
    with whole_file(path, PRIVATE_FILE) as file:
        file.write(text.encode())


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file as `whole_file` does. Raises OSError."""
    with whole_file(path) as file:
        file.write(content)


def open_private(path: Path) -> BinaryIO:
    """Opens a new file for writing that only its owner can read; deletes an older one first."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb")


def is_temporary(path: Path) -> bool:
    """Whether this is a file that is still being written, or was when its process was killed."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


@contextmanager
def one_writer(folder: Path, lock: "FileLock") -> Iterator[None]:
    """Keeps a folder for this process, which may do so again meanwhile with the same lock.

    The lock is free when the process has ended, however it ended. Raises InputError at once if
    another one has it, and if its file can't be written.
    """
    file = Path(lock.lock_file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        held = lock.acquire(timeout=0)
    except OSError as error:
        problem = f"{folder} can't be written: {error.strerror}. Name another folder."
        if isinstance(error, TimeoutError):
            problem = f"Another command writes to {folder} (lock {file}): wait for it, or end it."
        raise InputError(problem) from None
    with held:
        yield


def make_private_folder(path: Path) -> None:
    """Makes a folder and its missing parents; only the owner can enter the new folders."""
    for folder in reversed([path, *path.parents]):
        folder.mkdir(PRIVATE_FOLDER, exist_ok=True)


@contextmanager
def whole_file(path: Path, rights: int | None = None) -> Iterator[BinaryIO]:
    """Lends a file for writing, which gets its name after the block, when it is on the disk.

    After an error, the old file is as it was. Its rights are by default those of the file that it
    replaces, or the usual ones. A symbolic link stays one: its target is written. What is no
    ordinary file, such as `/dev/stdout`, is written directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    place = path.resolve()
    remove_unfinished(place.parent, place.name)
    descriptor, beside = _open_beside(place)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            beside.chmod(_usual_rights(place) if rights is None else rights)
            if sys.platform == "win32":  # it renames no open file
                file.close()
            beside.replace(place)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    with suppress(OSError), opened(place.parent) as folder:  # some file systems can't
        os.fsync(folder)


def remove_unfinished(folder: Path, name: str | None = None) -> None:
    """Removes files and folders that were left unfinished by processes that have ended.

    Only those of the file or folder `name`, if it is given.
    """
    for left in folder.glob(f".{glob.escape(name) if name else '*'}.????????{UNFINISHED}"):
        with suppress(OSError), opened(left) as descriptor:  # its writer may just finish it
            if lock(descriptor, wait=False):
                rmtree(left) if left.is_dir() else left.unlink()


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Lends a descriptor of a file or folder (of nothing on Windows, which opens no folder)."""
    descriptor = os.open(os.devnull if sys.platform == "win32" else path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool = True) -> bool:
    """Locks what is open here, until all processes that inherit the descriptor have closed it.

    False if another process holds the lock and one does not `wait`, on Windows, and where the file
    system has no locks.
    """
    with suppress(OSError):
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
    return False


def _open_beside(path: Path) -> tuple[int, Path]:
    while True:
        descriptor, name = mkstemp(UNFINISHED, f".{path.name}.", path.parent)
        lock(descriptor)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        os.close(descriptor)  # another process has removed it before it was locked


def _usual_rights(path: Path) -> int:
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)  # there is no way to read it without setting it
    os.umask(mask)
    return 0o666 & ~mask


# The files of the package: in a checkout, `cypher/` and `prompts/` are beside it


PACKAGE = "graphrag_neo4j"


def data(name: str) -> Traversable:
    """A file of `graphrag_neo4j/data/`."""
    return files(PACKAGE) / "data" / name


def read_data(name: str) -> bytes:
    """The content of a file of `graphrag_neo4j/data/`. Raises InputError if it is missing."""
    try:
        return data(name).read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"The file data/{name} of graphrag-neo4j is missing. Install graphrag-neo4j again."
        ) from error


def hash_of_data(*folders: str) -> str:
    """A hash of all files in folders of `graphrag_neo4j/data/`."""
    found = hashlib.sha256()
    for folder in folders:
        for file in sorted(data(folder).iterdir(), key=lambda file: file.name):
            content = file.read_bytes()
            found.update(f"{folder}/{file.name} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


@cache
def read_statement(name: str) -> str:
    """The text of the Cypher statement `name`, for example "extract/pairs"."""
    return (_folder("cypher") / f"{name}.cypher").read_text(encoding="utf-8")


@cache
def read_prompt(name: str) -> str:
    """The text of our own prompt `name`, for example "extract"."""
    return (_folder("prompts") / f"{name}.md").read_text(encoding="utf-8")


def prompt_names() -> list[str]:
    """The names of all our own prompts, in alphabetical order."""
    return sorted(file.name.removesuffix(".md") for file in _folder("prompts").iterdir())


def _folder(name: str) -> Traversable:
    packed = files(PACKAGE) / name
    return packed if packed.is_dir() else Path(__file__).parents[1] / name


# Counts of keys, of which there may be millions: beyond some megabytes they are on the disk


CACHE = 8_000_000  # bytes of the counts that stay in memory, about 150,000 keys


class KeyCounts:
    """Counts how often each key came.

    The counts are in a temporary database without a name. SQLite makes its file when the cache is
    full, and the file is gone when this object is. A key is kept as a hash of 16 bytes.
    """

    def __init__(self) -> None:
        import sqlite3  # noqa: PLC0415 - most commands count no keys

        # A reader may be called by one thread after the other.
        self._table = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._table.close)
        self._table.execute("PRAGMA journal_mode = OFF")  # nothing is ever taken back
        self._table.execute(f"PRAGMA cache_size = -{CACHE // 1024}")
        self._table.execute("CREATE TABLE seen (key BLOB PRIMARY KEY, times INT) WITHOUT ROWID")
        self._table.execute("BEGIN")  # without it, each key would be a transaction

    def add(self, key: str) -> int:
        """Counts a key, and returns how often it has come, this time included."""
        times = self[key] + 1
        self._table.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (_hash(key), times))
        return times

    def __getitem__(self, key: str) -> int:
        """How often a key has come."""
        found = self._table.execute("SELECT times FROM seen WHERE key = ?", (_hash(key),))
        return int((found.fetchone() or (0,))[0])

    def __contains__(self, key: str) -> bool:
        return self[key] > 0


def _hash(key: str) -> bytes:
    return hashlib.blake2b(key.encode(errors="surrogatepass"), digest_size=16).digest()
