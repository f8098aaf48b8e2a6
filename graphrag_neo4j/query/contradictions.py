"""What documents say differently of one thing: pairs of statements that seem to contradict."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypedDict

import anyio.to_thread

from graphrag_neo4j.backends import QuerySetup
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.query.answer import Source, quoting, source_dict
from graphrag_neo4j.query.graph_expansion import spaced
from graphrag_neo4j.query.lookup import read_sources
from graphrag_neo4j.query.query_context import ChunkRow, side_by_side
from graphrag_neo4j.rules.contradicting import Clash, DatedStatement, Kind, clashes_among
from graphrag_neo4j.text.sentences import read_passage
from graphrag_neo4j.text.strings import flat

ENTITIES: Final = 200  # entities that are read together
JUDGED: Final = 3  # times as many pairs are judged as are wanted
AROUND: Final = 400  # characters before and after a statement that a model reads


class MentionedRow(TypedDict):
    """The names of an entity, and the chunks that mention it: id, source and date of document."""

    names: list[str]
    places: list[tuple[str, str, str | None]]


class PageRow(TypedDict):
    """The entities of a page that several documents mention; `last` is None after the last page."""

    last: str | None
    entities: list[MentionedRow]


@dataclass(frozen=True, slots=True)
class ContradictingStatement:
    """A sentence of a contradiction, and its source.

    The source has a `quote` if the sentence stands there word for word. `date` is that of the
    document, "" if it has none.
    """

    text: str
    date: str
    source: Source


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of different documents on an entity that seem to contradict each other.

    They differ in a date, a number, a name or a role, or one denies the other (`kind`: "date",
    "number", "name", "role" or "denied"). The kind is "other" where only a model has found it. The
    statement of the earlier document comes first.
    """

    entity: str
    kind: Kind
    statements: tuple[ContradictingStatement, ContradictingStatement]

    def to_dict(self) -> dict[str, Any]:
        """Returns it as values that JSON knows. docs/json/status.json describes the form."""
        said = [
            {"text": one.text, "date": one.date, "source": source_dict(one.source)}
            for one in self.statements
        ]
        return {"entity": self.entity, "kind": self.kind, "statements": said}


async def find_contradictions(
    graph: Graph, most: int, judge: QuerySetup | None = None
) -> list[Contradiction]:
    """Returns at most `most` likely contradictions, the most likely first.

    All sentences that name an entity of several documents are compared by rules. The model of
    `judge`, if given, is asked about JUDGED times as many pairs, in a call each.
    """
    best: dict[tuple[Kind, frozenset[int]], tuple[str, Clash]] = {}  # of two chunks, one
    after, read = "", graph.read
    while True:
        [page] = await read("contradictions/statements", PageRow, after=after, limit=ENTITIES)
        if page["last"] is None:
            break
        after = page["last"]
        ids = sorted({place[0] for row in page["entities"] for place in row["places"]})
        chunks = await read("search/chunks", ChunkRow, ids=ids)
        compare = partial(_compared, page["entities"], chunks, loosely=judge is not None)
        for entity, found in await anyio.to_thread.run_sync(compare):
            pair = found.kind, frozenset((found.one.chunk, found.other.chunk))
            if pair not in best or best[pair][1].score < found.score:
                best[pair] = entity, found
    ranked = sorted(best.values(), key=lambda one: (-one[1].score, one[1].one.text))
    ranked = ranked[: most * JUDGED if judge else most]
    refs = {said.chunk for _, clash in ranked for said in (clash.one, clash.other)}
    sources = {one.chunk: one for one in await read_sources(graph, sorted(refs))}
    likely = [
        Contradiction(entity, clash.kind, (_said(one, sources), _said(other, sources)))
        for entity, clash in ranked
        for one, other in [sorted((clash.one, clash.other), key=lambda one: one.date)]
        if {one.chunk, other.chunk} <= sources.keys()  # another run may have deleted it
    ]
    if judge is None:
        return likely

    async def judged(one: Contradiction) -> bool:
        told = map(_told, one.statements)
        return await judge.run(judge.backend.contradicts(one.entity, *told))

    verdicts = await side_by_side(judged, likely)
    return [one for one, verdict in zip(likely, verdicts, strict=True) if verdict][:most]


def _told(one: ContradictingStatement) -> str:
    """A statement with its place, its date and the passage around it, as a model reads it."""
    start, end = (place - one.source.start for place in one.source.span)
    around = one.source.text[max(start - AROUND, 0) : end + AROUND] if one.source.quote else ""
    passage = f"\nPassage: … {flat(around)} …" if around else ""
    return f"{one.source.place}, {one.date or 'without a date'}\nStatement: {one.text}{passage}"


def _compared(
    rows: Iterable[MentionedRow], chunks: Iterable[ChunkRow], *, loosely: bool
) -> list[tuple[str, Clash]]:
    """Returns the clashes of each entity with its name, in the sentences that name it."""
    said = {
        chunk["id"]: [
            (chunk["ref"], flat(one.text), spaced(one.text))
            for one in read_passage(chunk["text"], chunk["speaker"]).sentences
        ]
        for chunk in chunks
    }
    found = []
    for row in rows:
        names = [spaced(name).rstrip() for name in row["names"]]  # with any ending
        statements = {
            (document, text): DatedStatement(text, ref, document, date or "")
            for id_, document, date in row["places"]
            for ref, text, plain in said.get(id_, ())
            if any(name in plain for name in names)
        }
        clashes = clashes_among(row["names"], [*statements.values()], loosely=loosely)
        found += [(row["names"][0], clash) for clash in clashes]
    return found


def _said(one: DatedStatement, sources: Mapping[int, Source]) -> ContradictingStatement:
    source = sources[one.chunk]
    return ContradictingStatement(one.text, one.date[:10], quoting(source, one.text) or source)
