"""The protocol of one reading: gleanings, continuations, and what counts as an answer."""

import pytest

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.tasks.extraction import Gleaning, Wording, read_with_gleanings
from graphrag_neo4j.model.types import Reply, Request
from tests.support.by_hand import cut, drive

WORDING = Wording(missed="Missed any?", more="Many were missed.", go_on="Go on.")
A = '("entity"<|>Ann<|>person<|>A captain)'
B = '("entity"<|>Bob<|>person<|>A cook)'
C = '("entity"<|>Cid<|>person<|>A ghost)'
END = "\n##\n<|COMPLETE|>"
A_READ = ["entity", "Ann", "person", "A captain"]
B_READ = ["entity", "Bob", "person", "A cook"]


def read(*replies: str | Reply | ReplyError, gleanings: int = 0) -> tuple[Gleaning, list[Request]]:
    return drive(read_with_gleanings("extraction", "Read this.", WORDING, gleanings), replies)


def names(passes: Gleaning) -> list[str]:
    return [record[1] for record in passes.records]


def said(request: Request) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in request.messages]


def test_a_question_stands_before_each_gleaning_but_the_first() -> None:
    passes, asked = read(A + END, B + END, "Yes", C + END, gleanings=2)
    assert names(passes) == ["Ann", "Bob", "Cid"]
    assert [request.choices for request in asked] == [(), (), ("Yes", "No"), ()]
    assert said(asked[1]) == [
        ("user", "Read this."),
        ("assistant", A + END),
        ("user", "Many were missed."),
    ]
    assert said(asked[2])[-2:] == [("assistant", B + END), ("user", "Missed any?")]
    assert said(asked[3])[-2:] == [("assistant", B + END), ("user", "Many were missed.")]


@pytest.mark.parametrize("answer", ["No", "", "Perhaps", "Yesterday", "Nobody", "?!"])
def test_a_no_ends_the_reading_and_what_is_neither_counts_as_no(answer: str) -> None:
    passes, asked = read(A + END, B + END, answer, gleanings=3)
    assert names(passes) == ["Ann", "Bob"]
    assert len(asked) == 3
    assert passes.odd == ([] if answer == "No" else ["neither yes nor no"])


def test_an_unclosed_first_pass_takes_nothing_from_the_gleaned_one() -> None:
    open_ = f"{A}##{B[:-6]}"
    passes, _ = read(open_, "", "", C + END, gleanings=1)
    assert names(passes) == ["Ann", "Cid"]
    assert passes.cut


def test_a_reply_cut_off_is_continued_where_it_stopped_twice_at_most() -> None:
    passes, asked = read(cut(A + "##" + B[:20]), B[20:] + END)
    assert passes == Gleaning([A_READ, B_READ])
    shown = [("user", "Read this."), ("assistant", A + "##" + B[:20]), ("user", "Go on.")]
    assert said(asked[1]) == shown
    passes, asked = read(cut(A + "##" + B[:10]), cut(B[10:20]), cut(B[20:-1]))
    assert passes == Gleaning([A_READ], cut=True)
    assert len(asked) == 3
    assert said(asked[2]) == shown
    _, asked = read(cut(A[:10]), A[10:] + END, B + END, gleanings=1)
    assert said(asked[2])[:2] == [("user", "Read this."), ("assistant", A + END)]


def test_a_reply_without_records_is_asked_for_once_more() -> None:
    passes, asked = read("I am sorry, but no.", A + END)
    assert passes == Gleaning([A_READ])
    assert [role for role, _ in said(asked[1])] == ["user", "assistant", "user"]
    assert said(asked[1])[1][1] == "I am sorry, but no."
    assert "Give the whole list again" in said(asked[1])[2][1]


@pytest.mark.parametrize(
    "reply",
    ["", " ", "None", "No additional entities were found.", "There is nothing more.",
     "I'm sorry, but I can't help with that.", "```\n```"],
)  # fmt: skip
def test_a_gleaning_that_finds_nothing_is_the_last_and_what_was_found_before_stays(
    reply: str,
) -> None:
    passes, asked = read(A + END, reply, gleanings=3)
    assert passes == Gleaning([A_READ], odd=["a gleaning without a list"])
    assert len(asked) == 2


def test_a_gleaning_that_brings_nothing_new_is_the_last_and_its_unread_text_is_counted() -> None:
    for nothing in ("<|COMPLETE|>", A + END):
        assert len(read(A + END, nothing, gleanings=3)[1]) == 2
    passes, _ = read(A + END, "(Bob the cook of the ship)\n<|COMPLETE|>", gleanings=1)
    assert passes.records == [A_READ]
    assert "text that isn't a record: '(Bob the cook of the ship)'" in passes.odd


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I am\nsorry, but no.", r"holds no record: 'I am sorry, but no\.'"),
        ("Ann is a captain.\n<|COMPLETE|>", "holds no record"),
        ("(Ann the captain of a ship)\n<|COMPLETE|>", "holds no record"),
        ("- Ann, who is a captain\n<|COMPLETE|>", "holds no record"),
        ("", "the reply is empty"),
        (cut(""), "the reply is empty"),
    ],
)
def test_what_is_neither_a_list_nor_says_that_it_is_empty_is_an_error(
    reply: str | Reply, why: str
) -> None:
    with pytest.raises(ReplyError, match=why):
        read(reply, reply)


@pytest.mark.parametrize(
    "reply",
    ["No entities.", "None", "N/A", "There are no entities in this passage.", "[]",
     "No entities or relationships were found in the passage.\n<|COMPLETE|>",
     "The passage does not name any entities.", '{"entities": [], "relationships": []}',
     "## Entities\n\nNone\n\n## Relationships\n\nNone\n\n<|COMPLETE|>"],
)  # fmt: skip
def test_a_reply_that_says_that_there_is_nothing_is_an_empty_list(reply: str) -> None:
    assert read(reply)[0] == Gleaning()


def test_what_can_not_be_stored_or_sent_again_is_replaced() -> None:
    passes, asked = read(A.replace("captain", "cap\x00ta\ud800in") + END, END, gleanings=1)
    assert passes.records == [["entity", "Ann", "person", "A cap\ufffdta\ufffdin"]]
    assert asked[1].messages[1].content.encode()


REFUSED = ReplyError("the endpoint refuses the request: too long", refused=True)


@pytest.mark.parametrize("replies", [(A + END, REFUSED), (A + END, B + END, REFUSED)])
def test_what_was_read_is_kept_if_a_gleaning_or_a_continuation_is_refused(
    replies: tuple[str | ReplyError],
) -> None:
    passes, _ = read(*replies, gleanings=2)
    assert names(passes) == ["Ann", "Bob"][: len(replies) - 1]
    assert ["gleaning that failed" in one for one in passes.odd] == [True]
    passes, asked = read(cut(f"{A}\n##\n{B}\n##\n("), REFUSED)
    assert (names(passes), passes.cut, len(asked)) == (["Ann", "Bob"], True, 2)
