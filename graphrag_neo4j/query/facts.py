"""What the graph itself answers, before any passage: types, relationships, predicates.

"Which companies are mentioned?"         ──▶ the entities of the type company
"How are Ada and Charles related?"       ──▶ their relationship, or the paths between them
"Who directed The Matrix?"               ──▶ what is stated with the predicate "directed"
"How many films after 1999?"             ──▶ what Neo4j counts by a property, with the statement

Without a model these are the answer. With one, only what Neo4j computes is.
"""

# numpy comes with the rules that make answers, and a question to a model doesn't need it.
# ruff: noqa: PLC0415

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, TypedDict

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model.citations import CitationKind, bracket, neutralised
from graphrag_neo4j.model.computation import (
    MOST_SHOWN,
    Computation,
    KnownProperty,
    shown_key,
    table_name,
)
from graphrag_neo4j.model.context import ContextRecord, record_of, relationship_record
from graphrag_neo4j.model.quotation import Composed, Draft
from graphrag_neo4j.model.types import ComposedTask
from graphrag_neo4j.query.graph_expansion import (
    NamedRow,
    PredicatedRow,
    PredicateRow,
    RelationshipRow,
    in_order,
    names,
)
from graphrag_neo4j.query.lookup import FoundEntity, find_entities
from graphrag_neo4j.query.query_context import (
    ENTITY_NAMES,
    QueryContext,
    SearchResult,
    lucene_query,
)
from graphrag_neo4j.rules.asking import AskedPredicates, asks_to_count, two_related, type_asked
from graphrag_neo4j.rules.computing import (
    asks_for_number,
    compares,
    computation_asked,
    may_compute,
    names_properties,
)
from graphrag_neo4j.text.languages import TYPE_CLASSES
from graphrag_neo4j.text.strings import counted, flat, searched_words

ALL: Final = 1_000  # entities of a list that is wanted whole
PATHS: Final = 3
EXAMPLES: Final = 6  # texts of a property that a model is shown
MOST_NAMED: Final = 40  # entities whose names have words of the question
TOLD_APART = re.compile(r" \([^()]+\)$")  # what an import adds to a name that several nodes have
# A class of what has no other: who asks for animals doesn't want all concepts.
BROAD: Final = (None, "concept")
BEYOND: Final = (
    "This is beyond what the graph computes: numbers, means, sums, largest and smallest values "
    "of {}, with conditions on these properties."
)
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


class ShownRow(TypedDict):
    """An entity, a document, or a relationship by its ends, and the value of a property.

    `ref` is None for a document without text.
    """

    kind: CitationKind
    ref: int | None
    id: str
    names: list[str]
    value: object


class ComputedRow(TypedDict):
    """The number of entities or relationships, of values and their sum, and some of them."""

    n: int
    values: int
    total: float | None
    shown: list[ShownRow]


class PathRow(TypedDict):
    """A path between two entities: the names on it, and the ids of its relationships."""

    names: list[str]
    pairs: list[str]


@dataclass(frozen=True, slots=True)
class Named:
    """The names of entities by id, the forms in a question, and their predicates with types."""

    names: Mapping[str, str]
    forms: Sequence[str]
    predicates: Mapping[str, Sequence[str]]


async def search_facts(query: QueryContext) -> tuple[SearchResult | None, list[str]]:
    """Returns the answer that the graph holds, if it holds one, and what a reader must know of it.

    How two are related is told of all documents only.
    """
    if type_ := type_asked(query.question):
        return await _of_type(query, type_), []
    if two := two_related(query.question):
        return (None, []) if query.selection else await _between(query, *two)
    return await _by_predicates(query), []


async def search_computed(query: QueryContext) -> tuple[SearchResult | None, list[str]]:
    """Returns what Neo4j computes over properties and columns, or says what it could compute.

    There is nothing to say where the question asks for no number, or nothing has properties.
    """
    asked = query.question
    if not may_compute(asked) or query.selection:
        return None, []
    given = {"question": asked.lower(), "examples": EXAMPLES}
    known = await query.graph.read("search/properties", KnownProperty, **given)
    if not known:
        return None, []
    # Names say nothing of the rows of a table.
    of_names = any(one.holder != "document" for one in known)
    named = await _named(query, asked) if of_names else Named({}, [], {})
    if computed := computation_asked(asked, known, named.forms, named.predicates):
        return await _computed(query, computed, named), []
    names_some = names_properties(asked, known)
    # Of documents that are no rows the rules read all that can be computed.
    with_records = of_names or any(one.type for one in known)
    asks_model = with_records and (names_some or compares(asked))
    if asks_model and (computed := await _read_by_model(query, known, named)):
        return await _computed(query, computed, named), []
    told = _told(known) if names_some and asks_for_number(asked) else ""
    return None, [BEYOND.format(told)] * bool(told)


