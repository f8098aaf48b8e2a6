"""Long lists fold in groups: what is to be asked next to make one description out of many.

Descriptions that exceed one call are cut into groups by the bits of their own hashes, as in a
trie, and the groups' texts are folded in turn. So one more description changes its own group
and those above it, and nothing else is asked again.

    many descriptions ──▶ groups that fit one call ──▶ their texts ──▶ … ──▶ one description
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.ids import identify
from graphrag_neo4j.text import shortened
from graphrag_neo4j.tokens import CountTokens

__all__ = ["Described", "Group", "Missing", "SummaryBudget", "tree_summarize"]


@dataclass(frozen=True, slots=True)
class SummaryBudget:
    """Tokens: `join` of descriptions that need no model, `context` of one call; how to count."""

    join: int
    context: int
    count: CountTokens


@dataclass(frozen=True, slots=True)
class Group:
    """Texts for one call, and the hash of them and of how they are asked about."""

    hash: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """A description, the hash of what it was made of, and the groups below it, if it was folded.

    `by_model`: a model has joined it.
    """

    text: str
    hash: str
    groups: Mapping[str, str]
    by_model: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """The groups whose texts are needed next."""

    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """A text and the bits that place it in the trie; a bucket's place is that of its first item."""

    bits: str
    text: str


def tree_summarize(
    descriptions: Sequence[str], signature: str, known: Mapping[str, str], budget: SummaryBudget
) -> Described | Missing:
    """The description of one thing, or what must be asked first.

    `signature` stands for everything else that a group's text depends on (the thing's name, the
    model, the prompt); `known` maps hashes of groups to their texts.
    """
    texts = sorted({text for text in descriptions if text})
    joined = "\n".join(texts)
    if len(texts) < 2 or budget.count(joined) <= budget.join:
        return Described(joined, identify("joined", joined), {}, by_model=False)
    longest = budget.context // 2  # so two always fit, and each level has fewer texts
    items = [_Item(_bits(t), shortened(t, longest, budget.count)) for t in texts]
    used: dict[str, str] = {}
    while True:
        buckets = _buckets(items, budget)
        groups = [_group(bucket, signature) for bucket in buckets]
        if missing := tuple(g for g in groups if len(g.texts) > 1 and g.hash not in known):
            return Missing(missing)
        if len(groups) == 1:
            return Described(known[groups[0].hash], groups[0].hash, used, by_model=True)
        answers = {g.hash: known[g.hash] for g in groups if len(g.texts) > 1}
        used |= answers
        items = [
            _Item(
                bucket[0].bits,
                shortened(answers.get(group.hash, group.texts[0]), longest, budget.count),
            )
            for bucket, group in zip(buckets, groups, strict=True)
        ]


def _buckets(items: Sequence[_Item], budget: SummaryBudget, depth: int = 0) -> list[list[_Item]]:
    """Items in groups that fit one call, halved at one bit after the other."""
    if sum(budget.count(item.text) for item in items) <= budget.context or len(items) < 3:
        return [sorted(items, key=lambda item: item.bits)]
    zeros = [item for item in items if item.bits[depth] == "0"]
    ones = [item for item in items if item.bits[depth] == "1"]
    halves = [half for half in (zeros, ones) if half]
    return [bucket for half in halves for bucket in _buckets(half, budget, depth + 1)]


def _group(bucket: Sequence[_Item], signature: str) -> Group:
    texts = tuple(item.text for item in bucket)
    return Group(identify("group", signature, *texts), texts)


def _bits(text: str) -> str:
    return f"{int(identify('description', text), 16):0128b}"
