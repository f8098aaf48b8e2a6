"""Files become Documents.

`find` turns folders, globs and files into a list of files; `read` gives the documents of each,
and what of it could not be read; `clean` makes any document storable. `gone` tells which
sources have lost their file.

In reading order: sources (what a document is called), documents (a reader for each kind), the
readers themselves (text, rows, pages, pdf, word), finding.
"""

from graphrag_neo4j.loaders.discovery import DiscoveredFiles, find, gone
from graphrag_neo4j.loaders.documents import (
    SUFFIXES,
    LangChainDocument,
    clean,
    from_langchain,
    read,
)
from graphrag_neo4j.loaders.sources import ReadOptions, Unreadable, file_of, source_of

__all__ = [
    "SUFFIXES",
    "DiscoveredFiles",
    "LangChainDocument",
    "ReadOptions",
    "Unreadable",
    "clean",
    "file_of",
    "find",
    "from_langchain",
    "gone",
    "read",
    "source_of",
]
