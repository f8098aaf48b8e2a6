"""Answers questions that no quotation answers, by tables of counts from the graph.

A count, a list or a comparison is not said in any sentence. What the graph can count is shown: who
speaks in how many documents, or which documents mention the entities that the question names. What
it can't count needs a model, and the answer says so.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from graphrag_neo4j.context.citations import bracket
from graphrag_neo4j.context.context_table import record_of_row
from graphrag_neo4j.context.quotation import Draft
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.model import ComposedTask
from graphrag_neo4j.nlp.english import is_ordinary
from graphrag_neo4j.nlp.question_forms import (
    Form,
    asks_for_speakers,
    counted_phrase,
    kind_asked_for,
)
from graphrag_neo4j.nlp.sentences import speakers_in
from graphrag_neo4j.query.graph_expansion import names
from graphrag_neo4j.query.query_context import (
    ENTITY_NAMES,
    QueryContext,
    SearchResult,
    lucene_phrase,
    lucene_query,
)
from graphrag_neo4j.query.rows import (
    EntityOfTypeRow,
    MentionedInRow,
    NamedRow,
    NeighbourhoodRow,
    ShownEntityRow,
    TaggedLinesRow,
)
from graphrag_neo4j.text import excerpt

__all__ = ["search_counts"]

PAGE = 1000  # chunks that one read returns
LONGEST_TAG = 100  # characters of a line in which a speaker tag ends
ROWS = 15  # rows of a table, so that an answer fits on a screen
NAMED = 60  # names of speakers that are listed
COMPARED = 4  # entities in a table, at most
HOSTING = 3  # whoever speaks in one of this many documents, and in several, is a host
NEEDS_MODEL = {
    "count": "Without a model, this question can't be answered: no sentence holds the count, and "
    "the graph counts only who speaks and which documents mention a name.",
    "list": "Without a model, this question can't be answered: no sentence holds the whole list, "
    "and the graph lists only who speaks and which documents mention a name.",
    "comparison": "Without a model, nothing can be compared. Ask for each thing by itself.",
}


async def search_counts(query: QueryContext, form: Form) -> SearchResult:
    """Returns a table for the question, or a sentence that says that it needs a model."""
    named = await _named(query)
    phrase = counted_phrase(query.question)
    if phrase and phrase.lower() not in (row["name"].lower() for row in named):
        return await _holding(query, phrase)
    speakers = form != "comparison" and not phrase and asks_for_speakers(query.question)
    if speakers and (text := await _speakers(query)):
        return SearchResult([], _told(text))
    if form == "list" and (kind := kind_asked_for(query.question)):
        return await _of_kind(query, kind)
    if named:
        return await _mentions(query, [row["id"] for row in named])
    return SearchResult([], _told(NEEDS_MODEL[form]))


def _told(text: str) -> ComposedTask:
    return ComposedTask(lambda: Draft(lambda _: text))


async def _speakers(query: QueryContext) -> str:
    """Returns who speaks in how many documents, "" if no document has speaker tags."""
    documents: defaultdict[str, set[str]] = defaultdict(set)
    turns: Counter[str] = Counter()
    after = -1
    while rows := await query.graph.read(
        "search/tagged_lines", TaggedLinesRow, after=after, limit=PAGE, longest=LONGEST_TAG
    ):
        for row in rows:
            for name in speakers_in("\n".join(row["lines"])):
                documents[name].add(row["document"])
                turns[name] += 1
        after = rows[-1]["ref"]
    total = int((await query.graph.read("search/number_of_documents", CountRow))[0]["n"])
    known = {name: len(documents[name]) for name in turns if _is_person(name, turns)}
    return _speakers_text(known, total) if known else ""


def _is_person(name: str, all_names: Iterable[str]) -> bool:
    """Tells whether a speaker tag is a person's name, and not a part of the name of another one."""
    if not name.replace(" ", "").replace(".", "").replace("-", "").isalpha():
        return False
    if " " in name:
        return True
    return not is_ordinary(name) and not any(
        name in other.split() for other in all_names if " " in other
    )


def _speakers_text(documents: Mapping[str, int], total: int) -> str:
    """Returns the sentence with the number of speakers, then hosts and guests by name."""
    order = sorted(documents, key=lambda name: (-documents[name], name))
    hosts = [name for name in order if documents[name] > max(1, total / HOSTING)]
    guests = [name for name in order if name not in hosts]
    parts = [f"**{len(order):,} people speak in {total:,} documents**, by their speaker tags."]
    if hosts:
        parts.append("In many documents: " + _with_counts(hosts, documents))
    if guests:
        label = "In few documents" if hosts else "Who"
        parts.append(f"{label} ({len(guests):,}): {_with_counts(guests, documents)}")
    return "\n\n".join(parts)


