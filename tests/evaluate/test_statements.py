"""Which sentences claim something, what they cite, and whether words support them."""

import pytest

from graphrag_neo4j.evaluate.statements import Statement, citations_in, statements_in
from graphrag_neo4j.evaluate.word_support import support_by_words

ENGLISH = """\
## Ada Lovelace

Here is a summary of what is said about her. She met Charles in 1833. They wrote letters \
[Data: Sources (3, 4); Claims (2)]. Was it often? Nobody knows it today.

The main points are:

- **Work**: She wrote notes [Data: Entities (5)]. They were long. [Data: Sources (7)]
- It is sure that
  the notes were printed in 1843.

| who | what |
|---|---|
| Ada | wrote the notes [Data: Sources (8)] |

```
print("This is no statement.")
```

**Her later years**, in 2 of 7 documents [Data: Reports (9)]
- I was ill for months. Yes. I died young. [Data: Sources (10)]
  letters.txt, characters 1,017–1,097

I hope this helps. Thank you.
"""


def test_english_statements_are_found_with_what_covers_them() -> None:
    letters = ("[Data: Sources (3)]", "[Data: Sources (4)]", "[Data: Claims (2)]")
    assert statements_in(ENGLISH) == [
        Statement("She met Charles in 1833.", letters),
        Statement("They wrote letters.", letters),
        Statement("Nobody knows it today.", ()),
        Statement("Work: She wrote notes.", ("[Data: Entities (5)]",)),
        Statement("They were long.", ("[Data: Sources (7)]",)),
        Statement("It is sure that the notes were printed in 1843.", ()),
        Statement("Ada, wrote the notes", ("[Data: Sources (8)]",)),
        Statement("I was ill for months.", ("[Data: Sources (10)]",)),
        Statement("I died young.", ("[Data: Sources (10)]",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No answer to this question was found.",
        "Here are the most important themes.",
        "Voici un résumé des thèmes.",
        "Hier ist eine Übersicht über alles.",
        "以下是主要主题的总结。",
        "Who was it, and why?",
        "Yes. No.",
        "**The years of Ada**",
        "### Sources\n- [1] novel.txt\n- [2] letters.txt",
    ],
)
def test_what_claims_nothing_is_no_statement(text: str) -> None:
    assert statements_in(text, ["[1]", "[2]"]) == []


@pytest.mark.parametrize("cited", ["Here is where Ada died [1].", "Ada died. [1]", "[1] says so."])
def test_a_sentence_with_a_citation_of_its_own_is_a_statement(cited: str) -> None:
    [one] = statements_in(cited, ["[1]"])
    assert one.citations == ("[1]",)


def test_citations_of_other_systems_are_found_as_they_stand() -> None:
    text = "Ada met him[^1]. They wrote [KG] a.txt letters. It ended (Source: b)."
    others = ["[^1]", "[KG] a.txt", "(Source: b)"]
    assert [one.citations for one in statements_in(text, others)] == [(name,) for name in others]
    assert citations_in(text, others) == others
    assert citations_in("Rich [Data: Entities (5, 7)]. Dead [Data: Entities (7)].") == [
        "[Data: Entities (5)]",
        "[Data: Entities (7)]",
    ]


def test_a_long_answer_takes_linear_time() -> None:
    many = "Ada met Charles [Data: Sources (3)]. They wrote letters. " * 2_000
    assert len(statements_in(many)) == 4_000


PASSAGE = """\
ADA: In June 1833 I met Charles Babbage at a party in London. He showed me the engine that he had \
built. I could not forget its brass wheels.

Years later I translated an article about it, and I added notes that were longer than the article.
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "I could not forget its brass wheels.",
        "He showed me  the engine\nthat he had built.",
        "Ada met Charles Babbage at a London party in June 1833.",
        "She translated an article about the engine and added longer notes.",
    ],
)
def test_what_a_passage_says_is_supported(sentence: str) -> None:
    assert support_by_words(sentence, ["Nothing of this is here.", PASSAGE]).support == "supported"


@pytest.mark.parametrize(
    "sentence",
    [
        "The village has a small church and two mills.",
        "Scrooge paid Bob Cratchit fifteen shillings a week.",
    ],
)
def test_what_a_passage_does_not_tell_is_not_supported(sentence: str) -> None:
    assert support_by_words(sentence, [PASSAGE]).support == "not"


def test_another_number_is_no_full_support() -> None:
    verdict = support_by_words("Ada met Charles Babbage at a London party in June 1843.", [PASSAGE])
    assert verdict.support == "partly"
    assert "lack 1843" in verdict.reason
