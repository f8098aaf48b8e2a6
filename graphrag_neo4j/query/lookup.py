"""Lookups: communities, reports, entities and sources, and the names that a misspelt word means.

A fuzzy query to the full-text index finds the names with a word that differs in one or two letters.
Of these the names are kept that are similar enough to be the same word, misspelt: Scrooge for
"Scrooje".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

from graphrag_neo4j.errors import NotFoundError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.citations import neutralised
from graphrag_neo4j.model.types import Scalar
from graphrag_neo4j.query.answer import Source, source_from
from graphrag_neo4j.query.query_context import ENTITY_NAMES, LONGEST_QUERY, lucene_query
from graphrag_neo4j.rules.ranking import language_read, names_written
from graphrag_neo4j.text.languages import is_in_dictionary, is_stop_word
from graphrag_neo4j.text.strings import entity_ids, name_key, searched_words

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Community:
    """A community in a list.

    `level` is 0 for the coarsest communities. `size` is the number of entities. `rating` is the
    report's rating from 0 to 10. `origin` is "model", "extractive", or "elements" for a report that
    lists the members of a small community; it is None without a report. `parent` is the ref of the
    community that contains this one; it is None on level 0.
    """

    ref: int
    level: int
    size: int
    title: str | None
    summary: str | None
    rating: float | None
    origin: str | None
    parent: int | None

    def __repr__(self) -> str:
        return f"<Community {self.ref}, level {self.level}, {self.size} entities: {self.title}>"


class Communities(tuple[Community, ...]):
    """A sequence of communities, which a notebook shows as a table."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Community]:
        return super().__iter__()

    def __repr__(self) -> str:
        levels = sorted({community.level for community in self})
        return f"<Communities: {len(self)} on levels {', '.join(map(str, levels)) or 'none'}>"

    def __str__(self) -> str:
        return "\n".join(map(repr, self)) or repr(self)

    def _repr_markdown_(self) -> str:
        rows = [f"| {c.ref} | {c.level} | {c.size} | {c.rating} | {c.title} |" for c in self]
        head = ["| ref | level | entities | rating | title |", "|---|---|---|---|---|"]
        return "\n".join([*head, *rows])

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns a data frame with one row for each community and its fields as columns.

        Raises ModuleNotFoundError if pandas is not installed.
        """
        import pandas  # noqa: PLC0415 - only who calls this needs pandas

        return pandas.DataFrame([asdict(community) for community in self])


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """The report of a community.

    `text` is the whole report in Markdown. `rating` is from 0 to 10. `findings` holds (summary,
    explanation) pairs. `entities` holds the names of the members; those with the most
    relationships come first.
    """

    ref: int
    level: int
    title: str | None
    summary: str | None
    rating: float | None
    rating_explanation: str | None
    origin: str | None
    text: str
    findings: Sequence[Sequence[str]]
    entities: Sequence[str]

    def __repr__(self) -> str:
        return f"<Report {self.ref}, level {self.level}: {self.title}>"

    def _repr_markdown_(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity in a list. `degree` is the number of its relationships."""

    ref: int
    name: str
    type: str | None
    description: str
    degree: int

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind} {self.ref} {self.name} ({self.type}), {self.degree} relationships>"


@dataclass(frozen=True, slots=True)
class Entity(FoundEntity):
    """An entity.

    `degree` is the number of its relationships. `related` holds (name, description, direction) of
    each neighbour: most statements go "to" the neighbour, or come "from" it. `claims` holds the
    texts of its claims, and `communities` the refs of its communities from level 0 to the finest.
    `properties` holds (name, value) of each property of an imported node; dates and points are
    texts.
    """

    related: Sequence[Sequence[str]]
    claims: Sequence[str]
    communities: Sequence[int]
    properties: Sequence[Sequence[object]]

    __repr__ = FoundEntity.__repr__

    def _repr_markdown_(self) -> str:
        lines = [f"## {self.name}", f"*{self.type or 'entity'}*", self.description]
        lines += [f"- {name}: {value}" for name, value in self.properties]
        lines += [f"- {way} **{name}**: {description}" for name, description, way in self.related]
        return "\n\n".join(lines)


E = TypeVar("E", bound=FoundEntity)


