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
    """The home where none is named, in the user's data folder."""
    return user_data_path("graphrag-neo4j", appauthor=False) / "neo4j"


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """What a home remembers; empty or 0 where there is nothing yet.

    `release` and `version` are those of the Neo4j that its data belongs to, from the moment
    that it could first write there. `browse_port`: where Neo4j Browser looks for our guide.
    `pid`: the last server's process; `ready`: it has answered.
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
    """The places in a home, and what is read and written there."""

    path: Path

    @property
    def record_path(self) -> Path:
        """The record; the file that makes a folder a home of ours."""
        return self.path / "graphrag-neo4j.json"

    @property
    def password_path(self) -> Path:
        """The file with the password, which only the user can read."""
        return self.path / "password"

    @property
    def log_path(self) -> Path:
        """Neo4j's own log for its users."""
        return self.path / "logs" / "neo4j.log"

    @property
    def console_path(self) -> Path:
        """What the last server printed, its failures to start included."""
        return self.path / "logs" / "console.log"

    def make_folder(self) -> None:
        """Make the folder, if it is not there. Raises EmbeddedError if it is something else."""
        make_private_folder(self.path)
        # In this order: another process that makes this home writes the record first.
        others = {path for path in self.path.iterdir() if not is_temporary(path)}
        others -= {self.record_path, self._lock_path}
        if others and not self.record_path.exists():
            raise EmbeddedError(
                f"{self.path} holds other files: name an empty folder or a new one"
                " in --home or KG_HOME."
            )
        self.path.chmod(0o700)

    def read(self) -> ServerRecord | None:
        """The record; None where there is no home. Raises EmbeddedError if it is damaged."""
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
        """Replace the record, whole or not at all."""
        text = json.dumps(asdict(record), indent=2) + "\n"
        write_private(self.record_path, text)

    def password(self) -> str:
        """The server's password, made on the first call."""
        if not self.password_path.exists():
            # Hexadecimal: nothing that any reader of the file could take for an option.
            write_private(self.password_path, secrets.token_hex(16))
        return self.password_path.read_text(encoding="utf-8")

    def clear(self) -> None:
        """Remove everything but the record of an empty home, and its ports."""
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
        """Alone in this home, against all other processes; says so where it has to wait."""
        with locked(self._lock_path, telling, f"Waiting for another process in {self.path}"):
            yield

    @property
    def _lock_path(self) -> Path:
        return self.path / "lock"
