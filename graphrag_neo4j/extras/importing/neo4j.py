"""Imports a graph from another Neo4j, as a mapping says. That database is only read.

    node ─▶ document: its record ─▶ chunks with the entity and its relationships
         ─▶ documents: its texts ─▶ chunks that are read like those of files

A record is a line for the node, and one for each relationship that goes out of it, so that each
answer can cite where a fact stands. Documents of the same mapping file belong to it as rows belong
to their file: a node that did not change costs nothing, and what is gone is deleted. The chunks of
records have no signature of a backend, so none reads them again.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypedDict

import anyio.to_thread

from graphrag_neo4j import embedded
from graphrag_neo4j.concurrency import Outcome
from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.extras.importing.mapping import (
    GraphMapping,
    MappedNodes,
    MappedRelationships,
    phrase,
    suggest_mapping,
)
from graphrag_neo4j.files import KeyCounts
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.driver import connect
from graphrag_neo4j.graph.rows import pages
from graphrag_neo4j.graph.schema import free_name
from graphrag_neo4j.index.preparation import FoundRow
from graphrag_neo4j.index.read.extract import ChunkToRead, save_extractions
from graphrag_neo4j.index.read.ingest import Ingested, ingest
from graphrag_neo4j.index.removal import drop_vanished_rows
from graphrag_neo4j.model.events import Listener, Notice, Share, Started
from graphrag_neo4j.model.types import (
    ChunkText,
    Document,
    EntityRecord,
    Extraction,
    RelationshipRecord,
    Scalar,
    Span,
)
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import clean_name, flat, identify, is_indexable, name_key

PAGE_OF_NODES: Final = 200  # nodes whose documents and evidence are written together
STRENGTH: Final = 5.0  # of a relationship: the middle of the scale on which models rate
PASSWORD: Final = "NEO4J_SOURCE_PASSWORD"  # noqa: S105 - the name of a variable
ESCAPED: Final = str.maketrans({"%": "%25", "#": "%23", "/": "%2F"})


class NodeNameRow(TypedDict):
    """The values of the properties that identify and name a node."""

    key: object
    name: object


class EndRow(TypedDict):
    """A relationship that goes out of a node, with the labels and the named values of its end."""

    type: str
    properties: dict[str, object]
    labels: list[str]
    values: list[object]


class NodeRow(TypedDict):
    """The values of a node's properties, and the relationships that go out of it."""

    values: list[object]
    relationships: list[EndRow]


class UnreadChunkRow(TypedDict):
    """A chunk without the evidence of its record; `again`: it has other evidence."""

    source: str
    index: int
    id: str
    again: bool


@dataclass(frozen=True, slots=True)
class OtherNeo4j:
    """Where to import from: an address with a login, or the home of another embedded server."""

    place: str
    username: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None

    @asynccontextmanager
    async def opened(self, settings: Settings, listen: Listener) -> AsyncIterator[Graph]:
        """Connects. The server of a home is started if it does not run, and then stopped again.

        The errors are those of `connect` and `embedded.start`.
        """
        uri, username, password = self.place, self.username, self.password
        own, started = None, False
        home = settings.model_copy(update={"home": Path(self.place)})
        if "://" not in self.place:
            if not embedded.status(home).version:
                raise InputError(
                    f"{self.place} is neither an address (bolt://…) nor the home of an embedded "
                    "Neo4j: name the database to import from."
                )
            started = not embedded.running(home)
            own = await anyio.to_thread.run_sync(embedded.start, home, listen)
            uri, username, password = own.uri, own.username, own.password
        try:
            async with connect(uri, username, password, self.database, own) as graph:
                yield graph
        except (GraphError, InputError) as error:
            if uri not in str(error):
                raise
            names = {"NEO4J_URI": "--from", "NEO4J_PASSWORD": PASSWORD}
            text = str(error)
            for name, ours in names.items():
                text = text.replace(name, ours)
            for name in ("USERNAME", "DATABASE"):
                text = text.replace(f"NEO4J_{name}", f"--{name.casefold()}")
            raise type(error)(text) from error
        finally:
            if started:
                await anyio.to_thread.run_sync(embedded.stop, home, listen)


