"""What is no content: greetings, sign-offs, credits, page headers and licences of many genres."""

import pytest

from graphrag_neo4j.nlp.entity_recognition import read
from graphrag_neo4j.nlp.formulas import is_formula, is_licence

LICENCE = (
    "1.E.8. You may charge a reasonable fee for copies of Project Gutenberg electronic works. "
    "The Project Gutenberg Literary Archive Foundation owns a compilation copyright. Royalty "
    "payments must be paid in Salt Lake City. You agree to the terms of this agreement and the "
    "full license. Michael Hart was the originator of the concept."
)
BOOK = (
    "Title: A Christmas Carol\nAuthor: Charles Dickens\nRelease: Project Gutenberg, Fairbanks\n\n"
    "*** START OF THE PROJECT GUTENBERG EBOOK A CHRISTMAS CAROL ***\n\n"
    "Marley was dead, to begin with. Old Scrooge signed the register of his burial in London. "
    "Scrooge was his sole executor. Marley left him everything that he had. Nobody was sad."
)


@pytest.mark.parametrize(
    "text",
    [
        "That was Kevin Scott speaking with Reid Hoffman.",
        "Thank you so much for joining us today.",
        "Here’s an excerpt from my conversation with David.",
        "If you have anything to share, please e-mail us at any time.",
        "Well, that is all the time that we have for today.",
        "Hi, everyone.",
        "See you next time.",
        "Page 3 of 12",
        "END",
    ],
)
def test_set_phrases_are_no_content(text: str) -> None:
    assert is_formula(text)


@pytest.mark.parametrize(
    "text",
    [
        # a novel, news, a paper, minutes, a talk
        "Scrooge wished them all a good morning and said goodbye to the portly gentlemen.",
        "Hello was the first word that the machine printed for the engineers in 1951.",
        "The court said that it would follow us in this matter and contact the ministry.",
        "That was a great time in my life.",
        "In this paper, we show that welcome messages raise the number of replies.",
        "Councillor Jane Doe thanked the committee for its work on the new bridge.",
        "We join the two tables on the key and rate each pair.",
        "Our guest today is Dr. David Baker.",
        "The next show of the museum opens in May.",
        "She left the house on page 3 of her diary.",
    ],
)
def test_sentences_of_other_genres_are_content(text: str) -> None:
    assert not is_formula(text)
    assert not is_licence(text)


def test_a_licence_names_nothing() -> None:
    assert read(LICENCE).things == {}


def test_of_a_book_only_the_text_between_the_marks_names_something() -> None:
    names = {thing.name for thing in read(BOOK).things.values()}
    assert {"Marley", "Scrooge", "London"} <= names
    assert not names & {"Charles Dickens", "Project Gutenberg", "Fairbanks"}
    mark = "*** END OF THE PROJECT GUTENBERG EBOOK ***"
    end = f"Scrooge laughed in Camden Town.\n\n{mark}\nMichael Hart"
    assert {thing.name for thing in read(end).things.values()} == {"Camden Town", "Scrooge"}


def test_a_sentence_on_a_licence_is_content_in_its_place_only() -> None:
    text = "The court read the law. All rights reserved. Ada Lovelace won the case in Berlin. Good."
    assert {"Ada Lovelace", "Berlin"} <= {thing.name for thing in read(text).things.values()}
