"""Answers of quotations when it is known where each stands: speaker, lead, place, whole text."""

from collections.abc import Sequence

import pytest

from graphrag_neo4j.context.citations import cited
from graphrag_neo4j.context.context_table import ContextRecord, record_of, report_line
from graphrag_neo4j.context.quotation import Draft, Provenance, Reach, Similar, Verified
from graphrag_neo4j.extractive.composition import draft_of_context, draft_of_points, point_text
from graphrag_neo4j.extractive.quotes import quotes_of
from graphrag_neo4j.model import Point

TALK = (
    "ADA LOVELACE: Welcome to the show. What have you found out?\n\n"
    "BEN BLOOM: Frogs live near ponds at Lake Garda. They eat insects there, and\n"
    "they lay their eggs in the water. Ok.\n\n"
    "ADA LOVELACE: That was Ben Bloom speaking with me about frogs."
)


def composed(
    draft: Draft, *chunks: Provenance, documents: int = 1, similar: Similar | None = None
) -> str:
    """The answer, if each quotation stands in the chunk that it cites."""
    by_ref = {one.ref: one for one in chunks}
    found = {
        quotation: by_ref[ref]
        for quotation in draft.quotations
        for kind, ref in quotation.citations
        if kind == "Sources" and ref in by_ref
    }
    return draft.compose(Verified(found, documents=documents, similar=similar))


def chunk(text: str, ref: int = 7, title: str = "Ponds.txt", **more: object) -> Provenance:
    return Provenance(ref, text, 100, f"{title} {ref}", title, **more)  # type: ignore[arg-type]


def sources(*chunks: Provenance) -> list[ContextRecord]:
    return [record_of("Sources", one.ref, f"s{one.ref}", one.text) for one in chunks]


def answered(question: str, *chunks: Provenance) -> str:
    return composed(draft_of_context(question, sources(*chunks)), *chunks)


