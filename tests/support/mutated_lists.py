"""Mutated lists: records in the forms that models write, damaged, as one reply.

A mutation damages marks, and never a name. So each record can be looked for by its names.
"""

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.extraction import (
    Wording,
    claims_of,
    extraction_of,
    read_with_gleanings,
)
from graphrag_neo4j.model.types import Claims, Extraction, Reply
from tests.support.fake_endpoint.book import CAROL, recall

WORDING = Wording("Missed any?", "More, please.", "Go on.")
NAMES = ("Ann Ogden", "Bob (the cook)", "C# 4", "Holm & Sons", "漢字 Ltd", "O'Neil", "Q")
SAID = (
    "She sailed, cooked; and wrote (in 1843) a book | twice.",
    'Says "Humbug", she does, of {"this": 1}.',
    "It is a place, a town and [1] a port",
    "Wrote C# and ## on C; see https://example.org/?a=1&region=2.",
    "漢字，（船长）是人。",
    "The relationship was long, and the entity small.",
    "Sailed in 1843,\nand again in 1850, 8",
)
DELIMITERS = (
    *("<|>",) * 4,
    *("|", " | ", "||", "\t", "｜", "<SEP>", "{tuple_delimiter}", "＜｜＞", ";", "<>", "<||>"),
)
BRACKETS = (*(("(", ")"),) * 6, ("[", "]"), ("（", "）"), ("", ""), ("(", ""), ("", ")"))
LINES = ("\n##\n", "\n", "\n\n")
BETWEEN = (*LINES, "##", "", " ## ", ",\n", "{record_delimiter}\n")
ENDS = ("\n##\n<|COMPLETE|>", "", "\n<|COMPLETE|>", "\n{completion_delimiter}")
FIELDS = {
    "entity": ("name type description", "entity_name entity_type entity_description"),
    "relationship": ("source target description strength predicate",),
    "claim": ("subject object type status start_date end_date description source_text",),
}

Record = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MutatedList:
    """A reply, and the records that were in it."""

    reply: str
    records: Sequence[Record]
    claims: bool


def mutated_list(seed: int) -> MutatedList:
    """Returns the mutated reply of a number."""
    chance = Random(seed)
    claims = chance.random() < 0.4
    known = _of_book()[claims] if chance.random() < 0.3 else _invented(chance, claims)
    records = chance.sample(known, min(len(known), 8))
    form = chance.choice((*(_as_asked,) * 3, *(_delimited,) * 8, _array, _named, _named))
    style = chance.getrandbits(32)
    pieces = [form(record, Random(style)) for record in records]
    mutations = chance.sample(MUTATIONS, chance.choice((0, 0, 1, 1, 2)))
    for mutate in mutations:
        pieces = mutate(pieces, chance)
    # Where records have several damages, something must show where they end.
    between = chance.choice(BETWEEN if len(mutations) < 2 else LINES)
    reply = between.join(pieces) + chance.choice(ENDS)
    return MutatedList(
        f"```text\n{reply}\n```" if chance.random() < 0.1 else reply, records, claims
    )


def _invented(chance: Random, claims: bool) -> Sequence[Record]:
    """Returns some records, each with a name of its own."""
    names = [f"{name} {number}" for number, name in enumerate(chance.sample(NAMES, 5))]
    said = [chance.choice(SAID) for _ in range(8)]
    if claims:
        fixed = ("NONE", "THEFT", "TRUE", "1909", "NONE")
        return [
            (name, *fixed, text, "she stole it") for name, text in zip(names, said, strict=False)
        ]
    entities = [("entity", name, "person", text) for name, text in zip(names, said, strict=False)]
    pairs = [("relationship", names[n], names[n + 1], said[5 + n], "8") for n in range(3)]
    return [*entities, pairs[0], *((*pair, "sailed with") for pair in pairs[1:])]


@cache
def _of_book() -> tuple[Sequence[Record], Sequence[Record]]:
    """Returns what a real model found in a book, entities and relationships, and claims."""
    book = (CAROL / "book.txt").read_text(encoding="utf-8")
    at = book.index("Marley was dead, to begin with")
    known = recall(book[at : at + 8000])
    assert known is not None
    named = [("entity", *one) for one in known.entities]
    pairs = [("relationship", *map(str, one), one.predicate) for one in known.relationships]
    pairs = [pair if pair[-1] else pair[:-1] for pair in pairs]
    return [*named, *pairs], list({one[0]: tuple(one) for one in known.claims}.values())


def _as_asked(record: Record, _: Random) -> str:
    if len(record) == 8:
        return f"({'<|>'.join(record)})"
    return f'("{record[0]}"<|>{"<|>".join(record[1:])})'


def _delimited(record: Record, chance: Random) -> str:
    """Writes a tuple with some delimiter, brackets and quotation marks."""
    delimiter, (opening, closing) = chance.choice(DELIMITERS), chance.choice(BRACKETS)
    style = chance.choice(("kind", "kind", "kind", "none", "all"))
    quoted = {"none": 0, "all": len(record), "kind": len(record) < 8}[style]
    fields = [f'"{field}"' if n < quoted else field for n, field in enumerate(record)]
    return opening + delimiter.join(fields) + closing


def _array(record: Record, _: Random) -> str:
    return json.dumps(record, ensure_ascii=False)


def _named(record: Record, chance: Random) -> str:
    """Writes a record as an object, in JSON or as Python shows it."""
    names = chance.choice(FIELDS.get(record[0], FIELDS["claim"]))
    values = record if len(record) == 8 else record[1:]
    named: dict[str, object] = dict(zip(names.split(), values, strict=False))
    if len(record) < 8 and chance.random() < 0.5:
        named = {"kind": record[0], **named}
    return json.dumps(named, ensure_ascii=False) if chance.random() < 0.7 else repr(named)


