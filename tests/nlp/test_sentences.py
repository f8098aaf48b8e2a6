"""A chunk's sentences stand where they are said to, without what is no sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.nlp.sentences import LONGEST, read_passage, speakers_in

TALK = """
KEVIN SCOTT: So, Dr. Lee joined us in Sept. [MUSIC] She works on A.I. at U.C.

JANE LEE: (Laughter.) Thank you! I wrote to kevin@example.com, see https://example.com/x.
danah boyd: Hello.
"""


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in read_passage(text).sentences]


@given(st.text(alphabet='abC. \n!?:[]()A’"«»。，漢', max_size=80))
def test_a_sentence_stands_at_its_place(text: str) -> None:
    passage = read_passage(text)
    for sentence in passage.sentences:
        assert text[sentence.start : sentence.end] == sentence.text
        for word in sentence.words:
            assert text[word.start : word.end] == word.text


def test_speakers_are_known_and_no_part_of_what_they_say() -> None:
    passage = read_passage(TALK)
    assert passage.speakers == ("KEVIN SCOTT", "JANE LEE", "danah boyd")
    said = {sentence.text: sentence.speaker for sentence in passage.sentences}
    assert said["Thank you!"] == "JANE LEE"
    assert said["Hello."] == "danah boyd"
    assert not any("KEVIN" in text or "MUSIC" in text or "Laughter" in text for text in said)


HEADER = "EP-12: Bill Coughran: Human-Centered AI"


@pytest.mark.parametrize(
    "header",
    [HEADER, "Episode 3: On frogs", "Chapter 12: The pond", "Behind the Pond: A talk on frogs"],
)
def test_the_header_of_a_page_is_no_speaker_and_the_speaker_goes_on(header: str) -> None:
    text = f"{header}\nADA LOVELACE: Frogs swim.\n{header}\n3\nThey jump, too.\nBEN: Do they?\n"
    passage = read_passage(text)
    assert passage.speakers == ("ADA LOVELACE", "BEN")
    said = {sentence.text: sentence.speaker for sentence in passage.sentences}
    assert said["They jump, too."] == "ADA LOVELACE"
    assert not any(header[-5:] in sentence for sentence in said)
    assert speakers_in(text) == ["Ada Lovelace", "Ben"]


def test_a_header_that_comes_once_is_known_by_its_number() -> None:
    assert speakers_in(f"{HEADER}\nADA: Yes.\nBEN: No.") == ["Ada", "Ben"]
    assert speakers_in("EP-12\nThe Heart: A talk\n") == []


@pytest.mark.parametrize("name", ["SPEAKER 1", "BB-8", "R2-D2", "will.i.am"])
def test_a_name_with_a_number_or_a_short_line_again_and_again_is_a_speaker(name: str) -> None:
    text = f"{name}: Yes.\nADA: Why?\n{name}: It swims.\nADA: I see.\nADA: I see.\n"
    assert read_passage(text).speakers == (name, "ADA")


def test_addresses_are_no_words() -> None:
    words = {word.text for word in read_passage(TALK).words}
    assert not words & {"kevin", "example.com", "https"}


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. J. B. Smith left. He ran.", ["Mr. J. B. Smith left.", "He ran."]),
        ("Es war am 3. Oktober in Berlin. Gut.", ["Es war am 3. Oktober in Berlin.", "Gut."]),
        ("It grew by 3.5 percent... and then fell.", ["It grew by 3.5 percent... and then fell."]),
        ("She drove the Model X. She won.", ["She drove the Model X.", "She won."]),
        ("人工智能改变世界。真的吗？是。", ["人工智能改变世界。", "真的吗？", "是。"]),
        ("A heading\nThe text begins.", ["A heading", "The text begins."]),
        (
            "A line that was wrapped by hand at some place\nGoes on here.",
            ["A line that was wrapped by hand at some place\nGoes on here."],
        ),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


def test_a_very_long_sentence_is_taken_apart_at_its_clauses() -> None:
    text = ", and ".join(["this goes on and on for a good while without an end"] * 8) + "."
    assert len(texts(text)) > 1
    assert all(len(part.split()) <= LONGEST for part in texts(text))
    assert " ".join(texts(text)) == text
