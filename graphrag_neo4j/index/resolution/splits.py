"""One name that means two things: a person tells by what their mentions are told apart.

A split of "Mercury" by the type organization gives the mentions of this type the name "Mercury
(organization)". From then on these are two spellings, and everything else follows from that.

A chunk that gives the name only types of the split means the other thing throughout: then its
statements and claims about the name go with it, too. Where a chunk gives it both types, or none,
they stay with the first name. The evidence in the graph becomes what it would be if the split had
been there before the documents were read, and, when it is undone, what it would be without it.
"""

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TypedDict

from graphrag_neo4j.documents import whole_of
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph import Transaction
from graphrag_neo4j.index.resolution.moves import (
    Move,
    Part,
    Parts,
    Place,
    move_evidence,
    read_mentions,
)
from graphrag_neo4j.index.resolution.spellings import read_spellings
from graphrag_neo4j.model import EntityRecord, Extraction, RelationshipRecord
from graphrag_neo4j.text import entity_id

__all__ = [
    "Split",
    "first_name",
    "name_of_claim",
    "read_splits",
    "sources_of",
    "split_evidence",
    "split_extraction",
    "unsplit_evidence",
]


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
    types: tuple[str, ...]
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

    def takes_documents(self, source: str) -> bool:
        """Whether the split is about documents with this source, or about the text of this part."""
        wholes = (source, whole_of(source))
        names = (*wholes, *(one.rpartition("/")[2] for one in wholes))
        return self.documents is None or any(fnmatchcase(name, self.documents) for name in names)


class SplitRow(TypedDict):
    """A split as the graph holds it."""

    ref: int
    name: str
    label: str
    types: list[str]
    documents: str | None


class ChunkSourceRow(TypedDict):
    """A chunk and the source of its document."""

    chunk: str
    source: str


async def read_splits(tx: Transaction) -> list[Split]:
    """All splits of names, the oldest first."""
    rows = await tx.run("resolve/splits", SplitRow)
    return [
        Split(row["ref"], row["name"], row["label"], tuple(row["types"]), row["documents"])
        for row in rows
    ]


async def sources_of(tx: Transaction, chunks: Collection[str]) -> dict[str, str]:
    """The source of the document of each of these chunks."""
    rows = await tx.run("resolve/sources_of", ChunkSourceRow, chunks=sorted(chunks))
    return {row["chunk"]: row["source"] for row in rows}


@dataclass(frozen=True, slots=True)
class _Divided:
    """What a chunk says about the name: what goes to the other thing, and what stays.

    `whole` is True where the chunk's statements and claims go, too.
    """

    goes: Part
    stays: Part
    whole: bool


def _divide(split: Split, part: Part, source: str) -> _Divided:
    if not split.takes_documents(source):
        return _Divided(Part(), part, whole=False)
    goes = tuple(
        one for one in part.described if not split.types or one[1].strip().casefold() in split.types
    )
    stays = tuple(one for one in part.described if one not in goes)
    whole = not stays and (bool(goes) or not split.types)
    named = (part.named, ()) if whole else ((), part.named)
    return _Divided(Part(goes, named[0]), Part(stays, named[1]), whole)


def split_extraction(found: Extraction, splits: Iterable[Split], source: str) -> Extraction:
    """What was found in a chunk of a document with this source, with the names of the splits."""
    for split in splits:
        found = _split(found, split, source)
    return found


def _split(found: Extraction, split: Split, source: str) -> Extraction:
    own = [one for one in found.entities if entity_id(one.name) == split.one]
    described = tuple((one.name, one.type, one.description) for one in own)
    divided = _divide(split, Part(described), source)

    def entity(one: EntityRecord) -> EntityRecord:
        goes = (one.name, one.type, one.description) in divided.goes.described
        return replace(one, name=split.renamed(one.name)) if goes else one

    def end(name: str) -> str:
        return split.renamed(name) if divided.whole and entity_id(name) == split.one else name

    def relationship(one: RelationshipRecord) -> RelationshipRecord:
        return replace(one, source=end(one.source), target=end(one.target))

    return replace(
        found,
        entities=[entity(one) for one in found.entities],
        relationships=[relationship(one) for one in found.relationships],
    )


