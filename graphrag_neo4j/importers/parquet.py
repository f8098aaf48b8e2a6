"""Reads Parquet files as rows of plain values. No other module imports pyarrow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from graphrag_neo4j.errors import InputError

__all__ = ["read_rows"]


MEGABYTE = 1_000_000
BATCH_ROWS = 256


def read_rows(
    path: Path, needed: Sequence[str], wanted: Sequence[str], max_mb: int
) -> list[dict[str, Any]]:
    """Reads the rows of a file: all `needed` columns, and those of `wanted` that the file has.

    Raises InputError where the file is not Parquet, lacks a needed column, or unpacks to more than
    `max_mb` megabytes.
    """
    try:
        file = pq.ParquetFile(path)
        existing = file.schema_arrow.names
        if missing := [name for name in needed if name not in existing]:
            raise InputError(
                f"{path} has no column {', '.join(missing)}: it is not a table that "
                "microsoft/graphrag 2 or 3 has written."
            )
        columns = [name for name in (*needed, *wanted) if name in existing]
        _refuse_large(path, _announced(file, columns), max_mb)
        rows = _unpacked(path, file, columns, max_mb)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} can't be read as parquet: {error}.") from error
    return rows


def _unpacked(
    path: Path, file: pq.ParquetFile, columns: Sequence[str], max_mb: int
) -> list[dict[str, Any]]:
    """The rows, read in batches: a file may unpack to more bytes than its metadata says."""
    rows: list[dict[str, Any]] = []
    n_bytes = 0
    for batch in file.iter_batches(BATCH_ROWS, columns=columns):
        n_bytes += sum(_plain(column).nbytes for column in batch.columns)
        _refuse_large(path, n_bytes, max_mb)
        rows += batch.to_pylist()
    return rows


def _plain(column: pa.Array) -> pa.Array:
    """The column without dictionary encoding, which stores a repeated value only once."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _announced(file: pq.ParquetFile, columns: Sequence[str]) -> int:
    """The number of bytes that these columns unpack to, according to the file's metadata."""
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