@dataclass(frozen=True, slots=True)
class _Record:
    """The documents of a node: its record with the evidence of each chunk, and its texts."""

    document: Document
    spans: list[Span]
    found: Sequence[Extraction]
    texts: Sequence[Document]


class _RecordCuts:
    """Cuts each record where its evidence is divided."""

    prepend = ()
    signature = identify("cutting", "record")

    def __init__(self, records: Mapping[str, _Record]) -> None:
        self._records = records

    def ahead(self, documents: Sequence[Document], /) -> None:
        """Does nothing: the chunks are known."""

    def spans(self, document: Document, _progress: object = None, /) -> list[Span]:
        """The places of the chunks of a record."""
        return self._records[document.source].spans


class _Names:
    """The name of the entity of each node.

    If several nodes share a name, that of each is followed by its key if their label is the same,
    and by its type otherwise.
    """

    def __init__(self, mapping: GraphMapping) -> None:
        self._mapping = mapping
        self._nodes, self._all, self._of_label = KeyCounts(), KeyCounts(), KeyCounts()
        self.left_out: Counter[str] = Counter()
        self.total = 0

    def add(self, label: str, row: NodeNameRow) -> None:
        """Counts the name of a node."""
        key, name = key_of(row["key"]), clean_name(text_of_value(row["name"]))
        if not (key and name_key(name)):
            self.left_out[f"{label} that are left out, without a key or a name"] += 1
        elif self._nodes.add(f"{label}/{key}") == 1:
            self.total += 1
            self._all.add(name_key(name))
            self._of_label.add(f"{label}/{name_key(name)}")
        else:
            self.left_out[f"{label} with the key of another (`key` names another property)"] += 1

    def named(self, label: str, key: str, value: object) -> str | None:
        """The name of the entity of a node; None if it has no key or no name."""
        name = clean_name(text_of_value(value))
        if not (key and name_key(name)):
            return None
        same = self._of_label[f"{label}/{name_key(name)}"]
        if same > 1:
            return f"{name} ({key})"
        return f"{name} ({self.type_of(label)})" if self._all[name_key(name)] > same else name

    def type_of(self, label: str) -> str:
        """The type of the entities of a label."""
        return clean_name(self._mapping.nodes[label].type or label).lower()


