"""How strongly two things belong together: from never over by chance to always."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.index.stages.communities import npmi, weight_of


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int, int]:
    total = draw(st.integers(1, 1000))
    together = draw(st.integers(1, total))
    return together, draw(st.integers(together, total)), draw(st.integers(together, total)), total


@given(counts())
def test_it_lies_between_never_and_always_in_both_directions(
    found: tuple[int, int, int, int],
) -> None:
    together, one, other, total = found
    assert -1 <= npmi(*found) <= 1
    assert npmi(*found) == npmi(together, other, one, total)
    assert weight_of(*found) > 0


def test_by_chance_is_zero_and_never_apart_is_one() -> None:
    assert npmi(1, 10, 10, 100) == 0
    assert npmi(7, 7, 7, 100) == 1
    assert npmi(0, 5, 5, 100) == -1
