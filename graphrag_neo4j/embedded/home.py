"""A home: the folder of one embedded server, with its data, its password and its record."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree

from platformdirs import user_data_path

from graphrag_neo4j.embedded.locks import locked
from graphrag_neo4j.embedded.telling import Telling
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import is_temporary, make_private_folder, write_private

__all__ = ["Home", "ServerRecord", "default_home"]

CONTENTS = ("conf", "data", "logs", "run", "password")


def default_home() -> Path:
    """The default home, in the user's data folder."""
    return user_data_path("graphrag-neo4j", appauthor=False) / "neo4j"


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """The record of a home's server; fields are empty or 0 before the first start.

    `release` and `version` are those of the Neo4j that the data belongs to, from its first start.
    `browse_port` is the port where Neo4j Browser looks for our guide. `pid` is the process of the
    last server, and `ready` is True if it has answered.
    """

    release: str = ""
    version: str = ""
    bolt_port: int = 0
    http_port: int = 0
    browse_port: int = 0
    pid: int = 0
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Home:
    """A home: the paths in it, and reading and writing its files."""

    path: Path

    @property
    def record_path(self) -> Path:
        """The path of the record; a folder with this file is a home."""
        return self.path / "graphrag-neo4j.json"

    @property
    def password_path(self) -> Path:
        """The path of the file with the password, which only the user can read."""
        return self.path / "password"

    @property
    def own_config_path(self) -> Path:
        """The path of the user's own settings for Neo4j, which this program only reads."""
        return self.path / "own.conf"

    @property
    def log_path(self) -> Path:
        """The path of Neo4j's log for users."""
        return self.path / "logs" / "neo4j.log"

    @property
    def console_path(self) -> Path:
        """The path of the output of the last server, errors at its start included."""
        return self.path / "logs" / "console.log"

    def make_folder(self) -> None:
        """Makes the folder if it is missing. Raises EmbeddedError if it holds other files."""
        make_private_folder(self.path)
        # In this order: another process that makes this home writes the record first.
        others = {path for path in self.path.iterdir() if not is_temporary(path)}
        others -= {self.record_path, self._lock_path, self._use_path, self.own_config_path}
        if others and not self.record_path.exists():
            raise EmbeddedError(
                f"{self.path} holds other files: name an empty folder or a new one"
                " in --home or KG_HOME."
            )
        self.path.chmod(0o700)

    def read(self) -> ServerRecord | None:
        """Reads the record; None if there is no home. Raises EmbeddedError if it is damaged."""
        try:
            return ServerRecord(**json.loads(self.record_path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise EmbeddedError(
                f"{self.record_path} can't be read ({error}): restore it, or name another folder"
                " in --home or KG_HOME."
            ) from error

    def write(self, record: ServerRecord) -> None:
        """Replaces the record as a whole or not at all."""
        text = json.dumps(asdict(record), indent=2) + "\n"
        write_private(self.record_path, text)

    def password(self) -> str:
        """The server's password. The first call makes it."""
        if not self.password_path.exists():
            # Hexadecimal, so that no program can read it as an option.
            write_private(self.password_path, secrets.token_hex(16))
        return self.password_path.read_text(encoding="utf-8")

    def clear(self) -> None:
        """Removes all but the user's settings and the record, which then has only the ports."""
        for name in CONTENTS:
            path = self.path / name
            if path.is_dir():
                rmtree(path)
            else:
                path.unlink(missing_ok=True)
        old = self.read() or ServerRecord()
        self.write(ServerRecord("", "", old.bolt_port, old.http_port, old.browse_port))

    @contextmanager
    def locked(self, telling: Telling) -> Iterator[None]:
        """Holds the lock of this home against other processes, with a notice if it has to wait."""
        with locked(self._lock_path, telling, f"Waiting for another process in {self.path}"):
            yield

    @contextmanager
    def in_use(self, telling: Telling) -> Iterator[None]:
        """Keeps the server of this home for this process alone, from before its start."""
        why = f"Waiting for another run that uses the server in {self.path}"
        with locked(self._use_path, telling, why):
            yield

    @property
    def _use_path(self) -> Path:
        return self.path / "in-use"

    @property
    def _lock_path(self) -> Path:
        return self.path / "lock"
