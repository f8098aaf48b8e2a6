"""Moves the evidence of spellings between entities, and splits a name that means two things.

MENTIONS, STATED, SUBJECT and OBJECT of a spelling move; everything else is derived, and is marked
so that later stages make it again. The spelling of a mention or a claim is known from its name. A
statement keeps the spellings at its ends where they are not the entities' own. So each move can be
reversed, and leaves nothing behind.

A split of "Mercury" by the type organization gives the mentions of this type the name "Mercury
(organization)". From then on these are two spellings, and the stage resolve gives each an entity. A
chunk that gives the name only types of the split means the other thing throughout: then its
statements and claims about the name also go with it. Where a chunk gives it both types, or none,
they stay with the first name.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import zip_longest
from typing import TypedDict

from graphrag_neo4j.documents import whole_of
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Row, Transaction
from graphrag_neo4j.graph.rows import SpellingRow
from graphrag_neo4j.index.entities.rules import Known, Spelling
from graphrag_neo4j.index.evidence import (
    Uses,
    Votes,
    combined,
    elected,
    held,
    mark_changed,
    properties_of,
    save_entities,
    save_pairs,
    sweep_entities,
    sweep_pairs,
    votes_for,
)
from graphrag_neo4j.text.strings import entity_id, identify, pair_id

Place = tuple[str, str]
"""The place of a mention: chunk and entity."""


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a name by a chunk: with a type and a description, without, or in a claim.

    `properties` are those that the mention holds; they go with its descriptions.
    """

    name: str
    type: str = ""
    text: str | None = None
    in_claim: bool = False
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)


class MovedMentionRow(TypedDict):
    """A mention, with the names that the claims of its chunk use for its entity.

    `held` is all that a mention with properties holds, and empty for another one.
    """

    chunk: str
    entity: str
    names: list[str]
    types: list[str]
    descriptions: list[str]
    held: dict[str, object]
    claimed: list[str]


class MovedStatementRow(TypedDict):
    """A statement; the spellings are None where they are those of the entities at its ends."""

    id: str
    chunk: str
    source: str
    target: str
    pair: str | None
    source_spelling: str | None
    target_spelling: str | None


class ClaimedRow(TypedDict):
    """The link of a claim to an entity; `type` is SUBJECT or OBJECT."""

    claim: str
    chunk: str
    type: str
    entity: str
    name: str


class SpelledRow(TypedDict):
    """An entity, and the names and types that documents use for it."""

    entity: str
    uses: Uses


class ChunkSourceRow(TypedDict):
    """A chunk and the source of its document."""

    chunk: str
    source: str


@dataclass(frozen=True, slots=True)
class Move:
    """Says where evidence goes, and what it is called there.

    `targets` gives an entity by (entity that holds the evidence, spelling). In the chunks of
    `goes`, the spelling `one` becomes `other`: in those uses, or in all that the chunk says
    (None). `rename` gives the new form of a name.
    """

    targets: Mapping[tuple[str, str], str] = field(default_factory=dict)
    one: str = ""
    other: str = ""
    rename: Callable[[str], str] = str
    goes: Mapping[str, Collection[Use] | None] = field(default_factory=dict)

    def end(
        self, chunk: str, holder: str, spelling: str, use: Use | None = None
    ) -> tuple[str, str]:
        """The new entity and spelling at the end of a statement, or of a use of a name."""
        if spelling == self.one and chunk in self.goes:
            part = self.goes[chunk]
            spelling = self.other if part is None or use in part else spelling
        return self.targets.get((holder, spelling), holder), spelling

    def used(self, chunk: str, holder: str, use: Use) -> tuple[str, Use]:
        """The new entity of a use of a name, and this use with its new name."""
        entity, spelling = self.end(chunk, holder, entity_id(use.name), use)
        same = spelling == entity_id(use.name)
        return entity, use if same else replace(use, name=self.rename(use.name))


