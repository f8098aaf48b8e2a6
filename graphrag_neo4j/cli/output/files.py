"""Writes the files that a command makes for its user."""

import os
from pathlib import Path

import click

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import write_whole

__all__ = ["refuse_unwritable", "write_output"]


def refuse_unwritable(
    _context: click.Context, _parameter: click.Parameter, path: Path | None
) -> Path | None:
    """Checks before any work that a file can be written to `path`.

    This is a `callback` of a click option. Raises InputError where no file can be written.
    """
    if path is None:
        return None
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(
            f"{path} can't be written because the folder {folder} does not exist. Create this "
            "folder, or name a file in another folder."
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(
            f"{path} can't be written because you have no permission. Name another file."
        )
    return path


def write_output(path: Path, content: bytes) -> None:
    """Writes the file either completely or not at all.

    Raises InputError where it can't be written.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(f"{path} can't be written ({error}). Name another file.") from error
