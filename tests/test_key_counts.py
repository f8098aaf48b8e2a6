"""Keys are counted exactly, and a million of them take little memory."""

import tracemalloc
from collections import Counter
from itertools import islice
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.documents import ReadOptions, read
from graphrag_neo4j.model import Document
from graphrag_neo4j.text.files import KeyCounts


@given(st.lists(st.text(max_size=2)))
def test_each_key_is_counted_as_often_as_it_came(keys: list[str]) -> None:
    counts, expected = KeyCounts(), Counter[str]()
    for key in keys:
        expected[key] += 1
        assert counts.add(key) == expected[key]
    assert all(counts[key] == times for key, times in expected.items())
    assert "never" not in counts


def test_the_rows_of_a_file_leave_nothing_in_memory(tmp_path: Path) -> None:
    for name, options in (("a.jsonl", ReadOptions()), ("b.jsonl", ReadOptions(id_column="n"))):
        with (tmp_path / name).open("w") as file:
            file.writelines(f'{{"text": "Marley was dead.", "n": {n}}}\n' for n in range(22_000))
        items = read(tmp_path / name, options)
        assert all(isinstance(next(items), Document) for _ in range(2000))
        tracemalloc.start()
        n = sum(1 for _ in islice(items, 19_999))
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert n == 19_999
        assert held < 200_000  # ten bytes a row; a set of their names takes a hundred
        assert len(list(items)) == 1
