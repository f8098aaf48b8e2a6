"""Finds the pairs of spellings that a model is to compare, and what it is shown about them.

Only spellings that begin or end with the same rare word, acronyms with what they may stand for,
names about which much the same is said and names with the same neighbours are compared. A decision
of a model stays until the type of a spelling changes, until twice as much is said about the
spelling of which less was said, or until the pair is no longer likely. A pair that a rule or a
person has decided about is not asked for.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.graph import Transaction
from graphrag_neo4j.graph.rows import SpellingRow
from graphrag_neo4j.ids import identify
from graphrag_neo4j.indexing.resolution.groups import Decision
from graphrag_neo4j.indexing.resolution.near_names import NEAR, NearNames
from graphrag_neo4j.indexing.resolution.rows import DecisionRow
from graphrag_neo4j.indexing.resolution.rules import Spelling
from graphrag_neo4j.indexing.resolution.same_neighbours import NEIGHBOURS, find_same_neighbours
from graphrag_neo4j.indexing.resolution.spellings import descriptions_of, stored
from graphrag_neo4j.model import ComparedName, NamePair
from graphrag_neo4j.nlp.likely_names import MOST_IN_BLOCK, may_be_same, name_properties

__all__ = ["AskedPair", "pairs_to_ask"]

MOST_SAID = 3  # descriptions of each name that a model is shown
ENOUGH = 4  # descriptions; more of them are no reason to ask again

Likely = dict[tuple[str, str], tuple[Spelling, Spelling, str]]
"""Pairs by the ids of their spellings, each with the block in which it was found."""
Said = Mapping[str, Sequence[str]]
"""Descriptions by the ids of spellings."""


@dataclass(frozen=True, slots=True)
class AskedPair:
    """A pair to ask a model about. `block` and `saw` are those of the decision about it."""

    one: Spelling
    other: Spelling
    block: str
    saw: str
    shown: NamePair


async def pairs_to_ask(
    tx: Transaction, seeds: Mapping[str, Spelling], near: NearNames
) -> tuple[list[AskedPair], list[Decision]]:
    """The pairs of these spellings to ask about, and the model's decisions that no longer hold."""
    words = {word for one in seeds.values() for word in _ends(one.name)}
    members = await _members(tx, words, seeds)
    crowded = [f"word {word}" for word, block in members.items() if len(block) > MOST_IN_BLOCK]
    likely: Likely = {}
    for word, block in sorted(members.items()):
        if len(block) > MOST_IN_BLOCK:
            continue
        for pair in _pairs(block):
            if not seeds.keys().isdisjoint((pair[0].id, pair[1].id)):
                likely.setdefault((pair[0].id, pair[1].id), (*pair, f"word {word}"))
    for one, other in near.pairs:
        likely.setdefault((one.id, other.id), (one, other, NEAR))
    for one, other in await find_same_neighbours(tx, seeds):
        likely.setdefault((one.id, other.id), (one, other, NEIGHBOURS))
    outdated = await tx.run("resolve/rules", DecisionRow, blocks=sorted(crowded))
    if near.crowded:
        rows = await tx.run("resolve/decisions", DecisionRow, ids=sorted(near.crowded))
        outdated += [row for row in rows if row["block"] == NEAR]
    asked, void = await _undecided(tx, seeds.keys(), likely)
    return asked, list({*void, *(Decision(**row) for row in outdated)})


def _ends(name: str) -> set[str]:
    """The words by which a name is found: its first and last, and the acronym that it may have."""
    return {word for name_, word in name_properties(name).items() if name_ != "key" and word}


async def _members(
    tx: Transaction, words: Collection[str], seeds: Mapping[str, Spelling]
) -> dict[str, list[Spelling]]:
    rows = await tx.run(
        "resolve/word_block", SpellingRow, words=sorted(words), most=2 * MOST_IN_BLOCK
    )
    found: defaultdict[str, dict[str, Spelling]] = defaultdict(dict)
    for row in rows:  # what was decided about comes after the entity of the same id
        if row["n"]:
            found[row["key"]][row["id"]] = seeds.get(row["id"], stored(row))
    for one in seeds.values():
        for word in _ends(one.name) & found.keys():
            found[word].setdefault(one.id, one)
    return {word: list(block.values()) for word, block in found.items()}


def _pairs(block: Sequence[Spelling]) -> Iterable[tuple[Spelling, Spelling]]:
    ordered = sorted(block, key=lambda one: one.id)
    for n, one in enumerate(ordered):
        for other in ordered[n + 1 :]:
            if may_be_same(one.named, other.named):
                yield one, other


async def _undecided(
    tx: Transaction, seeds: Collection[str], likely: Likely
) -> tuple[list[AskedPair], list[Decision]]:
    rows = await tx.run("resolve/decisions", DecisionRow, ids=sorted(seeds))
    decided = {(row["one"], row["other"]) for row in rows if row["origin"] != "model"}
    by_model = {
        (row["one"], row["other"]): Decision(**row) for row in rows if row["origin"] == "model"
    }
    open_ = {ends: pair for ends, pair in likely.items() if ends not in decided}
    wanted = await _shown(tx, open_)
    void = [
        one for ends, one in by_model.items() if ends not in wanted or wanted[ends].saw != one.saw
    ]
    kept = by_model.keys() - {(one.one, one.other) for one in void}
    return [pair for ends, pair in sorted(wanted.items()) if ends not in kept], void


async def _shown(tx: Transaction, likely: Likely) -> dict[tuple[str, str], AskedPair]:
    """The pairs with what the documents say about both names."""
    spellings = {one.id: one for pair in likely.values() for one in pair[:2]}
    said = await descriptions_of(tx, spellings.values(), ENOUGH)
    return {
        ends: AskedPair(
            one, other, block, _saw(one, other, said), NamePair(*_compared((one, other), said))
        )
        for ends, (one, other, block) in likely.items()
    }


def _compared(pair: Sequence[Spelling], said: Said) -> list[ComparedName]:
    return [ComparedName(one.name, one.type, tuple(said[one.id][:MOST_SAID])) for one in pair]


def _saw(one: Spelling, other: Spelling, said: Said) -> str:
    """A hash of what must change before a model is asked again.

    It holds the types, and how much is said about that name of which less is said: nothing, one
    description, two or three, or ENOUGH. So a pair is asked again when this has doubled.
    """
    known = min(len(said[one.id]), len(said[other.id])).bit_length()
    return identify(
        "compared names", one.id, one.type or "", other.id, other.type or "", str(known)
    )