async def read_communities(graph: Graph, level: int | None) -> Communities:
    """Returns the communities of a level, or of all levels if `level` is None."""
    return Communities(await graph.read("lookup/communities", Community, level=level))


async def read_report(graph: Graph, ref: int) -> CommunityReport:
    """Returns the report of a community. Raises NotFoundError if no community has this ref."""
    rows = await graph.read("lookup/report", CommunityReport, ref=ref)
    if not rows:
        raise NotFoundError(f"Community {ref} is no longer in the graph, or it never was.")
    return rows[0]


async def read_entity(graph: Graph, name: str) -> Entity:
    """Returns the entity with this name, or else the one that differs in upper and lower case.

    If there is none, it is the one with the most relationships that has the name as an alias.
    Raises NotFoundError, which suggests similar names, if there is no such entity.
    """
    rows: list[Entity] = []
    for id_ in entity_ids(name):
        rows = rows or await graph.read("lookup/entity", Entity, id=id_)
    if not rows and (called := await _id_called(graph, name)):
        rows = await graph.read("lookup/entity", Entity, id=called)
    if not rows:
        like = await _names_like(graph, name)
        hint = f" Did you mean {' or '.join(like)}?" if like else ""
        raise NotFoundError(f"There is no entity {name!r} in the graph.{hint}")
    return replace(
        _without_citations(rows[0]),
        related=[[neutralised(text) for text in one] for one in rows[0].related],
        claims=[neutralised(text) for text in rows[0].claims],
        properties=[(name, _plain(value)) for name, value in rows[0].properties],
    )


