"""Packages that are missing, and the command that installs them.

The command installs them from the place that this package comes from.

The name of this package may belong to somebody else on a package index, so no hint gives the name
alone. An installer records where a package came from (PEP 610): a folder, an archive or a
repository. Without such a record, the hint names the packages of the extra.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from graphrag_neo4j.errors import GraphRAGError, InputError

PACKAGE = "graphrag-neo4j"
CHECKOUT = Path(__file__).parents[2]


@contextmanager
def needing(extra: str, needs: str, error_type: type[GraphRAGError] = InputError) -> Iterator[None]:
    """Says how an extra is installed if an import lacks a package of another project.

    `needs` is the beginning of the sentence, such as "The report needs".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("graphrag_neo4j"):
            raise  # a module of ours: no installation would help
        command = install_command(extra)
        raise error_type(f"{needs} the package {error.name}: {command}") from error


def refuse_without_index(needs: str = "Indexing needs") -> None:
    """Raises InputError where the packages of the extra `index` are missing; it imports none."""
    with needing("index", needs):
        if find_spec("numpy") is None:
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")


def install_command(extra: str = "") -> str:
    """The command that installs this package with an extra, for example `docs`."""
    extras = f"[{extra}]" if extra else ""
    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return f'pip install "{CHECKOUT}{extras}"'
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    address = str(origin.get("url", ""))
    if source := origin.get("vcs_info"):
        address = f"{source['vcs']}+{address}@{source['commit_id']}"
    path = Path(url2pathname(unquote(urlsplit(address).path)))
    if address.startswith("file:") and path.exists():
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f'pip install {editable}"{path}{extras}"'
    if address and not address.startswith("file:"):
        return f'pip install "{PACKAGE}{extras} @ {address}"'
    needed = []
    for line in installed.requires or []:
        requirement, _, condition = line.partition(";")
        named = re.search(r"""extra\s*==\s*["']([^"']*)["']""", condition)
        if (named[1] if named else "") == extra:
            needed.append(f'"{requirement.strip()}"')
    return " ".join(["pip install", *needed])
