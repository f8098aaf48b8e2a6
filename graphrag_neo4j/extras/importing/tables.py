"""Reads the tables in an output folder of graphrag, with the same names for all versions.

All rows are kept here, also rows that can't be used later. No other module imports pyarrow.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from graphrag_neo4j.documents import metadata_of
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.types import EntityRecord, FindingText, RelationshipRecord, WrittenReport
from graphrag_neo4j.settings import MAX_FILE_MB
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.text.strings import clean_name, storable, without_capitals

# By table: the columns that it must have, and the columns that are optional.
COLUMNS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "documents": (("id",), ("title", "text", "creation_date", "metadata", "raw_data")),
    "text_units": (("id", "human_readable_id", "text"), ("document_id", "document_ids")),
    "entities": (("id", "human_readable_id", "title", "description", "text_unit_ids"), ("type",)),
    "relationships": (
        ("human_readable_id", "source", "target", "description", "weight", "text_unit_ids"),
        (),
    ),
    "covariates": (
        ("human_readable_id", "subject_id", "description", "text_unit_id"),
        ("object_id", "type", "status", "start_date", "end_date", "source_text"),
    ),
    "communities": (("community", "parent", "entity_ids"), ()),
    "community_reports": (
        ("community", "title", "summary"),
        ("findings", "rank", "rating", "rating_explanation", "rank_explanation"),
    ),
}
NEEDED = ("text_units", "entities", "relationships")
CLAIM = (
    "subject_id", "object_id", "type", "status", "start_date", "end_date", "description",
    "source_text",
)  # fmt: skip
WEIGHTLESS = -1.0  # the strength of a relationship whose row has no weight
BYTE_ORDER_MARK = "\ufeff"
FOREIGN = "it is not a table that microsoft/graphrag 2 or 3 has written."
LARGEST = 10**18  # a larger number can't be a citation, and sums of larger ones may be none
MEGABYTE = 1_000_000
BATCH_ROWS = 256
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ImportedDocumentRow:
    """A document. Its text may be empty."""

    id: str
    title: str
    text: str
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A text unit. `document` is the id of the first document that it belongs to, or empty."""

    id: str
    number: int | None
    text: str
    document: str


@dataclass(frozen=True, slots=True)
class Stated(Generic[T]):
    """What a row says, and the ids of the text units that say it."""

    id: str
    number: int | None
    what: T
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommunityRow:
    """A community with its number; its members are ids of entity rows."""

    number: int | None
    parent: int | None
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """All rows of all tables. There may be no claims, communities and reports.

    The strength of a relationship is the weight of its row, WEIGHTLESS without one. A claim is the
    fields of `claim_record`. A report comes after the number of its community. `fingerprint` is a
    hash of the files. `replaced` is the number of characters that can't be stored and were
    replaced.
    """

    documents: list[ImportedDocumentRow]
    units: list[UnitRow]
    entities: list[Stated[EntityRecord]]
    relationships: list[Stated[RelationshipRecord]]
    claims: list[Stated[tuple[str, ...]]]
    communities: list[CommunityRow]
    reports: list[tuple[int | None, WrittenReport]]
    fingerprint: str
    replaced: int


