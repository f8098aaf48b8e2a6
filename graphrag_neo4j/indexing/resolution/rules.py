"""Decides by rules which spellings of a block are certainly one thing; these functions do no I/O.

The decisions are a function of the block alone. So they do not depend on the order in which the
documents came.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.indexing.resolution.groups import Decision, decision
from graphrag_neo4j.nlp.name_variants import (
    FORMS,
    WELL_KNOWN,
    Named,
    block_key,
    contradict,
    forms_of,
    same_by_form,
    type_class,
)
from graphrag_neo4j.text import name_key

__all__ = ["Spelling", "acronym_block", "by_acronym", "by_form", "form_block", "means_another"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """A spelling with its most frequent form and type.

    `n` counts how often chunks and claims use it: 0 means that there is no evidence of it now.
    `holders` are the ids of the entities that hold its evidence.
    """

    id: str
    name: str
    type: str | None
    n: int
    holders: frozenset[str] = field(default=frozenset())

    @property
    def named(self) -> Named:
        """The name and the type alone."""
        return Named(self.name, self.type)


def form_block(key: str) -> str:
    """The block of the spellings with this key, which could be other forms of one name."""
    return f"form {key}"


def acronym_block(key: str) -> str:
    """The block of the acronyms with this key and of what they stand for."""
    return f"acronym {key}"


def by_form(key: str, spellings: Iterable[Spelling]) -> list[Decision]:
    """The decisions in a block of forms of a name: as many as join what the rules join.

    Each step joins the spellings that agree in one form to the most frequent of them, and goes on
    with the most frequent ones; so the work grows with the number of spellings, not its square.
    """
    found: list[Decision] = []
    for alike in _without_contradiction(list(spellings)):
        heads = alike
        for step in range(FORMS):
            agreeing: defaultdict[str, list[Spelling]] = defaultdict(list)
            for one in heads:
                agreeing[forms_of(one.name)[step]].append(one)
            heads = []
            for _, same in sorted(agreeing.items()):
                joined, apart = _to_foremost(form_block(key), same)
                found += joined
                heads += apart
    return sorted(found, key=lambda one: one.id)


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
    if (
        len(keys) != 1
        or "" in expanded
        or not fitting
        or contradict([acronym.type, *(s.type for s in fitting)])
    ):
        return []
    reason = "A document gives one as the acronym of the other, and none says otherwise."
    block = acronym_block(block_key(acronym.name))
    return [decision(acronym.id, _foremost(fitting).id, "same", "rule", reason, block=block)]


def _without_contradiction(spellings: list[Spelling]) -> list[list[Spelling]]:
    """The spellings in parts whose types do not contradict; without type, they may be either."""
    there = [one for one in spellings if one.n]
    if not contradict(one.type for one in there):
        return [there]
    classes: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in there:
        if class_ := type_class(one.type):
            classes[class_].append(one)
    return [part for _, part in sorted(classes.items())]


def _foremost(spellings: Iterable[Spelling]) -> Spelling:
    """The most frequent spelling; of equally frequent ones, that with the smallest id."""
    return min(spellings, key=lambda one: (-one.n, one.id))


def _to_foremost(
    block: str, spellings: Sequence[Spelling]
) -> tuple[list[Decision], list[Spelling]]:
    """The decisions that join spellings to the most frequent one; this one and those left apart."""
    head = _foremost(spellings)
    decisions, apart = [], [head]
    for one in spellings:
        if one is head:
            continue
        if reason := same_by_form(head.named, one.named):
            decisions.append(decision(head.id, one.id, "same", "rule", reason, block=block))
        else:
            apart.append(one)
    return decisions, apart
