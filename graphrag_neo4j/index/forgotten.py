"""Shows what is left of documents that were deleted, and where. It deletes nothing.

Texts are compared by their words. A passage is seven words in a row of a document; a shorter
document is one passage. What other documents also say is no leftover, nor are the names in them.
So all chunks are read first, and then all texts of the graph, each of them for a moment only.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypedDict
from urllib.parse import unquote

import anyio.to_thread
import regex

from graphrag_neo4j import embedded
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.documents.chunking import cut
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import UNIQUE_NODES
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.removal import documents_of, known_sources
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.model.events import Listener, Started
from graphrag_neo4j.rules.phrases import CONCEPT
from graphrag_neo4j.rules.recognition import recognise
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import name_key, spaced_characters

Words = tuple[str, ...]
PASSAGE: Final = 7  # words
READ_TOKENS: Final = 600  # of a document, in which names are recognised together
TOKEN: Final = regex.compile(r"[\p{L}\p{N}\p{M}]+")
RELATIONSHIPS: Final = ("MENTIONS", "STATED", "RELATED", "COMPARED")
UPLOADS, DUMPS, LOGS = "uploaded files", "dumps in the home", "logs of Neo4j"
STORES: Final = (
    "Neo4j overwrites deleted text in its files only where it needs the room, and a dump copies "
    "these files: only a new database, made from the remaining documents, is free of it."
)


class ComparedTextRow(TypedDict):
    """A text of a document, and the source of the document, None if that is gone."""

    source: str | None
    text: str


class TextsRow(TypedDict):
    """All texts of a node or relationship. `pending` is True if the next index replaces them."""

    kind: str
    name: str
    pending: bool
    texts: list[str]


class CutOffRow(TypedDict):
    """A node or relationship that should have gone with a document."""

    kind: str
    id: str


class DueRow(TypedDict):
    """How many things of a kind are due, and what the next index does with them."""

    kind: str
    what: str
    n: int


@dataclass(frozen=True, slots=True)
class Leftover:
    """What is, or may be, left of documents.

    `place` is one of those that were looked at, and `name` the thing there. `quote` holds words of
    a document that were found, without capitals and punctuation; it is empty where none were
    compared. `pending` is True if the next `kg-build index` removes it.
    """

    place: str
    name: str
    quote: str
    pending: bool


@dataclass(frozen=True, slots=True)
class ForgottenCheck:
    """What was looked for, where, and what is left.

    `read` holds the sources of the documents whose texts were looked for. `unread` says why there
    is no text of others, of which only what belongs to their ids was looked for. `looked_at` counts
    the things in each kind of place, and `left` holds what is left. `elsewhere` says which
    other documents, by their sources, say the same: in how many passages, and the words of one.
    `note` is a sentence about the files of Neo4j, which were not looked at.
    """

    read: list[str]
    unread: dict[str, str]
    looked_at: dict[str, int]
    left: list[Leftover]
    elsewhere: dict[str, tuple[int, str]]
    note: str = STORES


async def look_for_leftovers(
    graph: Graph,
    given: Mapping[str, str | None],
    options: ReadOptions,
    settings: Settings,
    listen: Listener,
) -> ForgottenCheck:
    """Looks for what is left of documents.

    `given` holds sources and paths, each with the source of the file that it may name. Raises
    InputError for a file of a kind that can't be read, and GraphError if Neo4j fails.
    """
    listen(Started("check"))
    passages, names, read = set[Words](), set[Words](), list[str]()
    paths = {one: path for one in given if (path := _path_of(one))}
    corpus = Corpus.of_paths([*paths.values()], options, settings)
    async for document in corpus.documents():
        read.append(document.source)
        said, named = await anyio.to_thread.run_sync(_words_of, document.text)
        passages |= said
        names |= named
    unread = {one: "there is no such file" for one in given if one not in paths} | corpus.reasons()
    there = {source for one in given.items() for source in await documents_of(graph, *one)}
    there.update(await known_sources(graph, read))
    sources = {*there, *read, *given, *filter(None, given.values())}
    common, elsewhere = await _said_elsewhere(graph, passages, names, sources)
    passages -= common
    looked_at, left = await _in_graph(graph, passages | (names - common))
    left += [Leftover("Document", source, "", pending=False) for source in sorted(there)]
    left += await _by_ids(graph)
    beside, files = await anyio.to_thread.run_sync(files_beside, settings, sources, passages)
    return ForgottenCheck(read, unread, looked_at | beside, [*left, *files], elsewhere)


async def _said_elsewhere(
    graph: Graph, passages: Collection[Words], names: Collection[Words], own: Collection[str]
) -> tuple[set[Words], dict[str, tuple[int, str]]]:
    """The passages and names that other documents have, and how many passages each has.

    A name is also common where it stands in the plural or genitive with "s".
    """
    common, elsewhere = set[Words](), dict[str, tuple[int, str]]()
    endings = {(*name[:-1], f"{name[-1]}s"): name for name in names}
    traces = {*passages, *names, *endings}
    lengths = {len(words) for words in traces}
    async for row in graph.stream("forgotten/passages", ComparedTextRow):
        source = row["source"]
        if source is None or source in own:
            continue
        for words in filter(traces.__contains__, _runs(row["text"], lengths)):
            common |= {words, endings.get(words, words)}
            if words in passages:
                n, quote = elsewhere.get(source, (0, " ".join(words)))
                elsewhere[source] = (n + 1, quote)
    return common, elsewhere


async def _in_graph(graph: Graph, traces: set[Words]) -> tuple[dict[str, int], list[Leftover]]:
    """The number of nodes and relationships of each kind, and those whose texts have traces."""
    lengths, left = {len(words) for words in traces}, list[Leftover]()
    looked_at = Counter(dict.fromkeys((*UNIQUE_NODES, *RELATIONSHIPS), 0))
    for rows in (
        graph.stream("forgotten/nodes", TextsRow, labels=[*UNIQUE_NODES]),
        graph.stream("forgotten/relationships", TextsRow),
    ):
        async for row in rows:
            looked_at[row["kind"]] += 1
            if quote := _first(traces, lengths, row["texts"]):
                left.append(Leftover(row["kind"], row["name"], quote, row["pending"]))
    return looked_at, left


async def _by_ids(graph: Graph) -> list[Leftover]:
    """What lost its document or chunk, and the number of things that are due to be made anew."""
    rows = await graph.read("forgotten/cut_off", CutOffRow)
    left = [Leftover(row["kind"], row["id"], "", pending=False) for row in rows]
    left += [
        Leftover(due["kind"], f"{due['what']}: {due['n']:,}", "", pending=True)
        for due in await graph.read("forgotten/due", DueRow)
        if due["n"]
    ]
    return left


def files_beside(
    settings: Settings, sources: Collection[str], passages: set[Words]
) -> tuple[dict[str, int], list[Leftover]]:
    """The number of files of each kind that are kept beside the graph, and those that may tell.

    Dumps are compressed, and hold what was deleted before them, too; so each of them may.
    """
    uploads, home = Uploads(settings), embedded.home_of(settings).path
    dumps = [] if settings.neo4j_uri else sorted(home.glob("*.dump"))
    logs = [] if settings.neo4j_uri else sorted((home / "logs").glob("*.log*"))
    left = [
        Leftover(UPLOADS, str(path), "", pending=False)
        for path in sorted({*filter(None, map(uploads.path_of, sources))})
        if path.is_file()
    ]
    for path in dumps:
        made = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        left.append(Leftover(DUMPS, f"{path} of {made:%Y-%m-%d %H:%M} UTC", "", pending=False))
    lengths = {len(words) for words in passages}
    for path in logs:
        with path.open(encoding="utf-8", errors="replace") as file:
            if quote := _first(passages, lengths, file):
                left.append(Leftover(LOGS, str(path), quote, pending=False))
    n = sum(1 for _ in uploads.folder.glob("[!.]*"))
    return {UPLOADS: n, DUMPS: len(dumps), LOGS: len(logs)}, left


def _path_of(given: str) -> str:
    """The path that a source or a path names; "" if nothing is there."""
    path = unquote(given.removeprefix("file://")) if given.startswith("file://") else given
    return path if os.path.exists(path) else ""  # noqa: PTH110 - pathlib takes no long text


def _words_of(text: str) -> tuple[set[Words], set[Words]]:
    """The passages of a document, and the names in it that are shorter than a passage."""
    passages = {*_runs(text, [PASSAGE])} or {tuple(_words(text))} - {()}
    names = {
        tuple(_words(thing.name))
        for span in cut(text, max_tokens=READ_TOKENS, overlap=0)
        for thing in recognise(text[span.start : span.end]).things.values()
        if thing.kind != CONCEPT
    }
    return passages, {words for words in names if 0 < len(words) < PASSAGE}


def _first(traces: set[Words], lengths: Collection[int], texts: Iterable[str]) -> str:
    """The words of the first trace in one of the texts; "" if there is none."""
    found = (words for text in texts for words in _runs(text, lengths) if words in traces)
    return " ".join(next(found, ()))


def _runs(text: str, lengths: Collection[int]) -> Iterator[Words]:
    """All runs of words of a text that have one of these lengths, the longest first."""
    words = _words(text) if lengths else []
    for n in sorted(lengths, reverse=True):
        yield from zip(*(words[at:] for at in range(n)), strict=False)


def _words(text: str) -> list[str]:
    return TOKEN.findall(spaced_characters(name_key(text)))
