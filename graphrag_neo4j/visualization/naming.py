"""A name for a corpus, made of the titles and sources of its documents."""

from collections.abc import Sequence
from urllib.parse import unquote

__all__ = ["corpus_name"]


def corpus_name(documents: Sequence[Sequence[object]]) -> str:
    """The title of the only document, or the number of documents and the place they share.

    `documents`: a title and a source each. The place is the file that all of them are rows of, or
    the innermost folder that all of them lie in.

    >>> corpus_name([["One", "file:///tales/one.txt"], ["Two", "file:///tales/old/two.txt"]])
    '2 documents from tales'
    """
    if len(documents) == 1:
        [[title, source]] = documents
        return str(title or _last(str(source).split("/")))
    place = _last(_shared([_path(str(source)) for _, source in documents]))
    return f"{len(documents):,} documents" + (f" from {place}" if place else "")


def _path(source: str) -> list[str]:
    """The parts of a file's address; a row of a file stands within it."""
    file, _, row = source.partition("#")
    return file.split("/") if row else file.split("/")[:-1]


def _shared(paths: Sequence[list[str]]) -> list[str]:
    """The parts that all paths begin with."""
    shared: list[str] = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return shared


def _last(parts: Sequence[str]) -> str:
    """The innermost part, readable; empty where only a scheme such as "file:" is left."""
    return next((unquote(part) for part in reversed(parts) if part and part[-1] != ":"), "")
