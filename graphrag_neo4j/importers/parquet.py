"""Parquet files as rows of plain values: the one place that imports pyarrow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # it comes without types
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from graphrag_neo4j.errors import InputError

__all__ = ["read_rows"]


MEGABYTE = 1_000_000
BATCH_ROWS = 256


def read_rows(
    path: Path, needed: Sequence[str], wanted: Sequence[str], max_mb: int
) -> list[dict[str, Any]]:
    """The rows of a file: all `needed` columns, and those of the `wanted` that it has.

    Raises InputError where the file is no parquet, lacks a needed column, or unpacks to more than
    `max_mb` megabytes.
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
        _refuse_large(path, _announced(file, columns), max_mb)
        rows = _unpacked(path, file, columns, max_mb)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} can't be read as parquet: {error}.") from error
    return rows


def _unpacked(
    path: Path, file: pq.ParquetFile, columns: Sequence[str], max_mb: int
) -> list[dict[str, Any]]:
    """The rows, read a few at a time: a file may unpack to more than it announces."""
    rows: list[dict[str, Any]] = []
    n_bytes = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=columns):
        n_bytes += sum(_plain(column).nbytes for column in batch.columns)
        _refuse_large(path, n_bytes, max_mb)
        rows += batch.to_pylist()
    return rows


def _plain(column: pa.Array) -> pa.Array:
    """The column with each value written out: a dictionary holds a repeated value once."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _announced(file: pq.ParquetFile, columns: Sequence[str]) -> int:
    """The bytes that these columns unpack to, as the file itself says."""
    groups = (file.metadata.row_group(n) for n in range(file.metadata.num_row_groups))
    chunks = (group.column(n) for group in groups for n in range(group.num_columns))
    return sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema.split(".")[0] in columns
    )


def _refuse_large(path: Path, n_bytes: int, max_mb: int) -> None:
    if n_bytes > max_mb * MEGABYTE:
        raise InputError(
            f"{path} unpacks to more than {max_mb:,} MB: set KG_MAX_FILE_MB to a larger number if "
            "you trust it."
        )
