"""The rows that the statements of the stage resolve return."""

from typing import TypedDict

from graphrag_neo4j.indexing.resolution.groups import DecisionOrigin, Verdict

__all__ = [
    "AcronymTextRow",
    "AroundRow",
    "BrokenDecisionRow",
    "ChunkSourceRow",
    "ClaimedRow",
    "DecisionRow",
    "ListedDecisionRow",
    "MentionRow",
    "NeighbourRow",
    "SaidRow",
    "SeedRow",
    "SpelledRow",
    "SplitRow",
    "StatedRow",
]


class SeedRow(TypedDict):
    """The id of a marked entity or spelling."""

    id: str


class ChunkSourceRow(TypedDict):
    """A chunk and the source of its document."""

    chunk: str
    source: str


class NeighbourRow(TypedDict):
    """The statements about an entity: spelling of the source and of the target, and their holders.

    There are none where the entity has too `many` neighbours.
    """

    entity: str
    many: bool
    statements: list[tuple[str, str, str, str]]


class SplitRow(TypedDict):
    """A person's word that some mentions of a name are another thing."""

    ref: int
    name: str
    label: str
    types: list[str]
    documents: str | None


class AroundRow(TypedDict):
    """A spelling that was decided about.

    `entity` is the entity that holds its evidence, and `n` the number of its mentions.
    """

    id: str
    entity: str
    name: str
    type: str | None
    n: int


class DecisionRow(TypedDict):
    """A decision about two spellings."""

    id: str
    one: str
    other: str
    verdict: Verdict
    origin: DecisionOrigin
    reason: str
    block: str | None
    saw: str | None


class MentionRow(TypedDict):
    """A mention, with the names that the claims of its chunk use for its entity."""

    chunk: str
    entity: str
    names: list[str]
    types: list[str]
    descriptions: list[str]
    claimed: list[str]


class StatedRow(TypedDict):
    """A statement; the spellings are None where they are those of the entities at its ends."""

    id: str
    chunk: str
    source: str
    target: str
    pair: str | None
    descriptions: list[str]
    strengths: list[float]
    source_spelling: str | None
    target_spelling: str | None


class ClaimedRow(TypedDict):
    """The link of a claim to an entity."""

    claim: str
    chunk: str
    type: str
    entity: str
    name: str


class AcronymTextRow(TypedDict):
    """The text of a chunk that may say what an acronym stands for."""

    spelling: str
    names: list[str]
    text: str


class SpelledRow(TypedDict):
    """A name that is used for an entity, with a type, and how often."""

    entity: str
    name: str
    type: str | None
    n: int


class BrokenDecisionRow(TypedDict):
    """A decision of a person that does not hold."""

    one: str
    other: str
    verdict: Verdict


class ListedDecisionRow(TypedDict):
    """A decision with the names that it is about."""

    ref: int
    verdict: Verdict
    one: str
    other: str
    origin: DecisionOrigin
    reason: str


class SaidRow(TypedDict):
    """What a chunk says about a name."""

    name: str
    text: str