def name_of_claim(name: str, named: Container[str], splits: Sequence[Split], source: str) -> str:
    """The name that a claim uses, for the name that it was extracted with.

    `named` holds the ids of the spellings that the chunk mentions.
    """
    for split in splits:
        concerned = entity_id(name) == split.one and split.takes_documents(source)
        if concerned and split.one not in named and (split.other in named or not split.types):
            return split.renamed(name)
    return name


def first_name(name: str | None, splits: Iterable[Split]) -> str | None:
    """The name as the chunk has it, for a name that a split may have given."""
    for split in splits:
        ending = split.renamed("")
        if name and entity_id(name) == split.other and name.endswith(ending):
            return name.removesuffix(ending)
    return name


@dataclass(frozen=True, slots=True)
class _Renaming(Move):
    """Moves what is divided from one spelling to the other, with a new name for each old one."""

    one: str
    other: str
    rename: Callable[[str], str]
    divided: Mapping[Place, _Divided]

    def parts(self, place: Place, spelling: str, part: Part) -> Iterable[tuple[str, str, Part]]:
        """The part of the spelling is divided, every other one stays."""
        if spelling != self.one or place not in self.divided:
            return [(place[1], spelling, part)]
        divided = self.divided[place]
        triples = ((self.name(name), type_, text) for name, type_, text in divided.goes.described)
        goes = Part(tuple(sorted(triples)), tuple(sorted(map(self.name, divided.goes.named))))
        stays = [] if divided.whole else [(place[1], self.one, divided.stays)]
        return [(self.other, self.other, goes), *stays]

    def name(self, name: str) -> str:
        """The name of the other thing."""
        return self.rename(name)

    def end(self, chunk: str, holder: str, spelling: str) -> tuple[str, str]:
        """The end goes where the whole chunk means the other thing."""
        divided = self.divided.get((chunk, holder))
        goes = spelling == self.one and divided is not None and divided.whole
        return (self.other, self.other) if goes else (holder, spelling)


async def split_evidence(tx: Transaction, split: Split, *, refuse: bool = True) -> None:
    """Gives the mentions that the split is about the name of the other thing.

    With `refuse`, raises InputError where it is about none of them, and where it is about all.
    """
    places = await _places(tx, split.one)
    sources = await sources_of(tx, {chunk for chunk, _ in places})
    divided = {
        place: _divide(split, parts[split.one], sources[place[0]])
        for place, parts in places.items()
        if split.one in parts
    }
    goes = {place: one for place, one in divided.items() if one.whole or one.goes.described}
    if refuse and not goes:
        raise InputError(_nothing(split, divided.values()))
    if refuse and all(one.whole for one in divided.values()):
        raise InputError(
            f"All mentions of {split.name!r} are of this kind, so nothing is left to split off."
        )
    await _rename(tx, _Renaming({}, split.one, split.other, split.renamed, goes), split.name)


async def unsplit_evidence(tx: Transaction, split: Split) -> None:
    """Gives the mentions that a split has renamed their first name again."""
    goes = {
        place: _Divided(parts[split.other], Part(), whole=True)
        for place, parts in (await _places(tx, split.other)).items()
        if split.other in parts
    }

    def back(name: str) -> str:
        return first_name(name, [split]) or name

    await _rename(tx, _Renaming({}, split.other, split.one, back, goes), split.renamed(split.name))


async def _rename(tx: Transaction, move: _Renaming, name: str) -> None:
    holders = {holder for _, holder in move.divided}
    if holders:
        await move_evidence(tx, holders, move, {move.other: move.name(name)})


async def _places(tx: Transaction, spelling: str) -> dict[Place, Parts]:
    """The mentions of the entities that hold the evidence of a spelling."""
    known = await read_spellings(tx, [spelling])
    return await read_mentions(tx, known[spelling].holders if spelling in known else ())


def _nothing(split: Split, divided: Collection[_Divided]) -> str:
    types = sorted({one[1] for part in divided for one in part.stays.described if one[1]})
    if not divided:
        return f"No document in the graph uses the name {split.name!r}."
    which = f"of the type {' or '.join(split.types)}" if split.types else ""
    where = f"in a document that matches {split.documents!r}" if split.documents else ""
    said = f" Its types are: {', '.join(types)}." if types and split.types else ""
    return f"No mention of {split.name!r} is {' and '.join(filter(None, (which, where)))}.{said}"
