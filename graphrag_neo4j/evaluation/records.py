"""Files of records: JSON Lines, one record on each line, each known by its key.

Records are only added. Where two lines have one key, the later one counts. A line that was cut off
when its run was killed is removed; any other line that can't be read is an error of its file.
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import write_whole

__all__ = ["Record", "RecordFile", "failure_of", "read_lines", "validated"]


class Record(Protocol):
    """What all records have: a key, and the reason why they are missing, if they are."""

    @property
    def key(self) -> str: ...


R = TypeVar("R", bound=Record)
V = TypeVar("V")


class RecordFile(Generic[R]):
    """The records of one kind in a file.

    `kind` is the dataclass of the records. The file need not exist. Raises InputError for a file
    with a line that is no such record.
    """

    def __init__(self, path: Path, kind: type[R]) -> None:
        self.path = path
        self._adapter = TypeAdapter(kind)
        self._records: dict[str, R] = {}
        self._whole = 0  # bytes of the whole lines
        self._read()

    def __contains__(self, key: str) -> bool:
        """Whether the record with this key is there and not missing."""
        found = self._records.get(key)
        return found is not None and failure_of(found) is None

    def __getitem__(self, key: str) -> R:
        return self._records[key]

    def __iter__(self) -> Iterator[R]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    def add(self, records: Sequence[R]) -> None:
        """Adds records to the file; when this returns, they are on the disk."""
        lines = b"".join(self._adapter.dump_json(record) + b"\n" for record in records)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.truncate(self._whole)
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        self._whole += len(lines)
        self._keep(records)

    def replace(self, records: Sequence[R]) -> None:
        """Replaces all records of the file by these."""
        lines = b"".join(self._adapter.dump_json(record) + b"\n" for record in records)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, lines)
        self._whole = len(lines)
        self._records.clear()
        self._keep(records)

    def _keep(self, records: Iterable[R]) -> None:
        for record in records:
            self._records.pop(record.key, None)  # the order is that of the last lines
            self._records[record.key] = record

    def _read(self) -> None:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise InputError(f"{self.path} can't be read: {error.strerror}.") from None
        whole, end, _cut_off = content.rpartition(b"\n")
        self._whole = len(whole) + len(end)
        lines = enumerate(whole.split(b"\n"), start=1)
        self._keep(self._record(line, number) for number, line in lines if line.strip())

    def _record(self, line: bytes, number: int) -> R:
        try:
            return self._adapter.validate_json(line)
        except ValidationError as error:
            raise InputError(
                f"Line {number} of {self.path} is no record of this file: "
                f"{_first_problem(error)}. Correct the line, or remove it."
            ) from None


def validated(text: str | bytes, kind: type[V], where: str) -> V:
    """Returns the JSON of a file as an instance of a dataclass.

    `where` names the file. Raises InputError for another content.
    """
    return _validated(text, TypeAdapter(kind), where)


def read_lines(path: Path, kind: type[V]) -> list[V]:
    """Returns the lines of a JSON Lines file that another program wrote; blank lines are left out.

    Raises InputError if the file can't be read, and for a line that is not of this kind.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    adapter = TypeAdapter(kind)
    lines = enumerate(content.removeprefix(codecs.BOM_UTF8).split(b"\n"), start=1)
    return [
        _validated(line, adapter, f"Line {number} of {path}")
        for number, line in lines
        if line.strip()
    ]


def _validated(text: str | bytes, adapter: TypeAdapter[V], where: str) -> V:
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        problem = _first_problem(error)
        raise InputError(f"{where} is not what it should be: {problem}. Correct it.") from None


def failure_of(record: object) -> str | None:
    """The reason why a record is missing, None if it is not."""
    return getattr(record, "failure", None)


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "unexpected_keyword_argument":
        return f"it has no field {place}"
    return f"{place}: {first['msg']}" if place else first["msg"]
