"""Names folded one way everywhere; quotes found; texts that can be stored and fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.text.strings import (
    find_quote,
    fold,
    looks_like_name,
    name_key,
    shortened,
    storable,
)

ODD = st.sampled_from("“”‘’´″‴ﬁＡıİßς\u0301\u0345\u00a0\u200b\t\n …Ⅷ½")
TEXT = st.text(st.one_of(ODD, st.characters()))


def words(text: str) -> int:
    return len(text.split())


@given(st.text(st.one_of(st.characters(), st.sampled_from("\x00\ud800\udfff"))))
def test_whatever_is_storable_can_be_encoded_and_nothing_else_is_changed(text: str) -> None:
    clean, replaced = storable(text)
    assert clean.encode("utf-8", "strict") is not None
    assert "\x00" not in clean
    assert len(clean) == len(text)
    assert replaced == sum(one != other for one, other in zip(clean, text, strict=True))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  Jacob \t\n Marley ", "Jacob Marley"),
        ("Jacob\u00a0\u3000Marley", "Jacob Marley"),
        ("“Bah” «said» „he‟", '"Bah" "said" "he"'),
        ("Marley’s ‘ghost‘ O´Brien O`Brien O′Brien", "Marley's 'ghost' O'Brien O'Brien O'Brien"),
        ("6″", '6"'),
        ("ﬁrst Ａｎｎ Ⅷ", "first Ann VIII"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("", ""),
    ],
)
def test_folding_leaves_one_spelling_of_space_quotes_and_letters(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert name_key(name_key(text)) == name_key(text)
    assert name_key(fold(text)) == name_key(text)


def test_spellings_of_one_name_share_a_key() -> None:
    for other in ("EBENEZER SCROOGE", " ebenezer\nscrooge", "Ｅbenezer Scrooge"):
        assert name_key(other) == name_key("Ebenezer Scrooge")
    for other in ("Ebenezer", "Ebenezer-Scrooge", "Ebenezer Scrooges", ""):
        assert name_key(other) != name_key("Ebenezer Scrooge")
    assert name_key("STRASSE") == name_key("Straße")
    assert name_key("ΟΔΥΣΣΕΥΣ") == name_key("Οδυσσευς")


NAMES = [
    "Scrooge", "Scrooge & Marley, Inc.", "J. B. Priestley", "St. Paul's Cathedral", "C++", "漢字",
    "The Ghost of Christmas Yet to Come", "Yahoo", "U.S. Steel Corp.",
    "中华人民共和国全国人民代表大会常务委员会", "联合国教育、科学及文化组织", "スクルージ",
    "アレクサンドル・セルゲーエヴィチ・プーシキン", "มหาวิทยาลัยธรรมศาสตร์",
]  # fmt: skip
NO_NAMES = [
    "", " ", "1843", "...", "a man who had never been seen in London before", "He was dead.",
    "Is he dead?", "“Humbug”", "Marley was dead. To begin with", "死了。",
    "斯克鲁奇不愿意在圣诞节前夜给他的书记员多加一点煤火", "他死了。马利也死了",
    "スクルージは事務員の部屋の火に石炭を足すことを決して許さなかった",
    "เขาไม่ยอมให้เสมียนของเขาเติมถ่านหินลงในกองไฟในวันก่อนวันคริสต์มาส",
]  # fmt: skip


def test_a_short_text_looks_like_a_name_and_a_sentence_a_quotation_or_a_long_text_does_not() -> (
    None
):
    assert [text for text in NAMES if not looks_like_name(text)] == []
    assert [text for text in NO_NAMES if looks_like_name(text)] == []


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("dead as a door-nail", "Marley was dead as a door-nail.", "dead as a door-nail"),
        ("dead as\na  nail", "was dead \t as a\r\n\nnail!", "dead \t as a\r\n\nnail"),
        ('"Bah!" said he', "then “Bah!” said he", "“Bah!” said he"),
        ("Marley’s ghost", "of Marley's ghost", "Marley's ghost"),
        ("(50%) [a.b] c* \\d", "x (50%) [a.b] c* \\d y", "(50%) [a.b] c* \\d"),
        ("漢字", "日本の漢字", "漢字"),
    ],
)
def test_a_quote_is_found_whatever_its_white_space_and_quotes(
    quote: str, text: str, found: str
) -> None:
    place = find_quote(quote, text)
    assert place is not None
    assert text[slice(*place)] == found


@given(TEXT, TEXT, st.lists(TEXT, min_size=1, max_size=5), st.sampled_from([" ", "\n", " \t "]))
def test_a_quote_of_a_text_is_found_in_it(
    before: str, after: str, quoted: list[str], space: str
) -> None:
    quote = " ".join(quoted).split()
    place = find_quote(space.join(quote), f"{before} {' '.join(quote)} {after}")
    assert (place is None) is (not quote)
    for other in ("", "  ", "not there", "DEAD", "wasdead"):
        assert find_quote(other, "Marley was dead") is None


@given(TEXT, st.integers(0, 12), st.sampled_from([len, words]))
def test_a_shortened_text_fits_and_is_the_beginning(text: str, limit: int, count: type) -> None:
    short = shortened(text, limit, count)
    assert text.startswith(short)
    assert count(short) <= limit
    assert short == text or count(text) > limit


def test_shortening_ends_at_a_sentence_and_not_at_an_abbreviation() -> None:
    text = "Marley was dead. Scrooge knew! Did he? Of course he did"
    assert shortened(text, 7, words) == "Marley was dead. Scrooge knew!"
    assert shortened("马利死了。斯克鲁奇知道。他当然知道", 13, len) == "马利死了。斯克鲁奇知道。"
    assert shortened("one two three four", 3, words) == "one two"
    assert shortened("一二三四", 3, len) == "一二三"
    assert shortened("Marley was dead. Old Mr. Scrooge knew it.", 25, len) == "Marley was dead."
    assert shortened("He met Dr. J. B. Smith there", 18, len) == "He met Dr. J. B."
    assert shortened("Mr. " * 100_000, 200_000, len).startswith("Mr. Mr. ")