Mutation = Callable[[list[str], Random], list[str]]
MARKS = ("<|>", "||", " | ", "|", "\t", "｜", "<SEP>", "{tuple_delimiter}", '", "', ", ", ";")


def in_one(mutate: Callable[[str, Random], str]) -> Mutation:
    """Makes a mutation of one record."""

    def of_list(pieces: list[str], chance: Random) -> list[str]:
        chosen = chance.randrange(len(pieces))
        return [mutate(p, chance) if at == chosen else p for at, p in enumerate(pieces)]

    return of_list


def in_all(mutate: Callable[[str, Random], str]) -> Mutation:
    """Makes a mutation of all records."""
    return lambda pieces, chance: [mutate(piece, chance) for piece in pieces]


def damaged_delimiter(piece: str, chance: Random) -> str:
    mark = next((one for one in MARKS if one in piece), None)
    if mark is None:
        return piece
    parts = piece.split(mark)
    place = chance.randrange(1, len(parts))
    new = chance.choice(("|", "<>", "<|", "|>", "<SEP>", "||", " ", "", ", ", "\t"))
    return new.join((mark.join(parts[:place]), mark.join(parts[place:])))


def lost_or_doubled_mark(piece: str, chance: Random) -> str:
    """Loses or repeats a mark, but none of a name."""
    kept = range(start := piece.find("(the cook)"), start + 10)
    places = [at for at, one in enumerate(piece) if one in '()[]{}"<|>:,' and at not in kept]
    place = chance.choice(places or [0])
    return piece[:place] + piece[place] * 2 * chance.getrandbits(1) + piece[place + 1 :]


def broken_line(piece: str, chance: Random) -> str:
    """Breaks a line, but not in a name."""
    places = [at for at, one in enumerate(piece) if one == " " and at > len(piece) // 2]
    place = chance.choice(places or [0])
    return piece[:place] + "\n" + piece[place + 1 :] if places else piece


def with_prose(pieces: list[str], chance: Random) -> list[str]:
    line = chance.choice(("Here is the list:", "## Entities", "Let me know (please) of more!"))
    place = chance.randint(0, len(pieces))
    return [*pieces[:place], f"\n{line}\n", *pieces[place:]]


MUTATIONS: Sequence[Mutation] = (
    in_one(damaged_delimiter),
    in_one(damaged_delimiter),
    in_one(lost_or_doubled_mark),
    in_one(lost_or_doubled_mark),
    in_one(lambda piece, _: piece.replace("entity", "entty", 1)),
    in_one(lambda piece, chance: piece.replace("<|>", chance.choice(DELIMITERS))),
    in_all(broken_line),
    in_all(lambda piece, chance: chance.choice(("- ", "1. ", "* ", "**", "> ")) + piece),
    in_all(lambda piece, _: html.escape(piece, quote=False).replace('"', "&quot;")),
    in_all(lambda piece, _: piece.strip("()")),
    in_all(lambda piece, _: piece.rstrip(")]}")),
    in_all(lambda piece, _: piece.lstrip("([{")),
    in_all(lambda piece, _: piece.replace('"', "")),
    lambda pieces, chance: [*pieces, chance.choice(pieces)],
    with_prose,
)


def read(reply: str, *, claims: bool) -> Extraction | Claims | None:
    """Returns what is read of a reply that is not continued; None if the chunk fails."""
    reading = read_with_gleanings("claims" if claims else "extraction", "Read.", WORDING, 0)
    try:
        next(reading)
        reading.send(Reply(reply))
        while True:
            reading.send(Reply(""))
    except ReplyError:
        return None
    except StopIteration as done:
        return claims_of(done.value) if claims else extraction_of(done.value)


def used(whole: MutatedList) -> int:
    """Returns the number of records that are used."""
    names, _ = _found(whole)
    return sum(_is_in(names, record) for record in whole.records)


def lost(whole: MutatedList) -> list[Record]:
    """Returns the records that are neither used nor counted; none of a chunk that failed."""
    names, counted = _found(whole)
    missing = [
        record
        for record in whole.records
        if not (_is_in(names, record) or _has_fused_names(whole.reply, record))
    ]
    return [] if counted is None else missing[counted:]


def _found(whole: MutatedList) -> tuple[list[Record], int | None]:
    """Returns the names in what was read, and how much was counted; None if the chunk failed."""
    found = read(whole.reply, claims=whole.claims)
    if found is None:
        return [], None
    if isinstance(found, Claims):
        names: list[Record] = [(claim.subject,) for claim in found.claims]
    else:
        names = [(entity.name,) for entity in found.entities]
        names += [(pair.source, pair.target) for pair in found.relationships]
    used_too = "relationship without a strength"
    return names, sum(reason != used_too for reason in found.unusable) + found.cut


def _has_fused_names(reply: str, record: Record) -> bool:
    """Tells whether the names of a relationship became one name, which nobody can take apart."""
    if record[0] != "relationship":
        return False
    names = rf"{re.escape(record[1])}['\"”*]?\s*['\"“*]?{re.escape(record[2])}"
    return re.search(names, html.unescape(reply)) is not None


def _is_in(used: Sequence[Record], record: Record) -> bool:
    """Tells whether a record was used. Marks of a list may stand before its name."""
    first, last = {"entity": (1, 2), "relationship": (1, 3)}.get(record[0], (0, 1))
    names = list(map(_letters, record[first:last]))
    return any(
        len(one) == len(names)
        and all(name in _letters(said) for name, said in zip(names, one, strict=True))
        for one in used
    )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
