"""Gives each entity its type as one more label, such as `:Person`.

Neo4j never frees the name of a label. So a graph has at most MOST labels of this kind, those with
the most entities, and none that nodes of others or their constraints have.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from typing import TypedDict

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import SearchIndexRow
from graphrag_neo4j.graph.schema import UNIQUE_NODES
from graphrag_neo4j.model.events import Advanced, Listener, Notice, Started

PAGE_OF_LABELS = 1000
MOST = 30
OWN = {*UNIQUE_NODES, "KgBuild"}


class LabelsDueRow(TypedDict):
    """The labels of types that all entities follow; None if some may not, with `given` on them."""

    labels: list[str] | None
    given: list[str]


class TypeRow(TypedDict):
    """A type, and the number of its entities."""

    type: str
    n: int


class LabelRow(TypedDict):
    """A label of nodes that are not ours."""

    label: str


class LabelledRow(TypedDict):
    """How many entities were looked at, and the largest id of them; None without any."""

    last: str | None
    n: int


async def label_entities(graph: Graph, listen: Listener) -> None:
    """Brings the labels of entities up to date with their types.

    Looks at those whose type has changed, or at all if the graph gets other labels than before. A
    notice names the labels that entities do not get because other nodes have them.
    """
    if not (due := await graph.read("label/due", LabelsDueRow)):
        return
    listen(Started("labels"))
    types = {row["type"]: row["n"] for row in await graph.read("label/types", TypeRow)}
    foreign = {row["label"] for row in await graph.read("label/foreign", LabelRow)}
    if spared := sorted(foreign.intersection(map(label_of, types))):
        names = ", ".join(spared)
        listen(Notice(f"No entity gets these labels, because other nodes have them: {names}."))
    for row in await graph.read("graph/search_indexes", SearchIndexRow):
        foreign |= {*row["labels"]} if row["unique"] else set()
    labels = labels_of(types, foreign)
    chosen = sorted(set(labels.values()))
    given = sorted({*due[0]["given"], *chosen})
    types_as_before = chosen == due[0]["labels"]
    if not types_as_before:
        await graph.write("label/begin", given=given)
    values = {"given": given, "labels": {type_: [label] for type_, label in labels.items()}}
    after = ""
    while True:
        [page] = await graph.write(
            "label/page_marked" if types_as_before else "label/page_all",
            LabelledRow,
            after=after,
            limit=PAGE_OF_LABELS,
            **values,
        )
        if page["last"] is None:
            break
        after = page["last"]
        listen(Advanced(page["n"]))
    await graph.write("label/done", labels=chosen)


def labels_of(types: Mapping[str, int], foreign: Collection[str]) -> dict[str, str]:
    """The label of each type that gets one; `types` holds the number of entities of each.

    Labels with the most entities come first, and of equally many the first by code point.
    """
    labels = {type_: label_of(type_) for type_ in types}
    numbers: Counter[str] = Counter()
    for type_, label in labels.items():
        if label and label not in foreign:
            numbers[label] += types[type_]
    most = sorted(numbers, key=lambda label: (-numbers[label], label))[:MOST]
    return {type_: label for type_, label in labels.items() if label in most}


def label_of(type_: str) -> str:
    """The letters and digits of a type in CamelCase; empty if nothing or a label of ours is left.

    >>> label_of("work of art"), label_of("`x`) DETACH"), label_of("組織"), label_of("document")
    ('WorkOfArt', 'XDETACH', '組織', '')
    """
    # A mark (M), such as a vowel sign of Hindi, is a part of a letter.
    spaced = "".join(one if unicodedata.category(one)[0] in "LMN" else " " for one in type_)
    label = "".join(word[0].upper() + word[1:] for word in spaced.split())
    return "" if label in OWN else label
