"""Deletes documents, with all evidence that comes from them alone."""

import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import anyio.to_thread

from graphrag_neo4j.documents import ReadOptions, file_of, whole_of
from graphrag_neo4j.documents.sources import lost_files, read_from
from graphrag_neo4j.files import KeyCounts
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.lease import command_name, refuse_half_imported
from graphrag_neo4j.graph.rows import CountRow, SourceRow, pages
from graphrag_neo4j.index.entities.label import label_entities
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.read.documents import delete_documents, document_id, name_files
from graphrag_neo4j.index.upgrade import hold_graph
from graphrag_neo4j.model.events import Advanced, Listener, Notice, Started, silent
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.settings.checks import nearest

IN_BATCHES = (
    "Requests that were sent in batches may hold text of what was deleted: the next "
    "`kg-build index` removes their replies, and the files of the batches that are over."
)
LOST = "The graph has documents of files that are gone: "
SHOWN = 3  # paths of lost files in a command
FILES = 100  # files of rows whose documents are looked up together


async def remove(
    graph: Graph, sources: Sequence[str], files: Sequence[str] = (), listen: Listener = silent
) -> list[str]:
    """Deletes documents by their sources, and returns the sources that the graph held.

    `files` holds the sources of files; the documents that are rows of such a file are also deleted.
    The next build makes new descriptions of the entities that the deleted documents mentioned.
    Raises GraphBusyError while another run writes to the graph.
    """
    async with hold_graph(graph, {"command": command_name()}, dict, listen):
        await refuse_half_imported(graph)
        known = await known_sources(graph, sources, files)
        listen(Started("deletion"))
        await delete_documents(graph, [document_id(source) for source in known])
        listen(Advanced(len(known)))
        await name_files(graph)
        await merge(graph, listen)
        await label_entities(graph, listen)
        if known and (await graph.read("batch/count", CountRow))[0]["n"]:
            listen(Notice(IN_BATCHES, warning=True))
    return known


async def sources_under(graph: Graph, prefix: str) -> list[str]:
    """The sources that begin with `prefix`, of the documents in the graph, in order."""
    rows = await graph.read_bulk("ingest/sources", SourceRow, prefix=prefix)
    return sorted(row["source"] for row in rows)


async def documents_of(graph: Graph, given: str, file: str | None) -> list[str]:
    """The sources of the documents that a source or a path stands for, in order.

    `file` is the source of the path, if there may be a file or folder. `given` is looked for as it
    is, and with its parts; `file` with its rows. Where the graph has neither, they name a folder.
    """
    found = await known_sources(graph, [given], [file] if file else [])
    if found or not file:
        return found
    known = await sources_under(graph, "")
    # The latter as documents below a source root are named.
    return sorted({*read_from(known, file), *read_from(known, f"{given}/")})


async def lost_notice(
    graph: Graph,
    paths: Sequence[str | Path],
    options: ReadOptions,
    settings: Settings,
) -> str:
    """A sentence about files of the graph that are gone and what deletes their documents, or "".

    Those that are not under `paths` do not count if Neo4j runs on another computer: the graph may
    have documents of that one.
    """
    prefix = "" if options.source_root else "file://"
    rows = await graph.read_bulk("ingest/files", SourceRow, prefix=prefix)
    files = {row["source"] for row in rows}
    near, others = await anyio.to_thread.run_sync(lost_files, files, paths, options)
    said = []
    if near:
        said.append(f"{near:,} under the given paths (`--prune` drops them)")
    if others and settings.neo4j_is_here:
        named = [shlex.quote(str(path)) for path, _ in others.most_common(SHOWN)]
        command = f"kg-build delete {' '.join(named)}{' …' * (len(others) > SHOWN)}"
        said.append(f"{others.total():,} elsewhere (`{command}` drops them)")
    return f"{LOST}{'; '.join(said)}." if said else ""


