"""Asks a model about likely pairs of names that the rules do not join, several in one request.

    marked entities ──▶ names that share a rare word ──▶ likely pairs ──▶ decisions

Only spellings that begin or end with the same rare word, acronyms with what they may stand for, and
names that a passage writes as "X (Y)" are compared. A decision of a model stays until the type of a
spelling changes, until twice as much is said about the spelling of which less was said, or until
the pair is no longer likely. A pair that a rule or a person has decided about is not asked for, nor
is a first name or a surname of which a rule knows whose it is, or an acronym of which it knows what
it stands for.

The decisions are saved as they come, and mark their spellings for the stage resolve. A pair whose
reply could not be used is asked again by the next run: its entities keep their marks.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypedDict

from graphrag_neo4j.concurrency import Outcome
from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import IdRow, SpellingRow, pages
from graphrag_neo4j.index.entities.moves import read_spellings, spellings_of
from graphrag_neo4j.index.entities.resolve import (
    Decision,
    read_decisions_about,
    save_decisions,
    stored,
)
from graphrag_neo4j.index.entities.rules import (
    Known,
    Spelling,
    block_key,
    contradict,
    folded_words,
    is_listed,
    may_be_same,
    name_properties,
)
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.model.types import ComparedName, NamePair, NameVerdict
from graphrag_neo4j.text.acronyms import looks_like_acronym
from graphrag_neo4j.text.strings import entity_id, identify

PAGE_OF_NAMES = 500
PAIRS = 20  # in one request
TOGETHER = 8  # requests whose verdicts are saved at once
MOST_UNMARKED = 10_000  # entities in one transaction
MOST_IN_BLOCK: Final = 40  # spellings with one word; a more frequent word says too little
MOST_LIKELY: Final = 45  # pairs of them to ask about
MOST_SAID = 3  # descriptions of each name that a model is shown
ENOUGH = 4  # descriptions; more of them don't justify asking again
UNSAID = "the reply says nothing about a pair with this name"


class SaidRow(TypedDict):
    """What a chunk says about a name."""

    name: str
    text: str


class BracketsRow(TypedDict):
    """Two names that a chunk writes as "X (Y)", and the entity of `alias`."""

    name: str
    alias: str
    entity: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """A pair to ask a model about. `block` and `saw` are those of the decision about it."""

    one: Spelling
    other: Spelling
    block: str
    saw: str
    shown: NamePair


Group = tuple[_Asked, ...]
Verdicts = list[NameVerdict | None]
Ends = tuple[str, str]
"""The ids of the spellings of a pair, the smaller first."""


async def compare(stage: StageContext, *, by_model: bool) -> bool:
    """Lets a model compare the names of all marked entities; without `by_model`, only unmarks.

    Returns whether a decision was made or dropped: then the stage resolve must run again.
    """
    waiting = sorted(row["id"] for row in await stage.graph.read("resolve/uncompared", IdRow))
    if not by_model:
        await _unmark(stage.graph, waiting)
        return False
    stage.listen(Started("compare", len(waiting)))
    if not waiting:
        return False
    comparing = _Comparing(stage, waiting)
    # A decision changes which pairs are asked about together.
    if not await stage.run_tasks(
        comparing.asks, comparing.answer, comparing.save, together=TOGETHER, save_at_end=True
    ):
        return False
    await _unmark(stage.graph, [id_ for id_ in waiting if id_ not in comparing.failed])
    return comparing.changed


async def _unmark(graph: Graph, ids: Sequence[str]) -> None:
    for page in pages(ids, MOST_UNMARKED):
        rows: list[Row] = [{"id": id_, "reason": None} for id_ in page]
        await graph.write("resolve/compared", rows=rows)


class _Comparing:
    """One run over all marked entities, whose ids are `waiting`."""

    def __init__(self, stage: StageContext, waiting: Sequence[str]) -> None:
        self.stage, self.waiting = stage, waiting
        self.failed: dict[str, str] = {}
        self.changed = False

    async def asks(self, listen: Listener) -> AsyncIterator[Group]:
        """The pairs to ask about in groups for one request; each pair once.

        Removes the decisions of the model that no longer hold.
        """
        left, seen = list[_Asked](), set[Ends]()
        for ids in pages(self.waiting, PAGE_OF_NAMES):

            async def work(
                tx: Transaction, ids: Sequence[str] = ids
            ) -> tuple[dict[Ends, _Asked], bool]:
                known = await read_spellings(tx, ids)
                asked, void = await _pairs_to_ask(tx, {x: s for x, s in known.items() if s.n})
                await tx.run("resolve/drop", ids=sorted(one.id for one in void), mark=True)
                return asked, bool(void)

            asked, dropped = await self.stage.graph.transact(work)
            self.changed |= dropped
            left += [pair for ends, pair in sorted(asked.items()) if ends not in seen]
            seen |= asked.keys()
            while len(left) >= PAIRS:
                yield tuple(left[:PAIRS])
                left = left[PAIRS:]
            listen(Advanced(len(ids)))
        if left:
            yield tuple(left)

    async def answer(self, asked: Group) -> Verdicts:
        """Asks a model about these pairs."""
        return await self.stage.run(self.stage.backend.compare([pair.shown for pair in asked]))

    async def save(self, outcomes: Sequence[Outcome[Group, Verdicts]]) -> None:
        """Saves the verdicts, and why entities could not be compared."""
        made: list[Decision] = []
        known: Known = {}
        failed: dict[str, str] = {}
        for outcome in outcomes:
            verdicts = outcome.result or [None] * len(outcome.item)
            for pair, said in zip(outcome.item, verdicts, strict=True):
                if not said:
                    holders = pair.one.holders | pair.other.holders
                    failed |= dict.fromkeys(holders, outcome.failure or UNSAID)
                    continue
                known |= {pair.one.id: pair.one, pair.other.id: pair.other}
                ends, reason = (pair.one.id, pair.other.id), said.reason or "A model said so."
                made.append(Decision(*ends, said.verdict, "model", reason, pair.block, pair.saw))
        self.stage.listen(Advanced(failed=len(failed.keys() - self.failed.keys())))
        self.failed |= failed
        self.changed |= bool(made)
        rows: list[Row] = [{"id": id_, "reason": failed[id_]} for id_ in sorted(failed)]

        async def work(tx: Transaction) -> None:
            await save_decisions(tx, known, made, mark=True)
            await tx.run("resolve/compared", rows=rows)

        await self.stage.graph.transact(work)


async def _pairs_to_ask(tx: Transaction, seeds: Known) -> tuple[dict[Ends, _Asked], set[Decision]]:
    """The pairs of these spellings to ask about, and the model's decisions that no longer hold."""
    likely: dict[Ends, tuple[Spelling, Spelling, str]] = {}
    crowded = []
    for word, block in sorted((await _members(tx, seeds)).items()):
        members = sorted(block.values(), key=lambda one: one.id)
        few = len(members) <= MOST_IN_BLOCK
        pairs = [ends for ends in combinations(members if few else [], 2) if may_be_same(*ends)]
        if not few or len(pairs) > MOST_LIKELY:
            crowded.append(f"word {word}")
            continue
        for one, other in pairs:
            if one.id in seeds or other.id in seeds:
                likely.setdefault((one.id, other.id), (one, other, f"word {word}"))
    for one, other in await _in_brackets(tx, seeds):
        likely.setdefault((one.id, other.id), (one, other, "brackets"))
    about = await read_decisions_about(tx, {end for pair in likely for end in pair})
    bearers = {(end, one.block) for one in about if one.origin == "rule" for end in one.ends}
    for pair, (*named, _) in [*likely.items()]:
        if any((one.id, block) in bearers for one in named for block in _told_in(one)):
            del likely[pair]
    decided = await read_decisions_about(tx, seeds, blocks=crowded)
    final = {one.ends for one in decided if one.origin != "model"}
    wanted = await _shown(tx, {ends: pair for ends, pair in likely.items() if ends not in final})
    by_model = {one.ends: one for one in decided if one.origin == "model"}
    valid = {e for e, one in by_model.items() if e in wanted and wanted[e].saw == one.saw}
    void = {one for ends, one in by_model.items() if ends not in valid}
    return {ends: pair for ends, pair in wanted.items() if ends not in valid}, void


