"""Gives each marked entity and pair one description.

A single description is taken as it is, and short ones are joined. Descriptions that are too long
for one call are divided into groups, as in a trie: by the bits of the hash of their document first,
then by those of their own. A model summarises each group, and the summaries are divided and
summarised again. So a new document, however often it describes the element, changes few groups and
those above them; no other group is summarised again. What a model reads, and what is joined, is in
the order of the documents' dates, and the date stands before the first description of a document.

many descriptions ──▶ groups that fit one call ──▶ their texts ──▶ … ──▶ one description

A round reads all marked elements, saves the descriptions that need no model, and asks a model for
the missing groups, several of them in one request. The rounds end when no group is missing. The
summary of each group is saved when it arrives.
"""

import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple, TypedDict

from graphrag_neo4j.concurrency import Outcome
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.graph.connection import Graph, Row
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.reports.inputs import sample_of_texts
from graphrag_neo4j.index.stage import StageContext, in_batches, of_each
from graphrag_neo4j.model.contracts import IndexBackend
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.model.types import DescribedThing
from graphrag_neo4j.text.strings import identify, shortened
from graphrag_neo4j.text.tokens import CountTokens

PAGE_OF_ELEMENTS = 500
TOGETHER = 32  # requests whose descriptions are saved at once


class Statements(NamedTuple):
    """The statements for one kind of element."""

    page: str
    save: str
    save_group: str
    failed: str
    mark_otherwise: str


OF_ENTITIES: Final = Statements(
    "summarize/entities",
    "summarize/save_entities",
    "summarize/group_entities",
    "summarize/failed_entities",
    "summarize/otherwise_entities",
)
OF_PAIRS: Final = Statements(
    "summarize/pairs",
    "summarize/save_pairs",
    "summarize/group_pairs",
    "summarize/failed_pairs",
    "summarize/otherwise_pairs",
)


class UndescribedRow(TypedDict):
    """An entity or pair to describe, with its descriptions and the summaries of groups so far.

    Each of the descriptions is a text, the id and the date of its document ("" if unknown), and the
    number of its chunk.
    """

    id: str
    name: str
    description: str | None
    hash: str | None
    groups: list[str] | None
    group_texts: list[str] | None
    descriptions: list[tuple[str, str, str, int]]


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """The limits of descriptions in tokens.

    Descriptions of at most `join` tokens together need no model. One call has at most `context`
    tokens of descriptions. `count` counts the tokens of a text. `longest` is the largest number of
    those of a description that a model has summarised.
    """

    join: int
    context: int
    count: CountTokens
    longest: int = sys.maxsize


class Said(NamedTuple):
    """A description, and where it comes from: the date of its document ("" if unknown), the
    document's id and the number of the chunk. So they sort by time and place."""

    date: str
    document: str
    chunk: int
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """The texts for one call, and a hash of these texts and of the signature."""

    hash: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """A finished description.

    `hash` identifies the texts that it was made of. `groups` holds the summaries of the groups
    that a model was asked for on the way, by their hashes. `by_model` is True where a model has
    summarised it.
    """

    text: str
    hash: str
    groups: Mapping[str, str]
    by_model: bool


@dataclass(frozen=True, slots=True)
class _Item:
    """A text with its tokens, its place in time, and the bits of its place in the trie.

    Both places of a group are those of its first item. The tokens are counted once, because each
    level of the trie needs them.
    """

    order: int
    bits: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _Ask:
    """A group of an element's descriptions that a model is to summarise."""

    element: str
    name: str
    group: Group


_Batch = tuple[_Ask, ...]


async def summarize(stage: StageContext, limits: SummaryLimits) -> None:
    """Gives all marked entities and pairs their descriptions."""
    waiting = await stage.graph.read("summarize/count", CountRow)
    stage.listen(Started("summarize", int(waiting[0]["n"])))
    for statements in (OF_ENTITIES, OF_PAIRS):
        describing = _Describing(stage, limits, statements)
        while await describing.round():
            pass


async def mark_described_otherwise(graph: Graph, backend: IndexBackend) -> None:
    """Marks the elements whose description was made with another prompt or model."""
    for statements in (OF_ENTITIES, OF_PAIRS):
        await graph.write(statements.mark_otherwise, signature=backend.signature("summary"))


