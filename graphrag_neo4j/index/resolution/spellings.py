"""Spellings and decisions about two of them: made by rule, grouped, read from the graph and saved.

A decision of a person counts more than one of a rule, and that more than one of a model. A decision
"same" joins two groups, unless a decision "different" of the same or a stronger origin is about a
pair across them. Only spellings that someone has decided about are nodes; all others are known from
the evidence. What is decided and grouped does not depend on the order in which documents came.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypedDict

from graphrag_neo4j.graph import Row, Transaction, give_refs
from graphrag_neo4j.graph.rows import SpellingRow
from graphrag_neo4j.index.evidence import vote
from graphrag_neo4j.index.resolution.names import (
    FORMS,
    WELL_KNOWN,
    Spelling,
    block_key,
    contradict,
    forms_of,
    name_properties,
    same_by_form,
    two_companies,
    type_class,
)
from graphrag_neo4j.text import entity_id, identify, name_key

Verdict = Literal["same", "different", "unsure"]
DecisionOrigin = Literal["person", "rule", "model"]
STRENGTH: Final[dict[str, int]] = {"person": 0, "rule": 1, "model": 2}
Known = dict[str, Spelling]
"""Spellings by id."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether two spellings are one thing, with the reason and who decided it.

    `one` and `other` are ids of spellings, given in either order and held with the smaller first.
    `block` names the block in which a rule or the search for likely pairs found them; `saw` is a
    hash of what a model was shown.
    """

    one: str
    other: str
    verdict: Verdict
    origin: DecisionOrigin
    reason: str
    block: str | None = None
    saw: str | None = None

    def __post_init__(self) -> None:
        for name, end in zip(("one", "other"), sorted(self.ends), strict=True):
            object.__setattr__(self, name, end)

    @property
    def ends(self) -> tuple[str, str]:
        """The ids of both spellings."""
        return self.one, self.other

    @property
    def id(self) -> str:
        """Of the same two spellings, each origin has one decision."""
        return identify("compared", self.origin, self.one, self.other)


class DecisionRow(TypedDict):
    """A decision as the graph holds it."""

    one: str
    other: str
    verdict: Verdict
    origin: DecisionOrigin
    reason: str
    block: str | None
    saw: str | None


class SpelledRow(TypedDict):
    """A name that is used for an entity, with a type, and how often."""

    entity: str
    name: str
    type: str | None
    n: int


def groups(spellings: Iterable[str], decisions: Collection[Decision]) -> list[frozenset[str]]:
    """The groups of these spellings, each spelling in one group; sorted by their smallest ids."""
    group_of = {spelling: frozenset((spelling,)) for spelling in spellings}
    apart = [one for one in decisions if one.verdict == "different"]
    same = [one for one in decisions if one.verdict == "same"]
    for join in sorted(same, key=lambda one: (STRENGTH[one.origin], one.id)):
        left, right = group_of[join.one], group_of[join.other]
        forbidden = any(
            STRENGTH[one.origin] <= STRENGTH[join.origin]
            and {group_of[one.one], group_of[one.other]} == {left, right}
            for one in apart
        )
        if left is not right and not forbidden:
            group_of |= dict.fromkeys(left | right, left | right)
    return sorted(set(group_of.values()), key=min)


def by_form(key: str, spellings: Iterable[Spelling]) -> list[Decision]:
    """The decisions of the rules in the block of this key: as many as join what they join.

    Each step joins the spellings that agree in one form to the most frequent of them, and goes on
    with the most frequent ones; so the work grows with the number of spellings, not its square.
    Where types contradict, a spelling without type could be either, and is left out.
    """
    there = [one for one in spellings if one.n]
    if not contradict(one.type for one in there):
        return _joined(f"form {key}", there)
    classes: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in there:
        if class_ := type_class(one.type):
            classes[class_].append(one)
    return [made for _, part in sorted(classes.items()) for made in _joined(f"form {key}", part)]


def _joined(block: str, heads: list[Spelling]) -> list[Decision]:
    found = []
    for step in range(FORMS):
        agreeing: defaultdict[str, list[Spelling]] = defaultdict(list)
        for one in heads:
            agreeing[forms_of(one.name)[step]].append(one)
        heads = []
        for _, same in sorted(agreeing.items()):
            head = foremost(same)
            heads.append(head)
            apart = two_companies(same)
            for one in same:
                reason = None if apart or one is head else same_by_form(head, one)
                if reason:
                    found.append(Decision(head.id, one.id, "same", "rule", reason, block))
                elif one is not head:
                    heads.append(one)
    return found


def means_another(one: Spelling, expanded: Collection[str]) -> bool:
    """Whether documents say that a well-known acronym stands for something else than we know.

    `expanded` is what they say. Then our list joins it to nothing.
    """
    key = name_key(one.name)
    listed = key in WELL_KNOWN or [key] in WELL_KNOWN.values()
    return listed and any(name and block_key(name) != block_key(one.name) for name in expanded)


def by_acronym(
    acronym: Spelling, expanded: Collection[str], spellings: Sequence[Spelling]
) -> list[Decision]:
    """The decision that an acronym is one of these spellings, if it is certain.

    `expanded` is what documents say that the acronym stands for, an empty text for what can't be
    told: if these are two things, nothing is certain.
    """
    keys = {block_key(name) for name in expanded}
    fitting = [one for one in spellings if block_key(one.name) in keys and one.n]
    types = [acronym.type, *(one.type for one in fitting)]
    if len(keys) != 1 or "" in expanded or not fitting or contradict(types):
        return []
    reason = "A document gives one as the acronym of the other, and none says otherwise."
    block = f"acronym {block_key(acronym.name)}"
    return [Decision(acronym.id, foremost(fitting).id, "same", "rule", reason, block)]


def foremost(spellings: Iterable[Spelling]) -> Spelling:
    """The most frequent spelling; of equally frequent ones, that with the smallest id."""
    return min(spellings, key=lambda one: (-one.n, one.id))


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
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for row in await tx.run("resolve/spelled", SpelledRow, ids=sorted(entities)):
        id_ = entity_id(row["name"])
        names[id_][row["name"]] += row["n"]
        types[id_][row["type"] or ""] += row["n"]
        holders[id_].add(row["entity"])
    return {
        id_: Spelling(
            id_,
            vote(counted.items()) or "",
            vote(types[id_].items()),
            sum(n for name, n in counted.items() if name),
            frozenset(holders[id_]),
        )
        for id_, counted in names.items()
    }


def stored(row: SpellingRow) -> Spelling:
    """A spelling as it was saved, since its evidence has not changed."""
    holders = frozenset({row["entity"] or row["id"]} if row["n"] else ())
    return Spelling(row["id"], row["name"], row["type"], row["n"], holders)


async def read_decisions_about(
    tx: Transaction, ids: Iterable[str] = (), *, blocks: Iterable[str] = ()
) -> set[Decision]:
    """The decisions about these spellings, and those that were made in these blocks."""
    rows = await tx.run("resolve/decisions", DecisionRow, ids=sorted(ids), blocks=sorted(blocks))
    return {Decision(**row) for row in rows}


async def save_decisions(
    tx: Transaction,
    known: Known,
    decisions: Sequence[Decision],
    *,
    mark: bool = False,
    more: Mapping[str, object] | None = None,
) -> None:
    """Saves decisions, and the spellings that they are about; these must be `known`.

    With `mark`, the spellings are marked for the stage resolve. `more` is saved with each decision.
    """
    ends = sorted({end for one in decisions for end in one.ends})
    rows = [row_of(known[id_], min(known[id_].holders or {id_})) for id_ in ends]
    await tx.run("resolve/spellings", rows=rows)
    refs = await give_refs(tx, "decision", [one.id for one in decisions])
    made: list[Row] = [
        {**asdict(one), "id": one.id, "ref": refs.get(one.id), "more": more or {}}
        for one in decisions
    ]
    await tx.run("resolve/decide", rows=made, mark=mark)


def row_of(one: Spelling, entity: str) -> Row:
    """The properties of a spelling whose evidence `entity` holds."""
    return {
        "id": one.id,
        "name": one.name,
        "type": one.type,
        "n": one.n,
        "entity": entity,
        **name_properties(one.name),
    }