async def _in_brackets(tx: Transaction, seeds: Known) -> list[tuple[Spelling, Spelling]]:
    """The pairs of seeds with names that stand in brackets behind them, or before them."""
    holders = sorted({holder for one in seeds.values() for holder in one.holders})
    rows = await tx.run("resolve/in_brackets", BracketsRow, entities=holders)
    known = await spellings_of(tx, {row["entity"] for row in rows}) | seeds
    pairs = {tuple(sorted(map(entity_id, (row["name"], row["alias"])))) for row in rows}
    found = [(known[one], known[other]) for one, other in sorted(pairs) if {one, other} <= {*known}]
    return [pair for pair in found if not contradict(one.type for one in pair)]


def _told_in(one: Spelling) -> list[str]:
    """The blocks in which rules tell whose a short name is, and what an acronym stands for."""
    blocks, key = [f"person {' '.join(folded_words(one.name))}"], block_key(one.name)
    if looks_like_acronym(one.name):
        blocks += [f"acronym {key}", *([f"form {key}"] if is_listed(one.name) else ())]
    return blocks


def _words(name: str) -> set[str]:
    """The words by which a name is found: its first and last, and the acronym that it may have."""
    return {word for of, word in name_properties(name).items() if of != "key" and word}


async def _members(tx: Transaction, seeds: Known) -> Mapping[str, Known]:
    """The spellings by the words that they and the seeds begin or end with, or have as initials."""
    words = sorted({word for one in seeds.values() for word in _words(one.name)})
    rows = await tx.run("resolve/word_block", SpellingRow, words=words, most=2 * MOST_IN_BLOCK)
    found: defaultdict[str, Known] = defaultdict(dict)
    for row in rows:  # what was decided about comes after the entity of the same id
        if row["n"]:
            found[row["key"]][row["id"]] = seeds.get(row["id"], stored(row))
    for one in seeds.values():
        for word in _words(one.name) & found.keys():
            found[word].setdefault(one.id, one)
    return found


