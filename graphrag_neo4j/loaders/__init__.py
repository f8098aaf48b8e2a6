"""Reads files as Documents.

`find` turns folders, globs and files into a list of files. `read` gives the documents of a file,
and the parts of it that could not be read. `clean` makes any document storable. `gone` gives the
sources whose file no longer exists.

In reading order: sources (the names of documents), documents (a reader for each kind of file), the
readers themselves (text, tabular, html, pdf, docx), discovery.
"""

from graphrag_neo4j.loaders.discovery import DiscoveredFiles, find, gone
from graphrag_neo4j.loaders.documents import (
    SUFFIXES,
    LangChainDocument,
    ReadingProcess,
    clean,
    from_langchain,
    holds_rows,
    read,
)
from graphrag_neo4j.loaders.sources import (
    ReadOptions,
    Unreadable,
    file_of,
    source_of,
    whole_of,
)

__all__ = [
    "SUFFIXES",
    "DiscoveredFiles",
    "LangChainDocument",
    "ReadOptions",
    "ReadingProcess",
    "Unreadable",
    "clean",
    "file_of",
    "find",
    "from_langchain",
    "gone",
    "holds_rows",
    "read",
    "source_of",
    "whole_of",
]