class NodeImport:
    """An import from another Neo4j. `source` is that of the mapping file.

    `longest` is the largest number of tokens of a chunk of a record, unless one line has more.
    """

    def __init__(
        self, source: str, mapping: GraphMapping, other: OtherNeo4j, settings: Settings
    ) -> None:
        self._source, self._mapping, self._other = source, mapping, other
        self._settings, self._longest = settings, settings.chunk_size
        self._names = _Names(mapping)
        nodes = mapping.nodes.values()
        # The properties that the end of a relationship is identified and named by.
        self._named = list(dict.fromkeys(p for one in nodes for p in (one.key, one.name) if p))

    async def write(
        self, graph: Graph, cutting: Cutting, listen: Listener
    ) -> tuple[Ingested, list[str]]:
        """Writes what is new or changed, and deletes what is gone; returns the sources of that.

        Texts are cut by `cutting`. Raises InputError if the
        other database is the one of `graph`, and GraphError if it can't be read.
        """
        result, seen = Ingested(), KeyCounts()
        async with self._other.opened(self._settings, listen) as other:
            [same] = await other.read("import/same", FoundRow, build=graph.lease)
            if same["found"]:
                raise InputError(
                    "The database to import from is that of the graph itself: name another one."
                )
            await self._read_names(other)
            if not self._names.total:
                raise InputError(
                    "The database to import from has no node with a label, a key and a name of "
                    f"{self._source}, so nothing was changed: check --from and --database."
                )
            listen(Started("ingest", self._names.total))
            async for records in self._records(other):
                result.add(await self._write_page(graph, records, cutting, seen, listen=listen))
        for which, n in self._names.left_out.items():
            listen(Notice(f"Nodes with the label {which}: {n:,}.", warning=True))
        read = {self._source: self._names.total}
        return result, await drop_vanished_rows(graph, read, seen, listen)

    async def _read_names(self, other: Graph) -> None:
        for label, nodes, earlier in self._labels():
            named = {"key": nodes.identity, "name": nodes.name}
            rows = other.stream("import/names", NodeNameRow, label=label, earlier=earlier, **named)
            async for row in rows:
                self._names.add(label, row)

    def _labels(self) -> Iterator[tuple[str, MappedNodes, list[str]]]:
        """Each label, its mapping, and the labels before it."""
        labels = [*self._mapping.nodes]
        for n, label in enumerate(labels):
            yield label, self._mapping.nodes[label], labels[:n]

    async def _records(self, other: Graph) -> AsyncIterator[list[_Record]]:
        """The records of all nodes, a page at a time."""
        page: list[_Record] = []
        for label, nodes, earlier in self._labels():
            properties = list(dict.fromkeys([nodes.identity, nodes.name, *nodes.told, *nodes.text]))
            rows = other.stream(
                "import/nodes",
                NodeRow,
                label=label,
                earlier=earlier,
                properties=properties,
                types=[*self._mapping.relationships],
                labels=[*self._mapping.nodes],
                named=self._named,
            )
            async for row in rows:
                values = dict(zip(properties, row["values"], strict=True))
                if record := self._record(label, nodes, values, row["relationships"]):
                    page.append(record)
                if len(page) == PAGE_OF_NODES:
                    yield page
                    page = []
        yield page

    def _record(
        self,
        label: str,
        nodes: MappedNodes,
        values: Mapping[str, object],
        relationships: Iterable[EndRow],
    ) -> _Record | None:
        """The documents of a node; None if it has no key or no name."""
        key = key_of(values[nodes.identity])
        name, type_ = self._names.named(label, key, values[nodes.name]), self._names.type_of(label)
        if name is None:
            return None
        described = text_of_value(values.get(nodes.description or ""))
        others = tuple(filter(None, [nodes.aliases]))
        about = "; ".join([*filter(None, [described]), *told((*others, *nodes.properties), values)])
        properties = own("Entity", nodes.properties, values)
        if aliases := [*further_names(values.get(nodes.aliases or ""))]:
            properties["aliases"] = aliases
        line = f"{name} ({type_}){': ' * bool(about)}{about}"
        entity = EntityRecord(name, type_, line, properties)
        stated = sorted(self._stated(name, relationships), key=lambda one: one.description)
        lines = [entity.description, *(one.description for one in stated)]
        spans, found, at = list[Span](), list[Extraction](), 0
        for first, end in divided([tokens.count(line) for line in lines], self._longest):
            text = "\n".join(lines[first:end])
            spans.append(Span(at, at, at + len(text), tokens.count(text)))
            at += len(text) + 1
            entities = [entity] if first == 0 else []  # its line is the first
            found.append(Extraction(entities, stated[max(0, first - 1) : end - 1]))
        source = f"{self._source}#{label.translate(ESCAPED)}/{key.translate(ESCAPED)}"
        metadata = {"label": label} | {
            one: [it if isinstance(it, Scalar) else text_of_value(it) for it in value]
            if isinstance(value, list)
            else value
            if isinstance(value, Scalar)
            else text_of_value(value)
            for one in nodes.properties
            if (value := values[one]) is not None
        }
        return _Record(
            Document("\n".join(lines), source, name, metadata),
            spans,
            found,
            [
                Document(text, f"{source}/{one.translate(ESCAPED)}", name, metadata)
                for one in nodes.text
                if (text := text_of_value(values[one]))
            ],
        )

    def _stated(self, name: str, relationships: Iterable[EndRow]) -> Iterator[RelationshipRecord]:
        """The relationships of a node to entities with other names."""
        for row in relationships:
            label = next(label for label in self._mapping.nodes if label in row["labels"])
            nodes, values = (
                self._mapping.nodes[label],
                dict(zip(self._named, row["values"], strict=True)),
            )
            end = self._names.named(label, key_of(values[nodes.identity]), values[nodes.name])
            if end and name_key(end) != name_key(name):
                mapped = self._mapping.relationships[row["type"]] or MappedRelationships()
                predicate = flat(mapped.predicate or phrase(row["type"]))
                details = "; ".join(told(mapped.properties, row["properties"]))
                line = f"{name} {predicate} {end}{f' ({details})' if details else ''}."
                held = own("RELATED", mapped.properties, row["properties"])
                yield RelationshipRecord(name, end, line, STRENGTH, predicate, held)

    async def _write_page(
        self,
        graph: Graph,
        records: Sequence[_Record],
        cutting: Cutting,
        seen: KeyCounts,
        *,
        listen: Listener,
    ) -> Ingested:
        """Writes the documents of nodes, and the evidence of the records that have none yet."""
        by_source: dict[str, _Record] = {}
        for one in records:  # of several nodes with one key, the first counts
            by_source.setdefault(one.document.source, one)

        async def each(documents: Iterable[Document], n: int) -> AsyncIterator[Any]:
            for document in documents:
                yield document, Share(n, listen)

        own = each([one.document for one in records], 1)
        result = await ingest(graph, own, _RecordCuts(by_source), seen=seen, copies=False)
        texts = each([text for one in records for text in one.texts], 0)
        result.add(await ingest(graph, texts, cutting, seen=seen))
        wanted = [
            {"source": source, "hashes": [*map(evidence_hash, one.found)]}
            for source, one in by_source.items()
        ]
        rows = await graph.read("import/unread", UnreadChunkRow, rows=wanted)
        outcomes = [
            Outcome(
                ChunkToRead(ChunkText(row["id"], "", ""), row["again"]),
                by_source[row["source"]].found[row["index"]],
            )
            for row in rows
        ]
        for some in pages(outcomes, PAGE_OF_NODES):
            await graph.transact(partial(_save, some))
        return result


