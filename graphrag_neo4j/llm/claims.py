"""From records to claims."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from graphrag_neo4j.llm.extraction import clean_name
from graphrag_neo4j.llm.passes import Passes
from graphrag_neo4j.model import ClaimRecord, Claims
from graphrag_neo4j.text import fold

__all__ = ["claims_of"]

FIELDS = 8
STATUSES = frozenset({"TRUE", "FALSE", "SUSPECTED"})
NONE = frozenset({"", "none", "null", "n/a", "na", "unknown", "-"})
PARTIAL_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2]))?")


def claims_of(passes: Passes) -> Claims:
    """What the records of a reading claim; a reason for each that can't be used."""
    unusable = list(passes.odd)
    claims = [claim for record in passes.records if (claim := _claim(_fields(record), unusable))]
    return Claims(claims, passes.cut, unusable)


def _fields(record: list[str]) -> list[str]:
    """Eight fields: a leading kind is dropped, what is too many belongs to the source text."""
    fields = record[1:] if clean_name(record[0]).casefold() == "claim" else record
    if len(fields) < FIELDS:
        return fields
    return [*fields[: FIELDS - 1], "<|>".join(fields[FIELDS - 1 :])]


def _claim(fields: Sequence[str], unusable: list[str]) -> ClaimRecord | None:
    if len(fields) < FIELDS:
        unusable.append("claim with too few fields")
        return None
    subject, object_, type_, status, start, end, description, source_text = fields
    subject, object_ = clean_name(subject), clean_name(object_)
    if not subject or not description:
        unusable.append("claim without a subject or a description")
        return None
    return ClaimRecord(
        subject=subject,
        object=None if object_.casefold() in NONE else object_,
        type=fold(type_).upper(),
        status=_status(status, unusable),
        start_date=_date(start, unusable),
        end_date=_date(end, unusable),
        description=description,
        source_text=source_text,
    )


def _status(text: str, unusable: list[str]) -> str | None:
    status = text.strip().upper()
    if status in STATUSES:
        return status
    unusable.append("claim with an unreadable status")
    return None


def _date(text: str, unusable: list[str]) -> str | None:
    """The date in ISO 8601 as precise as it was given: a year, a month or a day."""
    if text.casefold() in NONE:
        return None
    if PARTIAL_DATE.fullmatch(text) and text[:4] != "0000":
        return text
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        unusable.append("claim with an unreadable date")
        return None
