"""Answers without a model: which sentences are quoted, and how."""

from collections.abc import Sequence

import pytest

from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.context.citations import CitationKind
from graphrag_neo4j.context.context_table import ContextRecord, ContextTable, record_of, report_line
from graphrag_neo4j.context.quotation import Verified
from graphrag_neo4j.extractive.query_backend import ExtractiveQueryBackend
from graphrag_neo4j.model import ComposedTask

FROGS = (
    "# Frogs, ponds\n\nFrogs live near ponds and eat insects. [Data: Entities (1); Sources (4)]\n\n"
    "## Eggs\n\nTheir eggs are laid in the water of a pond. [Data: Sources (5)]"
)
BANKS = "# Banks\n\nA bank lends money to a company at a rate. [Data: Entities (2)]"


def context(*records: ContextRecord) -> ContextTable:
    table = ContextTable(10_000, len)
    table.add(records)
    return table


def record(text: str, ref: int = 1, kind: CitationKind = "Sources") -> ContextRecord:
    return ContextRecord(kind, ref, f"{kind}{ref}", text)


def report(text: str, ref: int) -> ContextRecord:
    return record(report_line(text), ref, "Reports")


def answered(question: str, *records: ContextRecord) -> str:
    return composed(ExtractiveQueryBackend().answer(question, context(*records), ()))


def from_reports(question: str, reports: Sequence[ContextRecord]) -> str:
    backend = ExtractiveQueryBackend()
    points = result_without_requests(backend.points(question, context(*reports)))
    ranked = sorted(points, key=lambda point: -point.helpfulness)
    return composed(backend.reduce(question, ranked, ()))


def composed(task: ComposedTask) -> str:
    """The text of an answer if the graph says nothing about the places of its quotations."""
    return task.draft().compose(Verified())


def test_a_sentence_that_answers_is_quoted_with_its_citation() -> None:
    text = "Frogs live near ponds and eat insects. The bank lends money to a company."
    assert answered("Where do frogs live?", record(text, 7)) == (
        "- Frogs live near ponds and eat insects. [Data: Sources (7)]"
    )


def test_the_rarer_words_of_a_question_count_for_more() -> None:
    texts = [f"The museum opened a new room number {n} for visitors." for n in range(8)]
    records = [record(text, n) for n, text in enumerate(texts)]
    records.append(record("The museum shows a whale in its hall for visitors.", 9))
    first = answered("Does the museum have a whale?", *records).splitlines()[0]
    assert "whale" in first


def test_a_sentence_in_two_records_comes_once_with_both_citations() -> None:
    said = "Frogs live near ponds and eat insects."
    table = [record(f"frog | animal | {said}", 3, "Entities"), record(said, 7)]
    assert answered("Where do frogs live?", *table) == (
        f"- {said} [Data: Entities (3); Sources (7)]"
    )


def test_nothing_is_said_where_nothing_is_near() -> None:
    assert answered("Who won the race in Monaco?", record("Bread is baked from flour.")) == ""
    # What asks for nothing in particular asks about all.
    assert answered("What is this about?", record("Bread is baked from flour.")) != ""


@pytest.mark.parametrize(
    "question", ["???", "!", "Who is he?", "Why?", "xyzzy plugh", "Zyzzyva quokka xylophone"]
)
def test_a_question_without_a_word_that_is_there_is_not_answered(question: str) -> None:
    records = [record("Bread is baked from flour."), record("A phone is in the car of Ms Xu.", 2)]
    assert answered(question, *records) == ""


def test_other_words_for_what_is_there_are_near() -> None:
    assert "car" in answered("Which vehicles are mentioned?", record("They bought fast cars."))


def test_names_in_a_context_are_asked_about_only_where_something_is_near() -> None:
    table = context(record("Marley | person | Marley was dead.", kind="Entities"))
    near = result_without_requests(ExtractiveQueryBackend().prime("Was Marley dead?", table))
    assert near.follow_ups == ["Was Marley dead? Marley"]
    far = result_without_requests(ExtractiveQueryBackend().prime("xyzzy plugh", table))
    assert (far.answer, far.follow_ups) == ("", ["xyzzy plugh"])


def test_headings_of_a_report_are_no_part_of_a_quotation() -> None:
    found = from_reports(
        "Where do frogs live and lay their eggs?", [report(FROGS, 8), report(BANKS, 9)]
    )
    assert found.splitlines() == [
        "**Frogs, ponds** [Data: Reports (8)]",
        "- Frogs live near ponds and eat insects. [Data: Entities (1); Sources (4)]",
        "- Their eggs are laid in the water of a pond. [Data: Sources (5)]",
    ]


def test_a_question_about_the_whole_is_answered_by_the_widest_reports_first() -> None:
    found = from_reports("What are the main themes?", [report(BANKS, 9), report(FROGS, 8)])
    titles = [line for line in found.splitlines() if line.startswith("**")]
    assert titles == ["**Frogs, ponds** [Data: Reports (8)]", "**Banks** [Data: Reports (9)]"]


def test_reports_without_a_sentence_near_the_question_are_not_opened() -> None:
    table = context(report(FROGS, 8), report(BANKS, 9))
    assert list(
        result_without_requests(ExtractiveQueryBackend().rate("Where do frogs lay eggs?", table))
    ) == [8]


def test_a_question_about_the_whole_is_answered_from_what_cites_nothing_too() -> None:
    found = from_reports("What are the main themes?", [record("Bread is baked from flour.", 7)])
    assert found == "- Bread is baked from flour. [Data: Sources (7)]"


def test_however_much_a_sentence_cites_its_chunk_is_among_it() -> None:
    cites = "[Data: Entities (1, 2, 3); Sources (4)]"
    found = from_reports("What are the main themes?", [report(f"# Frogs\n\nFrogs eat. {cites}", 8)])
    assert found.endswith(f"- Frogs eat. {cites}")


def test_pieces_of_a_description_are_never_quoted_as_one_sentence() -> None:
    said = "Frogs eat insects near ponds.\nMany frogs live in water at night."
    found = answered("Where do frogs live?", record_of("Entities", 3, "e3", "frog", "animal", said))
    assert sorted(found.splitlines()) == [
        "- Frogs eat insects near ponds. [Data: Entities (3)]",
        "- Many frogs live in water at night. [Data: Entities (3)]",
    ]


def test_a_half_of_a_sentence_is_not_quoted() -> None:
    said = "Frogs eat insects and live near ponds, and\nThat frogs live near ponds,\nlive frogs."
    found = answered("Where do frogs live?", record_of("Entities", 3, "e3", "frog", "animal", said))
    assert found == ""


def test_a_speaker_is_no_part_of_what_is_quoted_from_a_chunk() -> None:
    text = "JANE LEE: Where do they live?\nBEN BLOOM: Frogs live near ponds\nand eat insects."
    assert "- Frogs live near ponds and eat insects. [Data: Sources (7)]" in answered(
        "Where do frogs live?", record_of("Sources", 7, "s7", text)
    )


def test_what_a_document_writes_like_a_citation_is_quoted_as_text() -> None:
    text = "Frogs live near ponds and eat insects [Data: Entities (1, 2, 3)]."
    assert answered("Where do frogs live?", record_of("Sources", 7, "s7", text)) == (
        "- Frogs live near ponds and eat insects ⟦Data: Entities (1, 2, 3)⟧. [Data: Sources (7)]"
    )
