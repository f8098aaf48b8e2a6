"""Files that a command writes for its user."""

import os
from pathlib import Path

import click

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import write_whole

__all__ = ["refuse_unwritable", "write_output"]


def refuse_unwritable(
    _context: click.Context, _parameter: click.Parameter, path: Path | None
) -> Path | None:
    """For `callback=` of an option: refuses a place where no file can be, before any work."""
    if path is None:
        return None
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(
            f"{path} can't be written, since there is no folder {folder}: make it, or name a file "
            "in another one."
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path} can't be written, since you may not: name another file.")
    return path


def write_output(path: Path, content: bytes) -> None:
    """Write the file, whole or not at all; raises InputError where it can't be written."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error}): name another file.") from error
