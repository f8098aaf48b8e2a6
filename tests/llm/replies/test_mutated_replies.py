"""Mutated replies: whatever happens to a list, each of its records is used or counted."""

import json
from collections.abc import Callable, Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.claims import claims_of
from graphrag_neo4j.llm.extraction import extraction_of
from graphrag_neo4j.llm.gleaning import MissedQuestion, Wording, read_with_gleanings
from graphrag_neo4j.model import Claims, Extraction, Reply

WORDING = Wording("Missed any?", "More, please.", "Go on.")
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
)
DELIMITERS = (
    "|",
    " | ",
    "||",
    "\t",
    "｜",
    "<SEP>",
    "{tuple_delimiter}",
    "＜｜＞",
    ",",
    ", ",
    ";",
    "<>",
)
Record = tuple[str, ...]
Mutation = Callable[[list[str], Random], list[str]]


def invented(chance: Random, *, claims: bool) -> list[Record]:
    """Returns some records, each with a name of its own."""
    names = [f"{name} {number}" for number, name in enumerate(chance.sample(NAMES, 5))]
    if claims:
        return [
            (name, "NONE", "THEFT", "TRUE", "1909", "NONE", chance.choice(SAID), "she stole it")
            for name in names
        ]
    entities = [("entity", name, "person", chance.choice(SAID)) for name in names]
    pairs = [
        ("relationship", names[place], names[place + 1], chance.choice(SAID), "8")
        for place in range(3)
    ]
    return [*entities, *pairs]


def written(record: Record) -> str:
    fields = "<|>".join(record)
    return f'("{record[0]}"<|>{fields.partition("<|>")[2]})' if len(record) < 8 else f"({fields})"


def one(mutate: Callable[[str, Random], str]) -> Mutation:
    """Makes a mutation of one record or of all."""

    def of_list(pieces: list[str], chance: Random) -> list[str]:
        chosen = {chance.randrange(len(pieces))} if chance.random() < 0.5 else range(len(pieces))
        return [mutate(p, chance) if i in chosen else p for i, p in enumerate(pieces)]

    return of_list


def other_delimiter(pieces: list[str], chance: Random) -> list[str]:
    delimiter = chance.choice(DELIMITERS)
    return one(lambda piece, _: piece.replace("<|>", delimiter))(pieces, chance)


def one_delimiter(piece: str, chance: Random) -> str:
    parts = piece.split("<|>")
    place = chance.randrange(len(parts))
    new = chance.choice(("|", "<>", "<|", "|>", "<SEP>", "||", " ", ""))
    return new.join(("<|>".join(parts[:place]), "<|>".join(parts[place:]))) if place else piece


def lost_character(piece: str, chance: Random) -> str:
    """Loses a mark, or a letter of the kind."""
    kind = 9 if piece.startswith(('("e', '("r')) else 0
    places = [at for at, one in enumerate(piece) if one in '()"<|>' or at < kind]
    place = chance.choice(places or [0])
    return piece[:place] + piece[place + 1 :] if places else piece


def as_json(piece: str, _: Random) -> str:
    fields = piece.strip("()").replace('"entity"', "entity").split("<|>")
    fields[0] = fields[0].strip('"')
    return json.dumps(fields, ensure_ascii=False)


def as_row(piece: str, _: Random) -> str:
    return "\n| " + piece.strip("()").replace("<|>", " | ") + " |\n"


def in_quotes(piece: str, _: Random) -> str:
    return "(" + ", ".join(f'"{field}"' for field in piece[1:-1].split("<|>")) + ")"


def as_item(piece: str, chance: Random) -> str:
    return chance.choice(("- ", "1. ", "* ", "**", "  ")) + piece


MUTATIONS: Sequence[Mutation] = (
    other_delimiter,
    other_delimiter,
    one(one_delimiter),
    one(lost_character),
    one(as_json),
    one(as_row),
    one(in_quotes),
    one(as_item),
    one(lambda piece, _: piece.strip("()")),
    one(lambda piece, _: piece.removesuffix(")")),
    one(lambda piece, _: piece.removeprefix("(")),
    one(lambda piece, _: piece.replace('"', "")),
    one(lambda piece, _: piece.replace("(", "（").replace(")", "）")),
    one(lambda piece, _: piece.replace(" ", "\n", 1)),
    one(lambda piece, _: piece.replace("entity", "Entity").replace('"', "**")),
    lambda pieces, chance: [*pieces, chance.choice(pieces)],
    lambda pieces, chance: chance.sample(pieces, len(pieces)),
    lambda pieces, _: ["Here is the list:", *pieces, "I hope this helps!"],
)
BETWEEN = ("\n##\n", "##", "\n", "", "\n\n", " ## ", ",\n", "{record_delimiter}\n")
ENDS = ("\n##\n<|COMPLETE|>", "", "\n<|COMPLETE|>", "<|COMPLETE|>", "\n{completion_delimiter}")


def mutated(records: Sequence[Record], chance: Random) -> str:
    pieces = [written(record) for record in records]
    mutations = chance.sample(MUTATIONS, chance.choice((0, 1, 1, 1, 2)))
    for mutate in mutations:
        pieces = mutate(pieces, chance)
    # Where records are damaged in two ways, something must show where they end.
    between = chance.choice(BETWEEN if len(mutations) < 2 else BETWEEN[:1])
    reply = between.join(pieces) + chance.choice(ENDS)
    return f"```\n{reply}\n```" if chance.random() < 0.1 else reply


def name_key(name: str) -> str:
    """Returns the letters of a name; marks of a list around it make no difference."""
    return "".join(filter(str.isalnum, name))


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


def lost(reply: str, records: Sequence[Record], *, claims: bool) -> list[Record]:
    """Returns the records that are neither used nor counted."""
    found = read(reply, claims=claims)
    if found is None:
        return []
    if isinstance(found, Claims):
        used: list[Record] = [(claim.subject,) for claim in found.claims]
    else:
        used = [(entity.name,) for entity in found.entities]
        used += [(pair.source, pair.target) for pair in found.relationships]
    missing = [record for record in records if not _is_in(used, record)]
    return missing[len(found.unusable) + found.cut :]


def _is_in(used: Sequence[Record], record: Record) -> bool:
    """Tells whether a record was used. Marks of a list may stand before its name."""
    first, last = {"entity": (1, 2), "relationship": (1, 3)}.get(record[0], (0, 1))
    names = record[first:last]
    return any(
        len(one) == len(names)
        and all(name_key(name) in name_key(said) for name, said in zip(names, one, strict=True))
        for one in used
    )


@settings(deadline=None, derandomize=True, max_examples=500)
@given(st.integers(0, 2**32), st.booleans())
def test_each_record_of_a_mutated_reply_is_used_or_counted(seed: int, claims: bool) -> None:
    chance = Random(seed)
    records = invented(chance, claims=claims)
    reply = mutated(records, chance)
    assert not lost(reply, records, claims=claims), reply
