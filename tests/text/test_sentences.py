"""A chunk's sentences stand where they are said to, without what isn't a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.rules.names import PREFIXES, RANKS
from graphrag_neo4j.rules.ranking import centrality, choose, is_global, names_in
from graphrag_neo4j.text.sentences import read_passage

TALK = """
KEVIN SCOTT: So, Dr. Lee joined us in Sept. [MUSIC] She works on A.I. at U.C.

JANE LEE: (Laughter.) Thank you! I wrote to kevin@example.com, see https://example.com/x.
danah boyd: Hello.
"""
CATS = [
    "Cats sleep on warm roofs in summer.",
    "Cats sleep on the warm roofs of barns in summer.",
    "Cats hunt mice in barns.",
    "Bread is baked at night.",
]


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
    assert not {word.text for word in passage.words} & {"kevin", "example.com", "https"}
    # A line that comes again is the header of a page.
    header = "Behind the Pond: A talk on frogs"
    text = f"{header}\nADA LOVELACE: Frogs swim.\n{header}\n3\nThey jump, too.\nBEN: Do they?\n"
    passage = read_passage(text)
    assert passage.speakers == ("ADA LOVELACE", "BEN")
    said = {sentence.text: sentence.speaker for sentence in passage.sentences}
    assert said["They jump, too."] == "ADA LOVELACE"
    assert not any("talk on frogs" in sentence for sentence in said)


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("SPEAKER 1: Yes.\nADA: Why?\nSPEAKER 1: Yes.", ("SPEAKER 1", "ADA")),
        ("will.i.am: Yes.\nAda: Why?\nwill.i.am: It swims.", ("will.i.am", "Ada")),
        ("EP-12: The Heart\nADA: Yes.", ("ADA",)),
        ("The result was clear: nothing.\nNote: it works.", ()),
    ],
)
def test_who_speaks(text: str, speakers: tuple[str, ...]) -> None:
    assert read_passage(text).speakers == speakers


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
        *(
            (f"He saw {w.title()}. Louis.", [f"He saw {w.title()}. Louis."])
            for w in sorted(PREFIXES | RANKS)
        ),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


@given(st.permutations(CATS), st.integers(0, 5))
def test_central_sentences_are_chosen_and_none_that_says_the_same(
    cats: list[str], most: int
) -> None:
    scores = centrality(CATS)
    assert min(scores, key=scores.__getitem__) == "Bread is baked at night."
    assert len(set(choose(scores, 3)) & set(CATS[:2])) == 1
    assert choose(centrality(cats), most) == choose(scores, most)


def test_what_a_question_names_and_whether_it_is_about_the_whole() -> None:
    assert names_in("Was sagt die Lehrerin von der Sprache?") == ()
    asked = "Where did Mira Murati, an engineer, live in Albania?"
    assert names_in(asked) == ("Mira Murati", "Albania")
    assert is_global("Give me an overview.")
    assert not is_global("Who is she?")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thomas Oppermann (SPD):\n\nWir wollen mehr.", ["", "Wir wollen mehr."]),
        # A long line goes on in the next one.
        (
            "Dr. Wolfgang Schäuble, Bundesminister der Finanzen:\nHerr Präsident! Ja.",
            ["Herr Präsident!", "Ja."],
        ),
        ("M. Jean-Luc Mélenchon :\nNous demandons plus.", ["", "Nous demandons plus."]),
        ("El señor PRESIDENTE (Posada Moreno):\nSilencio.", ["", "Silencio."]),
        ("Г. А. Зюганов (КПРФ):\nМы против.", ["", "Мы против."]),
        ("大島理森君：\n私は反対です。", ["", "私は反対です。"]),
        ("Petra Pau (DIE LINKE): Ja.", ["Petra Pau (DIE LINKE): Ja."]),
        (
            "Am Montag beschloss der ganze Bundestag:\nEs bleibt dabei.",
            ["Am Montag beschloss der ganze Bundestag:", "Es bleibt dabei."],
        ),
    ],
)
def test_a_tag_alone_on_its_line_says_nothing(text: str, said: list[str]) -> None:
    passage = read_passage(text)
    assert [passage.said(one) for one in passage.sentences] == said
