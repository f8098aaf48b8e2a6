"""Reading lists: the mess of real replies, exactness where a list is well formed, and what counts.

Each file in `tests/data/replies/lists` holds a reply, and what is read and counted of it.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from graphrag_neo4j.llm.replies.lists import read_list
from tests.support.mutated_lists import lost, mutated_list, used
from tests.support.paths import DATA

REPLIES = sorted((DATA / "replies" / "lists").glob("*.json"))

A = '("entity"<|>Ann<|>person<|>A captain)'
B = '("entity"<|>Bob<|>person<|>A cook)'
R = '("relationship"<|>Ann<|>Bob<|>They sailed together<|>8)'
LIST = f"{A}\n##\n{B}\n##\n{R}\n##\n<|COMPLETE|>"
READ = [
    ["entity", "Ann", "person", "A captain"],
    ["entity", "Bob", "person", "A cook"],
    ["relationship", "Ann", "Bob", "They sailed together", "8"],
]
CLAIM = "(Ann<|>NONE<|>THEFT<|>TRUE<|>1909<|>1909<|>Ann stole a ship.<|>she stole the ship)"
CLAIM_READ = ["Ann", "NONE", "THEFT", "TRUE", "1909", "1909", "Ann stole a ship.",
              "she stole the ship"]  # fmt: skip


MESS = {
    "as asked": LIST,
    "on one line": f"{A}##{B}##{R}##<|COMPLETE|>",
    "Windows line ends": LIST.replace("\n", "\r\n"),
    "without the mark": LIST.removesuffix("\n##\n<|COMPLETE|>"),
    "the mark not closed": LIST.removesuffix("|>"),
    "without record delimiters": f"{A}\n{B}\n{R}\n<|COMPLETE|>",
    "without anything between": f"{A}{B}{R}",
    "in a named code fence": f"```text\n{LIST}\n```",
    "prose before": f"Here is the list you asked for:\n\n{LIST}",
    "prose after, without the mark": f"{A}\n##\n{B}\n##\n{R}\n\nI hope (a bit) this helps!",
    "prose between": f"{A}\n{B}\n\nNow the relationships:\n\n{R}\n<|COMPLETE|>",
    "numbered": f"1. {A}\n2. {B}\n3. {R}\n<|COMPLETE|>",
    "a comma after each": f"{A},\n{B},\n{R}.\n<|COMPLETE|>",
    "square brackets": LIST.replace("(", "[").replace(")", "]"),
    "no brackets": LIST.replace("(", "").replace(")", ""),
    "no opening brackets": LIST.replace("(", ""),
    "no closing brackets": LIST.replace(")", ""),
    "no quotes around the kind": LIST.replace('"', ""),
    "single quotes": LIST.replace('"', "'"),
    "quotes around every field": re.sub(r">([^<()]+)(?=[<)])", r'>"\1"', LIST),
    "white space in the delimiter": LIST.replace("<|>", " < | > "),
    "HTML entities": LIST.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;"),
    "lines broken inside records": LIST.replace("A c", "A\nc").replace("sailed ", "sailed\n\n"),
}


@pytest.mark.parametrize("mess", MESS)
def test_real_mess_is_read_as_if_it_were_not_there(mess: str) -> None:
    found = read_list(MESS[mess])
    kinds = [[fields[0].strip("\"'“”").lower(), *fields[1:]] for fields in found.records]
    assert kinds == READ


@pytest.mark.parametrize(
    "mess",
    [
        f"{CLAIM}##{CLAIM}##<|COMPLETE|>",
        f"The claims are:\n\n{CLAIM}\n##\n{CLAIM}\n\nThat is all.",
        f"{CLAIM[:-1]}\n##\n{CLAIM[:-1]}\n##\n<|COMPLETE|>",
    ],
)
def test_claims_have_no_kind_and_are_read_all_the_same(mess: str) -> None:
    assert read_list(mess).records == read_list(mess, claims=True).records == [CLAIM_READ] * 2


@pytest.mark.parametrize(
    ("reply", "is_open"),
    [
        (A, False),
        (f"{A}\n##\n", False),
        (f"{A}\n##\n<|COMPLETE|>", False),
        (f"{A[:-1]}\n##\n<|COMPLETE|>", False),
        (A[:-1], True),
        (f"{A}##{B[:-1]}", True),
        (f"{A}\n##\n<|COMPLETE|>\n{B[:-1]}", True),
        ('("entity"<|>Ann<|>person<|>A captain (of a ship)', True),
        ('("entity"<|>Ann<|>person<|>A captain (of a ship))', False),
        ("<|COMPLETE|>", False),
        ("", False),
    ],
)
def test_a_last_record_is_open_unless_its_own_bracket_or_a_mark_closes_it(
    reply: str, is_open: bool
) -> None:
    assert read_list(reply).open is is_open


PIECES = st.sampled_from(
    [A, B, R, CLAIM, "##", "<|>", "<|COMPLETE|>", "(", ")", "[", "]", '"', "'", "\n", " ", "```",
     "entity", "relationship", "&lt;", "&#0;", "&#xD800;", "\x00", "\ud800", "<", "|", "1. "]
)  # fmt: skip


@settings(deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
@given(st.lists(st.one_of(PIECES, st.text(max_size=10)), max_size=40).map("".join))
def test_no_text_raises_and_no_field_has_folds_left(reply: str) -> None:
    found = read_list(reply)
    for record in found.records:
        assert len(record) > 1
        assert all(field == " ".join(field.split()) for field in record)


# What a list is made of may stand in no field: a delimiter, or what a new record begins with.
NOT_A_FIELD = re.compile(
    r"<\s?\|{1,2}\s?>|<\s?\|\s?COMPLETE|```|&[#\w]+;|[)\]][\s,;.*]*##|##\s*[\"'“”‘’]{0,4}(entity|relation)"
    r"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*[\"'“”‘’]+(entity|relationship)"
    r"|[)\]][\s,;.*]*[([]|^\s*##\s*$|[(\[]\s*[\"'“”‘’]?(entity|relationship)[\"'“”‘’]?\s*$"
    r"|(entity|relationship)(\W*\Z|[\"'“”‘’]?\s?[|;<>])",
    re.IGNORECASE | re.MULTILINE,
)
TEXT = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            ["##", " ", "\n", "C#", '"', "'", ";", "|", "<", ">", "(a)", "[b]", ")", ":)", "1) ",
             "entity", '"entity"', "relationship", "COMPLETE", "-", "Ann", "ß", "漢字", "&", "."]
        ),
        max_size=12,
    ).map("".join),
)  # fmt: skip


def is_field(text: str) -> bool:
    """Whether a text can stand in a field as it is: nothing in it is a delimiter of the list."""
    folded = " ".join(text.split())
    quoted = folded[:1] + folded[-1:] in {'""', "''", "“”", "‘’"}
    brackets = [text.count(one) for one in "()[]"]
    opened = brackets[0] + brackets[2] > brackets[1] + brackets[3]
    return not (quoted or opened or NOT_A_FIELD.search(text) or NOT_A_FIELD.search(folded))


FIELD = TEXT.filter(is_field)
ENTITY = st.tuples(st.just("entity"), FIELD, FIELD, FIELD)
RELATIONSHIP = st.tuples(st.just("relationship"), FIELD, FIELD, FIELD, FIELD)


@settings(deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
@given(st.lists(st.one_of(ENTITY, RELATIONSHIP), max_size=6), st.booleans())
@example([("entity", "C#", "##", "a ## (b) :)")], True)
@example([("relationship", '"A', 'B"', "x\nentity", "1) \n2)")], False)
def test_a_well_formed_list_is_read_exactly(written: list[tuple[str, ...]], marked: bool) -> None:
    reply = "\n##\n".join(f'("{"<|>".join(fields).replace("<", chr(34) + "<", 1)})'
                          for fields in written)  # fmt: skip
    found = read_list(reply + "\n##\n<|COMPLETE|>" if marked else reply)
    assert found.records == [[" ".join(text.split()) for text in fields] for fields in written]
    assert found.complete is marked
    assert not found.open


@pytest.mark.parametrize("path", REPLIES, ids=lambda path: path.stem)
def test_a_reply_is_read_as_a_person_would_read_it(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    found = read_list(case["reply"], claims=path.stem.startswith("claims"))
    assert found.records == case["records"]
    assert found.unread == case["unread"]
    assert found.is_empty == case["is_empty"]


DESCRIPTIONS = (
    "Uses | in shell, a || b, and a; b, c",
    'Wrote {"name": "Bob", "type": "person", "description": "x"} to a file',
    "Keeps a list: - Bob (person): A cook",
    "Said that (Bob, person, A cook) is a tuple",
    "The head is | Name | Type | Description | here",
    "Name: Bob, Type: person, Description: A cook",
    "Bob -> Cid: they met (8)",
    "An entity, a relationship, and a claim: TRUE or FALSE",
)


@pytest.mark.parametrize("description", DESCRIPTIONS)
@pytest.mark.parametrize("delimiter", ["<|>", "<SEP>", "{tuple_delimiter}", "\t", "｜", " | "])
def test_a_description_becomes_no_record(description: str, delimiter: str) -> None:
    fields = ['"entity"', "Ann", "person", description]
    reply = f"({delimiter.join(fields)})\n##\n<|COMPLETE|>"
    found = read_list(reply)
    assert found.records == [["entity", "Ann", "person", description.strip()]]
    assert found.unread == []


@pytest.mark.parametrize(
    "reply",
    [
        "Ada is a person, a mathematician.",
        "The passage is about ships. There was a captain (Ann) and a cook; they sailed.",
        "# Entities",
        "I am sorry, (but) there is nothing\n## here\n- at all.",
    ],
)
def test_prose_is_no_record_and_no_empty_list(reply: str) -> None:
    found = read_list(reply)
    assert (found.records, found.unread) == ([], [])


@pytest.mark.parametrize(
    "line",
    [
        "(Bob the cook of the ship)",
        "- Bob, the cook of the ship",
        "Bob | the cook",
        '"Bob", the cook',
        "entity Bob person A cook",
        "Bob, Ann, they sailed, 8",
        "Bob\tperson\tA cook",
    ],
)
def test_text_that_could_be_a_record_is_unread_and_kept(line: str) -> None:
    found = read_list(f'("entity"<|>Ann<|>person<|>A captain)\n##\n{line}\n##\n<|COMPLETE|>')
    assert found.records == [["entity", "Ann", "person", "A captain"]]
    assert found.unread == [line]


@pytest.mark.parametrize("depth", [200, 500, 900, 5000])
@pytest.mark.parametrize("around", [("", ""), ('{"name": ', ', "type": "person"}')])
def test_brackets_inside_each_other_are_no_record_and_end_no_run(
    depth: int, around: tuple[str, str]
) -> None:
    found = read_list(f'{around[0]}{"[" * depth}"entity"{"]" * depth}{around[1]}')
    assert (found.records, found.is_empty) == ([], False)


def test_the_records_of_mutated_replies_are_used_or_counted() -> None:
    """`scripts/bench/replies.py` does the same with 100,000 replies."""
    replies = [mutated_list(seed) for seed in range(1000)]
    records = sum(len(whole.records) for whole in replies)
    assert sum(used(whole) for whole in replies) >= 0.95 * records
    assert sum(len(lost(whole)) for whole in replies) <= 0.002 * records
