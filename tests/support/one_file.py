"""Reading one file in a test: what it gives, or why it gives nothing."""

import subprocess
import sys
from pathlib import Path

from graphrag_neo4j.documents import ReadOptions, Unreadable, read
from graphrag_neo4j.model import Document
from tests.support.paths import DATA

SAMPLES = DATA / "reading"


def document_in(path: Path) -> Document:
    """The one document of a file, its source relative to the file's folder."""
    [document] = read(path, ReadOptions(source_root=path.parent))
    assert isinstance(document, Document)
    return document


def reason_for(path: Path) -> str:
    """Why a file gives nothing."""
    [problem] = read(path, ReadOptions(source_root=path.parent))
    assert isinstance(problem, Unreadable)
    assert problem.source == path.name
    return problem.reason


def run(path: Path, *lines: str) -> str:
    """What lines of Python print about `items`, all that a file gives, in a fresh process.

    Lines before "read" come before the reading.
    """
    reading = [
        "from pathlib import Path",
        "from graphrag_neo4j.documents import ReadOptions, read",
        f"items = list(read(Path({str(path)!r}), ReadOptions()))",
    ]
    code = [line for given in lines for line in (reading if given == "read" else [given])]
    result = subprocess.run(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-c", "\n".join(["import sys", *code])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    return result.stdout.strip()