async def not_there(graph: Graph, missing: Sequence[str]) -> str:
    """A sentence that says that the graph has no such documents, and which are most similar."""
    known = await sources_under(graph, "")
    by_file = {source.rpartition("/")[2]: source for source in reversed(known)}
    near = [
        by_file.get(name, name)
        for one in missing
        for name in (nearest(one, known) or nearest(one.rstrip("/").rpartition("/")[2], by_file))
    ]
    hints = "".join(f" Did you mean {name}?" for name in dict.fromkeys(near))
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in the graph.{hints}"


async def known_sources(
    graph: Graph, sources: Sequence[str], files: Sequence[str] = ()
) -> list[str]:
    """The sources in the graph that are in `sources` or `files`, their parts, and their rows.

    Parts are those of a long text with one of these sources, rows those of one of `files`.
    """
    rows = await graph.read("ingest/known_sources", SourceRow, sources=sources, files=files)
    return [row["source"] for row in rows]


async def drop_gone(graph: Graph, sources: Sequence[str], listen: Listener) -> None:
    """Deletes the documents with these sources, whose files are gone; a notice names each file.

    Where there are several, a notice before says how many documents are deleted.
    """
    whole, files = set(sources), Counter(map(file_of, sources))
    if (n := len(files)) > 1:
        text = f"{n:,} files are gone. Their documents are dropped from the graph: {len(whole):,}."
        listen(Notice(text, warning=True))
    for file, n in files.items():
        rows = "" if file in whole else f" (rows: {n:,})"
        listen(Notice(f"{file} is gone and is dropped from the graph{rows}.", warning=True))
    await delete_documents(graph, [document_id(source) for source in sources])


async def drop_vanished_rows(
    graph: Graph, tables: Mapping[str, int | None], seen: KeyCounts, listen: Listener
) -> list[str]:
    """Deletes the documents whose row is no longer in its file, and returns their sources.

    `tables` holds the number of rows of each file that was read, None where some rows could not be
    read. `seen` holds the ids of the documents that were read. Nothing of a file is deleted if some
    of its rows could not be read, because a missing row may be one of these, nor if the file holds
    no rows, because it may have been cut off. A notice says what is deleted, or why it is not.
    """
    vanished: dict[str, list[str]] = {}
    for files in pages(tables, FILES):
        for source in await known_sources(graph, [], files):
            if document_id(source) not in seen:
                vanished.setdefault(file_of(source), []).append(source)
    dropped = []
    for file, sources in vanished.items():
        rows, n = tables[file], len(sources)
        stay = f"Documents of it that stay in the graph: {n:,}"
        if rows:
            text = f"Documents of {file} that are gone and are dropped from the graph: {n:,}."
            await delete_documents(graph, [document_id(source) for source in sources])
            dropped += sources
        elif rows is None:
            text = f"{file} was not read as a whole. {stay}, for the rows not read may be theirs."
        else:
            text = f"{file} holds no rows. {stay}; `kg-build delete` deletes them."
        listen(Notice(text, warning=True))
    return dropped


async def drop_vanished_parts(
    graph: Graph, seen: KeyCounts, unreadable: Collection[str], listen: Listener
) -> list[str]:
    """Deletes the parts that a long text no longer has, and returns their sources.

    `seen` holds the ids of the documents that were read, and `unreadable` the sources of files that
    could not be read as a whole, whose parts all stay. A notice says which text became shorter.
    """
    vanished = []
    for row in await graph.read("ingest/parts", SourceRow):
        whole = whole_of(row["source"])
        was_read = whole != row["source"] and document_id(whole) in seen
        if was_read and whole not in unreadable and document_id(row["source"]) not in seen:
            vanished.append(row["source"])
    for whole, n in Counter(map(whole_of, vanished)).items():
        text = f"{whole} is shorter now. Parts of it that are dropped from the graph: {n:,}."
        listen(Notice(text, warning=True))
    await delete_documents(graph, [document_id(source) for source in vanished])
    return vanished