def _plain(value: object) -> object:
    """Returns a value of Neo4j as one that JSON knows: what has no such form as a text."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value if isinstance(value, Scalar) else f"{value}"


async def _id_called(graph: Graph, name: str) -> str | None:
    """Returns the id of the entity with the most relationships that has a name as an alias."""
    if not (words := lucene_query(name, "aliases")):
        return None
    rows = await graph.read("lookup/called", CalledRow, words=words, limit=NEAR_NAMES)
    return next((x["id"] for x in rows if name_key(name) in map(name_key, x["aliases"])), None)


async def find_entities(graph: Graph, name: str, limit: int) -> list[FoundEntity]:
    """Returns at most `limit` entities whose names hold words of `name`, the best match first.

    An entity with this very name comes before all others: "C++" before "C".
    """
    asked = {"words": lucene_query(name, *ENTITY_NAMES), "ids": entity_ids(name), "limit": limit}
    rows = await graph.read("lookup/entities", FoundEntity, **asked)
    return [_without_citations(row) for row in rows]


def _without_citations(entity: E) -> E:
    """Returns an entity whose name and description hold no text that looks like a citation."""
    name, description = neutralised(entity.name), neutralised(entity.description)
    return replace(entity, name=name, description=description)


class SourcePassageRow(TypedDict):
    """A passage, as `Passage.of` takes it."""

    passage: dict[str, Any]


async def read_sources(graph: Graph, refs: Sequence[int]) -> list[Source]:
    """Returns the chunks with these refs, in the same order. Refs without a chunk are left out."""
    rows = await graph.read("lookup/sources", SourcePassageRow, refs=list(refs))
    by_ref = {(one := source_from(row["passage"])).chunk: one for row in rows}
    return [by_ref[ref] for ref in refs if ref in by_ref]


class WordRow(TypedDict):
    """A word."""

    word: str


class CalledRow(TypedDict):
    """An entity and its aliases."""

    id: str
    aliases: list[str]


class NearNameRow(TypedDict):
    """An entity whose name holds a word that is like `word`."""

    word: str
    name: str
    degree: int | None


NEAR_SPELLING: Final = 0.8  # similarity (0 to 1): of words of five letters, one may differ
SHORTEST: Final = 4  # letters; shorter words are not searched
LONG: Final = 6  # letters; in words of this length or more, two letters may differ
SHORTEST_NAME: Final = 3  # letters of a word of a name that is missed
# The number of a rule or a case: no year, and no part of "10,000".
LARGE_NUMBER: Final = re.compile(r"(?<![\w,.])(?!(?:19|20)\d\d\b)\d{3,}\b(?![,.]\d)")
ENDING: Final = 2  # letters in which the cases of a name may differ
NEAR_NAMES: Final = 50  # names that are read for each word


async def said_of_unknown(graph: Graph, question: str, *, similar: bool = True) -> list[str]:
    """Returns a sentence on each word of a question that the graph does not contain.

    It asks for the `similar` name, or says of a name or a number that no document has it. A name is
    only missed if no word of the graph begins with it, which would be another case of it.
    """
    meant = await names_meant(graph, question) if similar else {}
    said = [
        f"The data does not contain the word {word}. Did you mean {name}?"
        for word, name in meant.items()
    ]
    missed = [*names_written(question), *LARGE_NUMBER.findall(question)]
    names = {name: _words(name, shortest=SHORTEST_NAME) for name in missed}
    words = {word for own in names.values() for word in own} - meant.keys()
    language = language_read(question)
    stems = {word: _stem(word, language) for word in words}
    nowhere = await _nowhere(graph, [*stems.keys(), *stems.values()])
    for name, own in names.items():
        gone = [word for word in own if word in nowhere and stems.get(word) in nowhere]
        if gone:
            told = name if len(gone) == len(own) else " ".join(gone)
            said.append(f"“{told}” occurs in no document.")
    return said


def _stem(word: str, language: str) -> str:
    """Returns a Lucene query for the words that begin as a word does in its other cases."""
    changes = language != "en" and len(word) > LONG
    return f"{word[:-ENDING] if changes else word.removesuffix('s')}*"


async def _nowhere(graph: Graph, words: Sequence[str]) -> set[str]:
    """Returns which of some words, or queries for words, find nothing in the graph."""
    if not words:
        return set()
    rows = await graph.read("search/words_nowhere", WordRow, words=words)
    return {row["word"] for row in rows}


async def names_meant(graph: Graph, question: str) -> dict[str, str]:
    """Returns the most similar name for each word of a question that the graph does not contain.

    A word without a similar name is left out.
    """
    if not (words := _words(question)):
        return {}
    nowhere = await _nowhere(graph, words)
    language = language_read(question)
    # A word of the language isn't misspelt, though it may be nowhere: "ziehen" doesn't mean "Zehn".
    strange = [
        word
        for word in words
        if word in nowhere
        and not is_stop_word(word.lower(), language)
        and not is_in_dictionary(word, language)
    ]
    found = await _candidates(graph, strange)
    best = {word: _ranked(word, words, held) for word, held in found.items()}
    return {word: names[0] for word, names in best.items() if names}


async def _names_like(graph: Graph, name: str, most: int = 3) -> list[str]:
    """Returns at most `most` names of entities that are similar to `name`, the best first."""
    words = _words(name)
    found = await _candidates(graph, words)
    ranked = [one for word in found for one in _ranked(word, words, found[word])]
    return sorted(dict.fromkeys(ranked), key=lambda one: -_alike(name, one))[:most]


async def _candidates(graph: Graph, words: Sequence[str]) -> dict[str, list[NearNameRow]]:
    """Returns, for each word, the entities whose name holds a similar word."""
    if not words:
        return {}
    asked = [{"word": word, "fuzzy": f"name:{word}~{1 + (len(word) >= LONG)}"} for word in words]
    found: dict[str, list[NearNameRow]] = {}
    for row in await graph.read("lookup/names_like", NearNameRow, words=asked, limit=NEAR_NAMES):
        found.setdefault(row["word"], []).append(row)
    return found


def _ranked(word: str, others: Sequence[str], rows: Sequence[NearNameRow]) -> list[str]:
    """Returns the names that hold a word similar to this one, the best first.

    The order is by similarity, then by the number of words that the question (`others`) lacks,
    then by the number of words, then by degree.
    """
    said = {other.casefold() for other in others}
    ranked = []
    for row in rows:
        parts = _words(row["name"], shortest=1)
        alike = max((_alike(word, part) for part in parts), default=0.0)
        if alike >= NEAR_SPELLING:
            strange = sum(part.casefold() not in said for part in parts)
            ranked.append((-alike, strange, len(parts), -(row["degree"] or 0), row["name"]))
    return list(dict.fromkeys(name for *_, name in sorted(ranked)))


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def _words(text: str, shortest: int = SHORTEST) -> list[str]:
    words = [word for word in searched_words(text) if len(word) >= shortest]
    return words[:LONGEST_QUERY]