def read_tables(folder: Path, max_file_mb: int = MAX_FILE_MB) -> Tables:
    """Reads the tables in a folder.

    Raises InputError that names the file, and the column, where one is missing or of another
    format, and where a file unpacks to more than `max_file_mb` megabytes.
    """
    tally: Counter[str] = Counter()
    paths = _files(folder)
    rows: dict[str, list[_Cells]] = {name: [] for name in COLUMNS}
    for name, path in paths.items():
        for row in rows_of_parquet(path, *COLUMNS[name], max_file_mb):
            rows[name].append(_Cells(str(path), row, tally))
    hashed = hashlib.blake2b(digest_size=16)
    for name in sorted(paths):
        with paths[name].open("rb") as file:
            hashed.update(hashlib.file_digest(file, "blake2b").digest())
    return Tables(
        documents=[
            ImportedDocumentRow(
                row.text("id"), row.text("title").strip(), row.body(), _metadata(row.row)
            )
            for row in rows["documents"]
        ],
        units=[
            UnitRow(
                row.text("id"),
                row.number("human_readable_id"),
                row.body(),
                "".join(row.texts("document_id", "document_ids")[:1]),
            )
            for row in rows["text_units"]
        ],
        entities=[
            row.stated(
                EntityRecord(
                    clean_name(row.text("title")),
                    without_capitals(clean_name(row.text("type"))),
                    row.text("description"),
                )
            )
            for row in rows["entities"]
        ],
        relationships=[row.stated(_relationship(row)) for row in rows["relationships"]],
        claims=[row.stated(tuple(map(row.text, CLAIM))) for row in rows["covariates"]],
        communities=[
            CommunityRow(row.number("community"), row.number("parent"), row.texts("entity_ids"))
            for row in rows["communities"]
        ],
        reports=[(row.number("community"), _report(row)) for row in rows["community_reports"]],
        fingerprint=hashed.hexdigest(),
        replaced=tally["replaced"],
    )


def _files(folder: Path) -> dict[str, Path]:
    """The paths of the existing tables by name."""
    if (folder / "create_final_entities.parquet").exists():
        raise InputError(
            f"{folder} was written by microsoft/graphrag before 2.0: bring it to 2.0 or newer by "
            "the migration notebooks of that project."
        )
    paths = {name: folder / f"{name}.parquet" for name in COLUMNS}
    paths = {name: path for name, path in paths.items() if path.is_file()}
    if missing := [f"{name}.parquet" for name in NEEDED if name not in paths]:
        raise InputError(
            f"{folder} has no {', '.join(missing)}: name the folder that microsoft/graphrag 2 or 3 "
            "writes its tables to, mostly `output`."
        )
    return paths


def rows_of_parquet(
    path: Path, needed: Sequence[str], wanted: Sequence[str], max_mb: int
) -> list[dict[str, Any]]:
    """Reads the rows of a Parquet file: `needed` columns, and those of `wanted` that it has.

    Raises InputError where pyarrow is missing, and where the file is not Parquet, lacks a needed
    column, or unpacks to more than `max_mb` megabytes.
    """
    with needing("parquet", "Parquet needs"):
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415
    rows: list[dict[str, Any]] = []
    n_bytes = 0
    try:
        file = pq.ParquetFile(path)
        existing = file.schema_arrow.names
        if missing := [name for name in needed if name not in existing]:
            raise InputError(f"{path} has no column {', '.join(missing)}: {FOREIGN}")
        columns = [name for name in (*needed, *wanted) if name in existing]
        groups = (file.metadata.row_group(n) for n in range(file.metadata.num_row_groups))
        chunks = (group.column(n) for group in groups for n in range(group.num_columns))
        announced = [c for c in chunks if c.path_in_schema.split(".")[0] in columns]
        _refuse_large(path, sum(chunk.total_uncompressed_size for chunk in announced), max_mb)
        # In batches: a file may unpack to more bytes than its metadata says, as a dictionary holds
        # a repeated value only once.
        for batch in file.iter_batches(BATCH_ROWS, columns=columns):
            for one in batch.columns:
                plain = one.dictionary_decode() if pa.types.is_dictionary(one.type) else one
                n_bytes += plain.nbytes
            _refuse_large(path, n_bytes, max_mb)
            rows += batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} can't be read as parquet: {error}.") from error
    return rows


def _refuse_large(path: Path, n_bytes: int, max_mb: int) -> None:
    if n_bytes > max_mb * MEGABYTE:
        raise InputError(
            f"{path} unpacks to more than {max_mb:,} MB: set KG_MAX_FILE_MB to a larger number if "
            "you trust it."
        )