async def read_spellings(tx: Transaction, seeds: Sequence[str]) -> Known:
    """The spellings of these ids, and those that share an entity with them."""
    holders = set(seeds)
    for row in await tx.run("resolve/around", SpellingRow, ids=seeds):
        holders.add(row["entity"] or row["id"])
    rows = await tx.run("resolve/around", SpellingRow, ids=sorted(holders))
    without = {row["id"]: Spelling(row["id"], row["name"], None, 0) for row in rows}
    return without | await spellings_of(tx, holders | without.keys())


async def spellings_of(tx: Transaction, entities: Collection[str]) -> Known:
    """The spellings that the evidence of these entities uses."""
    rows = await tx.run_bulk("resolve/spelled", SpelledRow, ids=sorted(entities))
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for id_ in votes_for(row["uses"], lambda use: entity_id(use[0])):
            holders[id_].add(row["entity"])
    uses = [one for row in rows for one in row["uses"]]
    names: defaultdict[str, dict[str, Votes]] = defaultdict(dict)
    types: defaultdict[str, dict[str, Votes]] = defaultdict(dict)
    for (id_, name), votes in votes_for(uses, lambda use: (entity_id(use[0]), use[0])).items():
        names[id_][name] = votes
    for (id_, type_), votes in votes_for(uses, lambda use: (entity_id(use[0]), use[1])).items():
        types[id_][type_ or ""] = votes
    found = {}
    for id_, (documents, chunks) in votes_for(uses, lambda use: entity_id(use[0])).items():
        shown = elected(names[id_]) or ""
        n, type_ = chunks if shown else 0, elected(types[id_])
        found[id_] = Spelling(id_, shown, type_, n, frozenset(holders[id_]), documents)
    return found


async def move_evidence(
    tx: Transaction, holders: Iterable[str], move: Move, names: Mapping[str, str] | None = None
) -> None:
    """Moves evidence of these entities, and removes those of them that become empty.

    `names` holds the ids of the entities that evidence goes to, with a name for each that is new.
    """
    holders = sorted(holders)
    # All is read first: which names a mention keeps depends on the claims.
    mentions = await _read_mentions(tx, holders)
    stated = await tx.run("resolve/stated", MovedStatementRow, entities=holders)
    claimed = await tx.run("resolve/claimed", ClaimedRow, entities=holders)
    touched = {**dict.fromkeys(holders, ""), **(names or {})}
    await save_entities(tx, {id_: touched[id_] for id_ in sorted(touched)})
    await _move_mentions(tx, mentions, move)
    by_id = {row["id"]: row for row in stated}  # a statement between two holders is read twice
    moved = [(row, _restated(row, move)) for _, row in sorted(by_id.items())]
    moved = [
        (row, new)
        for row, new in moved
        if (row["id"], row["source"], row["target"]) != (new["new"], new["source"], new["target"])
    ]
    await tx.run("resolve/restate", rows=[new for _, new in moved])
    await save_pairs(tx, [new for _, new in moved if new["pair"]])
    claims: list[Row] = []
    for row in claimed:
        target, use = move.used(row["chunk"], row["entity"], Use(row["name"], in_claim=True))
        if (target, use.name) != (row["entity"], row["name"]):
            claims.append({**row, "target": target, "new": use.name})
    await tx.run("resolve/reclaim", rows=claims)
    await sweep_pairs(tx, sorted({row["pair"] for row, _ in moved if row["pair"]}))
    await sweep_entities(tx, holders)
    await mark_changed(tx)


async def _read_mentions(
    tx: Transaction, entities: Iterable[str] = (), places: Iterable[Place] = ()
) -> dict[Place, set[Use]]:
    """The mentions of these entities, and those at these places: the names that each uses."""
    at = [{"chunk": chunk, "entity": entity} for chunk, entity in sorted(places)]
    found = {}
    for row in await tx.run(
        "resolve/mentions", MovedMentionRow, entities=sorted(entities), rows=at
    ):
        # Names without a description come last.
        given = zip_longest(row["names"], row["types"], row["descriptions"])
        properties = properties_of(row["held"])
        uses = {
            Use(name, type_ or "", text, properties=properties if text is not None else {})
            for name, type_, text in given
        }
        uses |= {Use(name, in_claim=True) for name in row["claimed"]}
        found[row["chunk"], row["entity"]] = uses
    return found


