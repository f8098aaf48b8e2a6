"""Reads the tables in an output folder of graphrag, with the same names for all versions.

All rows are kept here, also rows that can't be used later.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.importers.cells import Cells
from graphrag_neo4j.importers.rows import (
    ClaimRow,
    CommunityRow,
    DocumentRow,
    EntityRow,
    RelationshipRow,
    ReportRow,
    Tables,
    UnitRow,
)
from graphrag_neo4j.installing import install_command
from graphrag_neo4j.loaders import metadata_of
from graphrag_neo4j.model import FindingText, Scalar, WrittenReport
from graphrag_neo4j.settings import MAX_FILE_MB
from graphrag_neo4j.text import clean_name

__all__ = ["read_tables"]

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
BYTE_ORDER_MARK = "\ufeff"


def read_tables(folder: Path, max_file_mb: int = MAX_FILE_MB) -> Tables:
    """Reads the tables in a folder.

    Raises InputError that names the file, and the column, where one is missing or of another
    format, and where a file unpacks to more than `max_file_mb` megabytes.
    """
    tally: Counter[str] = Counter()
    paths = _files(folder)
    rows = {name: _rows(paths, name, tally, max_file_mb) for name in COLUMNS}
    return Tables(
        documents=[_document(row) for row in rows["documents"]],
        units=[_unit(row) for row in rows["text_units"]],
        entities=[_entity(row) for row in rows["entities"]],
        relationships=[_relationship(row) for row in rows["relationships"]],
        claims=[_claim(row) for row in rows["covariates"]],
        communities=[_community(row) for row in rows["communities"]],
        reports=[_report(row) for row in rows["community_reports"]],
        fingerprint=_fingerprint(paths),
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


def _rows(
    paths: Mapping[str, Path], name: str, tally: Counter[str], max_file_mb: int
) -> list[Cells]:
    try:
        from graphrag_neo4j.importers.parquet import read_rows  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise InputError(
            f"Parquet can't be read without {error.name}: {install_command('parquet')}"
        ) from error
    if name not in paths:
        return []
    path = paths[name]
    rows = read_rows(path, *COLUMNS[name], max_file_mb)
    return [Cells(str(path), row, tally) for row in rows]


def _fingerprint(paths: Mapping[str, Path]) -> str:
    hashed = hashlib.blake2b(digest_size=16)
    for name in sorted(paths):
        with paths[name].open("rb") as file:
            hashed.update(hashlib.file_digest(file, "blake2b").digest())
    return hashed.hexdigest()


def _document(row: Cells) -> DocumentRow:
    text = row.text("text").removeprefix(BYTE_ORDER_MARK)
    return DocumentRow(row.text("id"), row.text("title").strip(), text, _metadata(row.row))


def _metadata(row: Mapping[str, Any]) -> dict[str, Scalar]:
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


def _unit(row: Cells) -> UnitRow:
    documents = row.texts("document_id", "document_ids")
    text = row.text("text").removeprefix(BYTE_ORDER_MARK)
    return UnitRow(row.text("id"), row.number("human_readable_id"), text, "".join(documents[:1]))


def _entity(row: Cells) -> EntityRow:
    return EntityRow(
        id=row.text("id"),
        number=row.number("human_readable_id"),
        name=clean_name(row.text("title")),
        type=clean_name(row.text("type")).casefold(),
        description=row.text("description"),
        units=row.texts("text_unit_ids"),
    )


def _relationship(row: Cells) -> RelationshipRow:
    return RelationshipRow(
        number=row.number("human_readable_id"),
        source=clean_name(row.text("source")),
        target=clean_name(row.text("target")),
        description=row.text("description"),
        weight=row.real("weight"),
        units=row.texts("text_unit_ids"),
    )


def _claim(row: Cells) -> ClaimRow:
    fields = tuple(row.text(column) for column in CLAIM)
    return ClaimRow(row.number("human_readable_id"), fields, row.text("text_unit_id"))


def _community(row: Cells) -> CommunityRow:
    return CommunityRow(row.number("community"), row.number("parent"), row.texts("entity_ids"))


def _report(row: Cells) -> ReportRow:
    report = WrittenReport(
        title=row.text("title"),
        summary=row.text("summary"),
        findings=[_finding(row, one) for one in row.records("findings")],
        rating=row.real("rank", "rating"),
        rating_explanation=row.text("rating_explanation", "rank_explanation"),
    )
    return ReportRow(row.number("community"), report)


def _finding(row: Cells, found: object) -> FindingText:
    """A finding with its two parts; with some prompts, a model gives a plain text instead."""
    parts = found if isinstance(found, dict) else {"explanation": found}
    cells = Cells(row.file, parts, row.tally)
    return FindingText(cells.text("summary"), cells.text("explanation"))
