"""One name that means two things: a person tells by what their mentions are told apart.

A split of "Mercury" by the type organization gives the mentions of this type the name "Mercury
(organization)". From then on these are two spellings, and everything else follows from that. The
functions here say which names a chunk uses under the splits; they do no I/O.

A chunk that gives the name only types of the split means the other thing throughout: then its
statements and claims about the name go with it, too. Where a chunk gives it both types, or none,
they stay with the first name.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from graphrag_neo4j.ids import entity_id
from graphrag_neo4j.indexing.resolution.spelling_parts import Part
from graphrag_neo4j.loaders import whole_of
from graphrag_neo4j.model import EntityRecord, Extraction, RelationshipRecord

__all__ = [
    "Divided",
    "Split",
    "divide",
    "first_name",
    "name_of_claim",
    "renamed_part",
    "split_extraction",
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

    def takes_type(self, type_: str) -> bool:
        """Whether the split is about mentions of this type."""
        return not self.types or type_.strip().casefold() in self.types


@dataclass(frozen=True, slots=True)
class Divided:
    """What a chunk says about the name, divided: what goes to the other thing, and what stays.

    `whole` is True where the chunk's statements and claims go, too.
    """

    goes: Part
    stays: Part
    whole: bool


def divide(split: Split, part: Part, source: str) -> Divided:
    """Divides what a chunk of a document with this source says about the name of the split."""
    if not split.takes_documents(source):
        return Divided(Part(), part, whole=False)
    goes = tuple(one for one in part.described if split.takes_type(one[1]))
    stays = tuple(one for one in part.described if one not in goes)
    whole = not stays and (bool(goes) or not split.types)
    named = part.named if whole else ()
    left = () if whole else part.named
    return Divided(Part(goes, named), Part(stays, left), whole)


def split_extraction(found: Extraction, splits: Iterable[Split], source: str) -> Extraction:
    """What was found in a chunk of a document with this source, with the names of the splits."""
    for split in splits:
        found = _split(found, split, source)
    return found


def _split(found: Extraction, split: Split, source: str) -> Extraction:
    own = [one for one in found.entities if entity_id(one.name) == split.one]
    described = tuple((one.name, one.type, one.description) for one in own)
    divided = divide(split, Part(described), source)
    if not (divided.goes.described or divided.whole):
        return found

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
        if entity_id(name) != split.one or not split.takes_documents(source):
            continue
        if split.other in named and split.one not in named:
            return split.renamed(name)
        if not split.types and split.one not in named:
            return split.renamed(name)
    return name


def first_name(name: str | None, splits: Iterable[Split]) -> str | None:
    """The name as the chunk has it, for a name that a split may have given."""
    for split in splits:
        ending = split.renamed("")
        if name and entity_id(name) == split.other and name.endswith(ending):
            return name.removesuffix(ending)
    return name


def renamed_part(part: Part, rename: Callable[[str], str]) -> Part:
    """The part with other names."""
    return Part(
        tuple(sorted((rename(name), type_, text) for name, type_, text in part.described)),
        tuple(sorted(map(rename, part.named))),
    )
