"""Answers without a model: which sentences are quoted, who says them, and where they stand."""

from dataclasses import replace

import pytest

from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.model.citations import CitationKind
from graphrag_neo4j.model.context import ContextRecord, ContextTable, record_of, report_line
from graphrag_neo4j.model.quotation import Draft, Provenance, Reach, Similar, Verified
from graphrag_neo4j.model.types import Message
from graphrag_neo4j.rules.query_backend import ExtractiveQueryBackend

BACKEND = ExtractiveQueryBackend()
FROGS = (
    "# Frogs, ponds\n\nFrogs live near ponds and eat insects. [Data: Entities (1); Sources (4)]\n\n"
    "## Eggs\n\nTheir eggs are laid in the water of a pond. [Data: Sources (5)]"
)
BANKS = "# Banks\n\nA bank lends money to a company at a rate. [Data: Entities (2)]"
TALK = (
    "ADA LOVELACE: Welcome to the show.\n\n"
    "BEN BLOOM: Frogs live near ponds at Lake Garda. They eat insects there, and\n"
    "they lay their eggs in the water."
)


def context(*records: ContextRecord) -> ContextTable:
    table = ContextTable(10_000, len)
    table.add(records)
    return table


def record(text: str, ref: int = 1, kind: CitationKind = "Sources") -> ContextRecord:
    return ContextRecord(kind, ref, f"{kind}{ref}", text)


def reports(*texts: str) -> list[ContextRecord]:
    return [record(report_line(text), 8 + n, "Reports") for n, text in enumerate(texts)]


def draft(question: str, *records: ContextRecord) -> Draft:
    return BACKEND.answer(question, context(*records), ()).draft()


def answered(question: str, *records: ContextRecord) -> str:
    """The answer if the graph says nothing about the places of its quotations."""
    return draft(question, *records).compose(Verified()).text


def from_reports(question: str, *texts: str, verified: Verified | None = None) -> str:
    points = result_without_requests(BACKEND.points(question, context(*reports(*texts))))
    ranked = sorted(points, key=lambda point: -point.helpfulness)
    return BACKEND.reduce(question, ranked, ()).draft().compose(verified or Verified()).text


def chunk(text: str, ref: int = 7, title: str = "Ponds.txt", **more: object) -> Provenance:
    end, more = 100 + len(text), {"name": title, "line": 4, **more}
    return Provenance(f"{title} {ref}", title, ref, 100, end, text, **more)  # type: ignore[arg-type]


def placed(question: str, *chunks: Provenance, similar: Similar | None = None) -> str:
    """The answer if each quotation stands in the chunk that it cites."""
    records = [record_of("Sources", one.chunk, f"s{one.chunk}", one.text) for one in chunks]
    drafted, by_ref = draft(question, *records), {one.chunk: one for one in chunks}
    places = {one: by_ref[ref] for one in drafted.quotations for _, ref in one.citations}
    verified = Verified(places, documents=len(chunks), similar=similar, meant=0.7)
    return drafted.compose(verified).text


