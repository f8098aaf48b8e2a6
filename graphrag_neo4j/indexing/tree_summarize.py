"""Tree summarise: makes one description of many, in groups that each fit one call.

Descriptions that are too long for one call are divided into groups, as in a trie: by the bits of
the hash of their document first, then by those of their own. A model summarises each group, and the
summaries are divided and summarised again. So a new document, however often it describes the
element, changes few groups and those above them; no other group is summarised again.

    many descriptions ──▶ groups that fit one call ──▶ their texts ──▶ … ──▶ one description
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_neo4j.ids import identify
from graphrag_neo4j.text import shortened
from graphrag_neo4j.tokens import CountTokens

__all__ = ["Described", "Group", "Missing", "SummaryBudget", "tree_summarize"]


@dataclass(frozen=True, slots=True)
class SummaryBudget:
    """The budgets in tokens.

    Descriptions of at most `join` tokens together need no model. One call has at most `context`
    tokens of descriptions. `count` counts the tokens of a text.
    """

    join: int
    context: int
    count: CountTokens


@dataclass(frozen=True, slots=True)
class Group:
    """The texts for one call, and a hash of these texts and of the signature."""

    hash: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """A finished description.

    `hash` identifies the texts that it was made of. `groups` holds the summaries of the groups
    that a model was asked for on the way, by their hashes. `by_model` is True where a model has
    summarised it.
    """

    text: str
    hash: str
    groups: Mapping[str, str]
    by_model: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """The groups that must be summarised next."""

    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """A text with its tokens, and the bits of its place in the trie: of a group, its first item's.

    The tokens are counted once, because each level of the trie needs them.
    """

    bits: str
    text: str
    tokens: int


def tree_summarize(
    descriptions: Iterable[tuple[str, str]],
    signature: str,
    known: Mapping[str, str],
    budget: SummaryBudget,
) -> Described | Missing:
    """The description of one element, or the groups that must be summarised first.

    `descriptions` are pairs of a text and the id of its document. `signature` identifies everything
    else that the summary of a group depends on: the name of the element, the model and the prompt.
    `known` holds the summaries that exist, by group hash.
    """
    document = dict(sorted(descriptions, reverse=True))  # of several documents, the first by id
    texts = sorted(text for text in document if text)
    joined = "\n".join(texts)
    if len(texts) < 2 or budget.count(joined) <= budget.join:
        return Described(joined, identify("joined", joined), {}, by_model=False)
    longest = budget.context // 2  # so two texts always fit, and each level has fewer texts

    def item(bits: str, text: str) -> _Item:
        short = shortened(text, longest, budget.count)
        return _Item(bits, short, budget.count(short))

    items = [item(_bits(document[text], text), text) for text in texts]
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
            item(bucket[0].bits, answers.get(group.hash, group.texts[0]))
            for bucket, group in zip(buckets, groups, strict=True)
        ]


def _buckets(items: Sequence[_Item], budget: SummaryBudget, depth: int = 0) -> list[list[_Item]]:
    """The items in groups that fit one call, divided at one bit after the other."""
    if sum(item.tokens for item in items) <= budget.context or len(items) < 3:
        return [sorted(items, key=lambda item: item.bits)]
    zeros = [item for item in items if item.bits[depth] == "0"]
    ones = [item for item in items if item.bits[depth] == "1"]
    halves = [half for half in (zeros, ones) if half]
    return [bucket for half in halves for bucket in _buckets(half, budget, depth + 1)]


def _group(bucket: Sequence[_Item], signature: str) -> Group:
    texts = tuple(item.text for item in bucket)
    return Group(identify("group", signature, *texts), texts)


def _bits(document: str, text: str) -> str:
    hashes = identify("document", document)[:16] + identify("description", text)[:16]
    return f"{int(hashes, 16):0128b}"
