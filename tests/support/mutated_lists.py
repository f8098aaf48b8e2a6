"""Mutated lists: records in all forms that models write, damaged, as one reply.

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
from graphrag_neo4j.llm.extraction import (
    MissedQuestion,
    Wording,
    claims_of,
    extraction_of,
    read_with_gleanings,
)
from graphrag_neo4j.model import Claims, Extraction, Reply
from tests.support.fake_endpoint.book import CAROL, recall

__all__ = ["MutatedList", "lost", "mutated_list", "used"]

WORDING = Wording("Missed any?", "More, please.", "Go on.")
TYPES = ("person", "organization", "place", "event", "geo")
NAMES = (
    "Ann Ogden",
    "Bob (the cook)",
    "Port Elin",
    "C# 4",
    "Holm & Sons",
    "漢字 Ltd",
    "O'Neil",
    "Q",
)
SAID = (
    "She sailed, cooked; and wrote (in 1843) a book | twice.",
    'Says "Humbug", she does, of {"this": 1}.',
    "It is a place, a town and [1] a port",
    "Wrote C# and ## on C; see https://example.org/?a=1&region=2.",
    "Was there: at 5 o'clock.",
    "漢字，（船长）是人。",
    "The relationship was long, and the entity small.",
    "Sailed in 1843,\nand again in 1850, 8",
    'Her motto, "Go, and (if you must) come back", hangs | there.',
)
DELIMITERS = (
    *("<|>",) * 4,
    *("|", " | ", "||", " || ", "\t", "｜", " ｜ ", "<SEP>", "{tuple_delimiter}"),
    *("${tuple_delimiter}", "＜｜＞", ";", "; ", "<>", " <|> ", "<||>"),
)
BRACKETS = (*(("(", ")"),) * 6, ("[", "]"), ("（", "）"), ("", ""), ("(", ""), ("", ")"))
BETWEEN = ("\n##\n", "##", "\n", "", "\n\n", " ## ", ",\n", "{record_delimiter}\n", "\n##\n\n")
LINES = ("\n##\n", "\n", "\n\n", "\n##\n\n")
ENDS = ("\n##\n<|COMPLETE|>", "", "\n<|COMPLETE|>", "<|COMPLETE|>", "\n{completion_delimiter}")
COUNTED_AND_USED = "relationship without a strength"

Record = tuple[str, ...]
Written = Callable[[Record, Random], str]


@dataclass(frozen=True, slots=True)
class MutatedList:
    """A reply, the records that were in it, and the names of its forms and mutations."""

    reply: str
    records: Sequence[Record]
    claims: bool
    labels: Sequence[str]


def mutated_list(seed: int) -> MutatedList:
    """Returns the mutated reply of a number."""
    chance = Random(seed)
    claims = chance.random() < 0.4
    records = (
        _recalled(chance, claims=claims) if chance.random() < 0.3 else _invented(chance, claims)
    )
    form = chance.choice(FORMS)
    labels = [form.__name__]
    style = chance.getrandbits(32)
    pieces = [form(record, Random(style)) for record in records]
    for mutate in chance.sample(MUTATIONS, chance.choice((0, 0, 1, 1, 2))):
        labels.append(mutate.__name__)
        pieces = mutate(pieces, chance)
    # Where records have several damages, something must show where they end.
    is_clear = len(labels) < 3
    between = BETWEEN if is_clear else LINES
    reply = chance.choice(WRAPPINGS)(pieces, chance.choice(between), chance.choice(ENDS))
    return MutatedList(reply, records, claims, labels)


def _invented(chance: Random, claims: bool) -> list[Record]:
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
    return [*entities, *pairs]


@cache
def _of_book() -> tuple[Sequence[Record], Sequence[Record]]:
    """Returns what a real model found in a book, entities and relationships, and claims."""
    book = (CAROL / "book.txt").read_text(encoding="utf-8")
    at = book.index("Marley was dead, to begin with")
    known = recall(book[at : at + 8000])
    assert known is not None
    named = [("entity", *one) for one in known.entities]
    pairs = [("relationship", *map(str, one)) for one in known.relationships]
    return [*named, *pairs], list({one[0]: tuple(one) for one in known.claims}.values())


def _recalled(chance: Random, *, claims: bool) -> list[Record]:
    known = _of_book()[claims]
    return chance.sample(known, min(len(known), chance.randint(1, 8)))


def _delimited(record: Record, chance: Random) -> str:
    """Writes a tuple with some delimiter, brackets and quotation marks."""
    delimiter, (opening, closing) = chance.choice(DELIMITERS), chance.choice(BRACKETS)
    return opening + delimiter.join(_quoted(record, chance)) + closing


def _quoted(record: Record, chance: Random) -> list[str]:
    style = chance.choice(("kind", "kind", "kind", "none", "all", "single", "typographic", "bold"))
    marks = {"typographic": "“”", "single": "''", "bold": ("**", "**")}.get(style, '""')
    fields = list(record)
    if style == "none":
        return fields
    if style in {"all", "single"}:
        return [f"{marks[0]}{one}{marks[1]}" for one in fields]
    return [f"{marks[0]}{fields[0]}{marks[1]}", *fields[1:]] if len(fields) < 8 else fields


def _as_asked(record: Record, _: Random) -> str:
    if len(record) == 8:
        return f"({'<|>'.join(record)})"
    return f'("{record[0]}"<|>{"<|>".join(record[1:])})'


def _array(record: Record, _: Random) -> str:
    return json.dumps(record, ensure_ascii=False)


def _json(record: Record, chance: Random) -> str:
    indent = chance.choice((None, None, 1))
    return json.dumps(_named(record, chance), ensure_ascii=False, indent=indent)


def _named(record: Record, chance: Random) -> dict[str, object]:
    """Returns a record with names of its fields."""
    kinds = {"entity": ENTITY, "relationship": RELATIONSHIP}
    names = chance.choice(kinds.get(record[0], CLAIM))
    values = record if len(record) == 8 else record[1:]
    named: dict[str, object] = dict(zip(names.split(), values, strict=True))
    return named if len(record) == 8 or chance.random() < 0.5 else {"kind": record[0], **named}


ENTITY = ("name type description", "entity_name entity_type entity_description")
RELATIONSHIP = (
    "source target description strength",
    "source_entity target_entity relationship_description relationship_strength",
)
CLAIM = (
    "subject object type status start_date end_date description source_text",
    (
        "subject_entity object_entity claim_type claim_status claim_start_date claim_end_date"
        " claim_description claim_source_text"
    ),
)


def _python(record: Record, chance: Random) -> str:
    return repr(_named(record, chance))


FORMS: Sequence[Written] = (
    *(_as_asked,) * 3,
    *(_delimited,) * 8,
    _array,
    _json,
    _json,
    _python,
)

Mutation = Callable[[list[str], Random], list[str]]
# The marks of all forms. A mutation changes nothing else.
MARKS = (
    "<|>",
    "||",
    " | ",
    "|",
    "\t",
    "｜",
    "<SEP>",
    "{tuple_delimiter}",
    '", "',
    '","',
    ", ",
    ";",
)


def _some(pieces: list[str], chance: Random) -> set[int]:
    if chance.random() < 0.5:
        return {chance.randrange(len(pieces))}
    return set(range(len(pieces)))


def in_one(mutate: Callable[[str, Random], str]) -> Mutation:
    """Makes a mutation of one record."""

    def of_list(pieces: list[str], chance: Random) -> list[str]:
        chosen = chance.randrange(len(pieces))
        return [mutate(p, chance) if at == chosen else p for at, p in enumerate(pieces)]

    of_list.__name__ = mutate.__name__
    return of_list


def in_some(mutate: Callable[[str, Random], str]) -> Mutation:
    """Makes a mutation of one record, or of all."""

    def of_list(pieces: list[str], chance: Random) -> list[str]:
        chosen = _some(pieces, chance)
        return [mutate(p, chance) if at in chosen else p for at, p in enumerate(pieces)]

    of_list.__name__ = mutate.__name__
    return of_list


def other_delimiter(pieces: list[str], chance: Random) -> list[str]:
    new = chance.choice(DELIMITERS)
    chosen = _some(pieces, chance)
    return [p.replace("<|>", new) if at in chosen else p for at, p in enumerate(pieces)]


def damaged_delimiter(piece: str, chance: Random) -> str:
    mark = next((one for one in MARKS if one in piece), None)
    if mark is None:
        return piece
    parts = piece.split(mark)
    place = chance.randrange(1, len(parts))
    new = chance.choice(("|", "<>", "<|", "|>", "<SEP>", "||", " ", "", ", ", "\t"))
    return new.join((mark.join(parts[:place]), mark.join(parts[place:])))


def lost_mark(piece: str, chance: Random) -> str:
    """Loses a mark, but none of a name."""
    kept = range(start := piece.find("(the cook)"), start + 10)
    places = [at for at, one in enumerate(piece) if one in '()[]{}"<|>:,' and at not in kept]
    place = chance.choice(places or [0])
    return piece[:place] + piece[place + 1 :] if places else piece


def doubled_mark(piece: str, chance: Random) -> str:
    places = [at for at, one in enumerate(piece) if one in '()[]{}"<|>:,']
    place = chance.choice(places or [0])
    return piece[:place] + piece[place : place + 1] + piece[place:] if places else piece


def misspelt_kind(piece: str, chance: Random) -> str:
    old, new = chance.choice(
        (("entity", "entty"), ("relationship", "relation"), ("entity", "ENTITY"))
    )
    return piece.replace(old, new, 1)


def broken_line(piece: str, chance: Random) -> str:
    """Breaks a line, but not in a name."""
    places = [at for at, one in enumerate(piece) if one == " " and at > len(piece) // 2]
    place = chance.choice(places or [0])
    return piece[:place] + "\n" + piece[place + 1 :] if places else piece


def itemised(piece: str, chance: Random) -> str:
    return chance.choice(("- ", "1. ", "* ", "**", "  ", "> ")) + piece


def escaped(piece: str, _: Random) -> str:
    return (
        piece.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )


def without_brackets(piece: str, _: Random) -> str:
    return piece.strip("()")


def without_closing(piece: str, _: Random) -> str:
    return piece.rstrip("\n").removesuffix(")").removesuffix("}").removesuffix("]")


def without_opening(piece: str, _: Random) -> str:
    return piece.removeprefix("(").removeprefix("{").removeprefix("[")


def without_quotes(piece: str, _: Random) -> str:
    return piece.replace('"', "")


def repeated(pieces: list[str], chance: Random) -> list[str]:
    return [*pieces, chance.choice(pieces)]


def shuffled(pieces: list[str], chance: Random) -> list[str]:
    return chance.sample(pieces, len(pieces))


def with_prose(pieces: list[str], chance: Random) -> list[str]:
    lines = (
        "Here is the list:",
        "Now the relationships:",
        "Let me know (please) if more is needed!",
    )
    place = chance.randint(0, len(pieces))
    return [*pieces[:place], f"\n{chance.choice(lines)}\n", *pieces[place:]]


def with_headings(pieces: list[str], chance: Random) -> list[str]:
    return [f"\n{chance.choice(('## Entities', '**Entities**', 'Records:'))}\n", *pieces]


MUTATIONS: Sequence[Mutation] = (
    other_delimiter,
    other_delimiter,
    in_one(damaged_delimiter),
    in_one(damaged_delimiter),
    in_one(lost_mark),
    in_one(lost_mark),
    in_one(doubled_mark),
    in_one(misspelt_kind),
    in_some(broken_line),
    in_some(itemised),
    in_some(escaped),
    in_some(without_brackets),
    in_some(without_closing),
    in_some(without_opening),
    in_some(without_quotes),
    repeated,
    shuffled,
    with_prose,
    with_headings,
)


def _joined(pieces: list[str], between: str, end: str) -> str:
    return between.join(pieces) + end


def _fenced(pieces: list[str], between: str, end: str) -> str:
    return f"```text\n{_joined(pieces, between, end)}\n```"


def _listed(pieces: list[str], between: str, end: str) -> str:
    return f"[{_joined(pieces, ',' + between.replace('##', ''), '')}]{end}"


WRAPPINGS = (*(_joined,) * 8, _fenced, _listed)


def name_key(name: str) -> str:
    """Returns the letters of a name; marks of a list around it make no difference."""
    return "".join(filter(str.isalnum, name)).casefold()


def read(reply: str, *, claims: bool) -> Extraction | Claims | None:
    """Returns what is read of a reply that is not continued; None if the chunk fails."""
    reading = read_with_gleanings(
        "claims" if claims else "extraction", "Read.", WORDING, 0, MissedQuestion()
    )
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
    return names, sum(reason != COUNTED_AND_USED for reason in found.unusable) + found.cut


def _has_fused_names(reply: str, record: Record) -> bool:
    """Tells whether the names of a relationship became one name, which nobody can take apart."""
    if record[0] != "relationship":
        return False
    names = rf"{re.escape(record[1])}['\"”*]?\s*['\"“*]?{re.escape(record[2])}"
    return re.search(names, html.unescape(reply)) is not None


def _is_in(used: Sequence[Record], record: Record) -> bool:
    """Tells whether a record was used. Marks of a list may stand before its name."""
    first, last = {"entity": (1, 2), "relationship": (1, 3)}.get(record[0], (0, 1))
    names = record[first:last]
    return any(
        len(one) == len(names)
        and all(name_key(name) in name_key(said) for name, said in zip(names, one, strict=True))
        for one in used
    )
