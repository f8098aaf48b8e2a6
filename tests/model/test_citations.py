"""Citations are read as models write them, and only what is known is left."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.cli.output.terminal import harmless
from graphrag_neo4j.model.citations import (
    CITATION_KINDS,
    CitationRef,
    cited,
    footnoted,
    keep_known,
    made_explicit,
    neutralised,
    rewrite,
    statements,
)
from graphrag_neo4j.text.strings import fold, name_key

BOTH = [("Entities", 5), ("Entities", 7)]
WRITTEN = [
    ("A [Data: Entities (5); Claims (2)].", [("Entities", 5), ("Claims", 2)]),
    ("A [Data: Entities (5), Relationships (2)]", [("Entities", 5), ("Relationships", 2)]),
    ("A [Data:Entities(5,+more);Sources(1)]", [("Entities", 5), ("Sources", 1)]),
    ("A [data: entity (5); REPORTS (3, + more)]", [("Entities", 5), ("Reports", 3)]),
    ("A [Data: Entities (5)]. B [Data: Entities (5)].", [("Entities", 5)]),
    ("富有[Data: Entities（5、7）]。", BOTH),
    ("富有[Data：Entities (5，7)]。", BOTH),
    ("富有［Data：实体（5、7）］。", BOTH),
    ("豊か【Data: エンティティ（5、7）】。", BOTH),
    ("富有【data：實體 5、7】。", BOTH),
    ("富有[Data: 实体ID（5和7）]。", BOTH),
    ("Rich [Data: Entities 5, 7].", BOTH),
    ("Rich [Data: Entities: 5, 7].", BOTH),
    ("Rich [Data: Entities #5, #7].", BOTH),
    ("Rich [Data: Entities (id 5, id 7)].", BOTH),
    ("Rich [Data: Entity ids 5 and 7].", BOTH),
    ("Rich [Data: entities [5, 7]].", BOTH),
    ("Rich (Data: Entities(5,7)).", BOTH),
    ("Rich (data: entities 5, 7).", BOTH),
    ("富有（Data：实体（5、7））。", BOTH),
    ("Rich [Data: Entities 5, 7; Reports 2].", [*BOTH, ("Reports", 2)]),
    ("Reich [Data: Entitäten (5, 7); Berichte (2)].", [*BOTH, ("Reports", 2)]),
    ("Riche [Data: Entités (5, 7), Rapports (2)].", [*BOTH, ("Reports", 2)]),
    ("富有[Data: 实体（5、7）；关系（23）]。", [*BOTH, ("Relationships", 23)]),
    ("豊か[Data: 関係（23）、報告（2）]。", [("Relationships", 23), ("Reports", 2)]),
]


@pytest.mark.parametrize(("text", "found"), WRITTEN)
def test_the_forms_that_models_write_are_read(text: str, found: list[CitationRef]) -> None:
    assert cited(text) == found
    grounded = keep_known(text, {kind: range(99) for kind in CITATION_KINDS})
    assert (grounded.citations, grounded.removed) == (tuple(found), 0)
    assert all(f"{kind} (" in grounded.text for kind, _ in found)


@pytest.mark.parametrize(
    "text",
    [
        "He wrote (Data: see page 5).",
        "He wrote (Data: 5).",
        "He wrote (Data: sources of 1843, volume 5).",
        "He wrote (data: reports 5 men and 7 women).",
        "He wrote [the entities 5, 7].",
        "The data: entities (5, 7).",
        "A [Datum: Entities (5)].",
    ],
)
def test_prose_is_not_a_citation(text: str) -> None:
    assert cited(text) == []
    assert rewrite(text, lambda _kind, ref: ref) == text


@pytest.mark.parametrize(
    ("written", "removed"),
    [
        ("[Data: 5]", 1),
        ("[Data: ]", 1),
        ("[Data: none]", 1),
        ("[Data：無]", 1),
        ("【Data: 5、7】", 1),
        ("[Data: the reports of 5 men]", 1),
        ("[Data: Entities (99999999999999999999)]", 1),
        ("[Data: Documents 5, 6]", 2),
        ("[Data: Entities（8、9）]", 2),
        ("(Data: Entities 8)", 1),
    ],
)
def test_each_bracket_that_is_removed_is_counted(written: str, removed: int) -> None:
    grounded = keep_known(f"So it is {written}.", {"Entities": {5}})
    assert (grounded.text, grounded.citations) == ("So it is.", ())
    assert grounded.removed == removed


def test_other_forms_are_written_in_the_usual_one() -> None:
    text = "富有【Data：实体（5、7、+more）；报告 2】。死了（Data：来源#3）。"
    known = {"Entities": {5, 7}, "Reports": {2}, "Sources": {3}}
    grounded = keep_known(text, known)  # type: ignore[arg-type]
    assert grounded.text == (
        "富有[Data: Entities (5, 7, +more); Reports (2)]。死了[Data: Sources (3)]。"
    )
    assert grounded.removed == 0
    assert statements(text)["Sources", 3] == ["死了"]
    numbers: dict[CitationRef, int] = {("Reports", 2): 1, ("Sources", 3): 2}
    assert footnoted(text, numbers) == "富有[^1]。死了[^2]。"


def test_a_word_for_data_makes_a_citation_of_whatever_number() -> None:
    text = "Reich [Daten: Berichte (4)]. 死了［数据：来源（3）］."
    said = "Reich [Data: Reports (4)]. 死了[Data: Sources (3)]."
    assert made_explicit(text, {}) == (said, 0)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("It is in both [5].", 1),
        ("It is in none [6], (Source: 6).", 2),
        ("See [7](https://example.org).", 0),
        ("Some say so[^7].\n\n[^7]: Who knows.", 1),
        ("As the document says [8].", 0),
        ("There were 5 men (see page 7).", 0),
        ("It is [Data: Entities (5)].", 0),
    ],
)
def test_a_loose_citation_that_may_mean_something_else_stays_and_is_counted(
    text: str, unread: int
) -> None:
    known = {"Entities": {5, 7, 8}, "Reports": {5}, "Sources": set[int]()}
    assert made_explicit(text, known, "He was right [8].") == (text, unread)  # type: ignore[arg-type]


FORGED = (
    "[Data: Entities (1)]", "[dAtA:Sources(2)]", "[ Data\n:\nEntities (1)]",
    "[\u200bDa\u00adta\u2060: Entities (1)]", "［Data：Entities（1）］",
    "﹇Ｄａｔａ: Entities (1)﹈", "[㍲ta: Entities (1)]", "[Data: Entities (1)",
    "[[Data: Entities (1)]]", "[", "[Dat",
    "a: Entities (1)]", "Data: Entities (1)]", ": Entities (1)]",
    "] text [Data", "【Data：实体（1）】",
    "[Data: Entities 1]", "(Data: Entities (1))", "（Data：实体 1）", "⁽data: 実体 1⁾",
    "(Data: Re\u0301ports 1)", "(Data: \u0131nformes 1)", "(", "(Da", "(Data:", "(Data: En",
    "tities 1)",
)  # fmt: skip


@pytest.mark.parametrize("before", FORGED)
def test_nothing_in_a_document_can_be_read_as_a_citation(before: str) -> None:
    for between, after in product(["", " ", "\n", ": ", " | "], ["", *FORGED]):
        text = neutralised(before) + between + neutralised(after)
        for shown in (text, fold(text), name_key(text), neutralised(before + between + after)):
            assert cited(shown) == []
            assert rewrite(shown, lambda *_: 7) == shown


TRICKY = st.text(alphabet="[]［］﹇【】（）dDatａＡ:：\n \u200b(Entities1)实体", max_size=60)


@given(TRICKY, TRICKY)
def test_neutralised_text_is_as_long_and_holds_no_citation(one: str, other: str) -> None:
    text = neutralised(one)
    assert len(text) == len(one)
    assert neutralised(text) == text
    assert cited(fold(text + neutralised(other))) == []


PARTS = "[ [data [data: []  ［Data：x ( (data:ent (data:ent(5) 【"


@pytest.mark.parametrize("part", [*PARTS.split(), "[ ", "[da [data:"])
def test_a_megabyte_is_neutralised_in_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    assert len(neutralised(text)) == len(text)


def test_a_statement_keeps_the_dots_that_it_begins_with() -> None:
    text = "- ...right [Data: Sources (1)]. So ../it is [Data: Sources (2)]\n"
    text += "> ../x [Data: Sources (3)]."
    assert statements(text) == {
        ("Sources", 1): ["...right"],
        ("Sources", 2): ["So ../it is"],
        ("Sources", 3): ["../x"],
    }


def test_no_invisible_character_of_a_document_hides_a_citation_from_us_alone() -> None:
    removed = [c for c in map(chr, range(0x110000)) if not harmless(c)]
    assert len(removed) > 100
    for c in removed:
        text = neutralised(f"Rich [D{c}ata: Sources (1)]. Dead (Data: Sou{c}rces (1)). Gone [{c}")
        assert cited(harmless(text + "Data: Sources (2)]")) == []


@pytest.mark.parametrize(
    "text", ["", "[MUSIC] Hi.", "x[1] (Data: 5)", "[database: 5]", "［注］", "【注】", "(data: x)"]
)
def test_other_brackets_stay_as_they_are(text: str) -> None:
    assert neutralised(text) == text
