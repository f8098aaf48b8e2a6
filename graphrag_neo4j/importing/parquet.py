"""Parquet files as rows of plain values: the one place that imports pyarrow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # it comes without types
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from graphrag_neo4j.errors import InputError

__all__ = ["read_rows"]


def read_rows(path: Path, needed: Sequence[str], wanted: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a file: all `needed` columns, and those of the `wanted` that it has.

    Raises InputError where the file is no parquet or lacks a needed column.
    """
    try:
        file = pq.ParquetFile(path)
        there = file.schema_arrow.names
        if missing := [name for name in needed if name not in there]:
            raise InputError(
                f"{path} has no column {', '.join(missing)}: it is no table that "
                "microsoft/graphrag 2 or 3 has written."
            )
        columns = [name for name in (*needed, *wanted) if name in there]
        rows: list[dict[str, Any]] = file.read(columns=columns).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} can't be read as parquet: {error}.") from error
    return rows