@dataclass(frozen=True, slots=True)
class _Cells:
    """A row of `file`. A method with several columns reads the first of them that has a value.

    `tally["replaced"]` counts characters that can't be stored. For a value of another type, every
    method raises InputError that names the file and the column.
    """

    file: str
    row: Mapping[str, object]
    tally: Counter[str]

    def text(self, *columns: str) -> str:
        """A text, or a number as a text; empty if there is no value."""
        column, value = self._first(columns)
        if value is None:
            return ""
        if not isinstance(value, str | int | float):
            raise self._other(column, "a text")
        return self._stored(str(value))

    def texts(self, *columns: str) -> tuple[str, ...]:
        """The texts of a list, each of them once, in their order; a text alone is a list of one."""
        column, value = self._first(columns)
        listed = [value] if isinstance(value, str) else value or []
        if not (isinstance(listed, list) and all(isinstance(one, str) for one in listed)):
            raise self._other(column, "a list of texts")
        return tuple(dict.fromkeys(map(self._stored, listed)))

    def number(self, column: str) -> int | None:
        """A number that can be a citation's ref; None if there is none, or if it is below 0."""
        value = self.real(column)
        return int(value) if value is not None and value >= 0 else None

    def real(self, *columns: str) -> float | None:
        """A number; None if there is none, or only one that is not finite or too large."""
        column, value = self._first(columns)
        if value is None:
            return None
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise self._other(column, "a number")
            number = float(value) if isinstance(value, str) else value
        except ValueError:
            raise self._other(column, "a number") from None
        return number if abs(number) < LARGEST else None

    def records(self, column: str) -> list[object]:
        """The items of a list."""
        value = self.row.get(column)
        if value is not None and not isinstance(value, list):
            raise self._other(column, "a list")
        return value or []

    def body(self) -> str:
        """The text of a document or of a text unit."""
        return self.text("text").removeprefix(BYTE_ORDER_MARK)

    def stated(self, what: T) -> Stated[T]:
        """What this row says, with its text units."""
        units = self.texts("text_unit_ids", "text_unit_id")
        return Stated(self.text("id"), self.number("human_readable_id"), what, units)

    def _first(self, columns: tuple[str, ...]) -> tuple[str, object]:
        found = ((name, self.row.get(name)) for name in columns)
        return next((one for one in found if one[1] is not None), (columns[0], None))

    def _stored(self, text: str) -> str:
        text, replaced = storable(text)
        self.tally["replaced"] += replaced
        return text

    def _other(self, column: str, kind: str) -> InputError:
        return InputError(
            f"{self.file} holds something else than {kind} in its column {column}: {FOREIGN}"
        )


def _metadata(row: Mapping[str, Any]) -> dict[str, object]:
    """The metadata of a document: the columns of its input, without its text."""
    given = row.get("metadata") or row.get("raw_data")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = {"metadata": given}
    columns = given if isinstance(given, dict) else {}
    known = {"creation_date": row.get("creation_date"), **columns}
    taken = {"id", "title", *(n for n, value in known.items() if value == row.get("text"))}
    return metadata_of(known, taken)


def _relationship(row: _Cells) -> RelationshipRecord:
    ends = clean_name(row.text("source")), clean_name(row.text("target"))
    weight = row.real("weight")
    return RelationshipRecord(
        *ends, row.text("description"), WEIGHTLESS if weight is None else max(0.0, weight)
    )


def _report(row: _Cells) -> WrittenReport:
    findings = []
    for found in row.records("findings"):
        # With some prompts, a model gives a plain text instead of two parts.
        parts = found if isinstance(found, dict) else {"explanation": found}
        cells = _Cells(row.file, parts, row.tally)
        findings.append(FindingText(cells.text("summary"), cells.text("explanation")))
    return WrittenReport(
        title=row.text("title"),
        summary=row.text("summary"),
        findings=findings,
        rating=row.real("rank", "rating"),
        rating_explanation=row.text("rating_explanation", "rank_explanation"),
    )
