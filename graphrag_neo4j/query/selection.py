"""The selection of a question: the documents that meet its conditions, and searches within them.

    where ──▶ conditions ──▶ documents ──▶ their chunks near the question, the entities that these
                                           mention, and the communities that are theirs alone

A search by an index of the whole graph keeps what belongs to the selection. The vector index of
chunks filters by document itself, where Neo4j can (2026.06 on). A community is theirs alone if no
chunk of another document mentions a member.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypedDict, TypeVar, cast

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph, Row
from graphrag_neo4j.graph.indexes import IndexedKind, filters_documents, vector_search
from graphrag_neo4j.graph.rows import CountRow, IdRow, ScoredRow
from graphrag_neo4j.model.computation import DAY, METADATA
from graphrag_neo4j.model.quotation import Period
from graphrag_neo4j.settings.checks import check_text, did_you_mean

CONDITION = re.compile(r"\s*([^=!<>]+?)\s*(!=|>=|<=|=|>|<)\s*([^\s=<>].*?)\s*", re.DOTALL)
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
# The values of a document that are ordered as numbers, and as dates.
NUMERIC: Final = r"[+-]?\d+(\.\d+)?(E-?\d+)?"
DATE: Final = r"\d{4}-(0[1-9]|1[0-2])(-\d\d([T ].*)?)?"
UNCLEAR = re.compile(r"[\d$€£¥+-]|.*[|*?]")  # what begins so and isn't a number or date
REST: Final = {4: r"-\d\d(-\d\d([T ].*)?)?", 7: r"-\d\d([T ].*)?", 10: "[T ].*"}
OF_ALL: Final = ("source", "title")  # fields that every document has
DATES: Final = "meta_dates"  # the property that holds the dates of headings
EXACTLY: Final = 10_000  # chunks of a selection that are each compared with a question, at most
MORE: Final = 4  # times as many hits are fetched where too few belong to the selection
FETCHED: Final = 100_000  # hits that are looked at, at most
FOUND_BY_WORDS: Final = 1_000  # entities or communities, in all documents
# The statements that search the index of a kind of node by words.
BY_WORDS: Final[Mapping[IndexedKind, str]] = {
    "chunk": "search/fulltext_chunks",
    "community": "search/fulltext_communities",
    "entity": "search/named",
}

R = TypeVar("R", bound=IdRow)


class FieldRow(TypedDict):
    """A property that holds metadata of documents."""

    key: str


class KindRow(TypedDict):
    """A kind of the values in a field ("number", "date" or "text"), and one of them."""

    kind: str
    example: str


class SelectedDocumentRow(TypedDict):
    """A document that meets all conditions, and the number of its chunks."""

    id: str
    chunks: int


class OwnCommunityRow(TypedDict):
    """A community of the selection alone, and the ids of the communities above it."""

    id: str
    above: list[str]


@dataclass(frozen=True, slots=True)
class DocumentCondition:
    """A condition on documents: a field, an operator (= != >= <= > <) and a value.

    For = and != the value may be a list ("Ada|Grace") and have the wildcards * and ?. A date may be
    a year or a month: those of its days are equal to it.
    """

    field: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{self.value}"

    @property
    def key(self) -> str:
        """The property of a document that holds the field."""
        return self.field if self.field in OF_ALL else f"{METADATA}{self.field}"

    @property
    def orders(self) -> bool:
        """Whether it compares by order."""
        return self.operator not in {"=", "!="}

    @property
    def kinds(self) -> list[str]:
        """The kinds of values that its value can be compared with by order."""
        is_year = DAY.fullmatch(self.value) and len(self.value) == 4
        kinds = ["number"] * bool(NUMBER.fullmatch(self.value))
        kinds += ["date"] * bool(is_year or re.fullmatch(DATE, self.value))
        if not kinds and UNCLEAR.match(self.value):
            raise InputError(
                f"{self} orders by what is neither a number (such as 1000) nor a date (such as "
                "2024, 2024-03 or 2024-03-31)."
            )
        return kinds or ["text"]

    def row(self, kinds: Sequence[str]) -> Row:
        """The condition as the statement reads it; `kinds` are those of the values it orders."""
        texts = [self.value] if self.orders else [one.strip() for one in self.value.split("|")]
        patterns = [glob_pattern(text) for text in texts if "*" in text or "?" in text]
        days = [re.escape(text) + REST[len(text)] for text in texts if DAY.fullmatch(text)]
        return {
            "key": self.key,
            "keys": [self.key],
            "operator": self.operator,
            "kinds": kinds,
            "texts": texts,
            "switches": [one.lower() for one in texts if one.lower() in {"true", "false"}],
            "numbers": [float(text) for text in texts if NUMBER.fullmatch(text)],
            "patterns": patterns + days,
        }


def conditions_of(where: object) -> list[DocumentCondition]:
    """Returns the conditions in a text or in several. Raises InputError for what is none."""
    if not isinstance(where, str | Sequence):
        raise InputError("where must be a text such as 'author=Ada', or several.")
    found = []
    for text in [where] if isinstance(where, str) else where:
        if not (parts := CONDITION.fullmatch(check_text(text, "A condition of where"))):
            raise InputError(
                f"{text!r} isn't a condition: write a field, one of = != >= <= > <, and a value, "
                "such as author=Ada or date>=2024-01-01."
            )
        found.append(DocumentCondition(parts[1], parts[2], parts[3]))
    return found


def glob_pattern(glob: str) -> str:
    r"""Returns the regular expression of a glob: * is any text, ? is any character.

    >>> glob_pattern("minutes/*.tx?")
    '(?s)minutes/.*\\.tx.'
    """
    wild = {"*": ".*", "?": "."}
    return "(?s)" + "".join(wild.get(one) or re.escape(one) for one in glob)


@dataclass(frozen=True, slots=True)
class Selection:
    """Documents by id with the number of their chunks. Searches find only what is theirs.

    `said` is a sentence on what is read, "" where the conditions of the question say it.
    """

    graph: Graph
    documents: Sequence[str]
    chunks: int
    said: str = ""
    _own: list[Sequence[OwnCommunityRow]] = field(default_factory=list)

    async def nearest(
        self, kind: IndexedKind, vector: Sequence[float], k: int
    ) -> Sequence[ScoredRow]:
        """Returns the `k` nodes of a kind nearest to a vector, the nearest first.

        They aren't entities: what other documents say of an entity is also in its vector.
        """
        read = self.graph.read
        if kind == "entity":
            return []
        if kind == "community":
            ids = [row["id"] for row in await self.communities()]
            return await read(
                "selection/nearest_communities", ScoredRow, ids=ids, vector=vector, k=k
            )
        given = {"documents": self.documents, "vector": vector}
        if self.chunks <= EXACTLY:
            return await read("selection/nearest_chunks", ScoredRow, **given, k=k)
        if await filters_documents(self.graph):  # more are found, for the nearest can be missed
            found = await read("selection/nearest_by_index", ScoredRow, **given, k=MORE * k)
            return found[:k]
        limit = k
        while True:  # the index knows nothing of documents
            limit = min(MORE * limit, FETCHED)
            rows = await vector_search(self.graph, kind, vector, limit)
            own = await self._own_of(kind, rows)
            if len(own) >= k or len(rows) < limit or limit == FETCHED:
                return own[:k]

    async def by_words(self, statement: str, row: type[R], words: str, k: int) -> Sequence[R]:
        """Returns the best `k` rows of a full-text search.

        It finds nothing in the descriptions of relationships, which all documents feed.
        """
        kind = next((kind for kind, one in BY_WORDS.items() if one == statement), None)
        read = self.graph.read
        if kind is None:
            return []
        if kind == "chunk":
            given = {"documents": self.documents, "words": words, "k": k, "among": FETCHED}
            return cast("list[R]", await read("selection/fulltext_chunks", ScoredRow, **given))
        rows = await read(statement, row, words=words, k=max(k, FOUND_BY_WORDS))
        return (await self._own_of(kind, rows))[:k]

    async def communities(self) -> Sequence[OwnCommunityRow]:
        """Returns the communities of the selection alone whose reports are up to date."""
        if not self._own:  # several parts of a search ask for the same
            self._own.append(await self.communities_above(None))
        return self._own[0]

    async def communities_above(self, entities: Sequence[str] | None) -> list[OwnCommunityRow]:
        """Returns those of the communities that hold one of `entities` (ids), None for all."""
        given = {"documents": self.documents, "entities": entities}
        return await self.graph.read("selection/communities", OwnCommunityRow, **given)

    async def largest(self) -> list[str]:
        """Returns the ids of those communities of which none holds another."""
        own = await self.communities()
        ids = {row["id"] for row in own}
        return [row["id"] for row in own if ids.isdisjoint(row["above"])]

    async def covered(self) -> int:
        """Returns the number of chunks that mention a member of one of its communities."""
        ids = await self.largest()
        return (await self.graph.read("selection/covered", CountRow, ids=ids))[0]["n"]

    async def _own_of(self, kind: IndexedKind, rows: Sequence[R]) -> Sequence[R]:
        """Returns those of these rows whose nodes belong to the selection."""
        given = {"ids": [row["id"] for row in rows], "documents": self.documents}
        own: Sequence[IdRow | OwnCommunityRow]
        if kind == "chunk":
            own = await self.graph.read("selection/own_chunks", IdRow, **given)
        elif kind == "entity":
            own = await self.graph.read("selection/mentioned", IdRow, **given)
        else:
            own = await self.communities()
        ids = {row["id"] for row in own}
        return [row for row in rows if row["id"] in ids]


async def select(graph: Graph, where: object) -> Selection | None:
    """Returns the selection of these conditions, None if there are none.

    Raises InputError for a field that no document has, for values that can't be compared, and if no
    document meets all conditions.
    """
    if not (conditions := conditions_of(where)):
        return None
    keys = {row["key"] for row in await graph.read("selection/fields", FieldRow)}
    known = [*OF_ALL, *sorted(key.removeprefix(METADATA) for key in keys)]
    for one in conditions:
        if one.field not in known:
            hint = did_you_mean(one.field, known)
            raise InputError(
                f"No document has the field {one.field}.{hint} The fields are {', '.join(known)}."
            )
    rows = [one.row(await _kinds(graph, one) if one.orders else ()) for one in conditions]
    if not (found := await _meeting(graph, rows)):
        raise InputError(
            f"No document has {' and '.join(map(str, conditions))}. `kg-build status --metadata` "
            "lists the fields and their values."
        )
    return found


async def select_dated(
    graph: Graph, period: Period, within: Selection | None
) -> tuple[Selection | None, str]:
    """Returns the documents of a period, of those `within`, and a sentence on what is read.

    A document has the dates of its metadata and of its headings: it is of the period if the times
    from the first to the last of them overlap with it. If no document is, None are selected.
    """
    rows = [DocumentCondition("date", *bound).row(["date"]) for bound in period.bounds]
    found = await _meeting(graph, [{**row, "keys": [row["key"], DATES]} for row in rows], within)
    if found is None:
        return within, f"No document is dated {period}, so documents of any time are read."
    return found, await _said(graph, found, f"{period}", within)


async def select_as_of(graph: Graph, day: str, within: Selection | None) -> Selection:
    """Returns the documents dated up to a day, month or year, of those `within`.

    Raises InputError if there are none.
    """
    until = DocumentCondition("date", "<=", day)
    if not (found := await _meeting(graph, [until.row(["date"])], within)):
        raise InputError(f"No document that is read has a date up to {day}.")
    read = await _said(graph, found, f"up to {day}", within)
    told = f"{read} Those of later dates and those without a date are left out."
    return replace(found, said=told)


async def _said(graph: Graph, found: Selection, period: str, within: Selection | None) -> str:
    """Returns a sentence on how many documents of a period are read."""
    of = await number_of_documents(graph, within)
    return f"Read: {len(found.documents):,} of {of:,} documents, dated {period}."


async def number_of_documents(graph: Graph, selection: Selection | None) -> int:
    """Returns the number of documents of a selection, of all without one."""
    if selection:
        return len(selection.documents)
    return (await graph.read("search/number_of_documents", CountRow))[0]["n"]


async def _meeting(
    graph: Graph, conditions: Sequence[Row], within: Selection | None = None
) -> Selection | None:
    """Returns the documents, of those `within`, that meet conditions, None if there are none."""
    rows = await graph.read(
        "selection/documents", SelectedDocumentRow, conditions=conditions, date=DATE, number=NUMERIC
    )
    own = None if within is None else set(within.documents)
    found = [row for row in rows if own is None or row["id"] in own]
    ids, chunks = [row["id"] for row in found], sum(row["chunks"] for row in found)
    return Selection(graph, ids, chunks) if found else None


async def _kinds(graph: Graph, condition: DocumentCondition) -> list[str]:
    """The kinds of the values that a condition orders. Raises InputError if all are of others."""
    rows = await graph.read(
        "selection/kinds", KindRow, key=condition.key, date=DATE, number=NUMERIC
    )
    examples = {row["kind"]: row["example"] for row in rows}
    if kinds := [kind for kind in condition.kinds if kind in examples]:
        return kinds
    has = " and ".join(f"{kind}s (such as {examples[kind]!r:.40})" for kind in sorted(examples))
    raise InputError(
        f"{condition} compares unlike values: {condition.field} holds {has}, and "
        f"{condition.value} is a {condition.kinds[0]}."
    )
