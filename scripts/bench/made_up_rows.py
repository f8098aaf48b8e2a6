"""Generates a graph of any size as the tables that `neo4j-admin database import` reads.

A chunk mentions entities with nearby numbers, and the relationships lie between entities of one
chunk. Some entities are hubs, which have relationships, mentions and claims all over the graph.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from graphrag_neo4j.graph.schema import SCHEMA_VERSION
from graphrag_neo4j.text.strings import entity_id, identify, pair_id

__all__ = ["Shape", "name", "questions", "write_tables"]

SYLLABLES: Final = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
WORDS: Final = 20_000  # words of the vocabulary
NEAR: Final = 20  # how far the numbers of two entities of a chunk may lie apart
COMMON: Final = 4  # entities of a chunk beside the two that it is the first to mention
LEAF, PARTS, LEVELS = 20, 10, 3  # members of a leaf community, parts of a community, levels
CHUNKS_OF_DOCUMENT: Final = 40
COMMUNITY: Final = (
    "id:ID(Community),ref:long,level:int,size:int,title,summary,report,origin,"
    "n_tokens:int,rating:double"
)
RELATED: Final = (
    ":START_ID(Entity),:END_ID(Entity),id,ref:long,weight:long,strength:double,"
    "reversed:boolean,opposite:long,description"
)
Rows = Iterator[str]


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a graph. Its first `hubs` entities have about `degree` relationships each."""

    entities: int
    hubs: int
    degree: int

    @property
    def chunks(self) -> int:
        """The number of chunks: each is the first that mentions two of the entities."""
        return self.entities // 2


def name(number: int) -> str:
    """The name of an entity, two made-up words."""
    return f"{_word(number % WORDS).title()} {_word(7 * number // WORDS + 3).title()}"


def questions(shape: Shape, n: int) -> list[str]:
    """Questions of which each names one or two entities; every second question names a hub."""
    chance = random.Random(2)  # noqa: S311 - repeatable
    text = _Text()
    found = []
    for i in range(n):
        one = chance.randrange(shape.hubs) if i % 2 else chance.randrange(shape.entities)
        named = [one, chance.randrange(shape.entities)] if i % 3 else [one]
        found.append(f"What is said of {' and of '.join(map(name, named))} about {text(4)}?")
    return found


def write_tables(shape: Shape, folder: Path) -> dict[str, list[Path]]:
    """Writes the tables into `folder`; returns their paths by label or type, nodes before others.

    The keys are `nodes=Label:KgBuild` and `relationships=TYPE`, as options of the importing tool.
    """
    tables: dict[str, tuple[str, Callable[[Shape], Rows]]] = {
        "nodes=Document:KgBuild": ("id:ID(Document),source,title", _documents),
        "nodes=Chunk:KgBuild": ("id:ID(Chunk),ref:long,index:int,start:int,end:int,text", _chunks),
        "nodes=Entity:KgBuild": ("id:ID(Entity),ref:long,name,type,description", _entities),
        "nodes=Claim:KgBuild": ("id:ID(Claim),ref:long,type,status,description", _claims),
        "nodes=Community:KgBuild": (COMMUNITY, _communities),
        "nodes=State:KgBuild": ("id:ID(State),schema_version:int", _state),
        "relationships=PART_OF": (":START_ID(Chunk),:END_ID(Document)", _part_of),
        "relationships=MENTIONS": (
            ":START_ID(Chunk),:END_ID(Entity),names:string[],types:string[],descriptions:string[]",
            _mentions,
        ),
        "relationships=STATED": (
            ":START_ID(Entity),:END_ID(Entity),id,chunk,pair,descriptions:string[],strengths:double[]",
            _stated,
        ),
        "relationships=RELATED": (RELATED, _related),
        "relationships=FROM": (":START_ID(Claim),:END_ID(Chunk)", _from),
        "relationships=SUBJECT": (":START_ID(Claim),:END_ID(Entity),name", _subject),
        "relationships=OBJECT": (":START_ID(Claim),:END_ID(Entity),name", _object),
        "relationships=IN_COMMUNITY": (":START_ID(Entity),:END_ID(Community)", _in_community),
        "relationships=PARENT": (":START_ID(Community),:END_ID(Community)", _parents),
    }
    return {
        key: _write(folder / key.replace("=", "_"), header, rows(shape))
        for key, (header, rows) in tables.items()
    }


def _write(path: Path, header: str, rows: Rows) -> list[Path]:
    above, below = path.with_suffix(".header.csv"), path.with_suffix(".csv")
    above.write_text(header + "\n", encoding="utf-8")
    with below.open("w", encoding="utf-8", buffering=1 << 20) as file:
        file.writelines(f"{row}\n" for row in rows)
    return [above, below]


class _Text:
    """Makes up texts whose words are as unequally frequent as those of a language."""

    def __init__(self) -> None:
        self._chance = random.Random(3)  # noqa: S311 - repeatable
        self._words = [_word(i) for i in range(WORDS)]
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(WORDS)))

    def __call__(self, n: int) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=n))


