"""Mutated replies: whatever happens to a list, its records are used or counted."""

from tests.support.mutated_lists import lost, mutated_list, used


def test_the_records_of_mutated_replies_are_used_or_counted() -> None:
    """`scripts/bench/replies.py` does the same with 100,000 replies."""
    replies = [mutated_list(seed) for seed in range(1000)]
    records = sum(len(whole.records) for whole in replies)
    assert sum(used(whole) for whole in replies) >= 0.95 * records
    assert sum(len(lost(whole)) for whole in replies) <= 0.002 * records
