"""The keys of a million rows take little memory."""

import tracemalloc
from itertools import islice
from pathlib import Path

from graphrag_neo4j.documents import ReadOptions, read
from graphrag_neo4j.model.types import Document


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