def _word(number: int) -> str:
    n = len(SYLLABLES)
    return SYLLABLES[number % n] + SYLLABLES[number // n % n] + SYLLABLES[number // n**2 % n] + "n"


@cache
def _entity(number: int) -> str:
    return entity_id(name(number))


def _chunk(number: int) -> str:
    return f"chunk{number}"


def _of_chunk(shape: Shape, chunk: int) -> list[int]:
    """The entities of a chunk: two that it is the first to mention, some near them, and hubs."""
    chance = random.Random(chunk)  # noqa: S311 - repeatable
    first = 2 * chunk
    near = (first + chance.randint(-NEAR, NEAR) for _ in range(COMMON))
    own = [first, first + 1, *(number % shape.entities for number in near)]
    return list(dict.fromkeys([*own, *_hubs(shape, chunk)]))


def _hubs(shape: Shape, chunk: int) -> list[int]:
    """The hubs in a chunk, so many that each hub is related to enough of the entities."""
    chance = random.Random(-1 - chunk)  # noqa: S311 - repeatable
    return [hub for hub in range(shape.hubs) if chance.random() < shape.degree / shape.entities]


def _pairs(shape: Shape, chunk: int) -> Iterator[tuple[int, int]]:
    """The pairs that a chunk states: a chain of its entities, and each hub with the first two."""
    found = _of_chunk(shape, chunk)
    hubs = set(_hubs(shape, chunk))
    plain = [number for number in found if number not in hubs]
    yield from pairwise(plain)
    for hub in hubs:
        for number in (2 * chunk, 2 * chunk + 1):
            if hub != number:
                yield hub, number
    yield from pairwise(sorted(hubs))


def _documents(shape: Shape) -> Rows:
    for number in range(math.ceil(shape.chunks / CHUNKS_OF_DOCUMENT)):
        yield f"document{number},made-up/{number}.txt,Document {number}"


def _chunks(shape: Shape) -> Rows:
    text = _Text()
    for number in range(shape.chunks):
        said = ". ".join(f"{name(one)} {text(5)}" for one in _of_chunk(shape, number))
        yield f"{_chunk(number)},{number},{number % CHUNKS_OF_DOCUMENT},0,{len(said)},{said}"


def _entities(shape: Shape) -> Rows:
    text = _Text()
    for number in range(shape.entities):
        yield f"{_entity(number)},{number},{name(number)},thing,{name(number)} {text(8)}"


def _mentions(shape: Shape) -> Rows:
    for chunk in range(shape.chunks):
        for number in _of_chunk(shape, chunk):
            said = f"{name(number)} is here;" * (1 + (chunk + number) % 3)
            yield f"{_chunk(chunk)},{_entity(number)},{name(number)},thing,{said[:-1]}"


def _stated(shape: Shape) -> Rows:
    for chunk in range(shape.chunks):
        for one, other in dict.fromkeys(_pairs(shape, chunk)):
            a, b = _entity(one), _entity(other)
            id_ = identify("stated", chunk, a, b)
            yield f"{a},{b},{id_},{_chunk(chunk)},{pair_id(a, b)},They meet,5"


def _related(shape: Shape) -> Rows:
    """One relationship for each pair. A pair is stated by chunks that lie near to one another."""
    text = _Text()
    weight: dict[tuple[int, int], int] = {}
    for chunk in range(shape.chunks):
        for one, other in dict.fromkeys(_pairs(shape, chunk)):
            pair = (min(one, other), max(one, other))
            weight[pair] = weight.get(pair, 0) + 1
    for ref, ((one, other), n) in enumerate(weight.items()):
        a, b = sorted((_entity(one), _entity(other)))
        yield f"{a},{b},{pair_id(a, b)},{ref},{n},5,false,0,{name(one)} {name(other)} {text(4)}"


def _claims(shape: Shape) -> Rows:
    text = _Text()
    for number in range(shape.chunks):
        yield f"claim{number},{number},made up,TRUE,{text(10)}"


def _from(shape: Shape) -> Rows:
    yield from (f"claim{number},{_chunk(number)}" for number in range(shape.chunks))


def _subject(shape: Shape) -> Rows:
    """The subject of every second claim is a hub."""
    for number in range(shape.chunks):
        one = number // 2 % shape.hubs if number % 2 else 2 * number
        yield f"claim{number},{_entity(one)},{name(one)}"


def _object(shape: Shape) -> Rows:
    for number in range(shape.chunks):
        yield f"claim{number},{_entity(2 * number + 1)},{name(2 * number + 1)}"


def _communities(shape: Shape) -> Rows:
    text, ref = _Text(), 0
    for level, size in _levels():
        for number in range(math.ceil(shape.entities / size)):
            ref += 1
            n_words = 300 if level == 0 else 80
            title = f"{name(number * size)} and others"
            yield (
                f"community{level}-{number},{ref},{level},{size},{title},{text(20)},"
                f"{title} {text(n_words)},model,{4 * n_words},5"
            )


def _parents(shape: Shape) -> Rows:
    for level, size in _levels():
        for number in range(math.ceil(shape.entities / size) if level else 0):
            yield f"community{level}-{number},community{level - 1}-{number // PARTS}"


def _in_community(shape: Shape) -> Rows:
    for number in range(shape.entities):
        yield f"{_entity(number)},community{LEVELS - 1}-{number // LEAF}"


def _levels() -> Sequence[tuple[int, int]]:
    """Each level, the coarsest first, with the members of its communities."""
    return [(level, LEAF * PARTS ** (LEVELS - 1 - level)) for level in range(LEVELS)]


def _part_of(shape: Shape) -> Rows:
    for number in range(shape.chunks):
        yield f"{_chunk(number)},document{number // CHUNKS_OF_DOCUMENT}"


def _state(_: Shape) -> Rows:
    yield f"graph,{SCHEMA_VERSION}"
