"""What the graph itself answers, before any passage: types, relationships, predicates.

"Which companies are mentioned?"         ──▶ the entities of the type company
"How are Ada and Charles related?"       ──▶ their relationship, or the paths between them
"Who directed The Matrix?"               ──▶ what is stated with the predicate "directed"

Without a model these are the answer. With one, it reads what is stated with a predicate of the
question before all other relationships.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypedDict

from graphrag_neo4j.model.citations import bracket, neutralised
from graphrag_neo4j.model.context import ContextRecord, record_of, relationship_record
from graphrag_neo4j.model.quotation import Composed, Draft
from graphrag_neo4j.model.types import ComposedTask
from graphrag_neo4j.query.graph_expansion import NamedRow, RelationshipRow, in_order, names
from graphrag_neo4j.query.lookup import FoundEntity, find_entities
from graphrag_neo4j.query.query_context import (
    ENTITY_NAMES,
    QueryContext,
    SearchResult,
    lucene_query,
)
from graphrag_neo4j.rules.answers import ITEM, QUOTATIONS, SCREEN, draft_of_relationships
from graphrag_neo4j.rules.asking import AskedPredicates, asks_to_count, two_related, type_asked
from graphrag_neo4j.text.languages import TYPE_CLASSES
from graphrag_neo4j.text.strings import flat, searched_words

ALL: Final = 1_000  # entities of a list that is wanted whole
PATHS: Final = 3
MOST_NAMED: Final = 40  # entities whose names have words of the question
# A class of what has no other: who asks for animals doesn't want all concepts.
BROAD: Final = (None, "concept")
UNRELATED: Final = "The graph has no path of at most 4 relationships between {} and {}."


class TypedEntityRow(TypedDict):
    """An entity of a type that is asked for, with its numbers of passages and documents.

    `n` is the number of all such entities.
    """

    n: int
    ref: int
    id: str
    name: str
    type: str
    passages: int
    documents: int


class PredicateRow(TypedDict):
    """A predicate of entities, and the types of what stands at its other ends."""

    predicate: str
    types: list[str]


class PredicatedRow(TypedDict):
    """A relationship `id` with all that is stated with a predicate in one direction."""

    id: str
    ref: int
    source: str
    target: str
    subject: str
    object: str
    subject_type: str | None
    object_type: str | None
    predicate: str
    texts: list[str]


class PathRow(TypedDict):
    """A path between two entities: the names on it, and the ids of its relationships."""

    names: list[str]
    pairs: list[str]


async def search_facts(query: QueryContext) -> tuple[SearchResult | None, list[str]]:
    """Returns the answer that the graph holds, if it holds one, and what a reader must know of it.

    How two are related is told of all documents only.
    """
    if type_ := type_asked(query.question):
        return await _of_type(query, type_), []
    if two := two_related(query.question):
        return (None, []) if query.selection else await _between(query, *two)
    return await _by_predicates(query), []


async def _of_type(query: QueryContext, type_: str) -> SearchResult | None:
    """Returns a list of the entities of a type; of its class, where the graph lacks the type."""
    read, result = query.graph.read, list[TypedEntityRow]()
    class_ = TYPE_CLASSES.get(type_)
    alike = [one for one, of in TYPE_CLASSES.items() if of == class_ and class_ not in BROAD]
    for types in ([type_], alike):
        given = {"types": types, "documents": query.documents, "limit": ALL}
        if result := await read("search/of_type", TypedEntityRow, **given):
            break
    if not result:
        return None
    shown = result if query.all_passages else result[: SCREEN - 1]
    types = sorted({row["type"] for row in shown})
    named = f"{result[0]['n']:,} entities of the type {' or '.join(types)}"
    said = f"The documents name {named}. Those in most documents come first:"
    lines = [
        f"{ITEM}{neutralised(flat(row['name']))}, in {_times(row)} "
        f"{bracket([('Entities', row['ref'])])}"
        for row in shown
    ]
    records = [
        record_of("Entities", row["ref"], row["id"], row["name"], row["type"], "") for row in shown
    ]
    composed = Composed("\n".join([said, *lines]), result[0]["n"] - len(shown))
    return _result(query, records, Draft(lambda _: composed))


def _times(row: TypedEntityRow) -> str:
    passages, documents = row["passages"], row["documents"]
    told = f"{passages:,} passage{'s' * (passages != 1)}"
    return f"{told} of {documents:,} documents" if documents > 1 else told


async def _between(
    query: QueryContext, one: str, other: str
) -> tuple[SearchResult | None, list[str]]:
    """Returns the relationships between two entities, or says that there are none."""
    first, last = await _entity(query, one), await _entity(query, other)
    if not (first and last) or first.ref == last.ref:
        return None, []
    given = {"one": first.ref, "other": last.ref, "limit": PATHS}
    paths = await query.graph.read("search/paths", PathRow, **given)
    if not paths:
        return None, [UNRELATED.format(*(neutralised(flat(end.name)) for end in (first, last)))]
    ids = list(dict.fromkeys(id_ for path in paths for id_ in path["pairs"]))
    found = await query.graph.read("search/relationships", RelationshipRow, ids=ids)
    records = [
        relationship_record(row, "source", "target", predicates=False)
        for row in in_order(found, ids)
    ]
    direct = len(paths[0]["pairs"]) == 1
    said, each = ("", QUOTATIONS) if direct else (_said(paths), 1)
    return _result(query, records, draft_of_relationships(records, said, each)), []


async def _by_predicates(query: QueryContext) -> SearchResult | None:
    """Returns what is stated with a predicate of the question, and how many, if it asks for it."""
    records, n = await stated_with_predicates(query, query.question)
    if not records:
        return None
    said = f"The documents state {n:,}:" if asks_to_count(query.question) else ""
    each = max(1, QUOTATIONS // len(records))
    return _result(query, records, draft_of_relationships(records, said, each))


async def stated_with_predicates(
    query: QueryContext, question: str
) -> tuple[list[ContextRecord], int]:
    """Returns what is stated, with the predicate of a question, of the entities that it names.

    Each record is a relationship with these statements alone; those with most statements come
    first. The second part of the result is the number of entities at the other ends. The name and
    the verb tell the direction, which a passive turns round.
    """
    read = query.graph.read
    words = lucene_query(question, *ENTITY_NAMES)
    found = await query.by_words("search/named", NamedRow, words, MOST_NAMED)
    ids = names(question, found)
    known = await read("search/predicates", PredicateRow, ids=ids) if ids else []
    named = [row["name"] for row in found if row["id"] in ids]
    types = {row["predicate"]: row["types"] for row in known}
    if not (meant := AskedPredicates.of(question, named, types)):
        return [], 0
    given = {"ids": ids, "predicates": meant.predicates, "documents": query.documents}
    rows = await read("search/stated", PredicatedRow, **given)
    ways = {
        True: [row for row in rows if row["source"] in ids and meant.suits(row["object_type"])],
        False: [row for row in rows if row["target"] in ids and meant.suits(row["subject_type"])],
    }
    both = [row for row in rows if {row["source"], row["target"]} <= {*ids}]
    rows = both or ways[meant.forward] or ways[not meant.forward]
    records = [
        replace(
            record_of(
                *("Relationships", row["ref"], row["id"], row["subject"], row["predicate"]),
                *(row["object"], "\n".join(row["texts"])),
            ),
            has_predicate=True,
        )
        for row in rows
    ]
    return records, len({row["target" if row["source"] in ids else "source"] for row in rows})


async def _entity(query: QueryContext, name: str) -> FoundEntity | None:
    """Returns the entity of this name, or the best one with all its words."""
    words = {one.casefold() for one in searched_words(name)}
    for found in await find_entities(query.graph, name, 1):
        if words and words <= {one.casefold() for one in searched_words(found.name)}:
            return found
    return None


def _said(paths: Sequence[PathRow]) -> str:
    """Returns what stands between two entities that no statement relates."""
    first, *_, last = (neutralised(flat(name)) for name in paths[0]["names"])
    inner = "; ".join(" – ".join(path["names"][1:-1]) for path in paths)
    through = neutralised(flat(inner))
    return f"No passage relates {first} and {last} directly. They are connected through: {through}."


def _result(query: QueryContext, records: Sequence[ContextRecord], draft: Draft) -> SearchResult:
    """Returns the answer that is drafted from records, with these as its context."""
    table = query.table(float("inf"))
    table.add(records)
    return SearchResult([table], ComposedTask(lambda: draft))