def quotations(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def test_a_sentence_that_answers_is_quoted_with_its_citation_and_once() -> None:
    text = "Frogs live near ponds and eat insects. The bank lends money to a company."
    assert answered("Where do frogs live?", record(text, 7)) == (
        "- Frogs live near ponds and eat insects. [Data: Sources (7)]"
    )
    texts = ("Frogs live near ponds and eat insects.", "Near ponds live frogs and eat insects.")
    chunks = [chunk(text, n) for n, text in enumerate(texts, 1)]
    assert len(quotations(placed("Where do frogs live?", *chunks))) == 1


def test_sentences_with_an_acronym_of_the_question_come_before_those_with_its_other_words() -> None:
    minutes = [f"The council met in week {n} and discussed the budget." for n in range(90)]
    minutes[50] = "SC members discussed whether the GIL goes away."
    chunks = [chunk(text, n) for n, text in enumerate(minutes)]
    question = "What did the council, the SC, discuss about the GIL?"
    assert quotations(placed(question, *chunks)) == [f"- {minutes[50]} [Data: Sources (50)]"]
    assert minutes[50] not in placed("What did the council discuss?", *chunks)


@pytest.mark.parametrize(
    "question",
    ["???", "Who is he?", "Why?", "xyzzy plugh", "Who won in Monaco?", "What is in Mongolia?"],
)
def test_nothing_is_said_where_nothing_is_near(question: str) -> None:
    records = [record("Bread is baked from flour."), record("A phone is in the car of Ms Xu.", 2)]
    assert answered(question, *records) == ""


@pytest.mark.parametrize(
    "said",
    [
        "Frogs eat insects and live near ponds, and\nthat frogs live near ponds,\nlive frogs.",
        "of the frogs that live near ponds. Bread is baked. And frogs live near ponds in",
    ],
)
def test_a_half_of_a_sentence_is_not_quoted(said: str) -> None:
    found = answered("Where do frogs live?", record_of("Entities", 3, "e3", "frog", "animal", said))
    assert "that frogs" not in found
    assert "of the frogs" not in found


def test_sentences_of_reports_stand_under_their_titles_the_widest_communities_first() -> None:
    found = from_reports("Where are eggs of frogs laid, near ponds?", FROGS, BANKS)
    assert found.splitlines()[0] == "**Frogs, ponds** [Data: Reports (8)]"
    assert "- Their eggs are laid in the water of a pond. [Data: Sources (5)]" in quotations(found)
    wide = Verified(reach={8: Reach(8, 2, 1), 9: Reach(9, 4, 3)}, documents=5)
    found = from_reports("What are the main themes?", FROGS, BANKS, verified=wide)
    assert [line for line in found.splitlines() if line.startswith("**")] == [
        "**Banks**, in 3 of 5 documents [Data: Reports (9)]",
        "**Frogs, ponds**, in 1 of 5 documents [Data: Reports (8)]",
    ]
    assert len(quotations(found)) == 2


def test_a_quotation_has_its_speaker_and_its_place_and_what_follows_it() -> None:
    said, place = placed("Where do frogs live?", chunk(TALK)).splitlines()
    text = (
        "Frogs live near ponds at Lake Garda. They eat insects there, and they lay their eggs in "
        "the water."
    )
    assert said == f"- {text} [Data: Sources (7)]"
    line = 4 + TALK[: TALK.index("Frogs live")].count("\n")
    assert place == f"  Ben Bloom, in Ponds.txt, line {line}"


def test_a_question_is_quoted_with_its_reply_and_not_without() -> None:
    asked = "ADA LOVELACE: Where do frogs live, and why there?"
    replied = chunk(f"{asked}\n\nBEN BLOOM: They like cool water.")
    said, place = placed("Where do frogs live?", replied).splitlines()
    both = "Where do frogs live, and why there? BEN BLOOM: They like cool water."
    assert said.startswith(f"- {both} [Data")
    assert place.strip().startswith("Ada Lovelace and Ben Bloom, in")
    assert placed("Where do frogs live?", chunk(asked)) == ""


def test_items_of_a_numbered_list_stay_apart_and_a_reference_has_what_it_refers_to() -> None:
    rules = "Rules\n\n1. Members feed frogs in spring. It is fun.\n2. Cars park here. Forever.\n"
    assert quotations(placed("What do members feed to frogs in spring?", chunk(rules))) == [
        "- 1. Members feed frogs in spring. It is fun. [Data: Sources (7)]"
    ]
    said = placed(
        "What was founded by Ada Bloom?", chunk("We like the pond. It was founded by Ada Bloom.")
    )
    assert quotations(said) == [
        "- We like the pond. It was founded by Ada Bloom. [Data: Sources (7)]"
    ]


def test_a_title_and_a_reply_of_one_word_are_no_quotations() -> None:
    text = (
        "../Frogs of the pond\n\nADA LOVELACE: Frogs.\n\nBEN BLOOM: The frogs of the pond sing.\n"
    )
    beginning = replace(chunk(text), start=0)
    assert quotations(placed("What do frogs do?", beginning)) == [
        "- The frogs of the pond sing. [Data: Sources (7)]"
    ]


def test_a_date_answers_when_and_what_begins_as_a_definition_who() -> None:
    text = "The festival of frogs is a festival for all.\n\nIn June, Ada opens the festival."
    for question, has_date in (("When is the festival?", True), ("Where is the festival?", False)):
        assert ("June" in quotations(placed(question, chunk(text)))[0]) is has_date
    text = "Today we have Ada Bloom with us, who is Ada Bloom.\n\nAda Bloom is a keeper of frogs."
    assert quotations(placed("Who is Ada Bloom?", chunk(text)))[0].startswith(
        "- Ada Bloom is a keeper"
    )


def test_a_question_whose_only_noun_is_a_stop_word_is_answered() -> None:
    listed = chunk("The club\n\n- Ada Bloom: chair\n- Ben Stone: treasurer\n", title="members.txt")
    other = chunk("Cars park here for free. Every member may feed the frogs.", 8, "rules.txt")
    said = placed("Who are the members?", listed, other)
    assert "- Ada Bloom: chair [Data" in said
    assert "- Ben Stone: treasurer [Data" in said
    assert "Every member" in said
    assert "Cars" not in said
    assert not placed("What do they do?", listed, other)


def test_a_sentence_encoder_finds_what_shares_no_word_with_the_question() -> None:
    text = "Many amphibians inhabit wet places of the south."

    def cosines(value: float) -> Similar:
        return lambda texts: [value] * len(texts)

    assert placed("Where do newts dwell?", chunk(text), similar=cosines(0.9)) != ""
    assert placed("Where do newts dwell?", chunk(text), similar=cosines(0.5)) == ""


@pytest.mark.parametrize(
    ("asked", "before", "meant"),
    [
        ("And who built it?", ["What is ImageNet?"], "And who built it (ImageNet)?"),
        ("And what of them?", ["Who is Jacob Marley?", "And Bob?"], "And what of them (Bob)?"),
        ("Who invented it?", ["What is deep learning?"], "Who invented it (deep learning)?"),
        ("Who built it?", ["What is ImageNet?", "And when?"], "Who built it (ImageNet)?"),
        ("What does Lisa Su say of it?", ["What is ImageNet?"], None),
        ("What is said in these texts?", ["What is ImageNet?"], None),
        ("And who built it?", ["And why?"], None),
    ],
)
def test_a_pronoun_gets_the_subject_of_an_earlier_question(
    asked: str, before: list[str], meant: str | None
) -> None:
    history = [Message("user", one) for one in before]
    assert result_without_requests(BACKEND.self_contained(asked, history)) == meant