async def _move_mentions(tx: Transaction, before: Mapping[Place, set[Use]], move: Move) -> None:
    after: defaultdict[Place, set[Use]] = defaultdict(set, {place: set() for place in before})
    for (chunk, holder), uses in before.items():
        for use in uses:
            entity, moved = move.used(chunk, holder, use)
            after[chunk, entity].add(moved)
    for place, there in (await _read_mentions(tx, places=after.keys() - before.keys())).items():
        after[place] |= there
    gone: list[Row] = []
    kept: list[Row] = []
    for (chunk, entity), uses in sorted(after.items(), key=lambda one: one[0]):
        if uses == before.get((chunk, entity)):
            continue
        described = sorted({(x.name, x.type, x.text) for x in uses if x.text is not None})
        known = {entity_id(name) for name, _, _ in described}
        bare = [x.name for x in uses if x.text is None and not x.in_claim]
        row: Row = {
            "chunk": chunk,
            "entity": entity,
            "names": [
                *(x[0] for x in described),
                *sorted(x for x in bare if entity_id(x) not in known),
            ],
            "types": [type_ for _, type_, _ in described],
            "descriptions": [text for _, _, text in described],
            "held": held(combined(x.properties for x in uses)),
        }
        (kept if uses else gone).append(row)
    await tx.run("resolve/unmention", rows=gone)
    await tx.run("extract/mentions", rows=kept)


def _restated(row: MovedStatementRow, move: Move) -> Row:
    """The statement after the move; its new id is made from the spellings at its ends."""
    source, one = move.end(row["chunk"], row["source"], row["source_spelling"] or row["source"])
    target, other = move.end(row["chunk"], row["target"], row["target_spelling"] or row["target"])
    return {
        "id": row["id"],
        "new": identify("stated", row["chunk"], one, other),
        "source": source,
        "target": target,
        "pair": None if source == target else pair_id(source, target),
        "source_spelling": None if one == source else one,
        "target_spelling": None if other == target else other,
    }


@dataclass(frozen=True, slots=True)
class Split:
    """A person's word that mentions of a name with certain types or sources are another thing.

    `name` is the name, and `label` stands in brackets behind it in the name of the other thing.
    `types` are in lower case; empty: any. `documents` is a glob on the sources of documents, or on
    their file names; None: any. `ref` is that of the decision that keeps the two apart.
    """

    ref: int
    name: str
    label: str
    types: Sequence[str]
    documents: str | None

    @property
    def one(self) -> str:
        """The id of the spelling that is split."""
        return entity_id(self.name)

    @property
    def other(self) -> str:
        """The id of the spelling of the other thing."""
        return entity_id(self.renamed(self.name))

    def renamed(self, name: str) -> str:
        """The name of the other thing, for a form of the name."""
        return f"{name} ({self.label})"

    def first_name(self, name: str) -> str:
        """The name as the chunk has it, for a name that the split may have given."""
        mine = entity_id(name) == self.other
        return name.removesuffix(self.renamed("")) if mine else name

    def takes_document(self, source: str) -> bool:
        """Whether the split is about documents with this source, or about the text of this part."""
        wholes = (source, whole_of(source))
        names = (*wholes, *(one.rpartition("/")[2] for one in wholes))
        return self.documents is None or any(fnmatchcase(name, self.documents) for name in names)

    def takes(self, use: Use) -> bool:
        """Whether the split is about what is described."""
        return not self.types or use.type.strip().casefold() in self.types


async def read_splits(tx: Transaction) -> list[Split]:
    """All splits of names, the oldest first."""
    return await tx.run("resolve/splits", Split)


