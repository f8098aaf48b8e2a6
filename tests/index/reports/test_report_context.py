"""What a report is written from: prominent first, within the budget; how much of it changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.index.reports.context import pack, report_of_elements
from graphrag_neo4j.index.reports.inputs import changed_share, pieces_of, sample_of_texts
from graphrag_neo4j.model.context import ContextRecord, ContextTable, record_of
from graphrag_neo4j.model.material import (
    ClaimMaterial,
    EntityMaterial,
    PartMaterial,
    RelationshipMaterial,
    ReportMaterial,
)
from tests.support.preset_backend import words


def entity(n: int, degree: int = 1, part: str | None = None, length: int = 3) -> EntityMaterial:
    said = " ".join(["fact"] * length)
    record = ContextRecord("Entities", n, f"e{n:03}", f"E{n} | person | {said}")
    return EntityMaterial(record, f"E{n}", said, degree, part)


def edge(n: int, source: int, target: int) -> RelationshipMaterial:
    record = ContextRecord("Relationships", n, f"r{n:03}", f"E{source} | E{target} | they met")
    return RelationshipMaterial(record, f"e{source:03}", f"e{target:03}", "they met")


def claim(n: int, *about: int) -> ClaimMaterial:
    record = ContextRecord("Claims", n, f"c{n:03}", "it is so")
    return ClaimMaterial(record, tuple(f"e{one:03}" for one in about), "it is so")


def part(n: int, length: int = 30, rating: float | None = 5.0) -> PartMaterial:
    full, summary = "word " * length, "word " * (length // 3)

    def record(text: str) -> ContextRecord:
        return ContextRecord("Reports", n, f"p{n:03}", text.strip())

    return PartMaterial(f"p{n:03}", record(full), record(summary), record(f"Title{n}"), rating)


def material(
    entities: Sequence[EntityMaterial],
    edges: Sequence[RelationshipMaterial] = (),
    claims: Sequence[ClaimMaterial] = (),
    parts: Sequence[PartMaterial] = (),
) -> ReportMaterial:
    return ReportMaterial({one.record.id: one for one in entities}, edges, claims, parts)


def ids(table: ContextTable) -> list[str]:
    return [id_ for _, id_ in table.records]


def test_edges_come_by_the_sum_of_their_ends_degrees_each_with_its_ends_and_their_claims() -> None:
    known = [entity(1, 9), entity(2, 1), entity(3, 5), entity(4, 1)]
    table = pack(
        material(known, [edge(1, 2, 4), edge(2, 1, 2), edge(3, 1, 3)], [claim(1, 3), claim(2, 4)]),
        1000,
        words,
    )
    assert ids(table) == ["e001", "e003", "r003", "c001", "e002", "r002", "e004", "r001", "c002"]


def test_the_elements_of_a_replaced_part_stay_out_however_prominent_they_are() -> None:
    """As they came first, they took the room of the edges between parts."""
    members = [entity(n, degree=50 - n, part=f"p{n // 10:03}", length=40) for n in range(20)]
    inside = [edge(n, n, n + 1) for n in range(9)]
    between = [edge(100 + n, n, 19 - n) for n in range(3)]
    parts = [part(0), part(1)]
    full = pack(material(members, [*inside, *between], parts=parts), 110, words)
    assert set(ids(full)) == {"p000", "p001", "r100", "r101", "r102"}
    less_room = pack(material(members, [*inside, *between], parts=parts), 100, words)
    assert set(ids(less_room)) == {"p000", "p001", "r100", "r101"}


def test_claims_with_one_subject_object_and_type_are_one_line_with_their_number() -> None:
    """In a leaf of ten entities around a hub, which all the claims are about."""
    alike = [replace(claim(n, 1), alike=("E1", "", "DELAY")) for n in range(200)]
    other = replace(claim(200, 1), alike=("E1", "E2", "DELAY"))
    known = [entity(1, degree=9, length=20), *(entity(n, length=20) for n in range(2, 11))]
    edges = [edge(n, 1, n) for n in range(2, 11)]
    table = pack(material(known, edges, [*alike, other]), 450, words)
    shown = table.by_kind()
    assert [record.line for record in shown["Claims"]][:2] == [
        "0 | it is so (one of 200 claims with this subject, object and type)\n",
        "200 | it is so\n",
    ]
    assert (len(shown["Entities"]), len(shown["Relationships"])) == (10, 9)
    everything = pack(material(known, edges, alike[:3]), 1000, words)
    lines = [record.line for record in everything.by_kind()["Claims"]]
    assert lines == [f"{n} | it is so\n" for n in range(3)]


def test_every_part_of_an_over_budget_parent_shows() -> None:
    """As in A Christmas Carol, where the reports of twelve parts take 11,000 tokens of 8,000."""
    parts = [part(n, length=900, rating=float(n)) for n in range(12)]
    members = [entity(n, part=f"p{n % 12:03}", length=400) for n in range(60)]
    table = pack(material(members, parts=parts), 8000, words)
    assert {id_ for id_ in ids(table) if id_.startswith("p")} == {one.id for one in parts}
    assert words(table.text) <= 8000
    # The lowest rated give way first, and no more than need be.
    lengths = {id_: words(record.text) for (_, id_), record in table.records.items()}
    assert [lengths[f"p{n:03}"] for n in range(12)] == [300] * 5 + [900] * 7
    assert table.shortened == 5


def test_a_small_community_is_told_by_its_elements_each_cited() -> None:
    report, table = report_of_elements(
        material([entity(1), entity(2, 5)], [edge(7, 1, 2)], [claim(3, 1)]), 1000, words
    )
    assert report.title == "E2, E1"
    assert report.summary == (
        "E2: fact fact fact [Data: Entities (2)]\nE1: fact fact fact [Data: Entities (1)]"
    )
    assert [(f.summary, f.explanation) for f in report.findings] == [
        ("E1 – E2", "they met [Data: Relationships (7)]"),
        ("Claims", "it is so [Data: Claims (3)]"),
    ]
    assert report.rating is None
    assert len(table.records) == 4


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5), st.integers(1, 60)), max_size=25),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), max_size=60),
    st.booleans(),
    st.integers(20, 600),
)
def test_a_budget_is_never_exceeded_and_no_claim_is_shown_without_its_entity(
    made: list[tuple[int, int, int]], said: list[tuple[int, int]], split: bool, budget: int
) -> None:
    known = [
        entity(n, degree=degree, part=f"p{home:03}" if split else None, length=length)
        for n, (degree, home, length) in enumerate(made)
    ]
    edges = [edge(n, n, n + 1) for n in range(len(made) - 1)]
    parts = [part(n, 5 * n + 1, float(n)) for n in sorted({home for _, home, _ in made}) if split]
    claims = [
        replace(claim(n, about % len(made)), alike=(f"E{about % len(made)}", "", f"T{kind}"))
        for n, (about, kind) in enumerate(said if made else ())
    ]
    table = pack(material(known, edges, claims, parts), budget, words)
    assert words(table.text) <= budget
    shown = set(ids(table))
    assert all(one.about[0] in shown for one in claims if one.record.id in shown)


# Drift: how much of the material of a report has changed, between nothing and everything.
PIECES = st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.integers(1, 1000), max_size=40)


def told_of(text: str, sample: Iterable[int]) -> dict[int, int]:
    """The pieces of a report on one entity, whose description is made from a sample of texts."""
    record = record_of("Entities", 1, "Ada", "Ada", "person", text)
    one = EntityMaterial(record, "Ada", text, 1, type="person", sample=tuple(sample))
    return pieces_of(pack(material([one]), 10_000, words), material([one]))


def report_of(id_: str, report: str, sample: Iterable[int]) -> PartMaterial:
    record = ContextRecord("Reports", 1, id_, report)
    return PartMaterial(id_, record, record, record, 5.0, tuple(sample))


def pieces(*parts: PartMaterial) -> dict[int, int]:
    table = ContextTable(10_000, words)
    table.add(one.full for one in parts)
    return pieces_of(table, material([], parts=parts))


@settings(max_examples=40)
@given(PIECES, PIECES)
def test_what_has_changed_is_a_share_and_the_same_in_both_directions(
    before: Mapping[int, int], now: Mapping[int, int]
) -> None:
    assert 0 <= changed_share(before, now) <= 1
    assert changed_share(before, now) == changed_share(now, before)
    assert (changed_share(before, now) == 0) == (before == now)


def test_a_new_summary_of_nearly_the_same_descriptions_is_a_small_change() -> None:
    texts = [f"Description {n} of a well known thing." for n in range(100)]
    sample, later = sample_of_texts(texts), sample_of_texts([*texts, "A new description."])
    other = sample_of_texts([f"Another {n}" for n in range(100)])
    before = told_of("A summary in the words of a model.", sample)
    assert changed_share(before, told_of("Wholly other prose about the same.", later)) < 0.15
    assert changed_share(before, told_of("A summary in the words of a model.", other)) > 0.6


def test_a_rewritten_sub_report_counts_by_what_changed_of_its_own_material() -> None:
    other = report_of("two", "A second report that stays as it is.", range(100, 116))
    before = pieces(report_of("one", "The first text of a model.", range(16)), other)
    again = report_of("one", "Quite another text of a model.", (*range(1, 16), 99))
    assert 0 < changed_share(before, pieces(again, other)) < 0.1
    unknown = report_of("one", "Quite another text of a model.", ())
    assert changed_share(before, pieces(unknown, other)) > 0.3
