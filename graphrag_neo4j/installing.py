"""The command that installs missing packages, from the place that this package comes from.

The name of this package may belong to somebody else on a package index, so no hint gives the name
alone. An installer records where a package came from (PEP 610): a folder, an archive or a
repository. Without such a record, the hint names the missing packages of others.
"""

import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

__all__ = ["install_command"]

PACKAGE = "graphrag-neo4j"
CHECKOUT = Path(__file__).parent.parent


def install_command(extra: str = "") -> str:
    """The command that installs this package with an extra, for example `docs`."""
    try:
        installed = distribution(PACKAGE)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return f'pip install "{CHECKOUT}{_bracketed(extra)}"'
    return _from_origin(installed, extra) or _of_others(installed, extra)


def _from_origin(installed: Distribution, extra: str) -> str | None:
    """The command for the place that this package was installed from, if that is known."""
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    address = str(origin.get("url", ""))
    if address.startswith("file:"):
        path = Path(url2pathname(unquote(urlsplit(address).path)))
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f'pip install {editable}"{path}{_bracketed(extra)}"' if path.exists() else None
    if "vcs_info" in origin:
        source = origin["vcs_info"]
        address = f"{source['vcs']}+{address}@{source['commit_id']}"
    return f'pip install "{PACKAGE}{_bracketed(extra)} @ {address}"' if address else None


def _bracketed(extra: str) -> str:
    return f"[{extra}]" if extra else ""


def _of_others(installed: Distribution, extra: str) -> str:
    """The command for the packages of an extra: the missing ones, or all if none is missing."""
    needed = list(_requirements(installed, extra))
    missing = [one for one in needed if not _is_installed(one)]
    return " ".join(["pip install", *(f'"{one}"' for one in missing or needed)])


def _requirements(installed: Distribution, extra: str) -> Iterator[str]:
    for line in installed.requires or []:
        requirement, _, condition = line.partition(";")
        named = re.search(r"""extra\s*==\s*["']([^"']*)["']""", condition)
        if (named[1] if named else "") == extra:
            yield requirement.strip()


def _is_installed(requirement: str) -> bool:
    try:
        distribution(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    except PackageNotFoundError:
        return False
    return True