async def split_evidence(
    tx: Transaction, split: Split, chunks: Collection[str] | None = None, *, refuse: bool = False
) -> None:
    """Gives the mentions that the split is about, in these chunks, the name of the other thing.

    `chunks` None means all. The mentions stay with their entity until the stage resolve. With
    `refuse`, raises InputError where the split is about none of them, and where it is about all.
    """
    holders, says = await _read_split_chunks(tx, split, chunks)
    goes: dict[str, Collection[Use] | None] = {}
    for chunk, said in sorted(says.items()):
        part = {one for one in said.described if split.takes(one)}
        if not split.takes_document(said.source):
            continue
        goes_whole = part == said.described and (part or not split.types or said.split_before)
        if goes_whole or part:
            goes[chunk] = None if goes_whole else part
    if refuse and not says:
        raise InputError(f"No document in the graph uses the name {split.name!r}.")
    if refuse and not goes:
        which = f"of the type {' or '.join(split.types)}" if split.types else ""
        where = f"in a document that matches {split.documents!r}" if split.documents else ""
        types = sorted({use.type for said in says.values() for use in said.described if use.type})
        raise InputError(
            f"No mention of {split.name!r} is {' and '.join(filter(None, (which, where)))}."
            + (f" Its types are: {', '.join(types)}." if types and split.types else "")
        )
    if refuse and all(goes.get(chunk, ()) is None for chunk in says):
        raise InputError(
            f"All mentions of {split.name!r} are of this kind, so nothing is left to split off."
        )
    if goes:
        await move_evidence(tx, holders, Move({}, split.one, split.other, split.renamed, goes))


@dataclass(slots=True)
class _Said:
    """What a chunk says about a name that is split.

    `split_before` is True where it uses the name of the other thing, and mentions the first name no
    more: what its claims say of the first name is then about the other thing.
    """

    source: str
    described: set[Use]
    split_before: bool


async def _read_split_chunks(
    tx: Transaction, split: Split, chunks: Collection[str] | None
) -> tuple[Collection[str], dict[str, _Said]]:
    """The entities that hold both spellings of a split, and what chunks say about the first one."""
    known = await read_spellings(tx, [split.one, split.other])
    holders = {x for one in (split.one, split.other) if one in known for x in known[one].holders}
    if chunks is None:
        mentions = await _read_mentions(tx, holders)
    else:
        mentions = await _read_mentions(tx, places=[(c, h) for c in chunks for h in holders])
    described: defaultdict[str, set[Use]] = defaultdict(set)
    mentioned: defaultdict[str, set[str]] = defaultdict(set)  # spellings, by chunk
    for (chunk, _), uses in mentions.items():
        about_one = {use for use in uses if entity_id(use.name) == split.one}
        described[chunk] |= {use for use in about_one if use.text is not None}
        mentioned[chunk] |= {entity_id(use.name) for use in uses if not use.in_claim}
    claims = await tx.run("resolve/claimed", ClaimedRow, entities=sorted(holders))
    about = {chunk for chunk, ids in mentioned.items() if split.one in ids}
    about |= {
        row["chunk"]
        for row in claims
        if entity_id(row["name"]) == split.one and (chunks is None or row["chunk"] in chunks)
    }
    rows = await tx.run("resolve/sources_of", ChunkSourceRow, chunks=sorted(about))
    says = {}
    for row in rows:
        ids = mentioned[row["chunk"]]
        before = split.other in ids and split.one not in ids
        says[row["chunk"]] = _Said(row["source"], described[row["chunk"]], before)
    return holders, says


async def unsplit_evidence(tx: Transaction, split: Split) -> None:
    """Gives the mentions that a split has renamed their first name again."""
    known = await read_spellings(tx, [split.other])
    holders = known[split.other].holders if split.other in known else frozenset()
    claimed = await tx.run("resolve/claimed", ClaimedRow, entities=sorted(holders))
    goes = {chunk: None for chunk, _ in await _read_mentions(tx, holders)}
    goes |= {row["chunk"]: None for row in claimed}
    if goes:
        await move_evidence(tx, holders, Move({}, split.other, split.one, split.first_name, goes))