async def _computed(query: QueryContext, computed: Computation, named: Named) -> SearchResult:
    """Returns what Neo4j computes, with the statement that computes the same."""
    by_names = computed.holder == "relationship" or computed.predicates
    summed = computed.function in {"average", "sum"}
    [row] = await query.graph.read(
        "search/computed",
        ComputedRow,
        holder=computed.holder,
        types=computed.types,
        conditions=[asdict(one) | {"length": one.length} for one in computed.conditions],
        ids=([*named.names] or None) if by_names else None,
        predicates=computed.predicates,
        property=computed.shown,
        kind=computed.kind,
        summed=summed,
        order=computed.function,
        most=ALL if query.all_passages else computed.most,
    )
    from graphrag_neo4j.rules.answers import ITEM

    by_name = [*named.names.values()]
    lines = [neutralised(flat(computed.said(by_name, row["n"], row["values"], row["total"]))), ""]
    records = []
    # The first values of many say nothing of their mean or sum.
    some = row["n"] <= MOST_SHOWN or not summed or query.all_passages
    for one in row["shown"] if some else ():
        value = "" if one["value"] is None else f": {neutralised(flat(str(one['value'])))}"
        cited = ""
        if one["ref"] is not None:
            records.append(record_of(one["kind"], one["ref"], one["id"], *one["names"], ""))
            cited = f" {bracket([(one['kind'], one['ref'])])}"
        lines.append(f"{ITEM}{neutralised(flat(' – '.join(one['names'])))}{value}{cited}")
    statement = neutralised(computed.cypher(by_name))
    lines += [*[""] * bool(records), "```cypher", statement, "```"]
    more = row["n"] - len(row["shown"]) if computed.function == "list" else 0
    composed = Composed("\n".join(lines), more)
    return _result(query, records, Draft(lambda _: composed))


async def _read_by_model(
    query: QueryContext, known: Sequence[KnownProperty], named: Named
) -> Computation | None:
    """Returns what a model, if one is set, reads in a question that the rules can't read."""
    given = ([*named.names.values()], named.predicates)
    try:
        return await query.run(query.backend.computation(query.question, known, *given))
    except ReplyError as error:
        query.warn(f"Nothing was computed, since {error}.")
        return None


def _told(known: Sequence[KnownProperty]) -> str:
    """Returns the properties by type: "movie (released), relationships (rating)"."""
    by_type: dict[str, list[str]] = {}
    for one in known:
        if one.kind != "text":
            holder = "relationships" if one.holder == "relationship" else "documents"
            type_ = table_name(one.type) or holder
            by_type.setdefault(type_, []).append(shown_key(one.key))
    return ", ".join(f"{type_} ({', '.join(keys)})" for type_, keys in by_type.items())


async def _named(query: QueryContext, question: str) -> Named:
    """Returns the entities that a question names, by their names or aliases."""
    words = lucene_query(question, *ENTITY_NAMES)
    found = await query.by_words("search/named", NamedRow, words, MOST_NAMED)
    whose: dict[str, list[str]] = {}
    for row in found:
        for form in dict.fromkeys((row["name"], TOLD_APART.sub("", row["name"]), *row["aliases"])):
            whose.setdefault(form, []).append(row["id"])
    forms = names(question, [{"id": form, "name": form} for form in whose])
    ids = list(dict.fromkeys(id_ for form in forms for id_ in whose[form]))
    rows = await query.graph.read("search/predicates", PredicateRow, ids=ids) if ids else []
    return Named(
        {row["id"]: row["name"] for row in found if row["id"] in ids},
        forms,
        {row["predicate"]: row["types"] for row in rows},
    )


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
    from graphrag_neo4j.rules.answers import ITEM, SCREEN

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
    told = counted(passages, "passage")
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
    from graphrag_neo4j.rules.answers import QUOTATIONS, draft_of_relationships

    direct = len(paths[0]["pairs"]) == 1
    said, each = ("", QUOTATIONS) if direct else (_said(paths), 1)
    return _result(query, records, draft_of_relationships(records, said, each)), []


async def _by_predicates(query: QueryContext) -> SearchResult | None:
    """Returns what is stated with a predicate of the question, and how many, if it asks for it."""
    records, n = await stated_with_predicates(query, query.question)
    if not records:
        return None
    from graphrag_neo4j.rules.answers import QUOTATIONS, draft_of_relationships

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
    named = await _named(query, question)
    ids = named.names
    if not (meant := AskedPredicates.of(question, named.forms, named.predicates)):
        return [], 0
    given = {"ids": [*ids], "predicates": meant.predicates, "documents": query.documents}
    rows = await query.graph.read("search/stated", PredicatedRow, **given)
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
