"""The labelled pairs of names, and what the rules decide about them."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphrag_neo4j.index.resolution.names import Spelling, block_key
from graphrag_neo4j.index.resolution.resolve import by_acronym, by_form
from graphrag_neo4j.text import entity_id
from graphrag_neo4j.text.acronyms import expansions, looks_like_acronym

FOLDER = Path(__file__).parent.parent / "data" / "names"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two spellings, whether they are one thing, and what a document says about them."""

    kind: str
    same: bool
    one: Spelling
    other: Spelling
    text: str


def pairs() -> Iterator[Pair]:
    for path in sorted(FOLDER.glob("*.tsv")):
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                ends = [
                    Spelling(entity_id(row[name]), row[name], row[type_] or None, 1)
                    for name, type_ in (("name", "type"), ("other name", "other type"))
                ]
                yield Pair(row["kind"], row["label"] == "same", ends[0], ends[1], row["text"])


def exact(pair: Pair) -> bool:
    """Whether the names are one spelling without any rule: case and spaces make no difference."""
    return pair.one.id == pair.other.id


def joined(pair: Pair) -> bool:
    """Whether the rules decide that both names are one thing, in a graph of this pair alone."""
    ends = [pair.one, pair.other]
    keys = {block_key(one.name) for one in ends}
    decisions = by_form(keys.pop(), ends) if len(keys) == 1 else []
    for acronym, name in (ends, ends[::-1]):
        if looks_like_acronym(acronym.name):
            decisions += by_acronym(acronym, expansions(pair.text, acronym.name), [name])
    return exact(pair) or bool(decisions)


@dataclass(frozen=True, slots=True)
class Measured:
    """Counts over pairs: all, those that are one thing, and those that were joined."""

    n: int
    same: int
    exact: int
    joined: int
    wrong: int

    @property
    def precision(self) -> float:
        """The share of the joined pairs that are one thing; 1 where none is joined."""
        return 1 - self.wrong / self.joined if self.joined else 1.0

    @property
    def recall(self) -> float:
        """The share of the pairs that are one thing that were joined."""
        return (self.joined - self.wrong) / self.same if self.same else 1.0


def measured(found: list[Pair]) -> Measured:
    counts: Counter[str] = Counter()
    for pair in found:
        together = joined(pair)
        counts += Counter(
            same=pair.same,
            exact=pair.same and exact(pair),
            joined=together,
            wrong=together and not pair.same,
        )
    return Measured(len(found), counts["same"], counts["exact"], counts["joined"], counts["wrong"])
