"""Gives each marked entity and pair one description.

A single description is taken as it is, short ones are joined, and a model summarises the others as
a tree (`tree_summarize`). A round reads all marked elements, saves the descriptions that need no
model, and asks a model for the missing groups, several of them in one request. The rounds end when
no group is missing. The summary of each group is saved when it arrives.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal

from graphrag_neo4j.concurrency import Outcome, run_tasks
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.events import Advanced, Started
from graphrag_neo4j.graph import Graph, Row
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.report_drift import sample_of_texts
from graphrag_neo4j.indexing.rows import UndescribedRow
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.indexing.tree_summarize import (
    Described,
    Group,
    Missing,
    SummaryBudget,
    tree_summarize,
)
from graphrag_neo4j.model import DescribedThing
from graphrag_neo4j.protocols import IndexBackend
from graphrag_neo4j.text import shortened

__all__ = ["SummaryLimits", "mark_described_otherwise", "summarize"]

DescribedKind = Literal["entities", "pairs"]
DESCRIBED_KINDS: tuple[DescribedKind, ...] = ("entities", "pairs")
PAGE = 500
BATCH = 32


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """The budgets in tokens; `longest` is that of a description that a model has summarised."""

    budget: SummaryBudget
    longest: int


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
    for kind in DESCRIBED_KINDS:
        describing = _Describing(stage, limits, kind)
        while await describing.round():
            pass


async def mark_described_otherwise(graph: Graph, backend: IndexBackend) -> None:
    """Marks the elements whose description was made with another prompt or model."""
    for kind in DESCRIBED_KINDS:
        await graph.write(f"summarize/otherwise_{kind}", signature=backend.signature("summary"))


class _Describing:
    """The rounds over one kind of element."""

    def __init__(self, stage: StageContext, limits: SummaryLimits, kind: DescribedKind) -> None:
        self.stage, self.limits, self.kind = stage, limits, kind
        self.graph = stage.graph
        self.signature = stage.backend.signature("summary")
        self.failed: set[str] = set()
        self.progress = False

    async def round(self) -> bool:
        """Runs one round; returns whether another round is needed."""
        self.progress = False
        workers, keep = self.stage.workers, self.stage.keep
        if self.stage.batched and await self._replies_wait():
            return False
        await run_tasks(
            self._batches(), self._answer, self._save, workers=workers, batch=BATCH, keep=keep
        )
        return self.progress

    async def _replies_wait(self) -> bool:
        """Puts all requests into batches; returns whether replies are still to come.

        Groups are saved only when all replies are there, because a saved one changes which groups
        are packed into one request. So do descriptions that need no model, which are saved first.
        """
        async for _ in self._batches():
            pass
        workers = self.stage.workers
        await run_tasks(self._batches(), self._answer, _ignore, workers=workers, batch=BATCH)
        return self.stage.waits()

    async def _batches(self) -> AsyncIterator[_Batch]:
        """The groups to ask a model about; finished descriptions are saved on the way."""
        after = ""
        while rows := await self.graph.read(
            f"summarize/{self.kind}", UndescribedRow, after=after, limit=PAGE
        ):
            folded = [(row, self._folded(row)) for row in rows]
            done = [self._done(row, found) for row, found in folded if isinstance(found, Described)]
            await self.graph.write(f"summarize/save_{self.kind}", rows=done)
            self.stage.listen(Advanced(len(done)))
            asks = [
                _Ask(row["id"], row["name"], group)
                for row, found in folded
                if isinstance(found, Missing) and row["id"] not in self.failed
                for group in found.groups
            ]
            for batch in _packed(asks, self.limits.budget, self.stage.backend.summary_batch):
                yield batch
            after = rows[-1]["id"]

    def _folded(self, row: UndescribedRow) -> Described | Missing:
        known = dict(zip(row["groups"] or [], row["group_texts"] or [], strict=True))
        if row["hash"] and row["description"] is not None:
            known[row["hash"]] = row["description"]
        signature = identify("description of", self.signature, row["name"])
        descriptions = [(text, document) for text, document in row["descriptions"]]
        return tree_summarize(descriptions, signature, known, self.limits.budget)

    def _done(self, row: UndescribedRow, found: Described) -> Row:
        return {
            "id": row["id"],
            "description": found.text,
            "hash": found.hash,
            "with": self.signature if found.by_model else None,
            "groups": list(found.groups) or None,
            "group_texts": list(found.groups.values()) or None,
            "sample": _sample(row) if found.by_model else None,
        }

    async def _answer(self, batch: _Batch) -> Sequence[str | ReplyError]:
        things = [DescribedThing(ask.name, ask.group.texts) for ask in batch]
        return await self.stage.run(self.stage.backend.summarize(things))

    async def _save(self, outcomes: Sequence[Outcome[_Batch, Sequence[str | ReplyError]]]) -> None:
        found = [pair for t in outcomes for pair in zip(t.item, _results(t), strict=True)]
        failed = {ask.element: str(text) for ask, text in found if isinstance(text, ReplyError)}
        longest, count = self.limits.longest, self.limits.budget.count
        groups = [
            {"id": a.element, "group": a.group.hash, "text": shortened(text, longest, count)}
            for a, text in found
            if isinstance(text, str)
        ]
        newly_failed = len(failed.keys() - self.failed)
        self.failed |= failed.keys()
        self.progress |= bool(groups)
        rows = [{"id": id_, "reason": reason} for id_, reason in failed.items()]
        await self.graph.write(f"summarize/failed_{self.kind}", rows=rows)
        await self.graph.write(f"summarize/group_{self.kind}", rows=groups)
        self.stage.listen(Advanced(failed=newly_failed))


async def _ignore(_outcomes: object) -> None:
    """Saves nothing: the replies are in the graph."""


def _packed(asks: Sequence[_Ask], budget: SummaryBudget, most: int) -> list[_Batch]:
    """Packs groups into batches of at most `most`: the longest first, each where it still fits.

    Two groups of one element are not in one batch, because a model could not tell them apart.
    """
    sizes = {ask: sum(map(budget.count, ask.group.texts)) for ask in asks}
    batches: list[list[_Ask]] = []

    def has_room(batch: list[_Ask], ask: _Ask) -> bool:
        fits = sum(sizes[one] for one in batch) + sizes[ask] <= budget.context
        return fits and len(batch) < most and all(one.element != ask.element for one in batch)

    for ask in sorted(asks, key=lambda ask: -sizes[ask]):
        batch = next((batch for batch in batches if has_room(batch, ask)), [])
        if not batch:
            batches.append(batch)
        batch.append(ask)
    return [tuple(batch) for batch in batches]


def _results(
    outcome: Outcome[_Batch, Sequence[str | ReplyError]],
) -> Sequence[str | ReplyError]:
    """The result for each group of a batch. If the batch failed, so has each of them."""
    if outcome.result is not None:
        return outcome.result
    return [ReplyError(outcome.failure or "there is no description")] * len(outcome.item)


def _sample(row: UndescribedRow) -> list[int]:
    return sample_of_texts({text for text, _ in row["descriptions"]})
