"""Asks a model about likely pairs of names that the rules do not join, several in one request.

The decisions are saved as they come, and mark their spellings for the stage resolve. A pair whose
reply could not be used is asked again by the next run: its entities keep their marks.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial

from graphrag_neo4j.concurrency import Outcome, run_tasks
from graphrag_neo4j.events import Advanced, Started, silent
from graphrag_neo4j.graph import Row, Transaction
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.indexing.resolution.candidates import AskedPair, pairs_to_ask
from graphrag_neo4j.indexing.resolution.groups import decision
from graphrag_neo4j.indexing.resolution.near_names import find_near_names
from graphrag_neo4j.indexing.resolution.rows import SeedRow
from graphrag_neo4j.indexing.resolution.same_neighbours import mark_around_hubs
from graphrag_neo4j.indexing.resolution.spellings import read_spellings, save_decisions
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.model import NameVerdict

__all__ = ["compare"]

PAGE = 500
PAIRS = 20  # in one request
BATCH = 8
UNSAID = "the reply says nothing about a pair with this name"
Asked = tuple[AskedPair, ...]
Verdicts = list[NameVerdict | None]


async def compare(stage: StageContext, *, by_model: bool) -> bool:
    """Lets a model compare the names of all marked entities; without `by_model`, only unmarks.

    The indexes of `prepare_near_names` must exist.
    Returns whether a decision was made or dropped: then the stage resolve must run again.
    """
    if not by_model:
        await stage.graph.write("resolve/compare_none")
        return False
    waiting = await stage.graph.read("resolve/count_uncompared", CountRow)
    stage.listen(Started("compare", int(waiting[0]["n"])))
    if not waiting[0]["n"]:
        return False
    if stage.batched and await _replies_wait(stage):
        return False
    comparing = _Comparing(stage)
    await comparing.run()
    return comparing.changed


async def _replies_wait(stage: StageContext) -> bool:
    """Puts all questions into batches; returns whether replies are still to come.

    Nothing is decided before all replies are there, because a decision changes which pairs are
    asked together. Looking for the pairs marks entities, which changes the order, so it is done
    once before.
    """
    quiet = _Comparing(replace(stage, listen=silent))
    async for _ in quiet.asks():
        pass
    await run_tasks(quiet.asks(), quiet.answer, _ignore, workers=stage.workers, batch=BATCH)
    return stage.waits()


async def _ignore(_outcomes: object) -> None:
    """Saves nothing: the replies are in the graph."""


class _Comparing:
    """One run over all marked entities."""

    def __init__(self, stage: StageContext) -> None:
        self.stage, self.graph = stage, stage.graph
        self.seen: list[str] = []
        self.failed: dict[str, str] = {}
        self.changed = False

    async def run(self) -> None:
        workers, keep = self.stage.workers, self.stage.keep
        await run_tasks(
            self.asks(), self.answer, self._save, workers=workers, batch=BATCH, keep=keep
        )
        done = [id_ for id_ in self.seen if id_ not in self.failed]
        await self.graph.write("resolve/compared", ids=done)

    async def asks(self) -> AsyncIterator[Asked]:
        """The pairs to ask about in groups for one request; each pair once."""
        after, left, known = "", [], set[tuple[str, str]]()
        while rows := await self.graph.read("resolve/uncompared", SeedRow, after=after, limit=PAGE):
            ids = [row["id"] for row in rows]
            around = await self.graph.transact(partial(mark_around_hubs, ids=ids))
            after = ids[-1]
            ids += around
            for pair in await self._pairs(ids):
                ends = (pair.one.id, pair.other.id)
                left += [pair] if ends not in known else []
                known.add(ends)
            while len(left) >= PAIRS:
                yield tuple(left[:PAIRS])
                left = left[PAIRS:]
            self.seen += ids
            self.stage.listen(Advanced(len(rows)))
        if left:
            yield tuple(left)

    async def _pairs(self, ids: Sequence[str]) -> list[AskedPair]:
        """The pairs to ask about; removes the decisions of the model that no longer hold."""
        near = await find_near_names(self.graph, ids)

        async def work(tx: Transaction) -> tuple[list[AskedPair], bool]:
            known = await read_spellings(tx, ids)
            there = {id_: one for id_, one in known.items() if one.n}
            asked, void = await pairs_to_ask(tx, there, near)
            ends = sorted({end for one in void for end in (one.one, one.other)})
            await tx.run("resolve/drop", ids=[one.id for one in void])
            await tx.run("resolve/mark", ids=ends)
            return asked, bool(void)

        asked, dropped = await self.graph.transact(work)
        self.changed |= dropped
        return asked

    async def answer(self, asked: Asked) -> Verdicts:
        """Asks a model about these pairs."""
        return await self.stage.run(self.stage.backend.compare([pair.shown for pair in asked]))

    async def _save(self, outcomes: Sequence[Outcome[Asked, Verdicts]]) -> None:
        found = []
        failed: dict[str, str] = {}
        for outcome in outcomes:
            verdicts = outcome.result or [None] * len(outcome.item)
            for pair, verdict in zip(outcome.item, verdicts, strict=True):
                if verdict:
                    found.append((pair, verdict))
                else:
                    holders = pair.one.holders | pair.other.holders
                    failed |= dict.fromkeys(holders, outcome.failure or UNSAID)
        self.stage.listen(Advanced(failed=len(failed.keys() - self.failed.keys())))
        self.failed |= failed
        self.changed |= bool(found)
        rows: list[Row] = [{"id": id_, "reason": failed[id_]} for id_ in sorted(failed)]
        await self.graph.transact(lambda tx: _save(tx, found, rows))


async def _save(
    tx: Transaction, found: Sequence[tuple[AskedPair, NameVerdict]], failed: Sequence[Row]
) -> None:
    known = {one.id: one for pair, _ in found for one in (pair.one, pair.other)}
    made = [
        decision(
            pair.one.id,
            pair.other.id,
            said.verdict,
            "model",
            said.reason or "A model said so.",
            block=pair.block,
            saw=pair.saw,
        )
        for pair, said in found
    ]
    await save_decisions(tx, known, made)
    await tx.run("resolve/mark", ids=sorted(known))
    await tx.run("resolve/failed", rows=failed)