async def _shown(
    tx: Transaction, likely: Mapping[Ends, tuple[Spelling, Spelling, str]]
) -> dict[Ends, _Asked]:
    """The pairs with the shortest descriptions of both names."""
    holders = {x for one, other, _ in likely.values() for x in one.holders | other.holders}
    said: defaultdict[str, list[str]] = defaultdict(list)
    for row in await tx.run("resolve/said", SaidRow, entities=sorted(holders), most=ENOUGH):
        texts = said[entity_id(row["name"])]
        if len(texts) < ENOUGH:  # several names may be one spelling
            texts.append(row["text"])

    def shown(one: Spelling) -> ComparedName:
        return ComparedName(one.name, one.type, tuple(said[one.id][:MOST_SAID]))

    def saw(one: Spelling, other: Spelling) -> str:
        """A hash of what must change before a model is asked again.

        It holds the types, and how much is said about that name of which less is said: nothing,
        one description, two or three, or ENOUGH. So a pair is asked again when this has doubled.
        """
        told = min(len(said[one.id]), len(said[other.id])).bit_length()
        ends = one.id, one.type or "", other.id, other.type or ""
        return identify("compared names", *ends, str(told))

    return {
        ends: _Asked(one, other, block, saw(one, other), NamePair(shown(one), shown(other)))
        for ends, (one, other, block) in likely.items()
    }
