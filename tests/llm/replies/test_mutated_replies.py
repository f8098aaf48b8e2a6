"""Mutated replies: whatever happens to a list, each of its records is used or counted."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.mutated_lists import lost, mutated_list


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.integers(0, 5000))
def test_each_record_of_a_mutated_reply_is_used_or_counted(seed: int) -> None:
    """`scripts/bench/replies.py` does the same with 100,000 replies."""
    whole = mutated_list(seed)
    assert not lost(whole), (seed, whole.reply)