async def suggested_mapping(other: OtherNeo4j, settings: Settings, listen: Listener) -> str:
    """The text of a first mapping file for a database; raises the errors of `connect`."""
    async with other.opened(settings, listen) as graph:
        return await suggest_mapping(graph)


async def _save(outcomes: Sequence[Outcome[ChunkToRead, Extraction]], tx: Transaction) -> None:
    await save_extractions(tx, outcomes, None)
    done = [(one.item.text.id, one.result) for one in outcomes if one.result]
    rows = [{"id": id_, "hash": evidence_hash(found)} for id_, found in done]
    await tx.run("import/read", rows=rows)


def evidence_hash(found: Extraction) -> str:
    """A hash of all that a record gives to the graph, also of what does not stand in its text."""
    return identify("evidence", repr(found))


def divided(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Divides things of these sizes into runs [first, end) of at most `most`, but of one thing.

    >>> list(divided([5, 3, 2, 9], 7))
    [(0, 1), (1, 3), (3, 4)]
    """
    first, sum_ = 0, 0
    for n, size in enumerate(sizes):
        if n > first and sum_ + size > most:
            yield first, n
            first, sum_ = n, 0
        sum_ += size
    yield first, len(sizes)


def told(properties: Iterable[str], values: Mapping[str, object]) -> Iterator[str]:
    """Yields the name and the value of each property that has one."""
    for one in properties:
        if value := text_of_value(values.get(one)):
            yield f"{one}: {value}"


def own(
    kind: Literal["Entity", "RELATED"], properties: Iterable[str], values: Mapping[str, object]
) -> dict[str, object]:
    """The properties that have a value, by the names that they get in the graph."""
    found = {free_name(kind, one): values.get(one) for one in properties}
    return {name: value for name, value in found.items() if value is not None}


def further_names(value: object) -> Iterator[str]:
    """Yields each name in a list of texts, or the one that a text is."""
    for one in value if isinstance(value, list) else [value]:
        if name_key(name := clean_name(text_of_value(one))):
            yield name


def key_of(value: object) -> str:
    """The key of a node as text; empty if there is none that the source of a document can hold."""
    key = text_of_value(value)
    return key if is_indexable(key.translate(ESCAPED)) else ""


def text_of_value(value: object) -> str:
    """A value of Neo4j as text; empty if there is none."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text_of_value, value)))
    if isinstance(value, bool):
        return str(value).casefold()
    if hasattr(value, "latitude") and hasattr(value, "longitude"):  # a point
        return f"latitude {value.latitude}, longitude {value.longitude}"
    return "" if value is None else str(value).strip()
