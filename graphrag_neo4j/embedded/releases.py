"""The releases of the embedded Neo4j, and the jars of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from graphrag_neo4j.resources import data
from graphrag_neo4j.settings import Neo4jRelease

__all__ = ["RELEASES", "Jar", "Release", "read_lock"]


@dataclass(frozen=True, slots=True)
class Jar:
    """A line of a lock file. `kind` is `lib` or `plugins`, `path` the path in a repository."""

    kind: str
    path: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """The file name, which is unique within its kind."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Release:
    """A release line, and its version that we start.

    `main_class` starts the server. It runs on any Java since 21; a Java of `preferred_javas` on the
    machine is used before all others.
    """

    name: Neo4jRelease
    version: str
    main_class: str
    preferred_javas: Sequence[int]

    def lock(self) -> str:
        """The text of the lock file of this release."""
        return data(f"neo4j/{self.version}.lock").read_text(encoding="utf-8")

    def folder_name(self) -> str:
        """The name of the cache folder of the jars, which is different for each lock file.

        So a class path of `folder/*` never holds a jar that is not in the lock file.
        """
        return f"{self.version}-{sha256(self.lock().encode()).hexdigest()[:8]}"


RELEASES: Mapping[Neo4jRelease, Release] = {
    "2026.01": Release("2026.01", "2026.01.4", "org.neo4j.server.Neo4jCommunity", ()),
    "5.26": Release("5.26", "5.26.30", "org.neo4j.server.CommunityEntryPoint", (17, 21)),
}


def read_lock(text: str) -> Sequence[Jar]:
    """The jars of a lock: lines of kind, path, bytes and SHA-256; `#` starts a comment."""
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return [Jar(kind, path, int(size), digest) for kind, path, size, digest in rows]
