"""How much of the material of a report has changed: a share between nothing and everything."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j.index.report_context import pack
from graphrag_neo4j.index.report_inputs import drift, pieces_of, sample_of_texts
from graphrag_neo4j.model.context_table import ContextRecord, ContextTable, record_of
from graphrag_neo4j.model.material import EntityMaterial, PartMaterial, ReportMaterial

HASHES = st.integers(-(2**63), 2**63 - 1)
PIECES = st.dictionaries(HASHES, st.integers(1, 1000), max_size=40)


def words(text: str) -> int:
    return len(text.split())


def entity(
    name: str, description: str, ref: int = 1, sample: tuple[int, ...] = ()
) -> EntityMaterial:
    record = record_of("Entities", ref, name, name, "person", description)
    return EntityMaterial(record, name, description, 1, type="person", sample=sample)


def material(*entities: EntityMaterial, parts: tuple[PartMaterial, ...] = ()) -> ReportMaterial:
    return ReportMaterial({one.record.id: one for one in entities}, [], [], parts)


def pieces(found: ReportMaterial) -> dict[int, int]:
    return pieces_of(pack(found, 10_000, words), found)


def part(id_: str, report: str, sample: tuple[int, ...], ref: int = 1) -> PartMaterial:
    record = ContextRecord("Reports", ref, id_, report)
    return PartMaterial(id_, record, record, record, 5.0, sample)


def table_of(*parts: PartMaterial) -> ContextTable:
    table = ContextTable(10_000, words)
    table.add(one.full for one in parts)
    return table


@settings(max_examples=40)
@given(PIECES, PIECES)
def test_drift_is_a_share_and_the_same_in_both_directions(
    before: Mapping[int, int], now: Mapping[int, int]
) -> None:
    assert 0 <= drift(before, now) <= 1
    assert drift(before, now) == drift(now, before)
    assert (drift(before, now) == 0) == (before == now)


def test_a_new_summary_of_nearly_the_same_descriptions_is_a_small_change() -> None:
    texts = [f"Description {n} of a well known thing." for n in range(100)]
    sample, later = sample_of_texts(texts), sample_of_texts([*texts, "A new description."])
    before = material(entity("Ada", "A summary in the words of a model.", sample=tuple(sample)))
    now = material(entity("Ada", "Wholly other prose about the same.", sample=tuple(later)))
    assert drift(pieces(before), pieces(now)) < 0.15
    other = sample_of_texts([f"Another {n}" for n in range(100)])
    gone = material(entity("Ada", "A summary in the words of a model.", sample=tuple(other)))
    assert drift(pieces(before), pieces(gone)) > 0.6


def test_a_rewritten_sub_report_counts_by_what_changed_of_its_own_material() -> None:
    one = part("one", "The first text of a model.", tuple(range(16)))
    again = part("one", "Quite another text of a model.", (*range(1, 16), 99))
    other = part("two", "A second report that stays as it is.", tuple(range(100, 116)))
    before = pieces_of(table_of(one, other), material(parts=(one, other)))
    now = pieces_of(table_of(again, other), material(parts=(again, other)))
    assert 0 < drift(before, now) < 0.1
    unknown = part("one", "Quite another text of a model.", ())
    assert (
        drift(before, pieces_of(table_of(unknown, other), material(parts=(unknown, other)))) > 0.3
    )