class _Describing:
    """The rounds over one kind of element."""

    def __init__(self, stage: StageContext, limits: SummaryLimits, statements: Statements) -> None:
        self.stage, self.limits, self.statements = stage, limits, statements
        self.graph = stage.graph
        self.signature = stage.backend.signature("summary")
        self.failed: set[str] = set()
        self.progress = False

    async def round(self) -> bool:
        """Runs one round; returns whether another round is needed."""
        self.progress = False
        if self.stage.batched:
            # A description that needs no model changes which groups are asked about together.
            async for _ in self._batches(self.stage.listen):
                pass
        # So does the summary of a group.
        if not await self.stage.run_tasks(
            self._batches, self._answer, self._save, together=TOGETHER, save_at_end=True
        ):
            return False
        return self.progress

    async def _batches(self, listen: Listener) -> AsyncIterator[_Batch]:
        """The groups to ask a model about; finished descriptions are saved on the way."""
        after = ""
        while rows := await self.graph.read_bulk(
            self.statements.page, UndescribedRow, after=after, limit=PAGE_OF_ELEMENTS
        ):
            rows.sort(key=itemgetter("id"))
            done, asks = [], []
            for row in rows:
                found = self._folded(row)
                if isinstance(found, Described):
                    done.append(self._done(row, found))
                elif row["id"] not in self.failed:
                    asks += [_Ask(row["id"], row["name"], group) for group in found]
            await self.graph.write(self.statements.save, rows=done)
            listen(Advanced(len(done)))
            # A model could not tell two groups of one element apart.
            element = attrgetter("element")
            room, most = self.limits.context, self.stage.backend.summary_batch
            for batch in in_batches(asks, self._size, element, room, most):
                yield batch
            after = rows[-1]["id"]

    def _size(self, ask: _Ask) -> int:
        return sum(map(self.limits.count, ask.group.texts))

    def _folded(self, row: UndescribedRow) -> Described | list[Group]:
        known = dict(zip(row["groups"] or [], row["group_texts"] or [], strict=True))
        if row["hash"] and row["description"] is not None:
            known[row["hash"]] = row["description"]
        signature = identify("description of", self.signature, row["name"])
        said = [Said(date, of, chunk, text) for text, of, date, chunk in row["descriptions"]]
        dated = not self.stage.backend.quotes
        return tree_summarize(said, signature, known, self.limits, dated=dated)

    def _done(self, row: UndescribedRow, found: Described) -> Row:
        texts = {text for text, *_ in row["descriptions"]}
        return {
            "id": row["id"],
            "description": found.text,
            "hash": found.hash,
            "with": self.signature if found.by_model else None,
            "groups": list(found.groups) or None,
            "group_texts": list(found.groups.values()) or None,
            "sample": sample_of_texts(texts) if found.by_model else None,
        }

    async def _answer(self, batch: _Batch) -> Sequence[str | ReplyError]:
        things = [DescribedThing(ask.name, ask.group.texts) for ask in batch]
        return await self.stage.run(self.stage.backend.summarize(things))

    async def _save(self, outcomes: Sequence[Outcome[_Batch, Sequence[str | ReplyError]]]) -> None:
        found = of_each(outcomes)
        failed = {one.item.element: one.failure for one in found if one.failed}
        longest, count = self.limits.longest, self.limits.count
        groups = [
            {
                "id": one.item.element,
                "group": one.item.group.hash,
                "text": shortened(one.result, longest, count),
            }
            for one in found
            if one.result is not None
        ]
        newly_failed = len(failed.keys() - self.failed)
        self.failed |= failed.keys()
        self.progress |= bool(groups)
        rows = [{"id": id_, "reason": reason} for id_, reason in failed.items()]
        await self.graph.write(self.statements.failed, rows=rows)
        await self.graph.write(self.statements.save_group, rows=groups)
        self.stage.listen(Advanced(failed=newly_failed))


def tree_summarize(
    descriptions: Iterable[Said],
    signature: str,
    known: Mapping[str, str],
    limits: SummaryLimits,
    *,
    dated: bool = True,
) -> Described | list[Group]:
    """The description of one element, or the groups that must be summarised first.

    `signature` identifies everything else that the summary of a group depends on: the name of the
    element, the model and the prompt. `known` holds the summaries that exist, by group hash. With
    `dated` False no date is put before a text.
    """
    first: dict[str, Said] = {}
    for one in sorted(one for one in descriptions if one.text):
        first.setdefault(one.text, one)
    said = list(first.values())
    texts = _with_dates(said) if dated else [one.text for one in said]
    joined = "\n".join(texts)
    if len(texts) < 2 or limits.count(joined) <= limits.join:
        return Described(joined, identify("joined", joined), {}, by_model=False)

    def item(order: int, bits: str, text: str) -> _Item:
        # So two texts always fit, and each level has fewer texts.
        short = shortened(text, limits.context // 2, limits.count)
        return _Item(order, bits, short, limits.count(short))

    items = []
    for order, (one, text) in enumerate(zip(said, texts, strict=True)):
        of = identify("document", one.document)[:16] + identify("description", one.text)[:16]
        items.append(item(order, f"{int(of, 16):0128b}", text))
    used: dict[str, str] = {}
    while True:
        buckets = _buckets(items, limits)
        parts = [tuple(one.text for one in bucket) for bucket in buckets]
        groups = [Group(identify("group", signature, *part), part) for part in parts]
        if missing := [g for g in groups if len(g.texts) > 1 and g.hash not in known]:
            return missing
        if len(groups) == 1:
            return Described(known[groups[0].hash], groups[0].hash, used, by_model=True)
        answers = {g.hash: known[g.hash] for g in groups if len(g.texts) > 1}
        used |= answers
        items = [
            item(bucket[0].order, bucket[0].bits, answers.get(group.hash, group.texts[0]))
            for bucket, group in zip(buckets, groups, strict=True)
        ]


def _with_dates(said: Sequence[Said]) -> list[str]:
    """The texts, with its date before the first one of each document if there are several dates."""
    if len({one.date for one in said}) < 2:
        return [one.text for one in said]
    documents, texts = set[str](), []
    for one in said:
        begins = one.date and one.document not in documents
        texts.append(f"({one.date}) {one.text}" if begins else one.text)
        documents.add(one.document)
    return texts


def _buckets(items: Sequence[_Item], limits: SummaryLimits, depth: int = 0) -> list[list[_Item]]:
    """The items in groups that fit one call, divided at one bit after the other."""
    if sum(item.tokens for item in items) <= limits.context or len(items) < 3:
        return [sorted(items, key=lambda item: item.order)]
    zeros = [item for item in items if item.bits[depth] == "0"]
    ones = [item for item in items if item.bits[depth] == "1"]
    halves = [half for half in (zeros, ones) if half]
    return [bucket for half in halves for bucket in _buckets(half, limits, depth + 1)]