def _with_counts(listed: Sequence[str], documents: Mapping[str, int]) -> str:
    shown = [
        f"{name} ({documents[name]:,})" if documents[name] > 1 else name for name in listed[:NAMED]
    ]
    left = len(listed) - len(shown)
    return ", ".join(shown) + (f", and {left:,} more" if left else "") + "."


async def _of_kind(query: QueryContext, kind: str) -> SearchResult:
    """Returns the entities of a type that the most documents mention."""
    rows = await query.graph.read("search/entities_of_type", EntityOfTypeRow, type=kind, k=NAMED)
    if not rows:
        return SearchResult([], _told(NEEDS_MODEL["list"]))
    shown = {row["name"]: row["documents"] for row in rows}
    text = (
        f"**{rows[0]['all']:,} entities of the type {kind}** were recognised by rules. Those in "
        f"the most documents, with their number: {_with_counts(list(shown), shown)}"
    )
    return SearchResult([], _told(text))


async def _named(query: QueryContext) -> list[NamedRow]:
    """Returns the entities whose full names the question has."""
    words = lucene_query(query.question, *ENTITY_NAMES)
    rows = await query.graph.read("search/named", NamedRow, words=words, k=50) if words else []
    ids = names(query.question, rows)[:COMPARED]
    return [row for id_ in ids for row in rows if row["id"] == id_]


async def _holding(query: QueryContext, phrase: str) -> SearchResult:
    """Returns a table of the documents that hold a phrase which is the name of no entity."""
    phrases = [{"id": phrase, "words": _phrase(phrase)}]
    rows = await query.graph.read("search/phrases_by_document", MentionedInRow, phrases=phrases)
    if not rows:
        return SearchResult([], _told(f"No document holds the words “{phrase}”."))
    passages = sum(row["n"] for row in rows)
    count = f"**{phrase}** stands in {len(rows):,} documents, in {passages:,} passages."
    return SearchResult([], _told(f"{count}\n{_table({phrase: phrase}, rows)}"))


async def _mentions(query: QueryContext, ids: Sequence[str]) -> SearchResult:
    """Returns a table of the documents that mention entities, with the number of passages."""
    limits = {"inner": 0, "outward": 0, "claims": 0, "communities": 0, "chunks": 0}
    found = await query.graph.read("search/neighbourhood", NeighbourhoodRow, ids=ids, **limits)
    entities = {row["id"]: row for row in found[0]["entities"]}
    listed = [entities[id_] for id_ in ids if id_ in entities]
    phrases = [{"id": one["id"], "words": _phrase(one["name"])} for one in listed]
    rows = await query.graph.read("search/phrases_by_document", MentionedInRow, phrases=phrases)
    context = query.table(float("inf"))
    context.add(record_of_row("Entities", row, "name", "type", "description") for row in listed)
    counts = [
        _mentioned(one, [row["n"] for row in rows if row["id"] == one["id"]]) for one in listed
    ]
    table = _table({one["id"]: one["name"] for one in listed}, rows)
    return SearchResult([context], _told("\n".join([*counts, table])))


def _mentioned(entity: ShownEntityRow, passages: Sequence[int]) -> str:
    return (
        f"**{entity['name']}** is mentioned in {len(passages):,} documents, in "
        f"{sum(passages):,} passages {bracket([('Entities', entity['ref'])])}."
    )


def _phrase(name: str) -> str:
    """Returns a full-text query for a name, in the singular or the plural."""
    return " OR ".join(lucene_phrase(form) for form in (name, f"{name}s", name.removesuffix("s")))


def _table(columns: Mapping[str, str], rows: Sequence[MentionedInRow]) -> str:
    """Returns a table in Markdown of the passages in each document. `columns` has names by id."""
    passages: defaultdict[str, dict[str, int]] = defaultdict(dict)
    title = {}
    for row in rows:
        passages[row["document"]][row["id"]] = row["n"]
        title[row["document"]] = row["title"] or row["document"]
    order = sorted(passages, key=lambda d: (-len(passages[d]), -sum(passages[d].values()), d))
    lines = [[*columns.values(), "document"], ["---"] * (len(columns) + 1)]
    for document in order[:ROWS]:
        cells = [str(passages[document].get(id_, 0)) for id_ in columns]
        lines.append([*cells, excerpt(title[document], 70)])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    if len(order) <= ROWS:
        return f"\n{table}"
    return f"The {ROWS} documents with the most of them, of {len(order):,}:\n\n{table}"
