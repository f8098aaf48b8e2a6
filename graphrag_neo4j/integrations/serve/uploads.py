"""Takes and deletes documents for people: what is answered is on the disk, in the uploads."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path, PureWindowsPath

import anyio
import anyio.to_thread

from graphrag_neo4j.documents import ReadOptions, file_of, find, source_of
from graphrag_neo4j.documents.sources import SUFFIXES
from graphrag_neo4j.errors import InputError, NotFoundError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.removal import known_sources
from graphrag_neo4j.index.uploads import LONGEST_NAME, Uploads
from graphrag_neo4j.text.files import PRIVATE_FILE, make_private_folder, whole_file


async def keep(uploads: Uploads, name: str, content: AsyncIterator[bytes]) -> None:
    """Keeps a file, completely or not at all. Raises InputError for one that can't be read."""
    path = PureWindowsPath(name)  # it divides a name wherever some system does
    if len(name.encode()) > LONGEST_NAME:
        raise InputError(f"The name of a file has at most {LONGEST_NAME} bytes.")
    hidden = name.startswith(".") or not name.isprintable()
    if path.name != name or hidden or path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{name} is no name of a file that can be read: {', '.join(SUFFIXES)}.")
    try:
        make_private_folder(uploads.folder)
        with whole_file(uploads.folder / name, PRIVATE_FILE) as file:
            async for part in content:
                await anyio.to_thread.run_sync(file.write, part)
        uploads.unmark(uploads.folder / name)
    except OSError as error:
        raise InputError(f"{name} can't be kept: {error.strerror}.") from error


async def delete(uploads: Uploads, graph: Graph, source: str, followed: Sequence[Path]) -> None:
    """Has the next run delete a document, or an upload with all of its rows.

    Raises NotFoundError if there is no such document, and InputError for one whose file is below
    the paths that are `followed`, since it would be read again.
    """
    path = uploads.path_of(source)
    source = path.as_uri() if path else source
    there = path is not None and await anyio.Path(path).is_file()
    if not there and not await known_sources(graph, [source], [source] if path else []):
        raise NotFoundError(f"There is no document {source} in the graph.")
    if followed and file_of(source) in await anyio.to_thread.run_sync(_sources_of, followed):
        raise InputError(f"The server follows {file_of(source)}: delete the file itself.")
    try:
        if path:
            await anyio.Path(path).unlink(missing_ok=True)
        await anyio.to_thread.run_sync(uploads.mark, source)
    except OSError as error:
        raise InputError(f"{source} can't be deleted: {error.strerror}.") from error


def _sources_of(paths: Sequence[Path]) -> set[str]:
    return {source_of(file, ReadOptions()) for file in find(paths).files}