def quotations(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def test_a_quotation_has_a_lead_its_speaker_and_its_place() -> None:
    text = answered("Where do frogs live?", chunk(TALK))
    lead, said, place = text.splitlines()
    assert lead.startswith("**Ben Bloom on ")
    assert "Lake Garda" in lead
    assert said.startswith(
        "- Frogs live near ponds at Lake Garda. They eat insects there, and they"
    )
    assert cited(said) == [("Sources", 7)]
    start, end = 100 + TALK.index("Frogs live"), 100 + TALK.index(" Ok.")
    assert place.strip().startswith(f"Ponds.txt, characters {start}–{end}")


def test_the_speaker_of_a_chunk_that_begins_within_a_turn_stands_in_the_chunk_before() -> None:
    text = "Frogs live near ponds and eat insects.\n\nADA LOVELACE: Thanks."
    earlier = ("Well, yes.\nADA LOVELACE: Hm?", "BEN BLOOM: I say. ADA LOVELACE: No.")
    assert "**Ada Lovelace" in answered("Where do frogs live?", chunk(text, earlier=earlier))
    assert "**" not in answered("Where do fish live?", chunk(text))


def test_a_document_without_speakers_has_leads_of_topics() -> None:
    text = "Frogs live near the ponds of Lake Garda and eat insects."
    assert answered("Where do frogs live?", chunk(text)).startswith("**Lake Garda")


def test_sign_offs_and_questions_are_not_quoted_but_the_reply_is() -> None:
    assert "speaking with" not in answered("Where do frogs live?", chunk(TALK))
    asked = "ADA LOVELACE: Where do frogs live, and why there?\n\nBEN BLOOM: They like cool water."
    lead, said, _ = answered("Where do frogs live?", chunk(asked)).splitlines()
    assert lead == "**Ben Bloom, asked:** Where do frogs live, and why there?"
    assert said == "- They like cool water. [Data: Sources (7)]"


@pytest.mark.parametrize(
    ("questions", "lead"),
    [
        (
            "How did you begin? And where do frogs live?",
            "How did you begin? And where do frogs live?",
        ),
        (
            "Where do frogs live? And how did you begin?",
            "Where do frogs live? And how did you begin?",
        ),
        (f"How did you {'really ' * 20}begin? Where do frogs live?", "Where do frogs live?"),
        ("How are you? I am well. Where do frogs live?", "Where do frogs live?"),
    ],
)
def test_two_questions_in_a_row_lead_to_their_reply_together(questions: str, lead: str) -> None:
    text = f"ADA LOVELACE: {questions}\n\nBEN BLOOM: With a pond. They like cool water there."
    first = answered("Where do frogs live?", chunk(text)).splitlines()[0]
    assert first == f"**Ben Bloom, asked:** {lead}"


def test_a_sentence_that_needs_the_one_before_gets_it() -> None:
    text = "Ada bred frogs for years in a garden. They live near ponds, said Ada Lovelace of frogs."
    [line] = quotations(answered("Where do frogs live?", chunk(text)))
    assert line.startswith("- Ada bred frogs for years in a garden. They live near ponds")


def test_a_half_of_a_sentence_is_completed_or_left_out() -> None:
    long = " and ".join(["this goes on for a while"] * 20)
    text = f"Frogs live near ponds; {long}. Other frogs live in trees, we know."
    assert quotations(answered("Where do frogs live?", chunk(text))) == [
        "- Other frogs live in trees, we know. [Data: Sources (7)]"
    ]
    cut = "of the frogs that live near ponds. Bread is baked. And frogs live near"
    assert answered("Where do frogs live?", chunk(cut)) == ""


def test_a_sentence_encoder_orders_the_quotations_and_finds_those_without_a_shared_word() -> None:
    texts = (
        "Frogs live near ponds.",
        "Frogs live in trees of warm lands.",
        "Toads like moist gardens with old walls and many insects.",
    )
    chunks = [chunk(text, number) for number, text in enumerate(texts, 1)]
    draft = draft_of_context("Where do frogs live?", sources(*chunks))
    near = {"ponds": 0.3, "trees": 0.4, "moist": 0.9}
    compared: list[str] = []

    def similar(texts: Sequence[str]) -> list[float]:
        compared.extend(texts)
        return [next(value for word, value in near.items() if word in text) for text in texts]

    alone = quotations(composed(draft, *chunks))
    assert not any("Toads" in line for line in alone)
    ordered = quotations(composed(draft, *chunks, similar=similar))
    assert sorted(compared) == sorted(texts)
    assert {line[2:7] for line in ordered} == {"Frogs", "Toads"}
    assert "trees" in ordered[0]


def test_what_is_far_from_the_question_by_its_meaning_needs_its_words() -> None:
    text = "Bread is baked in an oven."
    draft = draft_of_context("Where do frogs live?", sources(chunk(text)))
    assert composed(draft, chunk(text), similar=lambda texts: [0.69] * len(texts)) == ""


def test_what_several_documents_repeat_is_boilerplate() -> None:
    text = "Frogs live near ponds and eat insects, as we say in every book."
    assert answered("Where do frogs live?", chunk(text, documents=2)) != ""
    assert answered("Where do frogs live?", chunk(text, documents=3)) == ""


def test_overlapping_chunks_and_nearly_equal_sentences_are_quoted_once() -> None:
    said = "Frogs live near ponds and eat insects at night."
    again = "Frogs live near ponds and eat small insects at night."
    text = answered("Where do frogs live?", chunk(said), chunk(again, 8))
    assert len(quotations(text)) == 1


def test_a_name_that_is_nowhere_gets_no_answer() -> None:
    money = chunk("We raised venture capital, and the capital of the company grew.")
    assert answered("What is the capital of Mongolia?", money) == ""
    assert answered("What happened to the capital of the company?", money) != ""


def test_the_words_of_a_speaker_count_as_said() -> None:
    text = "BEN BLOOM: My mother taught me music in the kitchen at home.\nANN LEE: We sold music."
    [line] = quotations(answered("What does Ben Bloom say of music?", chunk(text)))
    assert "kitchen" in line


def test_different_documents_and_speakers_come_first() -> None:
    frogs = [
        "ANN ROE: Frogs live near ponds in the north of our country.",
        "BEN ROE: My father saw how frogs live in cold rivers.",
        "CARL ROE: Some frogs live on trees and never come down.",
    ]
    three = [chunk(text, 10 + n, f"{n}.txt") for n, text in enumerate(frogs)]
    text = answered("Where do frogs live?", *three)
    assert len(quotations(text)) == 3
    assert all(f"**{name} Roe" in text for name in ("Ann", "Ben", "Carl"))


def test_a_comparison_puts_quotations_side_by_side_and_says_that_a_model_compares() -> None:
    texts = (
        "ANN ROE: Schools must teach every child to read books.\nDAN LEE: Hm.",
        "BEN DOE: A school should be a garden where children play.\nDAN LEE: Hm.",
    )
    two = [chunk(text, 10 + n, f"{n}.txt") for n, text in enumerate(texts)]
    text = answered("Compare what Ann Roe and Ben Doe say about schools.", *two)
    first, second = text.index("**Ann Roe**"), text.index("**Ben Doe**")
    assert text.startswith("Only a model compares.")
    assert first < text.index("every child") < second < text.index("a garden")


def _point(ref: int, title: str, said: str, source: int) -> Point:
    text = report_line(f"# {title}\n\n{said} [Data: Sources ({source})]")
    record = ContextRecord("Reports", ref, f"r{ref}", text)
    return Point(point_text(record, list(quotes_of(record))), 50)


def _themes(reach: Sequence[Reach]) -> str:
    said = ("Frogs live near ponds and eat insects.", "A bank lends money to a company.")
    points = [_point(1, "Frogs: Ben", said[0], 7), _point(2, "Money: Ann", said[1], 8)]
    draft = draft_of_points("What are the main themes?", points)
    places = {one: chunk(one.text, n) for n, one in enumerate(draft.quotations)}
    return draft.compose(Verified(places, dict(enumerate(reach, start=1)), documents=9))


def test_a_comparison_knows_names_with_dots_and_prefers_what_they_say_themselves() -> None:
    talk = (
        "WILL.I.AM: Music lives from ideas, and machines are drums to me.\n\n"
        "ADA LOVELACE: Music and will.i.am belong together, as everybody knows here.\n\n"
        "BEN BLOOM: Music is a play of children, and no machine can play like them."
    )
    text = answered(
        "How do will.i.am and Ben Bloom differ in what they think of Music?", chunk(talk)
    )
    assert [line for line in text.splitlines() if line.startswith("**")] == [
        "**will.i.am**",
        "**Ben Bloom**",
    ]
    assert "belong together" not in text


def test_themes_come_by_the_number_of_their_documents_which_is_said() -> None:
    text = _themes([Reach(5, 2), Reach(4, 6)])
    assert [line for line in text.splitlines() if line.startswith("**")] == [
        "**Money: Ann**, in 6 of 9 documents [Data: Reports (2)]",
        "**Frogs: Ben**, in 2 of 9 documents [Data: Reports (1)]",
    ]
    assert len(quotations(text)) == 2


def test_a_local_answer_fits_on_a_screen() -> None:
    places = (
        "ponds behind the old mill", "rivers under bridges of stone", "trees of the rain forest",
        "wells in the gardens of monks", "marshes along a northern coast", "caves near hot springs",
        "ditches beside the railway", "lakes between high mountains", "fields of rice in the south",
    )  # fmt: skip
    chunks = [
        chunk(
            f"SPEAKER {chr(65 + n)}: Frogs live in {where}, {where[::-1]} and {where.upper()}.",
            n,
            f"{n}.txt",
        )
        for n, where in enumerate(places, start=1)
    ]
    text = answered("Where do frogs live?", *chunks)
    rows = sum(1 + len(line) // 100 for line in text.splitlines())
    assert 10 < rows <= 36
