"""Makes a name for a corpus from the titles and sources of its documents."""

from collections.abc import Sequence
from urllib.parse import unquote

__all__ = ["corpus_name"]


def corpus_name(documents: Sequence[Sequence[object]]) -> str:
    """Returns the title of the only document, or the number of documents and their common place.

    `documents` holds (title, source) pairs. The place is the file of which all documents are rows,
    or the innermost folder that holds all documents.

    >>> corpus_name([["One", "file:///tales/one.txt"], ["Two", "file:///tales/old/two.txt"]])
    '2 documents from tales'
    """
    if len(documents) == 1:
        [[title, source]] = documents
        return str(title or _last(str(source).split("/")))
    place = _last(_shared([_path(str(source)) for _, source in documents]))
    return f"{len(documents):,} documents" + (f" from {place}" if place else "")


def _path(source: str) -> list[str]:
    """Returns the folders of a source. For a row of a file, the file counts as a folder."""
    file, _, row = source.partition("#")
    return file.split("/") if row else file.split("/")[:-1]


def _shared(paths: Sequence[list[str]]) -> list[str]:
    """Returns the common beginning of all paths."""
    shared: list[str] = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return shared


def _last(parts: Sequence[str]) -> str:
    """Returns the innermost part, decoded, or "" if only a scheme such as "file:" is left."""
    return next((unquote(part) for part in reversed(parts) if part and part[-1] != ":"), "")
